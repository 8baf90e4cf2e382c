// How the window looks: its scale, light and dark, and colours that a person chose.
#include <cmath>

#include "app/gui/window/theme.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {
namespace {

// A panel too low for what it holds: its bar, which is drawn once more above the card, is one item still.
void OneItemIsABar(ImGuiTestContext* context) {
  ImGuiWindow* map = context->WindowInfo("//###memory_map").Window;
  IM_CHECK(map->ScrollbarY);
  context->MouseMoveToPos(ImGui::GetWindowScrollbarRect(map, ImGuiAxis_Y).GetCenter());
  context->Yield(4);
  IM_CHECK_EQ(context->UiContext->HoveredIdPreviousFrame, ImGui::GetWindowScrollbarID(map, ImGuiAxis_Y));
  IM_CHECK_EQ(context->UiContext->DebugDrawIdConflictsId, 0U);
}

}  // namespace

void ScalesWithItsText(ImGuiTestContext* context) {
  const auto width = [&] { return context->WindowInfo("//###run_controls").Window->Size.x; };
  const float before = width();
  application().view_state().scale = 1.3F;
  context->Yield(6);
  IM_CHECK_GT(width(), before * 1.2F);
  Picture(context, "larger");
  application().view_state().scale = 1.0F;
  context->Yield(6);
  IM_CHECK_LT(std::abs(width() - before), 4.0F);
  // So large that the sides have no room, and back.
  const auto right = [&] { return context->WindowInfo("//###breakdown").Window->Size.x; };
  const float right_before = right();
  application().view_state().scale = 2.0F;
  context->Yield(6);
  Picture(context, "twice-as-large");
  OneItemIsABar(context);
  application().view_state().scale = 3.0F;
  context->Yield(6);
  application().view_state().scale = 1.0F;
  context->Yield(6);
  IM_CHECK_LT(std::abs(width() - before), 4.0F);
  IM_CHECK_LT(std::abs(right() - right_before), 4.0F);
}

// A category has another colour from the next frame on, everywhere, and its own again.
void ChoosesColors(ImGuiTestContext* context) {
  const Color own = Colors().Of(events::Category::kParameter);
  application().Push(ActionId::kColors);
  context->Yield(4);
  Picture(context, "colours");
  const auto type = [&](const char* digits) {
    context->ItemClick("//Colours/**/parameter/##hex");
    context->KeyChars(digits);
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(2);
  };
  type("zzz");
  IM_CHECK(Colors().Of(events::Category::kParameter) == own);
  Picture(context, "colours-refused");
  type("23c8ab");  // as that of activations
  Picture(context, "colours-alike");
  type("336699");
  IM_CHECK(Colors().Of(events::Category::kParameter) == Rgb(0x336699));
  context->ItemClick("//Colours/**/parameter/Reset");
  context->Yield(2);
  IM_CHECK(Colors().Of(events::Category::kParameter) == own);
  context->KeyPress(ImGuiKey_Escape);
  context->Yield(2);
  IM_CHECK(ImGui::FindWindowByName("Colours")->Active == false);
}

void WearsLight(ImGuiTestContext* context) {
  const bool was_dark = application().view_state().dark;
  application().Push(ActionId::kLightOrDark);
  context->Yield(4);
  IM_CHECK(application().view_state().dark != was_dark);
  Picture(context, "light");
  application().Push(ActionId::kLightOrDark);
  context->Yield(2);
}

}  // namespace tidemark::gui
