#include "profiler/session/run.h"

#include "profiler/session/live_run.h"
#include "profiler/session/recorded_run.h"

namespace tidemark::session {

Result<std::unique_ptr<Run>> Run::Start(const LiveOptions& options) { return LiveRun::Start(options); }

Result<std::unique_ptr<Run>> Run::Open(const std::filesystem::path& file,
                                       const std::function<bool(double)>& progress) {
  return RecordedRun::Open(file, progress);
}

}  // namespace tidemark::session
