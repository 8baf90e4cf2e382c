// The table of panels: to add one, write its Draw function and a row here.
#pragma once

#include <span>

#include "app/gui/commands.h"
#include "app/gui/frame.h"
#include "app/gui/view_state.h"

namespace tidemark::gui {

enum class PanelPlace : uint8_t {
  kLeft,
  kCenter,
  kCenterMiddle,
  kCenterBottom,
  kRight,
  kRightBottom,
  kLessons
};

struct Panel {
  const char* name;  // stable: the layout file and tests know it by this
  const char* label;
  const char* icon;
  const char* help;
  PanelPlace place;  // where the default layout puts it; two in one place share it as tabs
  bool of_networks;  // a program that is not ours has nothing to show there, so it is not drawn
  void (*draw)(const Frame& frame, ViewState& state, CommandQueue& queue);
};
std::span<const Panel> Panels();  // kPanelCount of them

}  // namespace tidemark::gui
