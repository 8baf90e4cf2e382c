#include "app/gui/view/view_history.h"

#include <string>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

ViewMoment Range(double begin, double end) {
  ViewMoment moment;
  moment.timeline.follow = false;
  moment.timeline.visible = {begin, end};
  return moment;
}

TEST_CASE("A turn of the wheel is one change, and back is where it began") {
  ViewHistory history;
  auto now = ViewHistory::Clock::time_point{};
  history.Look(Range(0, 100), now, false);
  for (int i = 1; i <= 10; ++i) history.Look(Range(i, 100 - i), now += 50ms, false);
  CHECK(history.can_go_back());
  history.Look(Range(10, 90), now += 1s, false);
  history.Look(Range(20, 30), now += 1s, true);
  history.Look(Range(20, 30), now += 5s, true);  // the mouse is still down
  history.Look(Range(20, 31), now += 1s, false);
  history.Look(Range(20, 31), now += 1s, false);
  auto moment = history.Back(Range(20, 31));
  REQUIRE(moment);
  CHECK(moment->timeline.visible.begin == 10);
  moment = history.Back(*moment);
  REQUIRE(moment);
  CHECK(moment->timeline.visible.end == 100);
  CHECK_FALSE(history.Back(*moment));
  CHECK(history.can_go_forward());
  moment = history.Forward(*moment);
  moment = history.Forward(*moment);
  REQUIRE(moment);
  CHECK(moment->timeline.visible.end == 31);
  CHECK_FALSE(history.Forward(*moment));
}

TEST_CASE("A run that goes on is no change; what was done before the rest is not lost") {
  ViewHistory history;
  auto now = ViewHistory::Clock::time_point{};
  ViewMoment follows = Range(0, 10);
  follows.timeline.follow = true;
  for (int i = 0; i < 20; ++i) {
    follows.timeline.visible = {i * 10.0, i * 10.0 + 10};
    history.Look(follows, now += 1s, false);
  }
  CHECK_FALSE(history.can_go_back());
  ViewMoment picked = follows;
  picked.selection = presenters::LayerSelected("conv1");
  history.Look(picked, now += 1ms, false);
  const auto moment = history.Back(picked);  // at once, without a rest
  REQUIRE(moment);
  CHECK_FALSE(moment->selection.any());
  ViewMoment other = *moment;
  other.pinned = 7;
  history.Look(other, now += 1s, false);
  history.Look(other, now += 1s, false);
  CHECK_FALSE(history.can_go_forward());  // a new way was taken
  history.Clear();
  CHECK_FALSE(history.can_go_back());
}

TEST_CASE("A view state goes where a moment says") {
  ViewState state;
  state.timeline.stack = {presenters::StackBy::kLayer, ""};
  state.selection = presenters::OperatorSelected("aten::relu");
  state.pinned = 12;
  state.memory_map.lit = presenters::MapPart::kFree;
  state.live_tree.grouping = TreeGrouping::kLayer;
  state.live_tree.flame_graph = true;
  state.live_tree.path = {"conv1"};
  std::string(">1MB").copy(state.allocations.filter.data(), state.allocations.filter.size() - 1);
  state.allocations.sort = presenters::AllocationColumn::kLife;
  state.allocations.descending = false;
  state.allocations.listed = Listed::kEvents;
  state.allocations.only_selected = true;
  const ViewMoment moment = MomentOf(state);
  ViewState other;
  CHECK_FALSE(SameView(MomentOf(other), moment));
  GoTo(moment, &other);
  CHECK(SameView(MomentOf(other), moment));
  CHECK(other.live_tree.path == state.live_tree.path);
  CHECK(std::string(other.allocations.filter.data()) == ">1MB");
  CHECK(other.allocations.sort == presenters::AllocationColumn::kLife);
  GoTo(MomentOf(ViewState()), &other);
  CHECK(std::string(other.allocations.filter.data()).empty());
  CHECK(other.live_tree.path.empty());
}

TEST_CASE("Each part of the view is a change of its own") {
  const ViewMoment before = MomentOf(ViewState());
  const auto is_a_change = [&](const auto& change) {
    ViewState state;
    change(state);
    return !SameView(before, MomentOf(state));
  };
  CHECK(is_a_change([](ViewState& state) { state.live_tree.path = {"activation"}; }));
  CHECK(is_a_change([](ViewState& state) { state.live_tree.flame_graph = true; }));
  CHECK(is_a_change([](ViewState& state) { state.allocations.filter[0] = 'c'; }));
  CHECK(is_a_change([](ViewState& state) { state.allocations.sort = presenters::AllocationColumn::kBorn; }));
  CHECK(is_a_change([](ViewState& state) { state.allocations.descending = false; }));
  CHECK(is_a_change([](ViewState& state) { state.allocations.only_selected = true; }));
  CHECK(is_a_change([](ViewState& state) { state.memory_map.lit = presenters::MapPart::kFree; }));
  CHECK(is_a_change([](ViewState& state) { state.timeline.cursors = {1, 2}; }));
}

}  // namespace
}  // namespace tidemark::gui
