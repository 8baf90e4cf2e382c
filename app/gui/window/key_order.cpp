#include "app/gui/window/key_order.h"

namespace tidemark::gui {
namespace {

bool IsModifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

}  // namespace

std::vector<ImGuiInputEvent> TakeReleasesBehindPresses(ImVector<ImGuiInputEvent>& queue) {
  bool is_pressed = false;
  for (int i = 0; i < queue.Size; ++i) {
    const ImGuiInputEvent& event = queue[i];
    if (event.Type != ImGuiInputEventType_Key) continue;
    if (is_pressed && !event.Key.Down && IsModifier(event.Key.Key)) {
      std::vector<ImGuiInputEvent> later(queue.begin() + i, queue.end());
      queue.resize(i);
      return later;
    }
    is_pressed = is_pressed || (event.Key.Down && !IsModifier(event.Key.Key));
  }
  return {};
}

}  // namespace tidemark::gui
