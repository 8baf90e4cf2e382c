#include "app/presenters/run/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/presenters/moment/level_chain.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::presenters {
namespace {

using timeline::EventIndex;
using timeline::Series;
using timeline::Step;
using timeline::View;

constexpr size_t kFewestLines = 5'000;

// A line outlives the unit that the window tells sizes in.
std::string Bytes(int64_t bytes) { return FormatExactBytes(bytes); }

template <typename List>
auto FromIndex(const List& list, EventIndex index) {
  return std::lower_bound(
      list.begin(), list.end(), index,
      [](const typename List::value_type& item, EventIndex at) { return item.index < at; });
}

}  // namespace

void RunLog::Describe(const events::RunDescription& description) {
  has_epochs_ = !IsProgram(description);
  tells_loss_ = !networks::IsPhantom(description.device);
}

void RunLog::Add(LogLine line) {
  if (lines_.size() >= 2 * kFewestLines)
    lines_.erase(lines_.begin(), lines_.end() - static_cast<std::ptrdiff_t>(kFewestLines));
  lines_.push_back(std::move(line));
}

// Only those that are not as they should be.
void RunLog::AddSources(const View& view) {
  for (const timeline::SourceState& state : view.sources()) {
    if (state.text.empty() || state.told_ns <= covered_sources_ns_) continue;
    if (!IsWell(state)) {
      Add({state.told_ns, LogLevel::kWarning, std::string(events::NameOf(state.source)) + ": " + state.text});
    }
  }
  for (const timeline::SourceState& state : view.sources())
    covered_sources_ns_ = std::max(covered_sources_ns_, state.told_ns);
}

void RunLog::AddFirstReplay(const View& view) {
  if (std::exchange(has_told_first_replay_, true)) return;
  Add({view.TimeOf(view.graph_replays()[0]), LogLevel::kInfo,
       "the first replay of a CUDA graph: what replays use was allocated when it was captured, and stays"});
}

void RunLog::Finish(const View& view, const timeline::GraphReplays& replays) {
  if (replays.in_all == 0) return;
  std::string told = "replays of CUDA graphs: " + ReplaysInWords(replays);
  if (told == told_replays_) return;
  if (!told_replays_.empty())
    std::erase_if(lines_, [this](const LogLine& line) { return line.text == told_replays_; });
  told_replays_ = told;
  Add({view.TimeOf(view.end() - 1), LogLevel::kInfo, std::move(told)});
}

// Markers and failures come in the order of events among the steps that are complete before them.
void RunLog::Update(const View& view) {
  AddSources(view);
  const auto& steps = view.steps();
  auto step = std::lower_bound(steps.begin(), steps.end(), covered_steps_,
                               [](const Step& item, EventIndex at) { return item.begin < at; });
  const auto add_steps_until = [&](EventIndex index) {
    if (!view.graph_replays().empty() && view.graph_replays()[0] < index) AddFirstReplay(view);
    for (; step != steps.end() && step->end < index; ++step) {  // the end of one that runs is the view's
      if (step->complete) AddStep(view, *step);
      covered_steps_ = step->begin + 1;
    }
  };
  auto marker = FromIndex(view.markers(), covered_);
  auto failure = FromIndex(view.out_of_memory(), covered_);
  while (marker != view.markers().end() || failure != view.out_of_memory().end()) {
    const bool marker_next = failure == view.out_of_memory().end() ||
                             (marker != view.markers().end() && marker->index < failure->index);
    const EventIndex index = marker_next ? marker->index : failure->index;
    add_steps_until(index);
    if (marker_next) {
      const LogLevel level = marker->is_warning ? LogLevel::kWarning : LogLevel::kInfo;
      Add({view.TimeOf(index), level, marker->text});
      ++marker;
    } else {
      Add({view.TimeOf(index), LogLevel::kError,
           "out of memory: " + Bytes(failure->requested_bytes) + " asked for, " + Bytes(failure->free_bytes) +
               " free on the device"});
      ++failure;
    }
  }
  add_steps_until(view.end());
  covered_ = view.end();
}

void RunLog::AddStep(const View& view, const Step& step) {
  const bool begins_anew = step.number == 0;
  const bool is_changed = !begins_anew && step.settings != settings_;
  if (begins_anew || is_changed) {
    max_bytes_ = 0;
    covered_peak_ = step.begin;
    settings_ = step.settings;
    has_changed_ = is_changed;
  }
  if (has_epochs_ && step.number >= 0 && step.number % steps_per_epoch_ == steps_per_epoch_ - 1)
    AddEpoch(view, step);
}

void RunLog::AddEpoch(const View& view, const Step& step) {
  const Series level = view.peak_level();
  const View::Peak peak = view.PeakIn(level, std::max(covered_peak_, view.first()), step.end + 1);
  max_bytes_ = std::max(max_bytes_, ValueOf(peak.values, level));
  covered_peak_ = step.end + 1;
  const timeline::SeriesValues now = view.ValuesAt(step.end);
  std::string text = "epoch " + FormatNumber(step.number / steps_per_epoch_ + 1);
  if (step.loss && tells_loss_) text += " · loss " + fmt::format("{:.4f}", *step.loss);
  text += " · " + std::string(NameOf(level)) + " " + Bytes(ValueOf(now, level)) + " · max " +
          std::string(NameOf(level)) + " " + Bytes(max_bytes_) + (has_changed_ ? " with these settings" : "");
  if (ValueOf(now, Series::kReserved) > 0) text += " · reserved " + Bytes(ValueOf(now, Series::kReserved));
  Add({step.end_ns, LogLevel::kGood, std::move(text)});
}

}  // namespace tidemark::presenters
