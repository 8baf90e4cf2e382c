// The tables, the bridge and the memory map: all of one moment, the latest peak or the one that a person has
// pinned.
#include <fmt/format.h>

#include <algorithm>

#include "app/gui/scene.h"
#include "app/presenters/moment_title.h"
#include "app/presenters/program_facts.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

// Those that a moment's step ran with; < 0 = not known.
int32_t SettingsOf(const timeline::View& view, const presenters::PeakMoment& moment) {
  const timeline::Step* step = timeline::StepAt(view, moment.index);
  return step != nullptr && step->number == moment.step ? step->settings : -1;
}

}  // namespace

// While a run streams in, ten times a second is as often as a person can read; what a person does shows at
// once.
bool Scene::TablesAreDue(const SceneInput& input, const ViewState& state, const Estimates& estimates) const {
  if (tables_unit_ != state.unit || tables_pinned_ != state.pinned) return true;
  if (tables_view_ == view_ && tables_estimates_ == estimates.version()) return false;
  const bool paused = input.status.state != session::RunState::kRunning;
  return paused || Clock::now() - tables_time_ > 100ms;
}

void Scene::PrepareTables(const SceneInput& input, const ViewState& state, Estimates& estimates,
                          const std::string& card) {
  if (TablesAreDue(input, state, estimates)) {
    tables_time_ = Clock::now();
    tables_view_ = view_;
    tables_estimates_ = estimates.version();
    tables_unit_ = state.unit;
    tables_pinned_ = state.pinned;
    MakeTables(input, estimates, card);
  }
  frame_.breakdown.breakdown = &breakdown_;
  frame_.breakdown.textbook = textbook_ ? &*textbook_ : nullptr;
  frame_.breakdown.at_peak = frame_.bridge.at_peak = tables_at_peak_;
  if (!without_workspaces_.empty()) {
    frame_.breakdown.note =
        "cuDNN's workspaces are not included in the phantom's prediction: " + without_workspaces_ + ".";
  } else if (!unknown_sizes_.empty()) {
    frame_.breakdown.note = "Not known, counted as 0 in the phantom's prediction: " + unknown_sizes_ + ".";
  } else if (estimates.asks_cudnn()) {
    frame_.breakdown.note = "Asking cuDNN for workspaces that nobody asked for before; its answers are kept.";
  }
  if (presenters::InfersContents(input.description)) {
    frame_.breakdown.note = "Inferred: " + std::string(presenters::kContentsAreInferred) + ".";
  }
  if (input.description.rank > 0 && tables_predicted_) {
    frame_.breakdown.note += frame_.breakdown.note.empty() ? "" : " ";
    frame_.breakdown.note += "The phantom's prediction is of rank 0.";
  }
  frame_.bridge.predicted = bridge_predicted_;
  frame_.layers.moment = breakdown_.moment;
}

