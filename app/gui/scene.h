// From the run as it stands to what the panels draw: calls the presenters, only when something they depend on
// has changed, and within bounded time. UI thread only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/batch_curve.h"
#include "app/gui/background/checkpoint_prices.h"
#include "app/gui/background/consequences.h"
#include "app/gui/background/estimates.h"
#include "app/gui/background/fit_advice.h"
#include "app/gui/background/lookup.h"
#include "app/gui/background/program_sweep.h"
#include "app/gui/learning.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/highlight.h"
#include "app/gui/view/view_history.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/captured.h"
#include "app/presenters/device_work.h"
#include "app/presenters/plot_columns.h"
#include "app/presenters/program_facts.h"
#include "app/presenters/side_by_side.h"
#include "app/presenters/stacked_moment.h"
#include "app/presenters/stacking.h"
#include "app/presenters/tables.h"
#include "app/presenters/timeline_plot.h"
#include "profiler/session/ranks.h"
#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

// The second run.
struct ComparedRun {
  std::string title;
  std::shared_ptr<const timeline::View> view;  // not empty
};

// Everything that the picture depends on, beside the person's own view state.
struct SceneInput {
  std::shared_ptr<const timeline::View> view;  // none before the first run
  session::RunStatus status;
  events::RunDescription description;
  bool live = false;      // it takes commands
  bool can_stop = false;  // it can be ended from here
  presenters::Band band;  // of a program that has ended
  bool starting = false;
  const std::vector<networks::Network>* networks = nullptr;
  const std::vector<phantom::Card>* cards = nullptr;
  const std::vector<std::string>* cuda_devices = nullptr;
  networks::TrainingSettings settings;  // as asked for
  networks::DeviceChoice device;
  double steps_per_second = 0;
  std::string allocator;  // PYTORCH_CUDA_ALLOC_CONF of the next run; "" = PyTorch's own settings
  bool kernels = false;   // are told, and memory copies and memsets
  std::optional<ComparedRun> compared;
  std::shared_ptr<const session::Ranks> ranks;  // that the shown run is one of; none = it is one alone
  std::optional<size_t> shown_rank;             // among them
  const presenters::RunLog* log = nullptr;
  const FitAdvice* fit = nullptr;
  const CheckpointPrices* prices = nullptr;
  const ProgramSweep* sweep = nullptr;    // none = there is none to show
  const RunFindings* findings = nullptr;  // none = nobody has looked yet
  const LessonBook* book = nullptr;
  const std::vector<trace::Bookmark>* bookmarks = nullptr;
  ControlAccess access;
  std::string recording;  // the file's name, of an opened recording; "" = none
  std::optional<networks::TrainingSettings> recorded;
};

// The card that the next run is on, by its name: the phantom's, or that of the GPU. "" = a GPU that is none
// of those that are known.
std::string ChosenCard(const SceneInput& input);
// The card whose phantom is set beside a run: the one that a real device or a recording is, or the one
// chosen.
std::string CardFor(const SceneInput& input);
// The same with the memory that the run has; none of the CPU, and where it is not known.
std::optional<phantom::Card> CardOfRun(const SceneInput& input);
// What is searched for where somebody asks what fits: a recording's settings are not the ones on the left.
FitSubject FitSubjectOf(const SceneInput& input);
// Whether the run that is shown had one: a recording's device is not the one chosen for the next run.
bool IsOnCard(const SceneInput& input);

// What the table of allocations was made from.
struct AllocationsAsked {
  std::shared_ptr<const timeline::View> view;
  presenters::AllocationQuery query;

  bool operator==(const AllocationsAsked&) const = default;
};

// The step that slow motion walks through, or would.
struct WalkAsked {
  std::shared_ptr<const timeline::View> view;
  timeline::EventIndex begin = 0;  // the step's

  bool operator==(const WalkAsked&) const = default;
};

