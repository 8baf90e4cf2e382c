// All that is alive at one moment, the peak that the tables tell of or the one that a person has pinned: the
// memory map, the tree of it, and how much of it is selected. UI thread only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/gui/background/lookup.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/scene/timeline_scene.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/moment/peak_moment.h"

namespace tidemark::gui {

// The moment that map and tables tell of, by what its blocks proved to be until then.
struct MomentAsked {
  timeline::EventIndex index = 0;
  timeline::EventIndex until = 0;

  bool operator==(const MomentAsked&) const = default;
};
struct ShownMoment {
  std::shared_ptr<const timeline::State> state;  // whoever looks into it beside the window holds it
  presenters::MemoryMap map;
  std::unique_ptr<MapDrawing> drawing = std::make_unique<MapDrawing>();
};
using SelectedShare = std::shared_ptr<const presenters::SelectedBlocks>;

// What is asked of all that is alive in a state: the tree of it, and how much of it is selected.
struct AliveAsked {
  std::shared_ptr<const timeline::State> state;
  presenters::Selection selection;
  TreeGrouping grouping = TreeGrouping::kCategory;  // of a tree

  bool operator==(const AliveAsked&) const = default;
};

class MomentScene {
 public:
  void BeginFrame(const ViewState& state, Frame& frame);
  // `most_telling`: what the timeline is a stack of where nobody chose; so is the tree.
  void Prepare(const SceneInput& input, ViewState& state, const presenters::SelectedOwners& selected,
               const std::optional<presenters::PeakMoment>& peak, presenters::StackBy most_telling,
               const std::optional<ShownStacking>& stacking, Frame& frame);
  // The moment that is shown; none before the first was looked into.
  std::optional<timeline::EventIndex> shown() const {
    return moment_.answer() == nullptr ? std::nullopt : std::optional(ShownState().index);
  }
  bool pending() const {
    return moment_.pending() || tree_.pending() || selected_.pending() || groups_pending_;
  }

 private:
  void PrepareMap(const SceneInput& input, const ViewState& state,
                  const std::optional<presenters::PeakMoment>& peak, Frame& frame);
  void PrepareGroups(const timeline::View& view, const std::optional<ShownStacking>& stacking, Frame& frame);
  void PrepareSelected(const std::shared_ptr<const timeline::View>& view,
                       const presenters::SelectedOwners& owners, Frame& frame);
  void PrepareTree(const std::shared_ptr<const timeline::View>& view, presenters::StackBy most_telling,
                   ViewState& state, Frame& frame);

  const timeline::State& ShownState() const { return *moment_.answer()->state; }
  Lookup<MomentAsked, ShownMoment> moment_;
  Lookup<AliveAsked, presenters::LiveTree> tree_;
  Lookup<AliveAsked, SelectedShare> selected_;
  // Of the moment's blocks, as many as have been looked at: the group of the timeline's stack that each is
  // in.
  std::shared_ptr<const timeline::State> grouped_state_;
  StackingAsked grouped_by_;
  std::shared_ptr<std::vector<uint8_t>> groups_;
  bool groups_pending_ = false;
};

}  // namespace tidemark::gui
