// From a timeline view and the estimates to the rows of the breakdown table, the layer table and the run log.
// No ImGui here. Pure functions, any thread, but for RunLog, which one thread grows. O(live blocks + chunks),
// and O(events of a step) for the types that layers computed in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// What the tables tell of.
enum class Told : uint8_t {
  kStep,  // the step in which memory ran out if the run ended there, else the last complete one
  // The same; all of the run where there is none, since a program need not have steps, and where more was
  // allocated after the last complete one: it may go on without.
  kStepOrRun,
};

struct PeakMoment {
  int64_t step = -1;  // -1 = all of the run
  events::EventIndex index = 0;
  events::EventIndex step_end = 0;
  int64_t requested_bytes = 0;  // the highest of the step or run, as are these
  int64_t reserved_bytes = 0;   // but where memory ran out: there as it stood at that moment, as the driver
  std::string title;  // "at the peak of step 42", "at the peak of step 0, in which memory ran out", "at the
                      // peak of the run", "at the peak of the run, in step 3"
  bool is_peak = true;
  bool ran_out = false;  // memory did, in this step
};
std::optional<PeakMoment> LatestPeak(const timeline::View& view, Told told = Told::kStep);
// Of a run that is over: the step in which memory ran out if it ended there, else the one that needed the
// most, the last of equals; all of the run where that was in no complete step.
std::optional<PeakMoment> PeakOfRun(const timeline::View& view);

// A peak as curves over a setting mark it.
struct MeasuredPeak {
  int64_t bytes = 0;     // allocated; where memory ran out, with the request that failed
  bool ran_out = false;  // so that the card has less
};
MeasuredPeak MeasuredAt(const timeline::View& view, const PeakMoment& peak);

// Any event's: the peak of its step where it is that; else what was asked for and reserved then, "at event
// 318 of step 42". The index must be in the view.
PeakMoment ToldAt(const timeline::View& view, events::EventIndex index);

// Where the run, as far as it is in the view, had more allocated than at a moment.
struct HigherMoment {
  events::EventIndex index = 0;  // of the most
  int64_t allocated_bytes = 0;
  std::string where;  // "in step 2", "after step 2, before the run began anew", "at event 318"
};
std::optional<HigherMoment> HigherElsewhere(const timeline::View& view, const PeakMoment& moment);
// "The most of the run, 346.96 MB allocated, was in step 2."
std::string InWords(const HigherMoment& higher, ByteUnit unit);

struct BreakdownRow {
  std::string title;
  std::optional<events::Category> category;  // none for the totals
  std::optional<int64_t> textbook_bytes;
  std::optional<int64_t> phantom_bytes;
  std::optional<int64_t> measured_bytes;
  std::optional<int64_t> difference_bytes;  // measured − phantom
  bool is_unsampled = false;  // the card was not asked while the process held what it holds at this moment
  std::optional<timeline::Series> level = {};  // of the totals
};
// Values that do not exist are absent: what the textbook has no formula for, segments where nobody reports
// any. Requested and reserved are the highest of a complete step, all else is as it stood at its allocated
// peak.
struct Breakdown {
  std::string moment;                  // "at the peak of step 42", "no step is complete yet"
  std::vector<BreakdownRow> rows;      // categories in their order, without those that nobody knows bytes in
  std::vector<BreakdownRow> totals;    // requested, allocated, reserved; driver, process, card where measured
  std::optional<HigherMoment> higher;  // than the peak that is told
};
Breakdown MakeBreakdown(const timeline::View& view, const std::optional<textbook::Estimate>& textbook,
                        const std::optional<session::Prediction>& phantom, Told told = Told::kStep);
// As it stood at a moment. What the phantom predicts is its peak's, so it belongs beside a peak only.
Breakdown MakeBreakdown(const timeline::View& view, const std::optional<textbook::Estimate>& textbook,
                        const std::optional<session::Prediction>& phantom,
                        const std::optional<PeakMoment>& moment);

// A category's part of what was allocated at that moment; nothing for totals.
std::optional<double> ShareOfAllocated(const Breakdown& breakdown, const BreakdownRow& row);

