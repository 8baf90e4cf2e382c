#include "profiler/timeline/computed_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace tidemark::timeline {
namespace {

// By type, the operators that computed in it.
using OperatorsByType = std::map<std::string_view, std::set<std::string_view>>;

std::string_view WithoutNamespace(std::string_view op) {
  constexpr std::string_view kAten = "aten::";
  if (op.starts_with(kAten)) op.remove_prefix(kAten.size());
  return op;
}

std::string InWords(const OperatorsByType& types) {
  if (types.size() == 1) return std::string(types.begin()->first);
  std::string text;
  for (const auto& [type, operators] : types) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", type, fmt::join(operators, ", "));
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> ComputedTypes(const View& view, const Step& step) {
  std::map<std::string_view, OperatorsByType> layers;
  for (EventIndex index = std::max(step.begin, view.first()); index < step.end; ++index) {
    const events::Event event = view.event(index);
    if (event.kind != events::EventKind::kScopeEnd || event.name == 0 || event.layer == 0) continue;
    layers[view.name(event.layer)][view.name(event.name)].insert(WithoutNamespace(view.name(event.op)));
  }
  std::map<std::string, std::string> words;
  for (const auto& [layer, types] : layers) words.emplace(layer, InWords(types));
  return words;
}

}  // namespace tidemark::timeline
