// The way from the textbook's total to what the card reports, step by step, exact to the byte: each step has
// a name, its bytes and a sentence that says why. Pure.
//
//   textbook + differences by category, as requested + rounding = allocated; + cached, free = reserved;
//   + outside of PyTorch = driver; + CUPTI's own buffers + context, modules = process; + other processes =
//   card
//
// Where nobody told of blocks (View::tells_blocks) one change leads from the textbook to the first of the
// last three. These as far as they were told of and differ from the one before; of a prediction it ends with
// the process, which is reserved and the card's context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/moment/peak_moment.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct BridgeStep {
  enum class Kind : uint8_t { kLevel, kChange };
  // Where what a step consists of can be seen. What lies above PyTorch is told as a sum only.
  enum class Behind : uint8_t { kOnlyTheSum, kLayers, kCategory, kAllBlocks, kRounding, kFree, kSegments };
  Kind kind = Kind::kChange;
  std::string name;                          // "library workspaces"
  int64_t bytes = 0;                         // a level's height; what a change adds, or takes away
  int64_t from_bytes = 0;                    // where a change begins: the sum of all before it; 0 for a level
  std::optional<events::Category> category;  // of the difference, for its colour
  std::string sentence;
  Behind behind = Behind::kOnlyTheSum;
};

struct Bridge {
  std::string moment;  // "at the peak of step 42"
  std::vector<BridgeStep> steps;
  std::string untold = {};  // WhyUntold: nothing between the textbook and the first level that is told
};

// "From the textbook to the card, at the peak of step 42": to the level that it ends with. Without steps it
// goes nowhere, and no more is said.
std::string BridgeTitle(const Bridge& bridge);

// To what was measured at a moment.
Bridge MakeBridge(const timeline::View& view, const textbook::Estimate& textbook, const PeakMoment& moment);
// To what the phantom predicts of this card; null = of one that is not known.
Bridge MakeBridge(const session::Prediction& prediction, const textbook::Estimate& textbook,
                  const phantom::Card* card);

}  // namespace tidemark::presenters