// The stretch of the run that statistics are of.
struct StatisticsAsked {
  std::shared_ptr<const timeline::View> view;
  timeline::EventIndex first = 0;
  timeline::EventIndex end = 0;
  bool between_cursors = false;

  bool operator==(const StatisticsAsked&) const = default;
};

// What the comparison was made from.
struct ComparisonAsked {
  std::shared_ptr<const timeline::View> view;
  std::shared_ptr<const timeline::View> compared;
  std::string compared_title;
  std::optional<timeline::EventIndex> moment;
  ByteUnit unit = ByteUnit::kMegabytes;

  bool operator==(const ComparisonAsked&) const = default;
};
// Request by request; only of two runs.
struct StreamsAsked {
  std::shared_ptr<const timeline::View> view;
  std::shared_ptr<const timeline::View> compared;
  std::string compared_title;

  bool operator==(const StreamsAsked&) const = default;
};
struct ShownComparison {
  // None: there is no such place in the other run, or nothing to compare with.
  std::optional<presenters::SideBySide> sides;
};

// The moment that map and tables tell of, by what its blocks proved to be until then.
struct MomentAsked {
  timeline::EventIndex index = 0;
  timeline::EventIndex until = 0;

  bool operator==(const MomentAsked&) const = default;
};
struct ShownMoment {
  std::shared_ptr<const timeline::State> state;  // whoever looks into it beside the window holds it
  presenters::MemoryMap map;
};

// What is asked of all that is alive in a state: the tree of it, and how much of it is selected.
struct AliveAsked {
  std::shared_ptr<const timeline::State> state;
  presenters::Selection selection;
  TreeGrouping grouping = TreeGrouping::kCategory;  // of a tree

  bool operator==(const AliveAsked&) const = default;
};

// A plot without groups, and the ranks to be stacked on it.
struct RankedAsked {
  uint64_t number = 0;                         // one more each time, as below
  std::shared_ptr<const timeline::View> view;  // of the rank that is shown
  presenters::TimeAxis axis = presenters::TimeAxis::kEvents;
  std::shared_ptr<const session::Ranks> ranks;
  std::optional<size_t> shown_rank;
  std::shared_ptr<const presenters::TimelinePlot> plot;  // none = nothing is asked

  bool operator==(const RankedAsked& other) const { return number == other.number; }
};

// What the tables are made from.
struct TablesAsked {
  uint64_t number = 0;  // one more each time: nothing else tells two askings apart
  std::optional<presenters::PeakMoment> moment;
  std::optional<textbook::Estimate> textbook;
  std::optional<session::Prediction> prediction;
  bool at_peak = true;

  bool operator==(const TablesAsked& other) const { return number == other.number; }
};
struct MomentTables {
  presenters::Breakdown breakdown;
  std::vector<presenters::LayerRow> layers;
  presenters::Bridge bridge;
  bool bridge_predicted = false;
};

// A block of the stack that a person points at or has selected.
struct PlaceAsked {
  timeline::EventIndex born = 0;
  events::Category category = events::Category::kUnknown;
  timeline::EventIndex known_until = 0;  // the end of the view that was asked

  bool operator==(const PlaceAsked&) const = default;
};
using PlaceLookup = Lookup<PlaceAsked, BlockInStack>;

class Scene {
 public:
  const Frame& Prepare(const SceneInput& input, ViewState& state, Estimates& estimates);
  // Shows the same stretch of the run on the other axis.
  void SwitchAxis(presenters::TimeAxis axis, ViewState& state) const;
  // Sums that the plot needs are not complete, or what was asked is being looked for: another frame goes on.
  bool pending() const;
  // The highest moment in sight.
  std::optional<timeline::EventIndex> PeakInSight(const ViewState& state) const;

