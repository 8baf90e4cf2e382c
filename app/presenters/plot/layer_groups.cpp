#include "app/presenters/plot/layer_groups.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/allocations/layer_names.h"
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
constexpr size_t kFewestParts = 5;       // of a module, rather than others that hold nearly nothing

struct Group {
  std::string name;
  int64_t bytes = 0;  // at the moment that it holds most
  std::set<std::string> layers;
};

// The largest first.
struct Groups {
  std::vector<Group> without_layer;
  std::vector<Group> of_layers;
};

bool IsOfLayer(std::string_view layer) { return !layer.starts_with(kNoLayer); }

template <typename NameOf>
Groups GroupsBy(std::span<const BytesByLayer> bytes_at, const NameOf& name_of) {
  std::map<std::string, Group, NaturalOrder> groups;
  for (const BytesByLayer& bytes_of : bytes_at) {
    std::map<std::string, int64_t> here;
    for (const auto& [layer, bytes] : bytes_of) {
      const std::string name = name_of(layer);
      AddTo(here[name], bytes);
      groups[name].layers.insert(layer);
    }
    for (const auto& [name, bytes] : here) groups[name].bytes = std::max(groups[name].bytes, bytes);
  }
  Groups order;
  for (auto& [name, group] : groups) {
    group.name = name;
    (IsOfLayer(name) ? order.of_layers : order.without_layer).push_back(std::move(group));
  }
  for (auto* same : {&order.without_layer, &order.of_layers})
    std::ranges::stable_sort(*same, std::greater(), &Group::bytes);
  return order;
}

Groups GroupsBy(std::span<const BytesByLayer> bytes_at, const LayerGroups& told) {
  return GroupsBy(bytes_at, [&](const std::string& layer) { return told.NameOf(layer); });
}

// All where they are few; else the largest, and one group is left for the others.
std::vector<std::string> KindsToldApart(std::span<const BytesByLayer> bytes_at) {
  const Groups groups = GroupsBy(bytes_at, [](const std::string& layer) { return layer; });
  std::vector<std::string> kinds;
  for (const Group& group : groups.without_layer) {
    if (group.name != kNoLayer) kinds.push_back(group.name);
  }
  if (groups.without_layer.size() > kMostWithoutLayer)
    kinds.resize(std::min(kinds.size(), kMostWithoutLayer - 1));
  return kinds;
}

// A transformer's block keeps what it adds up, and its layers what is within it.
std::set<std::string, std::less<>> ModulesAmong(std::span<const BytesByLayer> bytes_at) {
  std::set<std::string, std::less<>> layers;
  for (const BytesByLayer& bytes_of : bytes_at) {
    for (const auto& [layer, bytes] : bytes_of) layers.insert(layer);
  }
  std::set<std::string, std::less<>> modules;
  for (const std::string& layer : layers) {
    const auto within = layers.lower_bound(layer + ".");
    if (within != layers.end() && within->starts_with(layer + ".")) modules.insert(layer);
  }
  return modules;
}

int64_t BytesOf(std::span<const Group> groups) {
  int64_t bytes = 0;
  for (const Group& group : groups) AddTo(bytes, group.bytes);
  return bytes;
}

bool IsNearlyNothing(std::span<const Group> rest, std::span<const Group> all) {
  return BytesOf(rest) <= BytesOf(all) / kNearlyAll;
}

// Its modules at that level, where all are numbered.
std::optional<LayerGroups::Division> NumbersOf(const Group& group, size_t level) {
  std::optional<LayerGroups::Division> numbers;
  std::string_view prefix;
  for (const std::string& layer : group.layers) {
    if (layer + "." == group.name) continue;
    const auto module = NumberOf(ModuleOf(layer, level));
    if (!module || (numbers && module->prefix != prefix)) return std::nullopt;
    if (!numbers) numbers = {group.name, module->number, module->number};
    prefix = module->prefix;
    numbers->first = std::min(numbers->first, module->number);
    numbers->last = std::max(numbers->last, module->number);
  }
  return numbers;
}

// Of the module that holds most of all, so that at most `room` groups hold nearly all.
std::optional<LayerGroups::Division> DivisionOf(std::span<const Group> of_layers, size_t room, size_t level) {
  if (of_layers.empty() || of_layers.front().bytes <= BytesOf(of_layers) / 2) return std::nullopt;
  const Group& largest = of_layers.front();
  std::optional<LayerGroups::Division> division = NumbersOf(largest, level + 1);
  const auto is_module = [&](const auto& layer) { return layer + "." == largest.name; };
  if (room > 0 && std::ranges::any_of(largest.layers, is_module)) --room;  // for what it keeps itself
  size_t others = of_layers.size() - 1;
  while (others > 0 && others + kFewestParts > room && IsNearlyNothing(of_layers.subspan(others), of_layers))
    --others;
  if (!division || division->first == division->last || others + 2 > room) return std::nullopt;
  division->count = (division->last - division->first) / (room - others) + 1;
  return division;
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

std::string NameIn(const LayerGroups::Division& division, std::string_view module) {
  const auto numbered = NumberOf(module);
  if (!numbered || numbered->number < division.first || numbered->number > division.last)
    return std::string(module);
  const uint64_t first = numbered->number - (numbered->number - division.first) % division.count;
  const uint64_t last = std::min(first + division.count - 1, division.last);
  return first == last ? std::string(module) : NameOfNeighbours(numbered->prefix, first, last);
}

}  // namespace

std::string LayerOrKindOf(const timeline::View& view, const timeline::LiveBlock& block) {
  const std::string_view layer = timeline::LayerOf(view, block);
  if (!layer.empty()) return std::string(layer);
  if (block.category == events::Category::kUnknown) return std::string(kNoLayer);
  return std::string(kNoLayer) + ": " + std::string(events::NameOf(block.category));
}

std::string LayerGroups::NameOf(std::string_view layer) const {
  if (!IsOfLayer(layer)) return std::string(std::ranges::count(kinds, layer) > 0 ? layer : kNoLayer);
  const std::string path = modules.contains(layer) ? std::string(layer) + "." : std::string(layer);
  const std::string_view module = ModuleOf(path, level);
  if (!division || module != division->module) return std::string(module);
  return NameIn(*division, ModuleOf(path, level + 1));
}

LayerGroups GroupsOfLayers(std::span<const BytesByLayer> bytes_at, size_t most) {
  LayerGroups told;
  told.kinds = KindsToldApart(bytes_at);
  told.modules = ModulesAmong(bytes_at);
  Groups groups;
  size_t room = 0;
  for (told.level = kDeepestLevel; told.level > 0; --told.level) {
    groups = GroupsBy(bytes_at, told);
    room = most - 1 - groups.without_layer.size();
    const std::span<const Group> all = groups.of_layers;
    if (told.level == 1 || IsNearlyNothing(all.subspan(std::min(room, all.size())), all)) break;
  }
  told.division = DivisionOf(groups.of_layers, room, told.level);
  if (told.division) groups = GroupsBy(bytes_at, told);
  const std::span<Group> of_layers = groups.of_layers;
  const size_t shown = std::min(room, of_layers.size());
  std::vector<Group> order = std::move(groups.without_layer);
  const std::string rest = TitleOfRest(of_layers.subspan(shown));
  std::ranges::move(of_layers.first(shown), std::back_inserter(order));
  std::ranges::stable_sort(order, std::greater(), &Group::bytes);
  for (const Group& group : order) {
    told.groups.push_back(group.name);
    told.titles.push_back(TitleOf(group));
  }
  told.titles.push_back(rest);
  return told;
}

}  // namespace tidemark::presenters
