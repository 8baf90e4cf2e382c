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
const presenters::Breakdown kNoBreakdown{"no step is complete yet", {}, {}, "", {}};
const presenters::Breakdown kLookingForBreakdown{"looking at what is alive…", {}, {}, "", {}};

MomentTables MakeTables(const timeline::View& view, const TablesSource& source) {
  MomentTables tables;
  tables.breakdown = presenters::MakeBreakdown(view, source.textbook, source.prediction, source.moment);
  if (!source.textbook) {
    tables.layers = presenters::MakeLayerTable(view, source.moment);
    return tables;
  }
  tables.layers = presenters::MakeLayerTable(view, *source.textbook, source.moment);
  if (source.moment) tables.bridge = presenters::MakeBridge(view, *source.textbook, *source.moment);
  tables.bridge_predicted = tables.bridge.steps.empty() && source.prediction;
  if (tables.bridge_predicted)
    tables.bridge =
        presenters::MakeBridge(*source.prediction, *source.textbook, source.card ? &*source.card : nullptr);
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

void TablesScene::Prepare(const SceneInput& input, const ViewState& state, Estimates& estimates,
                          const session::PhantomSetup& phantom, Frame& frame) {
  const TablesAsked asked{input.view,
                          state.pinned,
                          presenters::IsProgram(input.description),
                          !IsOfOurs(input) && !GoesOn(input),
                          input.description.device == "cpu",
                          input.description.rank,
                          phantom,
                          input.settings,
                          estimates.version()};
  const bool streams = input.status.state == session::RunState::kRunning;
  if (throttle_.Takes(asked != asked_, asked.pinned != asked_.pinned || !streams)) {
    asked_ = asked;
    FindPeak();
    source_ = std::make_shared<TablesSource>(FindSource(estimates, *input.cards));
  }
  const bool fits = !source_->moment || FitsInFrame(EffortOf(*asked_.view, *source_->moment));
  tables_.Ask(asked_, fits, [source = source_](const TablesAsked& wanted, const auto&) {
    MomentTables tables = MakeTables(*wanted.view, *source);
    tables.source = source;
    return tables;
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
  const TablesSource& told = *tables_.answer()->source;
  BreakdownInput& panel = frame.breakdown;
  panel.textbook = told.textbook ? &*told.textbook : nullptr;
  frame.layers.has_textbook = told.textbook.has_value();
  panel.at_peak = frame.bridge.at_peak = told.at_peak;
  panel.ran_out = told.moment && told.moment->ran_out;
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
  panel.is_first_step = predicted && step != nullptr && timeline::IsFirstWithItsSettings(*input.view, *step);
  const std::vector<presenters::BreakdownRow>& totals = frame.breakdown.breakdown->totals;
  const bool differs =
      std::ranges::any_of(totals, [](const auto& row) { return row.difference_bytes.value_or(0) != 0; });
  if (predicted && step != nullptr && !panel.was_changed)
    notes.push_back(presenters::OfFewerSteps(*told.prediction, step->number + 1, differs));
  if (predicted && input.description.rank > 0) notes.push_back("The phantom's prediction is of rank 0.");
  std::erase(notes, "");
  panel.note = fmt::format("{}", fmt::join(notes, " "));
}

void TablesScene::FindPeak() {
  const presenters::Told told = asked_.is_program ? presenters::Told::kStepOrRun : presenters::Told::kStep;
  peak_ = asked_.is_over ? presenters::PeakOfRun(*asked_.view) : presenters::LatestPeak(*asked_.view, told);
  measured_.reset();
  if (peak_ && asked_.view->tells_blocks()) measured_ = presenters::MeasuredAt(*asked_.view, *peak_);
}

TablesSource TablesScene::FindSource(Estimates& estimates, const std::vector<phantom::Card>& cards) const {
  const timeline::View& view = *asked_.view;
  TablesSource source;
  if (const phantom::Card* card = phantom::CardNamed(cards, asked_.phantom.card)) source.card = *card;
  source.moment = peak_;
  if (asked_.pinned)
    source.moment = presenters::ToldAt(view, std::clamp(*asked_.pinned, view.first(), view.end() - 1));
  if (source.moment && peak_ && source.moment->index == peak_->index) source.moment = peak_;
  source.at_peak = !source.moment || source.moment->is_peak;
  // The estimates beside a step are those of the settings that it ran with.
  const std::string* told = source.moment ? timeline::SettingsAt(view, source.moment->index) : nullptr;
  if (told != nullptr) {
    if (const textbook::Estimate* book = estimates.Textbook(*told, asked_.rank)) source.textbook = *book;
    if (!asked_.on_cpu && !asked_.phantom.card.empty() && estimates.PhantomSpeaksFor(asked_.rank, *told))
      source.prediction = estimates.Phantom(*told, asked_.phantom);
    if (source.prediction && !source.prediction->sentence.empty()) source.prediction.reset();
  } else if (const textbook::Estimate* book = estimates.Textbook(asked_.settings);
             book != nullptr && !asked_.is_program) {
    source.textbook = *book;
  }
  // It is of the peak, and where memory ran out there is no other to hold it against.
  if (!source.at_peak && !source.moment->ran_out) source.prediction.reset();
  return source;
}

}  // namespace tidemark::gui
