#include "app/presenters/plot/layer_groups.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/plot/stacking.h"
#include "profiler/base/format.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/block_layer.h"

namespace tidemark::presenters {
namespace {

constexpr size_t kDeepestLevel = 8;
constexpr size_t kMostWithoutLayer = 4;  // groups of what no layer holds
constexpr int64_t kNearlyAll = 10;       // all but a tenth

struct Group {
  std::string name;
  int64_t bytes = 0;  // at the moment that it holds most
  std::set<std::string> layers;
};

bool IsOfLayer(const Group& group) { return !group.name.starts_with(kNoLayer); }

// The largest first.
std::vector<Group> GroupsAt(size_t level, std::span<const BytesByLayer> bytes_at) {
  std::map<std::string, Group, NaturalOrder> groups;
  for (const BytesByLayer& bytes_of : bytes_at) {
    std::map<std::string, int64_t> here;
    for (const auto& [layer, bytes] : bytes_of) {
      const std::string name(layer.starts_with(kNoLayer) ? layer : ModuleOf(layer, level));
      AddTo(here[name], bytes);
      groups[name].layers.insert(layer);
    }
    for (const auto& [name, bytes] : here) groups[name].bytes = std::max(groups[name].bytes, bytes);
  }
  std::vector<Group> order;
  for (auto& [name, group] : groups) {
    group.name = name;
    order.push_back(std::move(group));
  }
  std::ranges::stable_sort(order, std::greater(), &Group::bytes);
  return order;
}

int64_t BytesOf(std::span<const Group> groups) {
  int64_t bytes = 0;
  for (const Group& group : groups) AddTo(bytes, group.bytes);
  return bytes;
}

std::string TitleOf(const Group& group) {
  const bool is_module = group.name.ends_with('.') || group.name.ends_with('_');
  if (!is_module) return group.name;
  return group.layers.size() == 1 ? *group.layers.begin() : group.name + "*";
}

std::string TitleOfRest(std::span<const Group> rest) {
  size_t layers = 0;
  for (const Group& group : rest) layers += group.layers.size();
  if (layers == 0) return std::string(kOtherGroups);
  return std::string(kOtherGroups) + " " + FormatNumber(static_cast<int64_t>(layers)) +
         (layers == 1 ? " layer" : " layers");
}

// Those that no layer holds, then the others.
std::vector<Group> Parted(std::vector<Group> groups, size_t* without_layer) {
  const auto of_layers = std::stable_partition(groups.begin(), groups.end(), std::not_fn(IsOfLayer));
  *without_layer = std::min(static_cast<size_t>(of_layers - groups.begin()), kMostWithoutLayer);
  groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(*without_layer), of_layers);
  return groups;
}

}  // namespace

std::string_view ModuleOf(std::string_view layer, size_t level) {
  const char mark = layer.find('.') == std::string_view::npos ? '_' : '.';
  size_t end = 0;
  for (; level > 0; --level) {
    end = layer.find(mark, end);
    if (end == std::string_view::npos) return layer;
    ++end;
  }
  return layer.substr(0, end);
}

std::string LayerGroupOf(const timeline::View& view, const timeline::LiveBlock& block, size_t level) {
  const std::string_view layer = timeline::LayerOf(view, block);
  if (!layer.empty()) return std::string(ModuleOf(layer, level));
  if (block.category == events::Category::kUnknown) return std::string(kNoLayer);
  return std::string(kNoLayer) + ": " + std::string(events::NameOf(block.category));
}

LayerGroups GroupsOfLayers(std::span<const BytesByLayer> bytes_at, size_t most) {
  LayerGroups told;
  std::vector<Group> groups;
  size_t shown = 0;
  for (told.level = kDeepestLevel; told.level > 0; --told.level) {
    size_t without_layer = 0;
    groups = Parted(GroupsAt(told.level, bytes_at), &without_layer);
    shown = std::min(most - 1, groups.size());
    const auto of_layers = std::span(groups).subspan(without_layer);
    const auto rest = std::span(groups).subspan(shown);
    if (told.level == 1 || BytesOf(rest) <= BytesOf(of_layers) / kNearlyAll) break;
  }
  const std::string rest = TitleOfRest(std::span(groups).subspan(shown));
  groups.resize(shown);
  std::ranges::stable_sort(groups, std::greater(), &Group::bytes);
  for (const Group& group : groups) {
    told.groups.push_back(group.name);
    told.titles.push_back(TitleOf(group));
  }
  told.titles.push_back(rest);
  return told;
}

}  // namespace tidemark::presenters
