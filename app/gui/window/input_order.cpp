#include "app/gui/window/input_order.h"

namespace tidemark::gui {
namespace {

bool IsModifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

// What has come before the next event of a queue.
struct Before {
  bool is_key_pressed = false;
  bool is_mouse_moved = false;
};

bool Waits(const ImGuiInputEvent& event, const Before& before) {
  if (event.Type == ImGuiInputEventType_Key)
    return before.is_key_pressed && !event.Key.Down && IsModifier(event.Key.Key);
  return event.Type == ImGuiInputEventType_MouseButton && event.MouseButton.Down && before.is_mouse_moved;
}

void Note(const ImGuiInputEvent& event, Before* before) {
  if (event.Type == ImGuiInputEventType_MousePos) before->is_mouse_moved = true;
  if (event.Type == ImGuiInputEventType_Key && event.Key.Down && !IsModifier(event.Key.Key))
    before->is_key_pressed = true;
}

}  // namespace

std::vector<ImGuiInputEvent> TakeWhatWaits(ImVector<ImGuiInputEvent>& queue) {
  Before before;
  for (int i = 0; i < queue.Size; ++i) {
    if (Waits(queue[i], before)) {
      std::vector<ImGuiInputEvent> later(queue.begin() + i, queue.end());
      queue.resize(i);
      return later;
    }
    Note(queue[i], &before);
  }
  return {};
}

}  // namespace tidemark::gui
