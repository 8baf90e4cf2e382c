// The way from the textbook's figure to what the device gives up, as steps that add up to the byte. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/tables.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct BridgeStep {
  std::string label;
  int64_t from_bytes = 0;  // where its bar begins
  int64_t bytes = 0;       // what it adds; for a subtotal the whole
  bool subtotal = false;
  std::optional<events::Category> category;  // its colour
  std::string help;
};

struct Bridge {
  std::vector<BridgeStep> steps;
  std::string question;  // "Why is the peak three times the textbook?"; "" when there is nothing to ask
  std::string answer;
};

// From the measured column, or the phantom's where nothing is measured. Empty when neither or no textbook is there.
Bridge MakeBridge(const presenters::Breakdown& breakdown, ByteUnit unit);

}  // namespace tidemark::gui
