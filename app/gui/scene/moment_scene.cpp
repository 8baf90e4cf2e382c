#include "app/gui/scene/moment_scene.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/presenters/moment/level_chain.h"
#include "app/presenters/moment/moment_title.h"
#include "app/presenters/moment/untold_blocks.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
using timeline::EventIndex;

// Of a step that goes on, and a run without steps, until the run is over: asked once, not with every event.
constexpr EventIndex kAsFarAsIsKnown = std::numeric_limits<EventIndex>::max();

constexpr size_t kMostGroupedAFrame = 100'000;  // some 2 ms of its time

constexpr const char* kLookingAtMoment = "Looking at what is alive at this moment…";

ShownMoment LookInto(const timeline::View& view, const MomentAsked& asked) {
  ShownMoment moment;
  moment.state = std::make_shared<timeline::State>(timeline::SettledStateAt(view, asked.index, asked.until));
  moment.map = presenters::MakeMemoryMap(*moment.state);
  return moment;
}

BlockGroups WithOthers(const std::vector<uint8_t>& known, size_t blocks, size_t group_count) {
  const auto groups = std::make_shared<std::vector<uint8_t>>(known);
  groups->resize(blocks, static_cast<uint8_t>(group_count - 1));
  return groups;
}

}  // namespace

void MomentScene::BeginFrame(const ViewState& state, Frame& frame) {
  moment_.BeginFrame();
  tree_.BeginFrame();
  selected_.BeginFrame();
  frame.memory_map.lit.reset();
  frame.memory_map.groups.reset();
  frame.memory_map.empty_reason.clear();
  frame.live_tree = {};
  frame.live_tree.unit = state.unit;
  frame.live_tree.selects = state.selection.any();
}

void MomentScene::Prepare(const SceneInput& input, ViewState& state,
                          const presenters::SelectedOwners& selected,
                          const std::optional<presenters::PeakMoment>& peak, presenters::StackBy most_telling,
                          const std::optional<ShownStacking>& stacking, Frame& frame) {
  PrepareMap(input, state, peak, frame);
  groups_pending_ = false;
  if (moment_.answer() == nullptr) return;
  PrepareGroups(*input.view, stacking, frame);
  PrepareSelected(input.view, selected, frame);
  frame.slow_motion.state = &ShownState();
  frame.live_tree.is_of_ours = !input.description.settings_json.empty();
  PrepareTree(input.view, most_telling, state, frame);
}

void MomentScene::PrepareMap(const SceneInput& input, const ViewState& state,
                             const std::optional<presenters::PeakMoment>& peak, Frame& frame) {
  const auto& view = input.view;
  const TimelineState& timeline = state.timeline;
  MemoryMapInput& map = frame.memory_map;
  std::optional<EventIndex> index = state.pinned;
  if (!index && peak) index = peak->index;
  if (!index) index = view->end() - 1;
  index = std::clamp(*index, view->first(), view->end() - 1);
  const bool at_peak = peak && *index == peak->index;
  EventIndex until = at_peak ? peak->step_end : timeline::SettledBy(*view, *index);
  if (until >= view->end()) until = GoesOn(input) ? kAsFarAsIsKnown : view->end();
  const bool fits = FitsInFrame(timeline::EffortOfSettledState(*view, *index, until));
  moment_.Ask({*index, until}, fits,
              [view = view](const MomentAsked& asked, const auto&) { return LookInto(*view, asked); });
  map.view = view.get();
  map.first = std::clamp(presenters::IndexAtPosition(*view, timeline.axis, timeline.visible.begin),
                         view->first(), view->end() - 1);
  map.last = std::clamp(presenters::IndexAtPosition(*view, timeline.axis, timeline.visible.end),
                        view->first(), view->end() - 1);
  if (moment_.answer() == nullptr) {
    map.state = nullptr;
    map.map = nullptr;
    map.drawing = nullptr;
    map.empty_reason = frame.live_tree.empty_reason = frame.allocations.empty_reason = kLookingAtMoment;
    return;
  }
  const timeline::State& shown = ShownState();
  map.state = &shown;
  map.map = &moment_.answer()->map;
  map.drawing = moment_.answer()->drawing.get();
  map.pinned = state.pinned.has_value();
  map.unpinned = peak ? peak->title : "at its end";
  map.escapes = (state.selection.any() ? 1 : 0) + (timeline.cursors ? 1 : 0);
  map.moment = presenters::MomentTitle(*view, shown.index);
  if (!map.pinned && peak) map.moment += peak->ran_out ? " · memory ran out" : " · the peak";
  map.unit = state.unit;
  map.empty_reason = presenters::WhyNoMap(*map.map);
  if (shown.segments.empty()) {
    map.empty_reason = IsOnCard(input)
                           ? "There are no segments at this moment: no memory has been reserved, or what is "
                             "recorded does not tell where."
                           : "On the CPU blocks come straight from the system, not from segments, so there "
                             "is nothing to map.";
    if (events::IsAsyncAllocator(input.description.allocator_settings)) {
      map.empty_reason =
          "With backend:cudaMallocAsync blocks lie in a memory pool of the driver's, which tells nobody how.";
    }
    if (!view->tells_blocks()) map.empty_reason = frame.live_tree.empty_reason = presenters::WhyUntold(*view);
  }
}