void Scene::MakeTables(const SceneInput& input, Estimates& estimates, const std::string& card) {
  const bool is_program = presenters::IsProgram(input.description);
  peak_ = presenters::LatestPeak(*view_, is_program ? presenters::Told::kStepOrRun : presenters::Told::kStep);
  std::optional<presenters::PeakMoment> moment = peak_;
  if (tables_pinned_)
    moment = presenters::ToldAt(*view_, std::clamp(*tables_pinned_, view_->first(), view_->end() - 1));
  if (moment && peak_ && moment->index == peak_->index) moment = peak_;
  tables_at_peak_ = !moment || moment->is_peak;
  // The estimates beside a step are those of the settings that it ran with.
  std::optional<session::Prediction> prediction;
  textbook_.reset();
  const int32_t settings = moment ? SettingsOf(*view_, *moment) : -1;
  if (settings >= 0 && static_cast<size_t>(settings) < view_->settings().size()) {
    const std::string& json = view_->settings()[static_cast<size_t>(settings)];
    const int rank = input.description.rank;
    if (const textbook::Estimate* book = estimates.Textbook(json, rank)) textbook_ = *book;
    if (input.description.device != "cpu" && estimates.PhantomSpeaksFor(rank, json))
      prediction = estimates.Phantom(json, card);
    if (prediction && !prediction->sentence.empty()) prediction.reset();
  } else if (const textbook::Estimate* book = estimates.Textbook(input.settings);
             book != nullptr && !is_program) {
    textbook_ = *book;
  }
  if (!tables_at_peak_) prediction.reset();  // it is of the peak
  breakdown_ = presenters::MakeBreakdown(*view_, textbook_, prediction, moment);
  tables_predicted_ = prediction.has_value();
  without_workspaces_ = prediction ? prediction->without_workspaces : "";
  unknown_sizes_ = prediction ? fmt::format("{}", fmt::join(prediction->unknown_sizes, ", ")) : "";
  layers_ = textbook_ ? presenters::MakeLayerTable(*view_, *textbook_, moment)
                      : std::vector<presenters::LayerRow>{};
  bridge_ = {};
  if (textbook_ && moment) bridge_ = presenters::MakeBridge(*view_, *textbook_, *moment);
  bridge_predicted_ = bridge_.steps.empty() && textbook_ && prediction;
  if (bridge_predicted_) bridge_ = presenters::MakeBridge(*prediction, *textbook_);
}

std::optional<int64_t> Scene::MeasuredPeak() const {
  if (!peak_ || view_ == nullptr || peak_->index < view_->first()) return std::nullopt;
  return timeline::ValueOf(view_->ValuesAt(peak_->index), timeline::Series::kAllocated);
}

void Scene::PrepareMap(const ViewState& state, bool on_card) {
  const TimelineState& timeline = state.timeline;
  MemoryMapInput& map = frame_.memory_map;
  std::optional<timeline::EventIndex> index = state.pinned;
  if (!index && peak_) index = peak_->index;
  if (!index) index = view_->end() - 1;
  index = std::clamp(*index, view_->first(), view_->end() - 1);
  if (!map_state_ || map_state_->index != *index) {
    const bool at_peak = peak_ && *index == peak_->index;
    map_state_ = timeline::SettledStateAt(*view_, *index,
                                          at_peak ? peak_->step_end : timeline::SettledBy(*view_, *index));
    map_ = presenters::MakeMemoryMap(*map_state_);
  }
  map.view = view_.get();
  map.state = &*map_state_;
  map.map = &map_;
  map.pinned = state.pinned.has_value();
  map.moment = presenters::MomentTitle(*view_, map_state_->index);
  if (!map.pinned && peak_) map.moment += " · the peak";
  map.unit = state.unit;
  map.first = std::clamp(presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.begin),
                         view_->first(), view_->end() - 1);
  map.last = std::clamp(presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.end),
                        view_->first(), view_->end() - 1);
  map.empty_reason = presenters::WhyNoMap(map_);
  if (map_state_->segments.empty()) {
    map.empty_reason = on_card
                           ? "There are no segments at this moment: no memory has been reserved, or what is "
                             "recorded does not tell where."
                           : "On the CPU blocks come straight from the system, not from segments, so there "
                             "is nothing to map.";
  }
}

// Of what is selected, in the state that the map shows.
void Scene::PrepareSelectedBytes() {
  const bool any = owners_.selection.any();
  if (!any || selected_bytes_of_ != owners_.selection || selected_bytes_index_ != map_state_->index) {
    selected_bytes_.reset();
    if (any) selected_bytes_ = presenters::SelectedBytes(owners_.selection, *view_, *map_state_);
    selected_bytes_of_ = owners_.selection;
    selected_bytes_index_ = map_state_->index;
  }
  frame_.breakdown.selected_bytes = frame_.bridge.selected_bytes =
      selected_bytes_ ? &*selected_bytes_ : nullptr;
}

}  // namespace tidemark::gui
