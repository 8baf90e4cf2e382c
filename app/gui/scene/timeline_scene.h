// The timeline's curve, its stack, lanes and blocks, what is selected, and what lies under the mouse. UI
// thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/estimates.h"
#include "app/gui/background/lookup.h"
#include "app/gui/scene/comparison_scene.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/highlight.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/plot/device_work.h"
#include "app/presenters/plot/plot_columns.h"
#include "app/presenters/plot/stacked_moment.h"
#include "app/presenters/plot/stacking.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/session/predictor.h"

namespace tidemark::gui {

// A plot without groups, and the ranks to be stacked on it.
struct RankedAsked {
  std::shared_ptr<const timeline::View> view;  // of the rank that is shown
  presenters::TimeAxis axis = presenters::TimeAxis::kEvents;
  std::shared_ptr<const session::Ranks> ranks;
  std::optional<size_t> shown_rank;
  std::shared_ptr<const presenters::TimelinePlot> plot;  // another each time; none = nothing is asked

  bool operator==(const RankedAsked&) const = default;
};

// A block of the stack that a person points at or has selected.
struct PlaceAsked {
  timeline::EventIndex born = 0;
  events::Category category = events::Category::kUnknown;
  timeline::EventIndex known_until = 0;  // the end of the view that was asked

  bool operator==(const PlaceAsked&) const = default;
};
using PlaceLookup = Lookup<PlaceAsked, BlockInStack>;

// Whose allocation is selected, with what is known of it by then.
struct OwnersAsked {
  presenters::Selection selection;
  timeline::EventIndex known_until = 0;  // its end, or that of the view; 0 = of no allocation

  bool operator==(const OwnersAsked&) const = default;
};

// What the stack is of; anew where settings change, and layers with them.
struct StackingAsked {
  presenters::StackOrder order;
  size_t settings = 0;  // that ever were in force

  bool operator==(const StackingAsked&) const = default;
};

struct ShownStacking {
  StackingAsked asked;
  const presenters::Stacking* groups = nullptr;  // for this frame
};

// What is told of settings depends on this.
struct SettingsEstimated {
  size_t settings = 0;  // that ever were in force
  int rank = 0;
  session::PhantomSetup phantom;
  std::optional<uint64_t> estimates;  // their version

  bool operator==(const SettingsEstimated&) const = default;
};

// What the plot is made from. Views are held, not only compared: another one may come to lie where it was.
struct PlotAsked {
  std::shared_ptr<const timeline::View> view;
  presenters::TimelinePlotRequest request;
  std::shared_ptr<const timeline::View> compared;
  std::shared_ptr<const ComparedRequests> alignment;
  SettingsEstimated estimated;
  std::shared_ptr<const session::Ranks> ranks;  // that are to be stacked on it
  std::optional<size_t> shown_rank;

  bool operator==(const PlotAsked&) const = default;
};

class TimelineScene {
 public:
  // What the panel shows without a run.
  void BeginFrame(const SceneInput& input, const ViewState& state, Frame& frame);
  // `phantom`: whose prediction is beside it; with no card there is none. `alignment` of the second run,
  // where it is aligned by its requests; null: until these are known it is not drawn.
  void Prepare(const SceneInput& input, ViewState& state, Estimates& estimates,
               const session::PhantomSetup& phantom, const std::shared_ptr<const ComparedRequests>& alignment,
               Frame& frame);
  // What the stack is of where nobody has chosen.
  presenters::StackBy most_telling() const { return most_telling_; }
  // What single blocks have the colour of in the stack; none: it is of categories, phases or ranks, or not
  // known yet.
  std::optional<ShownStacking> stacking() const;
  // Of this run; lives as long as this.
  const presenters::SelectedOwners& selected() const { return owners_; }
  bool pending() const {
    return stacked_.pending() || hovered_place_.pending() || selected_place_.pending() ||
           owners_known_.pending() || stacking_.pending();
  }

