// The timeline's stack by layers: a network of many has more than there are colours, so it is told by
// modules, at the deepest level of the layers' paths at which the largest hold nearly all. Where one of those
// holds most of it, as a transformer's blocks do, it is told by its numbered modules, some neighbours in one.
// What no layer holds is told as what it is. Pure; O(live blocks · levels) for each moment.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// "layer3.0.conv1"; of a block that no layer holds its kind: "no layer: workspace".
std::string LayerOrKindOf(const timeline::View& view, const timeline::LiveBlock& block);

struct LayerGroups {
  // Of one module, as many neighbours in each group.
  struct Division {
    std::string module;  // "blocks."
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t count = 1;
  };
  size_t level = 1;  // of the modules
  std::optional<Division> division;
  std::set<std::string, std::less<>> modules;  // layers that keep something, as do others within them
  std::vector<std::string> kinds;              // what no layer holds that is told apart
  std::vector<std::string> groups;             // as NameOf tells them, the largest first
  std::vector<std::string> titles;  // of each, as layer_names.h has them ("layer3.*", where it is of one
                                    // layer that); and "other 5 layers"

  // "layer3.", "blocks.0–2" or "conv1", of what LayerOrKindOf tells; "no layer" of kinds that are not told
  // apart.
  std::string NameOf(std::string_view layer) const;
};
// At most so many, one for all others among them. `bytes_at`: by LayerOrKindOf, at each of some moments.
using BytesByLayer = std::map<std::string, int64_t>;
LayerGroups GroupsOfLayers(std::span<const BytesByLayer> bytes_at, size_t most);

}  // namespace tidemark::presenters
