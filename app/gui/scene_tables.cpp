// The tables, the bridge and the memory map: all of one moment, the latest peak or the one that a person has
// pinned.
#include <algorithm>
#include <limits>
#include <utility>

#include "app/gui/scene.h"
#include "app/presenters/moment_title.h"
#include "app/presenters/program_facts.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
using timeline::EventIndex;

// Of a step that goes on, and a run without steps: asked once, not with every event.
constexpr EventIndex kAsFarAsIsKnown = std::numeric_limits<EventIndex>::max();

constexpr const char* kLookingAtMoment = "Looking at what is alive at this moment…";

ShownMoment LookInto(const timeline::View& view, const MomentAsked& asked) {
  ShownMoment moment;
  moment.state = std::make_shared<timeline::State>(timeline::SettledStateAt(view, asked.index, asked.until));
  moment.map = presenters::MakeMemoryMap(*moment.state);
  return moment;
}

MomentTables MakeTables(const timeline::View& view, const TablesAsked& asked) {
  MomentTables tables;
  tables.breakdown = presenters::MakeBreakdown(view, asked.textbook, asked.prediction, asked.moment);
  if (!asked.textbook) {
    tables.layers = presenters::MakeLayerTable(view, asked.moment);
    return tables;
  }
  tables.layers = presenters::MakeLayerTable(view, *asked.textbook, asked.moment);
  if (asked.moment) tables.bridge = presenters::MakeBridge(view, *asked.textbook, *asked.moment);
  tables.bridge_predicted = tables.bridge.steps.empty() && asked.prediction;
  if (tables.bridge_predicted) tables.bridge = presenters::MakeBridge(*asked.prediction, *asked.textbook);
  return tables;
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
    AskForTables(input, estimates, card);
  }
  const std::optional<presenters::PeakMoment>& moment = tables_asked_.moment;
  const bool fits =
      !moment || FitsInFrame(timeline::EffortOfSettledState(*view_, moment->index, moment->step_end));
  // The first are waited for: there is nothing to show until then.
  tables_.Ask(
      tables_asked_, fits || tables_.answer() == nullptr,
      [view = tables_view_](const TablesAsked& asked, const auto&) { return MakeTables(*view, asked); });
  const MomentTables& tables = *tables_.answer();
  frame_.breakdown.breakdown = &tables.breakdown;
  frame_.layers.rows = &tables.layers;
  frame_.layers.moment = tables.breakdown.moment;
  frame_.bridge.bridge = &tables.bridge;
  frame_.bridge.predicted = tables.bridge_predicted;
  NoteTables(input, estimates);
}

// What is said beside them.
void Scene::NoteTables(const SceneInput& input, const Estimates& estimates) {
  const TablesAsked& told = *tables_.question();
  BreakdownInput& panel = frame_.breakdown;
  panel.textbook = told.textbook ? &*told.textbook : nullptr;
  frame_.layers.has_textbook = told.textbook.has_value();
  panel.at_peak = frame_.bridge.at_peak = told.at_peak;
  const bool predicted = told.prediction.has_value();
  panel.was_changed = view_->settings().size() > 1;
  if (predicted) panel.note = presenters::LeftOut(*told.prediction);
  if (panel.note.empty() && estimates.asks_cudnn()) {
    panel.note = "Asking cuDNN for workspaces that nobody asked for before; its answers are kept.";
  }
  if (presenters::InfersContents(input.description)) {
    panel.note = "Inferred: " + std::string(presenters::kContentsAreInferred) + ".";
  }
  if (input.description.rank == 0 || !predicted) return;
  panel.note += panel.note.empty() ? "" : " ";
  panel.note += "The phantom's prediction is of rank 0.";
}

