// What is picked in one panel lights up in all of them; and the stack of something else than categories.
#include <algorithm>
#include <numeric>
#include <string>

#include "tests/gui/steps.h"

namespace tidemark::gui {

namespace {

using Kind = presenters::Selection::Kind;
constexpr auto kActivation = static_cast<size_t>(events::Category::kActivation);

const presenters::Selection& Selected() { return application().view_state().selection; }
const TimelineInput& Timeline() { return application().frame()->timeline; }

void SelectsNothing(ImGuiTestContext* context) {
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [] { return !Selected().any(); }));
}

// The columns' groups sum to what is allocated.
bool GroupsAddUp() {
  const presenters::TimelinePlot& plot = *Timeline().plot;
  const size_t groups = plot.groups.size();
  if (groups == 0 || plot.grouped.size() != groups * plot.columns.size()) return false;
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const auto from = plot.grouped.begin() + static_cast<std::ptrdiff_t>(k * groups);
    const int64_t sum = std::accumulate(from, from + static_cast<std::ptrdiff_t>(groups), int64_t{0});
    if (sum != timeline::ValueOf(plot.columns[k].at_peak, timeline::Series::kAllocated)) return false;
  }
  return true;
}

}  // namespace

void SelectsEverywhere(ImGuiTestContext* context) {
  context->ItemClick("//**/legend activation");
  IM_CHECK(WaitUntil(context, [] { return Selected().kind == Kind::kCategory; }));
  IM_CHECK(application().frame()->breakdown.selected->category == events::Category::kActivation);
  Picture(context, "selected-category");
  SelectsNothing(context);

  context->WindowFocus("//###layers");
  const auto& rows = *application().frame()->layers.rows;
  const std::string layer = std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
                              return a.measured_saved_bytes < b.measured_saved_bytes;
                            })->name;
  context->ItemClick(("//**/" + layer + "/##row").c_str());
  IM_CHECK(WaitUntil(context, [&] { return Selected() == presenters::LayerSelected(layer); }));
  IM_CHECK(WaitUntil(context, [] {
    const auto& selected = Timeline().plot->selected;
    return std::any_of(selected.begin(), selected.end(),
                       [](const auto& column) { return column[kActivation] > 0; });
  }));
  context->WindowFocus("//###live_tree");
  IM_CHECK(WaitUntil(context, [] {
    const presenters::LiveTree* tree = application().frame()->live_tree.tree;
    return tree != nullptr && tree->nodes[0].selected_bytes > 0 &&
           tree->nodes[0].selected_bytes < tree->nodes[0].bytes;
  }));
  Picture(context, "selected-layer");
  // And its share of every category, in the tables beside.
  const auto& of_layer = *application().frame()->breakdown.selected_bytes;
  IM_CHECK_GT(of_layer[kActivation], 0);
  IM_CHECK(application().frame()->bridge.selected_bytes == &of_layer);
  SelectsNothing(context);

  // A block of the map, which is then a row of the table.
  const ImRect map = context->ItemInfo("//**/map").RectFull;
  context->MouseMoveToPos({map.GetCenter().x, map.Min.y + 20});
  context->MouseClick();
  IM_CHECK(WaitUntil(context, [] { return Selected().kind == Kind::kAllocation; }));
  IM_CHECK(!Timeline().selected->title.empty());
  IM_CHECK(!Timeline().selected_spans.empty());
  context->WindowFocus("//###allocations");
  context->ItemClick("//**/alive now");  // its birth may be out of sight
  context->ItemClick("//**/###only");
  const auto table = [] { return application().frame()->allocations.table; };
  IM_CHECK(WaitUntil(context, [&] { return table() != nullptr && table()->rows.size() == 1; }));
  IM_CHECK_EQ(table()->rows[0].block.born, Selected().born);
  Picture(context, "selected-allocation");
  context->ItemClick("//**/###only");
  SelectsNothing(context);
}