// Of a run whose settings were changed: why it has more allocated than is predicted for them; "" where it has
// not.
std::string WhyMoreIsAllocated(const Breakdown& breakdown);

// What the phantom's prediction leaves out, as a sentence; "" = nothing. Of files the names: in which folders
// of this machine they were looked for says nothing of the figures.
std::string LeftOut(const session::Prediction& prediction);
// Beside a run that has gone on for longer and needs something else: of how many steps the prediction is, as
// a sentence; "" where there is nothing to tell. `steps`: those of the run until then.
std::string OfFewerSteps(const session::Prediction& prediction, int64_t steps, bool differs);

struct LayerRow {
  std::string name;
  std::string output;
  int64_t parameters = 0;
  int64_t parameters_bytes = 0;
  int64_t activations_bytes = 0;                // textbook
  std::optional<int64_t> measured_saved_bytes;  // alive as activation at the peak, allocated by this layer
  std::optional<int64_t> measured_temporary_bytes;
  std::optional<int64_t> measured_gradient_bytes;  // of its parameters
  std::optional<int64_t> measured_workspace_bytes;
  int64_t recomputed_bytes = 0;  // textbook: made again in backward under checkpointing
  // What this layer allocated, and its parameters, of all that is alive at the peak; and what of it is none
  // of the measured figures above: parameters, inputs, copies of autocast's, what is not known.
  double share_of_peak = 0;
  int64_t other_bytes = 0;
  std::string formula;
  // Where the other figure of what is kept stands, if not in this row: the layer that the textbook counts
  // this one's result with (a ReLU's with the convolution before it), and the layer that allocated what the
  // textbook counts here.
  std::string counts_with;
  std::string allocated_by;
  std::string computed_in;  // under autocast: "float16", see timeline/computed_types.h; "" = nobody told
};
// What a layer's share is made of, a line each, the largest first: "68.2 MB workspace".
std::string PartsInWords(const LayerRow& row, ByteUnit unit);
std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const textbook::Estimate& textbook);
// As it stood at a moment.
std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const textbook::Estimate& textbook,
                                     const std::optional<PeakMoment>& moment);
// Of a program, which no textbook knows: the layers that allocated what is alive, in the order in which the
// run met them first.
std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const std::optional<PeakMoment>& moment);

enum class LogLevel : uint8_t { kInfo, kGood, kWarning, kError };
struct LogLine {
  int64_t time_ns = 0;
  LogLevel level = LogLevel::kInfo;
  std::string text;
};
// Markers, sources that are not simply live, out of memory, skipped steps, and after every `steps_per_epoch`
// steps what a PyTorch script would print: "epoch 3 · loss 1.2345 · allocated 85,400,064 B · max allocated
// 177,700,864 B · reserved 218,100,000 B": the loss of its last step, and what memory_allocated(),
// max_memory_allocated() and memory_reserved() say after it (reserved only where there is any). In bytes, for
// lines outlive the unit that the window tells sizes in. Incremental: Update takes what is new in
// a later view of the same run. Keeps the newest 5,000 lines at least.
class RunLog {
 public:
  // A loss that says nothing (networks::IsPhantom) is not told.
  explicit RunLog(int64_t steps_per_epoch, bool tells_loss = true)
      : steps_per_epoch_(steps_per_epoch), tells_loss_(tells_loss) {}
  void Update(const timeline::View& view);
  void Add(LogLine line);
  const std::vector<LogLine>& lines() const { return lines_; }

 private:
  void AddSources(const timeline::View& view);
  void AddStep(const timeline::View& view, const timeline::Step& step);
  void AddEpoch(const timeline::View& view, const timeline::Step& step);

  int64_t steps_per_epoch_;
  bool tells_loss_;
  timeline::EventIndex covered_ = 0;        // markers and failures before it are in the log
  timeline::EventIndex covered_steps_ = 0;  // steps that begin before it are
  timeline::EventIndex covered_peak_ = 0;   // events before it are in max_allocated_bytes_
  int64_t max_allocated_bytes_ = 0;
  int64_t covered_sources_ns_ = 0;  // what sources said until then is in the log
  std::vector<LogLine> lines_;
};

}  // namespace tidemark::presenters
