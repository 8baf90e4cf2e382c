// The bridge: from the textbook's figure to what the device gives up, step by step.
#pragma once

#include <string>

#include "app/gui/commands.h"
#include "app/gui/panels/bridge_steps.h"

namespace tidemark::gui {

struct BridgeInput {
  const Bridge* bridge = nullptr;
  std::string moment;
  ByteUnit unit = ByteUnit::kMegabytes;
};
struct BridgeState {};

void DrawBridgePanel(const BridgeInput& input, BridgeState& state, CommandQueue& queue);

}  // namespace tidemark::gui