// The bridge leads to the allocations behind each step.
void ListsWhatABridgeStepIs(ImGuiTestContext* context) {
  context->WindowFocus("//###bridge");
  context->Yield(2);
  const auto& steps = application().frame()->bridge.bridge->steps;
  const auto step = std::find_if(steps.begin(), steps.end(), [](const presenters::BridgeStep& candidate) {
    return candidate.category.has_value() && candidate.bytes > 1'000'000;
  });
  IM_CHECK(step != steps.end());
  const events::Category category = *step->category;
  // The story stands below the rows, whole as far as it is told: nothing of it has to be scrolled for.
  const ImGuiWindow* const rows = context->WindowInfo("//###bridge/steps").Window;
  IM_CHECK(rows != nullptr);
  IM_CHECK_LE(rows->ScrollMax.y, 0.0F);
  IM_CHECK(context->WindowInfo("//###bridge/steps/why").Window != nullptr);
  const std::string place = "//**/" + step->name;
  context->ItemClick(place.c_str());
  IM_CHECK(WaitUntil(context, [&] { return Selected() == presenters::CategorySelected(category); }));
  const auto table = [] { return application().frame()->allocations.table; };
  IM_CHECK(WaitUntil(context, [&] {
    return table() != nullptr && !table()->rows.empty() && table()->rows.size() < table()->considered;
  }));
  for (const presenters::Allocation& row : table()->rows) IM_CHECK(row.block.category == category);
  // Its words lie beside the rows that are read next.
  const auto tooltip = [] { return ImGui::FindWindowByName("##Tooltip_00"); };
  IM_CHECK(WaitUntil(context, [&] { return tooltip() != nullptr && tooltip()->Active; }));
  context->Yield(3);
  IM_CHECK_LE(tooltip()->Rect().Max.x, context->ItemInfo(place.c_str()).RectFull.Min.x);
  // So do those of a term in its name.
  const ImRect of_term = context->ItemInfo("//**/allocated").RectFull;
  for (float x = of_term.Min.x + 20; x < of_term.GetCenter().x; x += 20) {
    context->MouseMoveToPos({x, of_term.GetCenter().y});
    Rest(context, 0.4);
    if (tooltip()->Active) IM_CHECK_LE(tooltip()->Rect().Max.x, of_term.Min.x);
  }
  Picture(context, "bridge-step");
  // All that is alive, whatever was selected; and what no allocation is lights up on the map.
  context->ItemClick("//**/allocated");
  IM_CHECK(WaitUntil(context, [&] {
    return !Selected().any() && table() != nullptr && table()->rows.size() == table()->considered;
  }));
  const auto lit = [] { return application().view_state().memory_map.lit; };
  context->ItemClick("//**/cached, free");
  IM_CHECK(WaitUntil(context, [&] { return lit() == presenters::MapPart::kFree; }));
  Picture(context, "bridge-cached-on-the-map");
  context->ItemClick("//**/rounding");
  IM_CHECK(WaitUntil(context, [&] { return lit() == presenters::MapPart::kRounding; }));
  Picture(context, "bridge-rounding-on-the-map");
  context->ItemClick("//**/reserved");
  IM_CHECK(WaitUntil(context, [&] { return lit() == presenters::MapPart::kSegments; }));
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [&] { return lit() == presenters::MapPart::kNone; }));
  context->ItemClick("//**/textbook");
  const auto layers_in_front = [&] { return context->WindowInfo("//###layers").Window->DockTabIsVisible; };
  IM_CHECK(WaitUntil(context, layers_in_front));
  context->WindowFocus("//###layers");
}

// Zoom and selection, back and forward; a moment with a name, found again.
void LooksBack(ImGuiTestContext* context) {
  const auto span = [] {
    const presenters::VisibleRange& range = application().view_state().timeline.visible;
    return range.end - range.begin;
  };
  const auto rests = [&] { Rest(context, 0.6); };
  rests();
  const double before = span();
  context->MouseMove("//**/plot");
  context->MouseWheelY(5);
  rests();
  const double zoomed = span();
  IM_CHECK_LT(zoomed, before * 0.8);
  context->ItemClick("//**/legend temporary");
  IM_CHECK(WaitUntil(context, [] { return Selected().any(); }));
  rests();
  context->KeyPress(ImGuiKey_Backspace);
  IM_CHECK(WaitUntil(context, [] { return !Selected().any(); }));
  IM_CHECK_EQ(span(), zoomed);
  context->KeyPress(ImGuiKey_Backspace);
  IM_CHECK(WaitUntil(context, [&] { return span() > before * 0.99; }));
  context->KeyPress(ImGuiMod_Shift | ImGuiKey_Backspace);
  IM_CHECK(WaitUntil(context, [&] { return span() == zoomed; }));
  context->KeyPress(ImGuiMod_Shift | ImGuiKey_Backspace);
  IM_CHECK(WaitUntil(context, [] { return Selected().any(); }));
  SelectsNothing(context);
}

// What is pinned is what map, table and bridge tell of.
void FollowsThePinnedMoment(ImGuiTestContext* context) {
  const auto breakdown = [] { return application().frame()->breakdown; };
  IM_CHECK(WaitUntil(context, [&] { return breakdown().at_peak; }));
  const auto measured = [&] { return breakdown().breakdown->totals.at(1).measured_bytes.value_or(0); };
  const int64_t at_peak = measured();
  const std::optional<timeline::Step> step = LastCompleteStep();
  IM_CHECK(step.has_value());
  application().Push(PinMoment{step->begin});
  IM_CHECK(WaitUntil(context, [&] { return !breakdown().at_peak; }));
  IM_CHECK_LT(measured(), at_peak);
  IM_CHECK_STR_EQ(breakdown().breakdown->moment.c_str(),
                  application().frame()->bridge.bridge->moment.c_str());
  const timeline::State& map = *application().frame()->memory_map.state;
  IM_CHECK_EQ(measured(), timeline::ValueOf(map.values, timeline::Series::kAllocated));
  Picture(context, "pinned-moment");
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [&] { return breakdown().at_peak && measured() == LastPeak(); }));
}

