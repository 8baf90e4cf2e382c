#include "app/gui/scene/tables_scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/presenters/run/prediction_remarks.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

const std::vector<presenters::LayerRow> kNoLayers;
const presenters::Bridge kNoBridge;
const presenters::Breakdown kNoBreakdown{"no step is complete yet", {}, {}, {}};
const presenters::Breakdown kLookingForBreakdown{"looking at what is alive…", {}, {}, {}};

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

// A state, and the step whose types of numbers are told (timeline/computed_types.h).
timeline::View::StateEffort EffortOf(const timeline::View& view, const presenters::PeakMoment& moment) {
  timeline::View::StateEffort effort = timeline::EffortOfSettledState(view, moment.index, moment.step_end);
  if (const timeline::Step* step = presenters::StepOfTypes(view, moment))
    effort.events += step->end - step->begin;
  return effort;
}

}  // namespace

void TablesScene::BeginFrame(const SceneInput& input, const ViewState& state,
                             const presenters::SelectedOwners& selected, Frame& frame) {
  tables_.BeginFrame();
  throttle_.BeginFrame();
  const bool is_program = presenters::IsProgram(input.description);
  const bool on_phantom = networks::IsPhantom(input.description.device);
  frame.breakdown = {};
  frame.breakdown.breakdown = &kNoBreakdown;
  frame.breakdown.unit = state.unit;
  frame.breakdown.only_measured = is_program;
  frame.breakdown.empty_reason = !is_program ? "No step is complete yet. The table fills with the first one."
                                 : GoesOn(input) ? "The table fills with the first allocation."
                                                 : "Nothing was allocated.";
  frame.breakdown.selected = &selected;
  frame.breakdown.glossary = &input.book->glossary;
  frame.breakdown.on_phantom = on_phantom;
  frame.bridge = {
      &kNoBridge,
      true,
      false,
      state.unit,
      &selected,
      nullptr,
      &input.book->glossary,
      "The bridge leads from the textbook's figure to the run's peak. It needs one complete step."};
  frame.layers.selected = &selected;
  frame.layers.on_phantom = on_phantom;
  frame.layers.empty_reason =
      is_program
          ? "No layer holds anything here. Layers are told of Python programs that call modules of torch.nn: "
            "on a phantom, and by record with --operators."
          : "The layers appear as soon as a network trains.";
  frame.layers.rows = &kNoLayers;
  frame.layers.unit = state.unit;
}

bool TablesScene::AreDue(const SceneInput& input, const ViewState& state, const Estimates& estimates) {
  const bool by_hand = unit_ != state.unit || pinned_ != state.pinned;
  const bool is_new = shown_view_ != input.view || estimates_version_ != estimates.version();
  const bool streams = input.status.state == session::RunState::kRunning;
  return throttle_.Takes(by_hand || is_new, by_hand || !streams);
}

void TablesScene::Prepare(const SceneInput& input, const ViewState& state, Estimates& estimates,
                          const std::string& card, Frame& frame) {
  if (AreDue(input, state, estimates)) {
    shown_view_ = input.view;
    estimates_version_ = estimates.version();
    unit_ = state.unit;
    pinned_ = state.pinned;
    Ask(input, estimates, card);
  }
  const std::optional<presenters::PeakMoment>& moment = asked_.moment;
  const bool fits = !moment || FitsInFrame(EffortOf(*input.view, *moment));
  tables_.Ask(asked_, fits, [view = shown_view_](const TablesAsked& asked, const auto&) {
    return MakeTables(*view, asked);
  });
  if (tables_.answer() == nullptr) {
    frame.breakdown.breakdown = &kLookingForBreakdown;
    frame.breakdown.empty_reason = frame.bridge.empty_reason = frame.layers.empty_reason =
        "Looking at what is alive at this moment…";
    return;
  }
  const MomentTables& tables = *tables_.answer();
  frame.breakdown.breakdown = &tables.breakdown;
  frame.layers.rows = &tables.layers;
  frame.layers.moment = tables.breakdown.moment;
  frame.bridge.bridge = &tables.bridge;
  frame.bridge.predicted = tables.bridge_predicted;
  Note(input, estimates, frame);
}

// What is said beside them.
void TablesScene::Note(const SceneInput& input, const Estimates& estimates, Frame& frame) const {
  const TablesAsked& told = *tables_.question();
  BreakdownInput& panel = frame.breakdown;
  panel.textbook = told.textbook ? &*told.textbook : nullptr;
  frame.layers.has_textbook = told.textbook.has_value();
  panel.at_peak = frame.bridge.at_peak = told.at_peak;
  const bool predicted = told.prediction.has_value();
  panel.was_changed = input.view->settings().size() > 1;
  std::string of_figures = predicted ? presenters::LeftOut(*told.prediction) : "";
  if (of_figures.empty() && estimates.asks_cudnn())
    of_figures = "Asking cuDNN for workspaces that nobody asked for before; its answers are kept.";
  if (presenters::InfersContents(input.description))
    of_figures = "Inferred: " + std::string(presenters::kContentsAreInferred) + ".";
  std::vector<std::string> notes = {of_figures};
  const timeline::Step* const step =
      told.moment ? timeline::StepAt(*input.view, told.moment->index) : nullptr;
  if (predicted && step != nullptr && timeline::IsFirstWithItsSettings(*input.view, *step)) {
    notes.push_back(
        "The first step with these settings makes what later ones find, such as the optimizer's state; the "
        "prediction is of a later one.");
  }
  const std::vector<presenters::BreakdownRow>& totals = frame.breakdown.breakdown->totals;
  const bool differs =
      std::ranges::any_of(totals, [](const auto& row) { return row.difference_bytes.value_or(0) != 0; });
  if (predicted && step != nullptr && !panel.was_changed)
    notes.push_back(presenters::OfFewerSteps(*told.prediction, step->number + 1, differs));
  if (predicted && input.description.rank > 0) notes.push_back("The phantom's prediction is of rank 0.");
  std::erase(notes, "");
  panel.note = fmt::format("{}", fmt::join(notes, " "));
}

void TablesScene::Ask(const SceneInput& input, Estimates& estimates, const std::string& card) {
  const bool is_program = presenters::IsProgram(input.description);
  const bool is_over = !IsOfOurs(input) && !GoesOn(input);
  peak_ = is_over ? presenters::PeakOfRun(*input.view)
                  : presenters::LatestPeak(
                        *input.view, is_program ? presenters::Told::kStepOrRun : presenters::Told::kStep);
  measured_.reset();
  if (peak_) measured_ = presenters::MeasuredAt(*input.view, *peak_);
  TablesAsked asked;
  asked.number = asked_.number + 1;
  asked.moment = peak_;
  if (pinned_)
    asked.moment =
        presenters::ToldAt(*input.view, std::clamp(*pinned_, input.view->first(), input.view->end() - 1));
  if (asked.moment && peak_ && asked.moment->index == peak_->index) asked.moment = peak_;
  asked.at_peak = !asked.moment || asked.moment->is_peak;
  // The estimates beside a step are those of the settings that it ran with.
  const std::string* told = asked.moment ? timeline::SettingsAt(*input.view, asked.moment->index) : nullptr;
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
  asked_ = std::move(asked);
}

}  // namespace tidemark::gui
