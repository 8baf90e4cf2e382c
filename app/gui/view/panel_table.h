// The table of panels: to add one, write its Draw function and a row here. UI thread only.
#pragma once

#include <span>
#include <string_view>

#include "app/gui/commands/commands.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"

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

// What a panel tells of.
enum class PanelOf : uint8_t {
  kAnyRun,
  kNetworks,  // no program that is not ours
  kSettings,  // those that are chosen; beside no program that is not ours
  kSweep,     // over an option of a program
  kLayers,    // of those that somebody told, or may tell
};

// While a later page of a lesson asks for some of what a panel tells.
enum class WhileAsked : uint8_t {
  kVeiled,     // nothing of it is shown
  kLeavesOut,  // all but what is asked for
};

struct Panel {
  const char* name;  // stable: the layout file and tests know it by this
  const char* label;
  const char* icon;
  const char* help;
  PanelPlace place;  // where the default layout puts it; two in one place share it as tabs
  PanelOf of;        // without that it has nothing to show, and is not drawn
  void (*draw)(const Frame& frame, ViewState& state, CommandQueue& queue);
  WhileAsked while_asked = WhileAsked::kVeiled;
  const char* label_of_program = nullptr;  // where it is another beside a program that is not ours
};
std::span<const Panel> Panels();             // kPanelCount of them
size_t IndexOfPanel(std::string_view name);  // that there is
const char* LabelOf(const Panel& panel, const Frame& frame);
bool HasContent(const Panel& panel, const Frame& frame);
// Where it would answer what a lesson asks for: what stands there instead; else "".
std::string_view WhyVeiled(const Panel& panel, const Frame& frame);

}  // namespace tidemark::gui