 private:
  void BeginLookups();
  void PrepareEmpty(const SceneInput& input, const ViewState& state);
  void PrepareRun(const SceneInput& input, ViewState& state, Estimates& estimates, const std::string& card);
  ConsequenceQuestion QuestionOfControls(const SceneInput& input, const ViewState& state);
  void PrepareControls(const SceneInput& input, const ViewState& state, Estimates& estimates);
  void PrepareLesson(const SceneInput& input, ViewState& state, Estimates& estimates);
  void PrepareProgram(const SceneInput& input, ByteUnit unit);
  void PrepareRange(ViewState& state);
  void PreparePlot(const SceneInput& input, const ViewState& state, Estimates& estimates,
                   const std::string& card);  // card "" = no phantom
  void PrepareSettingsEstimates(const SceneInput& input, Estimates& estimates, const std::string& card);
  void UsePlot(presenters::TimelinePlot plot, presenters::TimeAxis axis);
  void PrepareHover(const ViewState& state);
  using LookAtPlace = std::function<BlockInStack(const timeline::View& view)>;
  const BlockInStack* PlaceOf(const timeline::LiveBlock& block, PlaceLookup& places,
                              const timeline::View::StateEffort& effort, const LookAtPlace& look);
  // scene_selection.cpp
  void PrepareSelection(const ViewState& state);
  void PrepareBookmarks(const SceneInput& input, const ViewState& state);
  void PrepareStack(const SceneInput& input, const ViewState& state);
  void PrepareRankStack(const SceneInput& input, const ViewState& state);
  void TakeRankedPlot();
  void FinishPlot();
  void PrepareTables(const SceneInput& input, const ViewState& state, Estimates& estimates,
                     const std::string& card);
  bool TablesAreDue(const SceneInput& input, const ViewState& state, const Estimates& estimates) const;
  void AskForTables(const SceneInput& input, Estimates& estimates, const std::string& card);
  void NoteTables(const SceneInput& input, const Estimates& estimates);
  void PrepareMap(const ViewState& state, bool on_card);
  void PrepareMoment(ViewState& state);
  void PrepareSelectedBytes();
  void PrepareTree(ViewState& state);
  void PrepareComparison(const SceneInput& input, ViewState& state);
  void CompareRequests(const SceneInput& input);
  void PrepareAllocations(ViewState& state);
  void PrepareStatistics(ViewState& state);
  void PrepareBatch(const SceneInput& input, ViewState& state, Estimates& estimates);
  void PrepareCheckpointing(const SceneInput& input, ViewState& state, Estimates& estimates);
  std::optional<int64_t> MeasuredPeak() const;  // allocated
  void PrepareAdvice(const SceneInput& input, ByteUnit unit);
  void PrepareSlowMotion(const SceneInput& input, ViewState& state);
  void BeginWalk(const SceneInput& input, ViewState& state);
  const presenters::StepWalk* WalkOf(const WalkAsked& asked);
  void LookForOperators(const SceneInput& input, const ViewState& state);
  void CountSkippedSteps();

  using Clock = std::chrono::steady_clock;
  Frame frame_;
  bool was_veiled_ = false;  // in the frame before
  std::shared_ptr<const timeline::View> view_;

  // What the plot was made from. Views are held, not only compared: another one may come to lie where it was.
  std::shared_ptr<const timeline::View> plot_view_;
  presenters::TimelinePlotRequest plot_request_;
  std::shared_ptr<const timeline::View> plot_compared_;
  uint64_t plot_estimates_ = 0;
  presenters::TimelinePlot plot_;
  presenters::PlotColumns plot_cut_;
  bool plot_fresh_ = false;  // made in this frame
  std::vector<presenters::PlotBlock> blocks_;
  presenters::DeviceLane lane_;
  std::vector<presenters::LayerSpan> layer_lane_;
  presenters::TimelinePlot overview_;
  presenters::TimelinePlotRequest overview_request_;
  presenters::PlotColumns overview_cut_;
  std::vector<presenters::SettingsEstimate> settings_estimates_;

