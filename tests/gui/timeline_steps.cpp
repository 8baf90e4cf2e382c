// Looking closer: zooming, measuring, what is alive at a moment, and the list of allocations.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tests/gui/steps.h"

namespace tidemark::gui {

void Zooms(ImGuiTestContext* context) {
  const presenters::VisibleRange before = application().view_state().timeline.visible;
  context->MouseMove("//**/plot");
  context->MouseWheelY(6);
  context->Yield(2);
  const TimelineState& timeline = application().view_state().timeline;
  IM_CHECK(!timeline.follow);
  IM_CHECK_LT(timeline.visible.end - timeline.visible.begin, (before.end - before.begin) * 0.8);
  // Whatever the mouse points at inside the stack has a name.
  IM_CHECK(WaitUntil(context, [] { return application().view_state().timeline.hover.has_value(); }));
  // Where every event has a pixel, which in a small window takes longer, single allocations are told apart.
  IM_CHECK(WaitUntil(context, [&] {
    context->MouseWheelY(1);
    return !application().frame()->timeline.blocks->empty();
  }));
  // And says so without hiding the lanes below, of layers and phases.
  const ImRect plot = context->ItemInfo("//**/plot").RectFull;
  context->MouseMoveToPos({plot.GetCenter().x, plot.Max.y - 8});
  IM_CHECK(WaitUntil(context, [&] {
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    return tooltip != nullptr && tooltip->Active && tooltip->Rect().Max.y <= plot.Max.y;
  }));
  Picture(context, "zoomed");
  // With Ctrl the vertical axis: what is low beside what was high can be looked at.
  context->MouseMove("//**/plot");
  context->KeyDown(ImGuiMod_Ctrl);
  context->MouseWheelY(5);
  context->KeyUp(ImGuiMod_Ctrl);
  context->Yield(2);
  IM_CHECK_GT(timeline.magnified, 2);
  Picture(context, "magnified");
  context->ItemClick("//###timeline/**/###magnified");
  IM_CHECK(WaitUntil(context, [&] { return timeline.magnified == 1; }));
  context->KeyPress(ImGuiKey_L);
  IM_CHECK(WaitUntil(context, [] { return application().view_state().timeline.follow; }));
}

// Beside the brush it comes to where the mouse was pressed; inside it is moved, at an edge made longer.
void DragsTheBrush(ImGuiTestContext* context) {
  if (Run().status.state == session::RunState::kRunning) application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == session::RunState::kPaused; }));
  context->Yield(4);
  const TimelineState& timeline = application().view_state().timeline;
  const ImRect strip = context->ItemInfo("//**/overview").RectFull;
  const presenters::VisibleRange whole = presenters::WholeRange(*Run().view, presenters::TimeAxis::kEvents);
  const double span = whole.end - whole.begin;
  const auto x_of = [&](double position) {
    return strip.Min.x + static_cast<float>((position - whole.begin) / span) * strip.GetWidth();
  };
  const auto middle = [&] { return (timeline.visible.begin + timeline.visible.end) / 2; };
  const double pixel = span / strip.GetWidth();
  const auto drag = [&](float from, float to) {
    context->MouseMoveToPos({from, strip.GetCenter().y});
    context->MouseDown();
    context->MouseMoveToPos({to, strip.GetCenter().y});
    context->MouseUp();
    context->Yield(2);
  };
  IM_CHECK(timeline.follow);
  const double shown = timeline.visible.end - timeline.visible.begin;
  const float there = x_of(whole.begin + 0.3 * span);
  drag(there, there);
  IM_CHECK(!timeline.follow);
  IM_CHECK_LT(std::abs(middle() - (whole.begin + 0.3 * span)), 2 * pixel);
  IM_CHECK_LT(std::abs(timeline.visible.end - timeline.visible.begin - shown), 2 * pixel);

  drag(there, there + 0.2F * strip.GetWidth());
  IM_CHECK_LT(std::abs(middle() - (whole.begin + 0.5 * span)), 3 * pixel);
  const presenters::VisibleRange moved = timeline.visible;
  drag(x_of(moved.end), x_of(moved.end) + 0.1F * strip.GetWidth());
  IM_CHECK_LT(std::abs(timeline.visible.begin - moved.begin), 2 * pixel);
  IM_CHECK_LT(std::abs(timeline.visible.end - (moved.end + 0.1 * span)), 3 * pixel);
  // Beside it, and where all is in sight, dragging draws another.
  context->KeyPress(ImGuiKey_F);
  context->Yield(3);
  const float begin = x_of(whole.begin + 0.2 * span);
  drag(begin, x_of(whole.begin + 0.6 * span));
  IM_CHECK_LT(std::abs(timeline.visible.begin - (whole.begin + 0.2 * span)), 3 * pixel);
  IM_CHECK_LT(std::abs(timeline.visible.end - (whole.begin + 0.6 * span)), 3 * pixel);
  drag(x_of(whole.begin + 0.9 * span), x_of(whole.begin + 0.7 * span));
  IM_CHECK_LT(std::abs(timeline.visible.begin - (whole.begin + 0.7 * span)), 3 * pixel);
  IM_CHECK_LT(std::abs(timeline.visible.end - (whole.begin + 0.9 * span)), 3 * pixel);
  context->KeyPress(ImGuiKey_L);
  IM_CHECK(WaitUntil(context, [&] { return timeline.follow; }));
}

