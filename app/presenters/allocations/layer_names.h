// Layers by their paths, whose parts a mark parts ("layer3.0.conv1", "stage1_block1_conv1"), and one name for
// many of them: "layer3.*" for all of a module and for itself, "blocks.0–2" for those of neighbours. Pure;
// O(length).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::presenters {

// The first `level` parts of a layer's path with the mark behind them ("layer3.0.conv1": "layer3.",
// "layer3.0."; "stage1_block1_conv1": "stage1_"), or all of it where it has no more.
std::string_view ModuleOf(std::string_view layer, size_t level);

// Of "blocks.10." or "blocks.10" "blocks." and 10; nothing where it has no number at its end.
struct NumberedModule {
  std::string_view prefix;
  uint64_t number = 0;
};
std::optional<NumberedModule> NumberOf(std::string_view module);

// "blocks.0–2".
std::string NameOfNeighbours(std::string_view prefix, uint64_t first, uint64_t last);
bool IsOfNeighbours(std::string_view name);

// Whether a layer is what a name tells: that itself, or one of many.
bool IsOneOf(std::string_view layers, std::string_view layer);

}  // namespace tidemark::presenters
