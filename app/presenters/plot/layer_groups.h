// The timeline's stack by layers: a network of many has more than there are colours, so it is told by
// modules, at the deepest level of the layers' paths at which the largest hold nearly all. What no layer
// holds is told as what it is. Pure; O(live blocks · levels) for each moment.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// The first `level` parts of a layer's path with the mark behind them ("layer3.0.conv1": "layer3.",
// "layer3.0."; "stage1_block1_conv1": "stage1_"), or all of it where it has no more.
std::string_view ModuleOf(std::string_view layer, size_t level);

// "layer3." or "conv1"; of a block that no layer holds "no layer: workspace".
std::string LayerGroupOf(const timeline::View& view, const timeline::LiveBlock& block, size_t level);

struct LayerGroups {
  size_t level = 1;                 // for LayerGroupOf
  std::vector<std::string> groups;  // as that tells them, the largest first
  std::vector<std::string>
      titles;  // of each: "layer3.*", where it is of one layer that; and "other 5 layers"
};
// At most so many, one for all others among them. `bytes_at`: by layer or, where none holds it, by
// LayerGroupOf, at each of some moments.
using BytesByLayer = std::map<std::string, int64_t>;
LayerGroups GroupsOfLayers(std::span<const BytesByLayer> bytes_at, size_t most);

}  // namespace tidemark::presenters
