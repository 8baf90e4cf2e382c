#include "app/presenters/allocations/layer_names.h"

#include <algorithm>
#include <charconv>

#include "profiler/base/digits.h"

namespace tidemark::presenters {
namespace {

constexpr std::string_view kTo = "–";

char MarkOf(std::string_view layer) { return layer.find('.') == std::string_view::npos ? '_' : '.'; }

std::optional<uint64_t> NumberFrom(std::string_view digits) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size();
  return is_number ? std::optional(number) : std::nullopt;
}

struct Neighbours {
  std::string_view prefix;
  uint64_t first = 0;
  uint64_t last = 0;
};

std::optional<Neighbours> NeighboursOf(std::string_view name) {
  const size_t to = name.find(kTo);
  if (to == std::string_view::npos) return std::nullopt;
  const auto first = NumberOf(name.substr(0, to));
  const auto last = NumberFrom(name.substr(to + kTo.size()));
  if (!first || !last) return std::nullopt;
  return Neighbours{first->prefix, first->number, *last};
}

bool IsAmong(const Neighbours& neighbours, std::string_view layer) {
  if (!layer.starts_with(neighbours.prefix)) return false;
  const std::string_view rest = layer.substr(neighbours.prefix.size());
  const auto end = static_cast<size_t>(std::ranges::find_if_not(rest, IsDigit) - rest.begin());
  const auto number = NumberFrom(rest.substr(0, end));
  const bool ends_there = end == rest.size() || rest[end] == MarkOf(layer);
  return number && ends_there && *number >= neighbours.first && *number <= neighbours.last;
}

}  // namespace

std::string_view ModuleOf(std::string_view layer, size_t level) {
  const char mark = MarkOf(layer);
  size_t end = 0;
  for (; level > 0; --level) {
    end = layer.find(mark, end);
    if (end == std::string_view::npos) return layer;
    ++end;
  }
  return layer.substr(0, end);
}

std::optional<NumberedModule> NumberOf(std::string_view module) {
  if (module.ends_with('.') || module.ends_with('_')) module.remove_suffix(1);
  size_t begin = module.size();
  while (begin > 0 && IsDigit(module[begin - 1])) --begin;
  const auto number = NumberFrom(module.substr(begin));
  if (!number) return std::nullopt;
  return NumberedModule{module.substr(0, begin), *number};
}

std::string NameOfNeighbours(std::string_view prefix, uint64_t first, uint64_t last) {
  return std::string(prefix) + std::to_string(first) + std::string(kTo) + std::to_string(last);
}

bool IsOfNeighbours(std::string_view name) { return NeighboursOf(name).has_value(); }

bool IsOneOf(std::string_view layers, std::string_view layer) {
  if (layers == layer) return true;
  if (layers.ends_with('*')) {
    const std::string_view module = layers.substr(0, layers.size() - 1);
    if (module.ends_with('.') && module.substr(0, module.size() - 1) == layer) return true;
    return module.ends_with(MarkOf(layer)) && layer.starts_with(module);
  }
  const auto neighbours = NeighboursOf(layers);
  return neighbours && IsAmong(*neighbours, layer);
}

}  // namespace tidemark::presenters
