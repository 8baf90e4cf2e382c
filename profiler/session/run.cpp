#include "profiler/session/run.h"

#include "profiler/session/live_run.h"
#include "profiler/session/ranked_run.h"
#include "profiler/session/recorded_run.h"
#include "profiler/trace/save.h"

namespace tidemark::session {

Result<std::unique_ptr<Run>> Run::Start(const LiveOptions& options) {
  const bool alone =
      options.settings.ranks == 1 || options.place || options.device.kind == networks::DeviceKind::kPhantom;
  if (!alone) return RankedRun::Start(options);
  Result<std::unique_ptr<LiveRun>> run = LiveRun::Start(options);
  if (!run) return run.error();
  return std::unique_ptr<Run>(std::move(*run));
}

Result<std::unique_ptr<Run>> Run::Open(const std::filesystem::path& file, const Progress& progress,
                                       std::optional<uint8_t> device) {
  return RecordedRun::Open(file, progress, device);
}

Status Run::Save(const std::filesystem::path& file, const Progress& progress) const {
  return trace::SaveTide(*view(), description(), file, progress);
}

}  // namespace tidemark::session