// Events, or the time they took: figures at the axis, in their unit, and the same stretch of the run.
void SwitchesTheAxis(ImGuiTestContext* context) {
  const TimelineState& timeline = application().view_state().timeline;
  const auto shown = [&] {
    return presenters::IndexAtPosition(*Run().view, timeline.axis, timeline.visible.begin);
  };
  IM_CHECK_STR_EQ(timeline.ticks.unit.c_str(), "event");
  const timeline::EventIndex begin = shown();
  for (const presenters::TimeAxis axis : {presenters::TimeAxis::kWallClock, presenters::TimeAxis::kEvents}) {
    context->KeyPress(ImGuiKey_X);
    IM_CHECK(WaitUntil(context, [&] { return timeline.axis == axis; }));
    context->Yield(3);
    const presenters::AxisTicks& ticks = timeline.ticks;
    const bool is_time = axis == presenters::TimeAxis::kWallClock;
    IM_CHECK_EQ(ticks.unit == "event", !is_time);
    IM_CHECK_GE(ticks.ticks.size(), 3U);
    IM_CHECK_GE(ticks.ticks.front().position, timeline.visible.begin);
    IM_CHECK_LE(ticks.ticks.back().position, timeline.visible.end);
    IM_CHECK_LE(shown(), begin);
    IM_CHECK_LT(begin - shown(), 20U);
    if (is_time) Picture(context, "wall-clock");
  }
}

namespace {

// What lies between them in figures; a bar lists its requests.
void CountsBetweenTheCursors(ImGuiTestContext* context) {
  context->WindowFocus("//###statistics");
  const auto told = [] { return application().frame()->statistics.statistics; };
  IM_CHECK(WaitUntil(context,
                     [&] { return told() != nullptr && application().frame()->statistics.between_cursors; }));
  IM_CHECK_GT(told()->allocated.count, 0U);
  Picture(context, "statistics");
  context->ItemClick("//**/bytes");
  context->Yield(2);
  Picture(context, "statistics-by-bytes");
  size_t bin = 0;
  while (told()->sizes[bin].count == 0) ++bin;
  const auto count = static_cast<size_t>(told()->sizes[bin].count);
  context->ItemClick(("//**/$$" + std::to_string(bin) + "/bin").c_str());
  const auto table = [] { return application().frame()->allocations.table; };
  IM_CHECK(WaitUntil(context, [&] { return table() != nullptr && table()->rows.size() == count; }));
  for (const presenters::Allocation& row : table()->rows)
    IM_CHECK_EQ(presenters::SizeBinOf(row.block.bytes), bin);
  Picture(context, "statistics-listed");
  application().view_state().allocations.filter.fill(0);
  context->WindowFocus("//###layers");
  context->MouseMoveToPos(context->ItemInfo("//**/plot").RectFull.GetCenter());
}

}  // namespace