  // What the tables were made from. Ten times a second is as often as a person can read.
  std::shared_ptr<const timeline::View> tables_view_;
  uint64_t tables_estimates_ = 0;
  ByteUnit tables_unit_ = ByteUnit::kMegabytes;
  TablesAsked tables_asked_;
  Clock::time_point tables_time_;
  std::optional<presenters::PeakMoment> peak_;
  std::optional<timeline::EventIndex> tables_pinned_;
  Lookup<TablesAsked, MomentTables> tables_;

  Lookup<AliveAsked, presenters::BytesByCategory> selected_bytes_;  // at the moment of map and tables

  presenters::SelectedOwners owners_;
  std::shared_ptr<const timeline::View> owners_view_;
  presenters::Selection owners_asked_;
  std::optional<presenters::GroupSums> selected_sums_;  // of a layer or an operator

  // What the stack is of, unless it is of categories; made anew where settings change, and layers with them.
  presenters::StackOrder stack_asked_;
  size_t stack_settings_ = 0;
  std::vector<std::string> stack_titles_;
  std::optional<presenters::GroupSums> stack_sums_;
  std::shared_ptr<const session::Ranks> stack_ranks_;
  std::optional<size_t> stack_shown_rank_;
  // The plot that ranks are stacked on. What is being made on another axis is of no use.
  RankedAsked ranked_asked_;
  Lookup<RankedAsked, presenters::TimelinePlot> ranked_{Overtaken::kIsGivenUp};
  bool RanksAreBeingStacked() const {
    return ranked_asked_.plot != nullptr && ranked_.question() != ranked_asked_;
  }
  bool sums_grew_ = false;  // in this frame, behind the plot

  const timeline::State& ShownState() const { return *moment_.answer()->state; }
  Lookup<MomentAsked, ShownMoment> moment_;

  Lookup<AliveAsked, presenters::LiveTree> tree_;

  Lookup<StreamsAsked, presenters::StreamsSummary> streams_{Overtaken::kIsGivenUp};
  StreamsAsked streams_asked_;
  Clock::time_point streams_time_;
  Lookup<ComparisonAsked, ShownComparison> comparison_;
  ComparisonAsked comparison_asked_;
  Clock::time_point comparison_time_;

  Lookup<AllocationsAsked, presenters::AllocationTable> allocations_;
  AllocationsAsked allocations_asked_;
  Clock::time_point allocations_time_;

  Lookup<StatisticsAsked, presenters::RangeStatistics> statistics_;
  StatisticsAsked statistics_asked_;
  Clock::time_point statistics_time_;
  std::optional<ViewMoment> statistics_cancelled_in_;

  Lookup<timeline::EventIndex, std::shared_ptr<const presenters::StackedMoment>> stacked_;  // under the mouse
  PlaceLookup hovered_place_;
  PlaceLookup selected_place_;

  Lookup<WalkAsked, presenters::StepWalk> walks_;
  std::optional<WalkAsked> walk_asked_;  // as soon as there is a step to walk through
  std::optional<presenters::StepWalk> walk_;
  std::shared_ptr<const timeline::View> looked_for_operators_;  // where it has ended: what is no more
  std::string why_no_walk_;                                     // "" = there is one, or may be
  std::vector<lessons::CodeLine> code_;                         // of the step that is walked
  lessons::CodePlace place_;
  std::vector<presenters::BlockChange> changes_;
  std::string stack_;                   // of a program
  std::optional<size_t> changes_stop_;  // that the three above are of

  Consequences consequences_;  // and what they were made from
  ConsequenceQuestion consequences_asked_;
  uint64_t consequences_estimates_ = 0;
  bool consequences_known_ = false;  // nothing in them waits for a prediction
  BatchCurve batch_curve_;

  presenters::Captured captured_;
  size_t steps_counted_ = 0;
  int64_t skipped_steps_ = 0;
};

}  // namespace tidemark::gui
