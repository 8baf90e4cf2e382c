// What a run has told, line by line, as a PyTorch script would print it. One thread grows a RunLog. O(what is
// new) an update.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/events/run_description.h"
#include "profiler/timeline/graph_replays.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

enum class LogLevel : uint8_t { kInfo, kGood, kWarning, kError };
struct LogLine {
  int64_t time_ns = 0;
  LogLevel level = LogLevel::kInfo;
  std::string text;
};
// Markers, sources that are not simply live, out of memory, the first replay of a CUDA graph, skipped steps,
// and after every `steps_per_epoch`
// steps what a PyTorch script would print: "epoch 3 · loss 1.2345 · allocated 85,400,064 B · max allocated
// 177,700,864 B · reserved 218,100,000 B": the loss of its last step, and what memory_allocated(),
// max_memory_allocated() and memory_reserved() say after it (reserved only where there is any); where
// settings were changed, the most since then, which is said. In bytes, for lines outlive the unit that the
// window tells sizes in. Incremental: Update takes what is new in a later view of the same run. Keeps the
// newest 5,000 lines at least.
class RunLog {
 public:
  explicit RunLog(int64_t steps_per_epoch) : steps_per_epoch_(steps_per_epoch) {}
  // What runs, as soon as it is known. A program that is not ours has no epochs of ours, and a loss that says
  // nothing (networks::IsPhantom) is not told.
  void Describe(const events::RunDescription& description);
  void Update(const timeline::View& view);
  // Once the run has ended, or stands still, with its latest view and that view's `replays`: how often it
  // replayed CUDA graphs, where it did. One line of it: where the run has gone on since, the later takes its
  // place. O(lines).
  void Finish(const timeline::View& view, const timeline::GraphReplays& replays);
  void Add(LogLine line);
  const std::vector<LogLine>& lines() const { return lines_; }

 private:
  void AddSources(const timeline::View& view);
  void AddFirstReplay(const timeline::View& view);
  void AddStep(const timeline::View& view, const timeline::Step& step);
  void AddEpoch(const timeline::View& view, const timeline::Step& step);

  int64_t steps_per_epoch_;
  bool has_epochs_ = true;
  bool tells_loss_ = true;
  timeline::EventIndex covered_ = 0;        // markers and failures before it are in the log
  timeline::EventIndex covered_steps_ = 0;  // steps that begin before it are
  timeline::EventIndex covered_peak_ = 0;   // events before it are in max_bytes_
  int64_t max_bytes_ = 0;
  int32_t settings_ = -1;           // of what that counts: View::settings()'s
  bool has_changed_ = false;        // to those, since it began
  int64_t covered_sources_ns_ = 0;  // what sources said until then is in the log
  bool has_told_first_replay_ = false;
  std::string told_replays_;  // of all of it; "" = not yet
  std::vector<LogLine> lines_;
};

}  // namespace tidemark::presenters
