// Memory runs out: the page that says why, the ways out of it, and what fits.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "app/gui/window/theme.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {

using session::RunState;

// A page that is given room keeps it for what lies behind it, so that the row of tabs stays where it is; and
// what a person has dragged stays, too.
void SharesRoom(ImGuiTestContext* context) {
  const auto height = [&] { return context->WindowInfo("//###findings").Window->DockNode->Size.y; };
  const auto show = [&](const char* panel) {
    context->WindowFocus(panel);
    context->Yield(4);
  };
  const float given = height();
  show("//###layers");
  IM_CHECK_LT(std::abs(height() - given), 2.0F);
  show("//###findings");
  IM_CHECK_LT(std::abs(height() - given), 2.0F);
  const ImRect place = context->WindowInfo("//###findings").Window->DockNode->Rect();
  context->MouseMoveToPos({place.GetCenter().x, place.Min.y - 5});
  context->MouseDown();
  context->MouseMoveToPos({place.GetCenter().x, place.Min.y + 75});
  context->MouseUp();
  context->Yield(2);
  const float dragged = height();
  IM_CHECK_LT(std::abs(dragged - (given - 80)), 4.0F);
  show("//###layers");
  IM_CHECK_LT(std::abs(height() - dragged), 2.0F);
  show("//###findings");
}

// A way to checkpoint that does not fit is not drawn below the line of the card that it does not fit on.
void ShowsWhatDoesNotFit(ImGuiTestContext* context) {
  const auto panel = []() -> const CheckpointingInput& { return application().frame()->checkpointing; };
  context->WindowFocus("//###checkpointing");
  IM_CHECK(WaitUntil(context, [&] {
    return !panel().planning && std::ranges::any_of(panel().ways, &CheckpointWay::does_not_fit);
  }));
  for (const CheckpointWay& way : panel().ways) {
    if (way.does_not_fit) IM_CHECK_GE(*way.phantom_bytes, panel().card_bytes);
  }
  IM_CHECK(panel().measured && panel().measured->ran_out);
  IM_CHECK_GE(panel().measured->bytes, panel().card_bytes);
  Picture(context, "checkpointing-does-not-fit");
  context->WindowFocus("//###batch");
  context->Yield(4);
  IM_CHECK(application().frame()->batch.measured && application().frame()->batch.measured->ran_out);
  Picture(context, "batch-does-not-fit");
  context->WindowFocus("//###findings");
  context->Yield(4);
}

// What is told of the end lies over the panels, in a small window, too, and covers nothing that they hold.
void CoversNothing(ImGuiTestContext* context) {
  auto* const window = static_cast<GLFWwindow*>(ImGui::GetMainViewport()->PlatformHandle);
  int width = 0;
  int height = 0;
  glfwGetWindowSize(window, &width, &height);
  float scale = 1;
  glfwGetWindowContentScale(window, &scale, nullptr);
  context->WindowFocus("//###lessons");
  for (const auto& [w, h] :
       {std::pair(width, height), {static_cast<int>(1280 * scale), static_cast<int>(800 * scale)}}) {
    glfwSetWindowSize(window, w, h);
    context->WindowFocus("//###findings");
    context->Yield(6);
    Picture(context, w == width ? "out-of-memory-banner" : "out-of-memory-laptop");
    const ImRect banner = context->WindowInfo("//###banner").Window->Rect();
    for (const char* panel : {"run_controls", "timeline"})  // what starts the run stays under the mouse
      IM_CHECK(!banner.Overlaps(context->WindowInfo((std::string("//###") + panel).c_str()).Window->Rect()));
    for (const ImGuiWindow* child : context->UiContext->Windows) {
      const bool is_of_panel =
          child->Active && child->ParentWindow != nullptr && child->ParentWindow->DockIsActive;
      IM_CHECK(!is_of_panel || !banner.Overlaps(child->Rect()));
    }
  }
  glfwSetWindowSize(window, width, height);
  context->Yield(4);
  context->WindowFocus("//###compare");
}