void FindsMomentsAndNames(ImGuiTestContext* context) {
  context->KeyPress(ImGuiKey_P);
  IM_CHECK(WaitUntil(context, [] { return application().view_state().pinned.has_value(); }));
  const auto peak = *application().view_state().pinned;
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B);
  context->Yield(4);
  Picture(context, "bookmark-dialog");
  context->KeyChars("the peak that we look for");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return Timeline().bookmarks.size() == 1; }));
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [] { return !application().view_state().pinned.has_value(); }));

  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
  context->Yield(4);
  context->KeyChars("conv");
  context->Yield(4);
  Picture(context, "find");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars("look for");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [&] { return application().view_state().pinned == peak; }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
  context->Yield(4);
  context->KeyChars(">5MB");
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return Selected().kind == Kind::kAllocation; }));
  Picture(context, "found-allocation");
  SelectsNothing(context);
  context->KeyPress(ImGuiKey_Escape);
  context->KeyPress(ImGuiKey_L);
  IM_CHECK(WaitUntil(context, [] { return application().view_state().timeline.follow; }));
}

// The curve over the batch size; dragging through it changes the batch.
void ShowsBatchSizes(ImGuiTestContext* context) {
  context->WindowFocus("//###batch");
  const auto curve = [] { return application().frame()->batch.curve; };
  IM_CHECK(WaitUntil(context, [&] { return curve() != nullptr && curve()->phantom().size() > 6; }));
  // The prediction at the batch that trains is what was measured, once a step has run with these settings.
  IM_CHECK(WaitUntil(context, [&] {
    const std::optional<presenters::MeasuredPeak> measured = application().frame()->batch.measured;
    return curve()->phantom_here() && measured && curve()->phantom_here()->bytes == measured->bytes;
  }));
  IM_CHECK_EQ(curve()->phantom_here()->batch, application().settings().batch);
  const networks::TrainingSettings before = application().settings();
  const ImRect area = context->ItemInfo("//**/batches").RectFull;
  context->MouseMoveToPos(area.GetCenter());
  context->MouseDown();
  context->MouseMoveToPos({area.Min.x + area.GetWidth() * 0.7F, area.GetCenter().y});
  IM_CHECK_GT(application().frame()->batch.batch, 150);
  Picture(context, "batch-sizes");
  context->MouseUp();
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch > 150; }));
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == before; }));
  context->WindowFocus("//###breakdown");
}

void StacksByOtherThings(ImGuiTestContext* context) {
  context->ItemClick("//###timeline/###stack");
  context->ItemClick("//$FOCUSED/layer");
  IM_CHECK(WaitUntil(context, GroupsAddUp));
  IM_CHECK_GT(Timeline().plot->groups.size(), 3U);
  const std::string group = Timeline().plot->groups[0];
  context->ItemClick(("//**/legend " + group).c_str());
  IM_CHECK(WaitUntil(context, [] { return Timeline().lit_group == 0U; }));
  Picture(context, "stack-by-layer");
  SelectsNothing(context);

  context->ItemClick("//###timeline/###stack");
  context->ItemInput("//$FOCUSED/##expression");
  context->KeyCharsReplaceEnter("conv(");
  IM_CHECK(WaitUntil(context, [] { return !Timeline().stack_error.empty(); }));
  Picture(context, "stack-by-bad-expression");
  // Escape closes the menu although what is typed has the caret.
  context->ItemInput("//$FOCUSED/##expression");
  context->KeyChars("fc");
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(3);
  IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  context->ItemClick("//###timeline/###stack");
  context->ItemInput("//$FOCUSED/##expression");
  context->KeyCharsReplaceEnter("conv|relu|fc");
  IM_CHECK(WaitUntil(context, [] { return Timeline().stack_error.empty() && GroupsAddUp(); }));
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(3);
  const auto& groups = Timeline().plot->groups;
  IM_CHECK(std::find(groups.begin(), groups.end(), "conv") != groups.end());
  Picture(context, "stack-by-expression");
  application().view_state().timeline.stack = {};
  IM_CHECK(WaitUntil(context, [] { return Timeline().plot->groups.empty(); }));
}

}  // namespace tidemark::gui
