#include "profiler/advice/owners.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "profiler/base/natural_order.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"
#include "profiler/events/tensor_names.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::advice {
namespace {

std::string OwnerOf(const timeline::View& view, const timeline::LiveBlock& block) {
  std::string category(events::NameOf(block.category));
  // Each layer has little of these, and what makes them less does so in all layers.
  if (timeline::IsOfParameter(block.category)) return category;
  const std::string_view layer = timeline::LayerOf(view, block);
  if (!layer.empty()) return events::LayerInWords(layer) + ", " + category;
  const std::string_view op = events::InnermostFrame(view.name(block.op));
  return op.empty() ? category : category + " of " + std::string(op);
}

std::string LineOf(const timeline::View& view, const timeline::LiveBlock& block) {
  return std::string(events::InnermostLine(view.name(block.op)));
}

// The largest of the groups of blocks that `name_of` calls by one name; those that it has no name for are
// left out.
template <typename NameOf>
std::vector<Owner> LargestBy(const NameOf& name_of, const timeline::View& view, timeline::EventIndex moment,
                             size_t most) {
  // With the size of its largest block.
  std::map<std::string, std::pair<Owner, int64_t>, NaturalOrder> by_name;
  const timeline::State state = timeline::SettledStateAt(view, moment, view.end());
  for (const timeline::LiveBlock& block : timeline::CountedBlocks(state)) {
    std::string name = name_of(view, block);
    if (name.empty()) continue;
    auto& [owner, largest_bytes] = by_name[std::move(name)];
    owner.bytes = SaturatingSum(owner.bytes, block.rounded_bytes);
    if (owner.blocks++ == 0 || block.rounded_bytes > largest_bytes) {
      largest_bytes = block.rounded_bytes;
      owner.largest = block.born;
      owner.shape = view.name(block.shape);
    }
  }
  std::vector<Owner> owners;
  owners.reserve(by_name.size());
  for (auto& [name, entry] : by_name) {
    owners.push_back(std::move(entry.first));
    owners.back().name = name;
  }
  std::ranges::stable_sort(owners, std::ranges::greater(), &Owner::bytes);
  if (owners.size() > most) owners.resize(most);
  return owners;
}

}  // namespace

std::vector<Owner> LargestOwners(const timeline::View& view, timeline::EventIndex moment, size_t most,
                                 std::optional<uint8_t> device) {
  const auto name_of = [device](const timeline::View& of, const timeline::LiveBlock& block) {
    return device && block.device != *device ? "" : OwnerOf(of, block);
  };
  return LargestBy(name_of, view, moment, most);
}

std::vector<Owner> LargestLines(const timeline::View& view, timeline::EventIndex moment, size_t most) {
  return LargestBy(LineOf, view, moment, most);
}

}  // namespace tidemark::advice