// The map has the timeline's colours. Of very many blocks some are looked at in each frame; the others have
// that of "other" until then: those of categories would mean something else.
void MomentScene::PrepareGroups(const timeline::View& view, const std::optional<ShownStacking>& stacking,
                                Frame& frame) {
  if (!stacking) return;
  const std::shared_ptr<const timeline::State>& state = moment_.answer()->state;
  if (grouped_state_ != state || grouped_by_ != stacking->asked) {
    grouped_state_ = state;
    grouped_by_ = stacking->asked;
    groups_ = std::make_shared<std::vector<uint8_t>>();
    groups_->reserve(state->blocks.size());
  }
  const size_t end = std::min(state->blocks.size(), groups_->size() + kMostGroupedAFrame);
  while (groups_->size() < end) {
    const timeline::LiveBlock& block = state->blocks[groups_->size()];
    groups_->push_back(static_cast<uint8_t>(stacking->groups->group_of(view, block)));
  }
  groups_pending_ = end < state->blocks.size();
  const size_t count = stacking->groups->titles.size();
  frame.memory_map.groups = groups_pending_ ? WithOthers(*groups_, state->blocks.size(), count) : groups_;
  frame.memory_map.group_count = count;
}

// Of what is selected, in the state that the map shows. What was known of it stays until then.
void MomentScene::PrepareSelected(const std::shared_ptr<const timeline::View>& view,
                                  const presenters::SelectedOwners& owners, Frame& frame) {
  frame.breakdown.selected_bytes = frame.bridge.selected_bytes = nullptr;
  frame.memory_map.lit.reset();
  if (!owners.selection.any()) return;
  const AliveAsked asked{moment_.answer()->state, owners.selection, {}};
  selected_.Ask(asked, FitsInFrame({asked.state->blocks.size(), 0}),
                [view = view](const AliveAsked& wanted, const auto&) {
                  return std::make_shared<const presenters::SelectedBlocks>(
                      presenters::SelectedIn(wanted.selection, *view, *wanted.state));
                });
  if (!selected_.question() || selected_.question()->selection != owners.selection) return;
  const SelectedShare& selected = *selected_.answer();
  frame.breakdown.selected_bytes = frame.bridge.selected_bytes = &selected->bytes;
  if (selected_.question()->state == asked.state)
    frame.memory_map.lit = LitBlocks(selected, &selected->lit);  // held by what holds it
}

// The tree that is shown stays until the one that is asked for is there.
void MomentScene::PrepareTree(const std::shared_ptr<const timeline::View>& view,
                              presenters::StackBy most_telling, ViewState& state, Frame& frame) {
  const bool is_by_line = most_telling == presenters::StackBy::kLine;
  frame.live_tree.grouping =
      state.live_tree.grouping.value_or(is_by_line ? TreeGrouping::kCallStack : TreeGrouping::kCategory);
  if (ShowsDifference(frame.live_tree, state.live_tree)) return;  // the comparison's
  if (!std::exchange(state.live_tree.drawn, false)) return;
  const AliveAsked asked{moment_.answer()->state, state.selection, frame.live_tree.grouping};
  const uint64_t looks = asked.state->blocks.size() * KeysOf(asked.grouping).size();
  tree_.Ask(asked, FitsInFrame({looks, 0}), [view = view](const AliveAsked& wanted, const auto& progress) {
    return presenters::MakeLiveTree(*view, *wanted.state, KeysOf(wanted.grouping), wanted.selection,
                                    progress);
  });
  frame.live_tree.segments_have_stacks =
      asked.grouping == TreeGrouping::kCallStack &&
      std::ranges::any_of(ShownState().segments, [&view](const timeline::Segment& segment) {
        return segment.born >= view->first() && view->event(segment.born).op != 0;
      });
  frame.live_tree.tree = tree_.answer();
  frame.live_tree.moment = frame.memory_map.moment;
  if (tree_.answer() == nullptr)
    frame.live_tree.empty_reason = tree_.cancelled() ? "Cancelled. Another moment is looked into again."
                                                     : "Looking at all that is alive…";
  if (const auto line = tree_.Line("Grouping what is alive", 300ms)) frame.jobs.push_back(*line);
}

}  // namespace tidemark::gui
