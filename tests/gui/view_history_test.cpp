#include "app/gui/view_history.h"

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

ViewMoment Range(double begin, double end) {
  ViewMoment moment;
  moment.visible = {begin, end};
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
  CHECK(moment->visible.begin == 10);
  moment = history.Back(*moment);
  REQUIRE(moment);
  CHECK(moment->visible.end == 100);
  CHECK_FALSE(history.Back(*moment));
  CHECK(history.can_go_forward());
  moment = history.Forward(*moment);
  moment = history.Forward(*moment);
  REQUIRE(moment);
  CHECK(moment->visible.end == 31);
  CHECK_FALSE(history.Forward(*moment));
}

TEST_CASE("A run that goes on is no change; what was done before the rest is not lost") {
  ViewHistory history;
  auto now = ViewHistory::Clock::time_point{};
  ViewMoment follows = Range(0, 10);
  follows.follow = true;
  for (int i = 0; i < 20; ++i) {
    follows.visible = {i * 10.0, i * 10.0 + 10};
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
  const ViewMoment moment = MomentOf(state);
  ViewState other;
  CHECK_FALSE(SameView(MomentOf(other), moment));
  GoTo(moment, &other);
  CHECK(SameView(MomentOf(other), moment));
}

}  // namespace
}  // namespace tidemark::gui