void MeasuresBetweenTwoMoments(ImGuiTestContext* context) {
  const ImRect plot = context->ItemInfo("//**/plot").RectFull;
  context->MouseMoveToPos(plot.Min + ImVec2(200, 200));
  context->KeyDown(ImGuiMod_Shift);
  context->MouseDown();
  context->MouseMoveToPos(plot.Min + ImVec2(500, 200));
  context->MouseUp();
  context->KeyUp(ImGuiMod_Shift);
  context->Yield(2);
  IM_CHECK(application().view_state().timeline.cursors.has_value());
  IM_CHECK(application().frame()->timeline.measured.find("events") != std::string::npos);
  IM_CHECK(application().frame()->timeline.measured.find(" allocated") != std::string::npos);
  Picture(context, "measured");
  context->MouseMoveToPos({plot.Min.x + 350, plot.Max.y - 20});  // where the label says it
  const auto tooltip = [] { return ImGui::FindWindowByName("##Tooltip_00"); };
  IM_CHECK(WaitUntil(context, [&] { return tooltip() != nullptr && tooltip()->Active; }));
  context->Yield(3);
  IM_CHECK_LT(tooltip()->Rect().Max.y, plot.Max.y - 20);
  Picture(context, "measured-and-hovered");
  CountsBetweenTheCursors(context);
  context->KeyDown(ImGuiMod_Shift);
  context->MouseClick();
  context->KeyUp(ImGuiMod_Shift);
  context->Yield(2);
  IM_CHECK(!application().view_state().timeline.cursors.has_value());
}

void ShowsWhatIsAlive(ImGuiTestContext* context) {
  context->WindowFocus("//###live_tree");
  const auto tree = [] { return application().frame()->live_tree.tree; };
  IM_CHECK(WaitUntil(context, [&] { return tree() != nullptr && tree()->nodes.size() > 5; }));
  IM_CHECK_EQ(tree()->nodes[0].bytes, LastPeak());
  Picture(context, "tree-map");
  const ImRect area = context->ItemInfo("//**/tree").RectFull;
  context->MouseMoveToPos(area.Min + ImVec2(30, 30));
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [] { return !application().view_state().live_tree.path.empty(); }));
  Picture(context, "tree-map-inside");
  application().view_state().live_tree.path.clear();
  context->ItemClick("//**/flame graph");
  context->ItemClick("//**/layer");
  IM_CHECK(application().view_state().live_tree.flame_graph);
  IM_CHECK(application().view_state().live_tree.grouping == TreeGrouping::kLayer);
  Picture(context, "flame-graph");
  context->ItemClick("//**/phase");
  context->Yield(3);
  Picture(context, "flame-graph-by-phase");
  context->WindowFocus("//###layers");
}

void ListsAllocations(ImGuiTestContext* context) {
  context->WindowFocus("//###allocations");
  const auto table = [] { return application().frame()->allocations.table; };
  IM_CHECK(WaitUntil(context, [&] { return table() != nullptr && table()->rows.size() > 5; }));
  const size_t all = table()->rows.size();
  Picture(context, "allocations");
  context->ItemClick("//**/##filter");
  context->KeyChars(">1MB");
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() < all; }));
  IM_CHECK_GT(table()->rows.size(), 0U);
  for (const presenters::Allocation& row : table()->rows) IM_CHECK_GT(row.block.bytes, 1'000'000);
  context->KeyChars(" life>soon");
  IM_CHECK(WaitUntil(context, [] { return !application().frame()->allocations.filter_error.empty(); }));
  IM_CHECK_LT(table()->rows.size(), all);  // what can be read counts, also what is typed behind it
  const size_t large = table()->rows.size();
  context->KeyChars(" >10MB");
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() < large; }));
  Picture(context, "allocations-unreadable-filter");
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() == all; }));
  IM_CHECK_STR_EQ(application().view_state().allocations.filter.data(), "");
  context->ItemClick("//**/born in sight");
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() > all; }));
  Picture(context, "allocations-born-in-sight");
  // A row is of a moment: to light it up does not move that, to go to its birth does.
  context->ItemClick("//**/alive now");
  IM_CHECK(WaitUntil(context, [&] { return table()->rows.size() == all; }));
  const ViewState& view = application().view_state();
  const events::EventIndex born = table()->rows.front().block.born;
  const std::string row = fmt::format("//**/$${}/row/##row", static_cast<int>(born));
  const std::optional<events::EventIndex> pinned = view.pinned;
  const TimelineState timeline = view.timeline;
  context->ItemClick(row.c_str());
  IM_CHECK(WaitUntil(context, [&] { return view.selection == presenters::AllocationSelected(born); }));
  IM_CHECK(view.pinned == pinned);
  context->ItemDoubleClick(row.c_str());
  IM_CHECK(WaitUntil(context, [&] { return view.pinned == born; }));
  IM_CHECK(view.selection == presenters::AllocationSelected(born));
  application().view_state().selection = {};
  application().view_state().pinned = pinned;
  application().view_state().timeline = timeline;
  context->WindowFocus("//###layers");
}

