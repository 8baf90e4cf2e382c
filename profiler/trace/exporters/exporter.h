// What the exporters share, and what each of them does; see export.h.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/device_work.h"
#include "profiler/timeline/timeline.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::trace {

// An event with what is true right after it.
struct Moment {
  const events::Event& event;
  timeline::EventIndex index = 0;
  int64_t time_ns = 0;  // on the view's axis, which never goes back
  const timeline::SeriesValues& values;
  const timeline::SeriesValues& before;
  // A kStepBegin or kStepEnd that bounds no step: it lies between steps that turned out to be one (event.h),
  // or tells of a step that had begun before the run did (joined_steps.h).
  bool is_no_edge = false;
};

// Whether its address means anything.
inline bool HasAddress(events::EventKind kind) { return IsOfBlock(kind) || IsOfSegment(kind); }
inline bool TellsLevel(const events::Event& event) {
  return event.kind == events::EventKind::kCounter && event.level != events::Level::kNone;
}

// Of what a run's values count: where nobody told of it they are 0, and no format may say so.
struct Told {
  explicit Told(const timeline::View& view)
      : blocks(view.tells_blocks()),
        reserved(blocks && ValueOf(view.PeakIn(timeline::Series::kReserved, view.first(), view.end()).values,
                                   timeline::Series::kReserved) > 0) {}

  bool blocks = false;    // what is allocated and requested
  bool reserved = false;  // not of the CPU, nor of the driver's pools
};

class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual void Begin(std::string& out) = 0;
  virtual void Add(const Moment& moment, std::string& out) = 0;
  // Before the first event that came after it; its time is on the view's axis.
  virtual void AddBookmark(const Bookmark& /*bookmark*/, std::string& /*out*/) {}
  // After all events: what the GPU did, a page at a time.
  virtual void AddWork(const timeline::DeviceWorkPage& /*page*/, std::string& /*out*/) {}
  virtual void End(std::string& out) = 0;
  // Of what it writes elsewhere than into `out`.
  virtual Status Outcome() const { return Done{}; }
};

std::unique_ptr<Exporter> MakeChromeExporter(const timeline::View& view,
                                             const events::RunDescription& description);
// Where the build has it (TIDEMARK_ARROW).
std::unique_ptr<Exporter> MakeArrowExporter(const timeline::View& view,
                                            const events::RunDescription& description);
std::unique_ptr<Exporter> MakeCsvExporter(const timeline::View& view);
std::unique_ptr<Exporter> MakePickleExporter(const timeline::View& view,
                                             const events::RunDescription& description);
std::unique_ptr<Exporter> MakePerfettoExporter(const timeline::View& view,
                                               const events::RunDescription& description);
// Writes `file`, which is there and empty; sentences call it `shown_name`.
std::unique_ptr<Exporter> MakeSqliteExporter(const timeline::View& view,
                                             const events::RunDescription& description,
                                             const std::filesystem::path& file,
                                             const std::filesystem::path& shown_name);

}  // namespace tidemark::trace
