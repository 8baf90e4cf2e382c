// What a person has picked, wherever they picked it: every view lights up what belongs to it. Pure functions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Names rather than ids: a selection outlives the view that it was made in.
struct Selection {
  enum class Kind : uint8_t { kNothing, kAllocation, kCategory, kLayer, kOperator, kFrame };
  Kind kind = Kind::kNothing;
  events::EventIndex born = 0;  // of an allocation
  events::Category category = events::Category::kUnknown;
  std::string name;  // of a layer or of some (layer_names.h), an operator or a frame of stacks

  bool any() const { return kind != Kind::kNothing; }
  bool operator==(const Selection&) const = default;
};

Selection AllocationSelected(events::EventIndex born);
Selection CategorySelected(events::Category category);
Selection LayerSelected(std::string name);
Selection OperatorSelected(std::string name);
// All that was asked for below it.
Selection FrameSelected(std::string name);

// Whether a block that is alive somewhere belongs to it. O(length of the names).
bool Selects(const Selection& selection, const timeline::View& view, const timeline::LiveBlock& block);

// What belongs to it of what is alive in a state.
using BytesByCategory = std::array<int64_t, events::kCategoryCount>;
struct SelectedBlocks {
  std::vector<bool> lit;    // by State::blocks
  BytesByCategory bytes{};  // rounded, of those that count, as the series are
};
// O(live · length of the names).
SelectedBlocks SelectedIn(const Selection& selection, const timeline::View& view,
                          const timeline::State& state);

// Whose rows light up: of an allocation the category, layer and operator that it belongs to.
struct SelectedOwners {
  Selection selection;
  std::string title;                         // "conv1 output", "layer conv1", "activation"; "" = nothing
  std::optional<timeline::LiveBlock> block;  // of an allocation, as it was before its end
  std::optional<events::Category> category;
  std::string layer;  // or some: IsOneOf
  std::string op;
  std::string line;  // "forward (model.py:12)", the innermost
};
// An allocation that the view does not know (any more) selects nothing.
SelectedOwners OwnersOf(const Selection& selection, const timeline::View& view);
// What is looked at for it: for an allocation all that was alive with it at its end. O(1).
timeline::View::StateEffort EffortOfOwners(const Selection& selection, const timeline::View& view);

}  // namespace tidemark::presenters