// 4096 samples do not fit on a card of 4 GiB.
void ExplainsOutOfMemory(ImGuiTestContext* context) {
  networks::TrainingSettings settings = application().settings();
  settings.amp = networks::Precision::kFloat32;
  application().Push(ChangeSettings{settings});
  application().Push(ChooseDevice{{networks::DeviceKind::kPhantom, 0, "gtx-1650"}});
  IM_CHECK(WaitUntil(
      context, [] { return Run().live && Run().description.device_name.find("1650") != std::string::npos; }));
  IM_CHECK(WaitForSteps(context, 3));
  settings.batch = 4096;
  application().Push(ChangeSettings{settings});
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kFailed; }));
  IM_CHECK(Run().status.out_of_memory);
  IM_CHECK_EQ(Run().view->out_of_memory().size(), 1U);
  context->Yield(4);
  // The button names the batch once the phantom has found it.
  IM_CHECK(WaitUntil(context, [&] {
    return (context->ItemInfo("//###banner/###smaller", ImGuiTestOpFlags_NoError).ItemFlags &
            ImGuiItemFlags_Disabled) == 0;
  }));
  Picture(context, "out-of-memory");
  const auto page = [] { return application().frame()->findings; };  // it comes to the front by itself
  IM_CHECK(WaitUntil(context, [&] { return page().found != nullptr && page().found->shortage.has_value(); }));
  const ShortagePage shortage = *page().found->shortage;
  IM_CHECK_EQ(shortage.owners.size(), 5U);
  IM_CHECK_GT(shortage.shortage.requested_bytes, shortage.shortage.free_bytes);
  IM_CHECK(WaitUntil(
      context, [&] { return !page().fit->searching && page().fit->answer.has_value(); }, 120));
  IM_CHECK_GE(page().fit->answer->proposals.size(), 3U);
  context->Yield(4);
  Picture(context, "out-of-memory-page");
  const auto height = [&] { return context->WindowInfo("//###findings").Window->Size.y; };
  const float tall = height();
  IM_CHECK_GT(tall, Px(300));
  SharesRoom(context);
  // What was asked of the card when memory ran out is not what it said before.
  for (const presenters::BreakdownRow& row : application().frame()->breakdown.breakdown->totals) {
    if (row.title != "allocated" && row.title != "requested" && row.measured_bytes)
      IM_CHECK_GE(*row.measured_bytes, shortage.shortage.allocated_bytes);
  }
  ShowsWhatDoesNotFit(context);
  CoversNothing(context);
  context->ItemClick("//###banner/###smaller");
  IM_CHECK(WaitUntil(context, [] { return Run().live && Run().status.state == RunState::kRunning; }));
  IM_CHECK_LT(application().settings().batch, 4096);
  IM_CHECK_GT(application().settings().batch, 64);
  IM_CHECK(WaitForSteps(context, 4));
  IM_CHECK(Run().view->out_of_memory().empty());
  IM_CHECK_LT(height(), tall);
  application().Push(ActionId::kResetLayout);
  context->Yield(4);
  Picture(context, "smaller-batch");
}

// What was searched for when memory ran out, put in force; then the allocator's settings, on the run.
void AppliesWhatFits(ImGuiTestContext* context) {
  const auto fit = [] { return application().frame()->fit; };
  IM_CHECK(fit().advice->answer.has_value());
  context->WindowFocus("//###findings");
  context->Yield(4);
  Picture(context, "findings");
  context->WindowFocus("//###fit");
  context->Yield(4);
  Picture(context, "what-fits");
  // It says which card it is of, where another is chosen.
  const networks::DeviceChoice own = Run().device;
  const auto is_of_another = [&] {
    return fit().found_for_other.find("Found for the GTX 1650") != std::string::npos;
  };
  IM_CHECK(!is_of_another());
  application().Push(ChooseDevice{{networks::DeviceKind::kPhantom, 0, "l4"}});
  IM_CHECK(WaitUntil(context, is_of_another));
  Picture(context, "what-fits-of-another-card");
  application().Push(ChooseDevice{own});
  IM_CHECK(WaitUntil(context, [&] { return Run().live && !is_of_another(); }));
  const networks::TrainingSettings wanted = fit().advice->answer->proposals.front().configuration.settings;
  IM_CHECK(wanted != application().settings());
  IM_CHECK(WaitUntil(context, [&] {
    context->WindowFocus("//###fit");
    return context->ItemInfo("//**/Apply", ImGuiTestOpFlags_NoError).ID != 0;
  }));
  context->ItemClick("//**/Apply");
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == wanted; }));
  IM_CHECK(WaitForSteps(context, 3));
  application().Push(TryAllocators{});
  IM_CHECK(WaitUntil(
      context, [&] { return fit().what_if.trials->settings.size() == std::size(advice::kTriedSettings); }));
  IM_CHECK_STR_EQ(fit().what_if.trials->error.c_str(), "");
  IM_CHECK_GT(fit().what_if.trials->settings.front().outcome.before.reserved_peak_bytes, 0);
  context->ScrollToBottom(context->WindowInfo("//###fit/fit").ID);
  context->Yield(4);
  Picture(context, "other-allocator-settings");
  const auto of_run = [] { return Run().live ? Run().description.allocator_settings : "no run"; };
  const std::string before = of_run();
  context->ItemClick("//**/###start with");
  IM_CHECK(WaitUntil(context, [&] { return of_run() != before && of_run() == fit().allocator; }));
  context->ItemClick("//**/Back to PyTorch's own");
  IM_CHECK(WaitUntil(context, [&] { return of_run().empty(); }));
  IM_CHECK(application().settings() == wanted);
  context->WindowFocus("//###bridge");
  context->WindowFocus("//###layers");
}

// A search that goes on when another run is opened ends without an answer: it is none of that.
void ForgetsWhatFitsElsewhere(ImGuiTestContext* context) {
  const auto advice = [] { return application().frame()->fit.advice; };
  IM_CHECK(WaitUntil(context, [&] { return !advice()->searching; }));
  application().Push(SearchFit{});
  context->Yield(2);
  IM_CHECK(advice()->searching);
  IM_CHECK(!advice()->answer.has_value());  // what was found before is not said of what is searched now
  application().Push(OpenRecording{Artefacts() / "saved.tide"});
  IM_CHECK(WaitUntil(context, [] { return Run().recording == "saved.tide"; }));
  IM_CHECK(WaitUntil(context, [&] { return !advice()->searching; }));
  IM_CHECK(WaitUntil(
      context, [] { return !application().waiting(); }, 120));
  IM_CHECK(!advice()->answer.has_value());
  IM_CHECK(!advice()->largest_batch.has_value());
  IM_CHECK_STR_EQ(advice()->error.c_str(), "");
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 1));
}

}  // namespace tidemark::gui