 private:
  void PrepareRange(ViewState& state, Frame& frame);
  void PrepareBookmarks(const SceneInput& input, const ViewState& state, Frame& frame);
  void MakeSettingsEstimates(int rank, Estimates& estimates, const session::PhantomSetup& phantom);
  void PrepareSettingsEstimates(const SceneInput& input, Estimates& estimates,
                                const session::PhantomSetup& phantom);
  void PreparePlot(const SceneInput& input, const ViewState& state, Estimates& estimates,
                   const session::PhantomSetup& phantom,
                   const std::shared_ptr<const ComparedRequests>& alignment, Frame& frame);
  void AddCompared(const timeline::View& compared, const ComparedRequests* alignment,
                   presenters::TimelinePlot& plot) const;
  void ListBlocks(const presenters::TimelinePlot& plot, const TimelineState& timeline, int rows);
  void UsePlot(presenters::TimelinePlot plot, presenters::TimeAxis axis);
  void PrepareHover(const ViewState& state, Frame& frame);
  using LookAtPlace = std::function<BlockInStack(const timeline::View& view)>;
  const BlockInStack* PlaceOf(const timeline::LiveBlock& block, PlaceLookup& places,
                              const timeline::View::StateEffort& effort, const LookAtPlace& look);
  // timeline_stack.cpp
  void PrepareSelection(const ViewState& state);
  void PrepareOwners(const presenters::Selection& selection);
  void PrepareStacking(const presenters::StackOrder& order, Frame& frame);
  void PrepareStack(const SceneInput& input, const ViewState& state, Frame& frame);
  void FindMostTelling(const SceneInput& input);
  void PrepareRankStack(const SceneInput& input, Frame& frame);
  void TakeRankedPlot(Frame& frame);
  void FinishPlot(Frame& frame);

  std::shared_ptr<const timeline::View> view_;

  PlotAsked plot_asked_;
  int plot_rows_ = 0;  // of pixels, as tall as its blocks are listed for
  presenters::TimelinePlot plot_;
  presenters::PlotColumns plot_cut_;
  bool plot_fresh_ = false;  // made in this frame
  std::vector<presenters::PlotBlock> blocks_;
  presenters::DeviceLane lane_;
  std::vector<presenters::LayerSpan> layer_lane_;
  std::vector<presenters::PlotReplays> replay_lane_;
  presenters::TimelinePlot overview_;
  PlotAsked overview_asked_;
  presenters::PlotColumns overview_cut_;
  // Of the settings that ever were in force on this timeline, and what they were made from.
  std::vector<presenters::SettingsEstimate> settings_estimates_;
  SettingsEstimated settings_estimated_;
  std::vector<size_t> unpredicted_;  // of them; their predictions are still asked for

  presenters::SelectedOwners owners_;  // the selection alone until they are known
  presenters::Selection selection_;
  Lookup<OwnersAsked, presenters::SelectedOwners> owners_known_;
  std::optional<presenters::GroupSums> selected_sums_;  // of a layer or an operator

  std::shared_ptr<const timeline::View> most_telling_of_;
  presenters::StackBy most_telling_ = presenters::StackBy::kCategory;
  // What the stack is of, unless it is of categories.
  presenters::StackOrder stack_order_;
  Lookup<StackingAsked, Result<presenters::Stacking>> stacking_;
  std::optional<StackingAsked> stack_taken_;  // that the sums are of
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

  Lookup<timeline::EventIndex, std::shared_ptr<const presenters::StackedMoment>> stacked_;  // under the mouse
  PlaceLookup hovered_place_;
  PlaceLookup selected_place_;
};

// Shows the same stretch of the run on the other axis.
void SwitchAxis(const timeline::View* view, presenters::TimeAxis axis, TimelineState& timeline);
// The highest moment in sight; none without a run, or where nothing of it is.
std::optional<timeline::EventIndex> PeakInSight(const timeline::View* view, const TimelineState& timeline);

}  // namespace tidemark::gui
