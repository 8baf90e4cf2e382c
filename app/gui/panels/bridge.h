// The bridge: from the textbook's figure to what the device gives up, step by step.
#pragma once

#include <string>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/moment/bridge.h"
#include "profiler/base/format.h"
#include "profiler/lessons/glossary.h"

namespace tidemark::gui {

struct BridgeInput {
  const presenters::Bridge* bridge = nullptr;
  bool at_peak = true;     // else at a moment that a person has pinned, or where memory ran out
  bool predicted = false;  // there is no measurement yet: this is the phantom's
  ByteUnit unit = ByteUnit::kMegabytes;
  const presenters::SelectedOwners* selected = nullptr;
  const presenters::BytesByCategory* selected_bytes = nullptr;  // of what is selected, at this moment
  const lessons::Glossary* glossary = nullptr;
  std::string empty_reason;
};
struct BridgeState {};

void DrawBridgePanel(const BridgeInput& input, BridgeState& state, CommandQueue& queue);

// What the bridge answers: "Why is the peak three times the textbook's figure?", and its two largest steps in
// sentences with their bytes. Both empty when the peak is within a tenth of the textbook, or nothing answers.
// Pure.
struct BridgeStory {
  std::string question;
  std::string answer;
};
BridgeStory StoryOf(const presenters::Bridge& bridge, ByteUnit unit, bool at_peak = true);

// How wide the steps' names may be in a row of `room`, all in pixels: figures are told whole, and bars are to
// be seen, whatever that leaves for names. Pure.
float WidthOfNames(float longest, float figures, float room);

}  // namespace tidemark::gui