void Scene::AskForTables(const SceneInput& input, Estimates& estimates, const std::string& card) {
  const bool is_program = presenters::IsProgram(input.description);
  peak_ = presenters::LatestPeak(*view_, is_program ? presenters::Told::kStepOrRun : presenters::Told::kStep);
  TablesAsked asked;
  asked.number = tables_asked_.number + 1;
  asked.moment = peak_;
  if (tables_pinned_)
    asked.moment = presenters::ToldAt(*view_, std::clamp(*tables_pinned_, view_->first(), view_->end() - 1));
  if (asked.moment && peak_ && asked.moment->index == peak_->index) asked.moment = peak_;
  asked.at_peak = !asked.moment || asked.moment->is_peak;
  // The estimates beside a step are those of the settings that it ran with.
  const std::string* told = asked.moment ? timeline::SettingsAt(*view_, asked.moment->index) : nullptr;
  if (told != nullptr) {
    const int rank = input.description.rank;
    if (const textbook::Estimate* book = estimates.Textbook(*told, rank)) asked.textbook = *book;
    if (input.description.device != "cpu" && !card.empty() && estimates.PhantomSpeaksFor(rank, *told))
      asked.prediction = estimates.Phantom(*told, card);
    if (asked.prediction && !asked.prediction->sentence.empty()) asked.prediction.reset();
  } else if (const textbook::Estimate* book = estimates.Textbook(input.settings);
             book != nullptr && !is_program) {
    asked.textbook = *book;
  }
  if (!asked.at_peak) asked.prediction.reset();  // it is of the peak
  tables_asked_ = std::move(asked);
}

std::optional<int64_t> Scene::MeasuredPeak() const {
  if (!peak_ || view_ == nullptr || peak_->index < view_->first()) return std::nullopt;
  return timeline::ValueOf(view_->ValuesAt(peak_->index), timeline::Series::kAllocated);
}

void Scene::PrepareMap(const ViewState& state, bool on_card) {
  const TimelineState& timeline = state.timeline;
  MemoryMapInput& map = frame_.memory_map;
  std::optional<EventIndex> index = state.pinned;
  if (!index && peak_) index = peak_->index;
  if (!index) index = view_->end() - 1;
  index = std::clamp(*index, view_->first(), view_->end() - 1);
  const bool at_peak = peak_ && *index == peak_->index;
  EventIndex until = at_peak ? peak_->step_end : timeline::SettledBy(*view_, *index);
  if (until >= view_->end()) until = kAsFarAsIsKnown;
  const bool fits = FitsInFrame(timeline::EffortOfSettledState(*view_, *index, until));
  moment_.Ask({*index, until}, fits,
              [view = view_](const MomentAsked& asked, const auto&) { return LookInto(*view, asked); });
  map.view = view_.get();
  map.first = std::clamp(presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.begin),
                         view_->first(), view_->end() - 1);
  map.last = std::clamp(presenters::IndexAtPosition(*view_, timeline.axis, timeline.visible.end),
                        view_->first(), view_->end() - 1);
  if (moment_.answer() == nullptr) {
    map.state = nullptr;
    map.map = nullptr;
    map.empty_reason = frame_.live_tree.empty_reason = frame_.allocations.empty_reason = kLookingAtMoment;
    return;
  }
  const timeline::State& shown = ShownState();
  map.state = &shown;
  map.map = &moment_.answer()->map;
  map.pinned = state.pinned.has_value();
  map.moment = presenters::MomentTitle(*view_, shown.index);
  if (!map.pinned && peak_) map.moment += " · the peak";
  map.unit = state.unit;
  map.empty_reason = presenters::WhyNoMap(*map.map);
  if (shown.segments.empty()) {
    map.empty_reason = on_card
                           ? "There are no segments at this moment: no memory has been reserved, or what is "
                             "recorded does not tell where."
                           : "On the CPU blocks come straight from the system, not from segments, so there "
                             "is nothing to map.";
  }
}

// Of what is selected, in the state that the map shows. What was known of it stays until then.
void Scene::PrepareSelectedBytes() {
  frame_.breakdown.selected_bytes = frame_.bridge.selected_bytes = nullptr;
  if (!owners_.selection.any()) return;
  const AliveAsked asked{moment_.answer()->state, owners_.selection, {}};
  selected_bytes_.Ask(asked, FitsInFrame({asked.state->blocks.size(), 0}),
                      [view = view_](const AliveAsked& wanted, const auto&) {
                        return presenters::SelectedBytes(wanted.selection, *view, *wanted.state);
                      });
  const bool is_of_selected =
      selected_bytes_.question() && selected_bytes_.question()->selection == owners_.selection;
  if (is_of_selected)
    frame_.breakdown.selected_bytes = frame_.bridge.selected_bytes = selected_bytes_.answer();
}

}  // namespace tidemark::gui
