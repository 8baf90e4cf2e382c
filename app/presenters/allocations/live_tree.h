// What is alive at one moment, as a tree: grouped by category, phase, layer and so on, in the order a person
// asks for; and laid out as a tree map or as a flame graph. Pure functions, any thread. O(blocks ·
// levels + nodes · log), where each frame of a stack is a level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/presenters/allocations/selection.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

enum class TreeKey : uint8_t { kCategory, kPhase, kLayer, kOperator, kStream, kTensor, kFrame, kCode };

// Of two moments that are compared (comparison/difference_tree.h): rounded, as those of the tree of one.
struct TreeSides {
  int64_t a_bytes = 0;
  int64_t b_bytes = 0;
  size_t a_blocks = 0;
  size_t b_blocks = 0;

  int64_t Difference() const { return b_bytes - a_bytes; }
};

inline constexpr const char* kEverythingAlive = "everything alive";  // the root's title

struct TreeNode {
  std::string title;  // "activation", "conv1"
  int64_t bytes = 0;  // rounded, of all blocks below it that count; its box is in proportion to them
  size_t blocks = 0;
  std::optional<events::Category> category;  // of all its blocks, if they agree
  std::string shape;                         // of all its blocks, if they have the same: "float16 [64, 128]"
  TreeKey key = TreeKey::kCategory;          // that it was split off by; the root's means nothing
  std::optional<events::EventIndex> born;    // of its block, if it is one
  int64_t selected_bytes = 0;                // of what is selected
  std::optional<TreeSides> sides;            // none in the tree of one moment
  size_t parent = 0;                         // the root is its own
  size_t first_child = 0;                    // children lie beside each other, the largest first
  size_t children = 0;
  int depth = 0;
};

// Nodes in breadth-first order; the root comes first. A level on which all of a node's blocks agree to have
// no name (no layer, no operator) is left out there. kFrame is as many levels as stacks have frames, the
// outermost first; kCode the same without the innermost, which kOperator is.
struct LiveTree {
  std::vector<TreeNode> nodes;
};
// Nothing if `progress` said so.
std::optional<LiveTree> MakeLiveTree(const timeline::View& view, const timeline::State& state,
                                     std::span<const TreeKey> keys, const Selection& selection,
                                     const Progress& progress);
// What a click on a node selects; nothing where its blocks have no owner in common.
Selection SelectionOf(const LiveTree& tree, size_t node);

// From the root's child down to the node, without the root: "activation", "conv1".
std::vector<std::string> PathOf(const LiveTree& tree, size_t node);
// The node with that path, or the deepest that is there.
size_t NodeAt(const LiveTree& tree, const std::vector<std::string>& path);

struct TreeBox {
  size_t node = 0;
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};
struct TreeArea {
  float width = 0;
  float height = 0;
  float header = 0;    // room for the title of a box that has boxes inside; also the height of a flame's row
  float padding = 0;   // between a box and those inside
  float smallest = 1;  // boxes that are narrower or lower are left out
};
// Areas in proportion to bytes, as square as can be: "Squarified Treemaps", Bruls, Huizing, van Wijk, 2000.
// Parents before children. The node itself is the outermost box.
std::vector<TreeBox> LayOutTreeMap(const LiveTree& tree, size_t node, const TreeArea& area);
// Widths in proportion to bytes, a row per level.
std::vector<TreeBox> LayOutFlameGraph(const LiveTree& tree, size_t node, const TreeArea& area);

}  // namespace tidemark::presenters
