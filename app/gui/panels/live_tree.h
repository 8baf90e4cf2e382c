// What is alive at the moment that the map shows, as a tree map or a flame graph, grouped as the person
// likes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/live_tree.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

// The orders in which the tree is grouped; a row in kTreeGroupings (live_tree.cpp) each.
enum class TreeGrouping : uint8_t { kCategory, kPhase, kLayer, kStream, kCallStack };
inline constexpr int kTreeGroupingCount = 5;
std::span<const presenters::TreeKey> KeysOf(TreeGrouping grouping);

// Of what may be compared, as side_by_side.h has it.
struct TreeSidesTitles {
  std::string a;  // "this run"
  std::string b;  // "fp16.tide"
};

struct LiveTreeInput {
  const presenters::LiveTree* tree = nullptr;       // none = nothing to show yet
  bool compares = false;                            // there are two sides, whose difference may be asked for
  std::optional<TreeSidesTitles> sides;             // of a tree of differences
  TreeGrouping grouping = TreeGrouping::kCategory;  // in force
  bool selects = false;                             // something is selected: what is not is faded
  std::string moment;                               // "at event 1,234 of step 5", "at each one's peak"
  bool segments_have_stacks = false;                // of C++, which blocks have not
  bool is_of_ours = false;                          // the run is of a network of Tidemark's
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};

// What is gone back to (view/view_history.h).
struct ShownTree {
  std::optional<TreeGrouping> grouping;  // that a person chose; none = what tells the most of the run
  bool flame_graph = false;
  bool of_difference = false;     // of what is compared, while there is something
  std::vector<std::string> path;  // of the node that fills the panel; empty = everything

  bool operator==(const ShownTree&) const = default;
};

struct LiveTreeState : ShownTree {
  bool drawn = false;  // in this frame: a hidden tab is not prepared
};

inline bool ShowsDifference(const LiveTreeInput& input, const ShownTree& shown) {
  return input.compares && shown.of_difference;
}

// Whether the outermost of some frames is a line of code, by TreeGrouping::kCallStack.
bool TellsLines(const presenters::LiveTree& tree);

// From everything alive to the node that fills the panel: of the path as much as the tree has at this moment.
std::vector<std::string> TitlesToShown(const presenters::LiveTree& tree,
                                       const std::vector<std::string>& path);

// Of a path's titles, each so wide, those that fit in `room`: all, or the last and before it the first and as
// many of the nearest as there is room for, with "…", `dots` wide, where some are left out. `between` lies
// before each but the first.
std::vector<size_t> CrumbsThatFit(const std::vector<float>& widths, float between, float dots, float room);

void DrawLiveTreePanel(const LiveTreeInput& input, LiveTreeState& state, CommandQueue& queue);

}  // namespace tidemark::gui