// The run itself, event by event, which goes where the moment goes and takes it along.
void ListsEvents(ImGuiTestContext* context) {
  context->WindowFocus("//###allocations");
  context->ItemClick("//**/all events");
  const AllocationsState& state = application().view_state().allocations;
  const auto shown = [] { return application().frame()->memory_map.state->index; };
  const auto in_sight = [&](events::EventIndex index) {
    return index >= state.events.top && index < state.events.top + 12;
  };
  IM_CHECK(WaitUntil(context, [&] { return state.listed == Listed::kEvents && in_sight(shown()); }));
  const events::EventIndex first = Run().view->first() + 200;
  const events::EventIndex far = Run().view->end() - 40;
  application().Push(PinMoment{first});
  IM_CHECK(WaitUntil(context, [&] { return shown() == first && in_sight(first); }));
  Picture(context, "events");
  const ImRect panel = context->WindowInfo("//###allocations").Window->Rect();
  context->MouseMoveToPos({panel.GetCenter().x, panel.Max.y - 40});
  const events::EventIndex top = state.events.top;
  context->MouseWheelY(-2);
  IM_CHECK(WaitUntil(context, [&] { return state.events.top == top + 6; }));
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [&] { return shown() > first && in_sight(shown()); }));
  const events::EventIndex clicked = shown();
  context->KeyPress(ImGuiKey_DownArrow);
  IM_CHECK(WaitUntil(context, [&] { return shown() == clicked + 1; }));
  context->KeyPress(ImGuiKey_PageUp);
  IM_CHECK(WaitUntil(context, [&] { return shown() < clicked && in_sight(shown()); }));
  context->ItemClick("//**/###follow moment");
  const events::EventIndex stays = state.events.top;
  application().Push(PinMoment{far});
  IM_CHECK(WaitUntil(context, [&] { return shown() == far; }));
  IM_CHECK_EQ(state.events.top, stays);
  context->ItemClick("//**/###follow moment");
  IM_CHECK(WaitUntil(context, [&] { return in_sight(far); }));
  // The tables' filter is one of events, too: the keys go from one that fits to the next.
  const auto fitting = [] { return application().frame()->allocations.events; };
  context->ItemClick("//**/##filter");
  context->KeyChars("free >1MB");
  IM_CHECK(WaitUntil(context, [&] { return fitting() != nullptr && fitting()->size() > 3; }));
  Picture(context, "events-filtered");
  application().Push(PinMoment{fitting()->At(0)});
  IM_CHECK(WaitUntil(context, [&] { return shown() == fitting()->At(0); }));
  context->MouseMoveToPos({panel.GetCenter().x, panel.Max.y - 40});
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [&] { return shown() > fitting()->At(0); }));
  const uint64_t place = fitting()->CountBefore(shown());
  IM_CHECK_EQ(fitting()->At(place), shown());
  context->KeyPress(ImGuiKey_DownArrow);
  IM_CHECK(WaitUntil(context, [&] { return shown() == fitting()->At(place + 1); }));
  context->ItemClick("//**/##filter");
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [&] { return fitting() == nullptr; }));
  application().Push(ListAllocations{});  // a list that is asked for elsewhere is not of events
  IM_CHECK(WaitUntil(context, [&] { return state.listed == Listed::kAlive; }));
  application().view_state().selection = {};
  application().view_state().pinned.reset();
  context->WindowFocus("//###layers");
}

}  // namespace tidemark::gui
