#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "profiler/networks/specification.h"

namespace tidemark::networks {
namespace {

// kNetworkInput comes before all layers.
struct InOrder {
  bool operator()(size_t left, size_t right) const { return left + 1 < right + 1; }
};

}  // namespace

std::vector<size_t> GroupStarts(const Network& network) {
  std::vector<size_t> starts{0};
  bool has_parameters = false;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    if (network.layers[index].parameters() == 0) continue;
    if (has_parameters) starts.push_back(index);
    has_parameters = true;
  }
  return starts;
}

std::vector<size_t> CheckpointBoundaries(const Network& network, const Checkpointing& checkpointing) {
  if (checkpointing.mode == CheckpointMode::kNone || checkpointing.mode == CheckpointMode::kBudget) return {};
  const std::vector<size_t> groups = GroupStarts(network);
  size_t pieces = groups.size();
  if (checkpointing.mode == CheckpointMode::kSegments) {
    pieces = std::clamp(static_cast<size_t>(std::max(checkpointing.segments, 1)), size_t{1}, pieces);
  }
  std::vector<size_t> boundaries;
  if (checkpointing.mode == CheckpointMode::kEvery) {
    const auto length = static_cast<size_t>(std::max(checkpointing.segments, 1));
    for (size_t group = 0; group < groups.size(); group += length) boundaries.push_back(groups[group]);
    boundaries.push_back(network.layers.size());
    return boundaries;
  }
  for (size_t piece = 0, group = 0; piece < pieces; ++piece) {
    boundaries.push_back(groups[group]);
    group += groups.size() / pieces + (piece < groups.size() % pieces ? 1 : 0);
  }
  boundaries.push_back(network.layers.size());
  return boundaries;
}

Borders BordersOf(const Network& network, size_t first, size_t end) {
  std::set<size_t, InOrder> inputs;
  std::set<size_t, InOrder> outputs;
  for (size_t index = first; index < network.layers.size(); ++index) {
    for (const size_t input : network.layers[index].inputs) {
      const bool before = input == kNetworkInput || input < first;
      if (index < end && before) inputs.insert(input);
      if (index >= end && !before && input < end) outputs.insert(input);
    }
  }
  if (end == network.layers.size()) outputs.insert(end - 1);
  return {{inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
}

}  // namespace tidemark::networks
