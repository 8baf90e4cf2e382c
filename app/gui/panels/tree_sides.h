// Of the tree of what is alive (live_tree.h) the part that is of two moments beside each other: which of the
// two trees is shown, what the colours mean, and what both sides of a node hold. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "app/gui/panels/live_tree.h"
#include "app/gui/window/palette.h"
#include "app/presenters/allocations/live_tree.h"

namespace tidemark::gui {

// Amber and blue, which everybody tells apart. Deeper, the more of what the larger side has came or went.
Color ColorOfChange(const presenters::TreeSides& sides);

// A row: "■ less ■ the same ■ more from this run to fp16.tide".
void LegendOfChange(const TreeSidesTitles& titles);

// One run or the difference; other controls may stand beside it.
void ChooseSides(LiveTreeState& state);

// "4,096 B in 2 blocks"
std::string BytesInBlocks(int64_t bytes, size_t blocks);
// Lines of a tooltip: each side, and the difference.
void PutSides(const TreeSidesTitles& titles, const presenters::TreeSides& sides);

}  // namespace tidemark::gui
