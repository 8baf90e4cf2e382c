#include "profiler/events/cuda_graphs.h"

#include <algorithm>
#include <charconv>

namespace tidemark::events {
namespace {

constexpr std::string_view kPool = "private pool (";
constexpr std::string_view kBetween = ", ";
constexpr std::string_view kGraph = " (graph ";

}  // namespace

std::string GraphReplayName(int64_t graph) {
  return std::string(kGraphReplay).append(kGraph).append(std::to_string(graph)) + ")";
}

bool IsGraphReplay(std::string_view op) { return op == kGraphReplay || GraphOfReplay(op) > 0; }

int64_t GraphOfReplay(std::string_view op) {
  if (!op.starts_with(kGraphReplay)) return 0;
  op.remove_prefix(kGraphReplay.size());
  if (!op.starts_with(kGraph)) return 0;
  int64_t graph = 0;
  std::from_chars(op.data() + kGraph.size(), op.data() + op.size(), graph);
  return std::max<int64_t>(graph, 0);
}

std::string PoolName(int64_t first, int64_t second) {
  return std::string(kPool).append(std::to_string(first)).append(kBetween).append(std::to_string(second)) +
         ")";
}

std::optional<std::pair<int64_t, int64_t>> PoolNumbers(std::string_view name) {
  if (!name.starts_with(kPool)) return {};
  std::pair<int64_t, int64_t> numbers{0, 0};
  const char* const end = name.data() + name.size();
  const auto [behind, error] = std::from_chars(name.data() + kPool.size(), end, numbers.first);
  const std::string_view rest(behind, static_cast<size_t>(end - behind));
  if (error != std::errc() || !rest.starts_with(kBetween)) return {};
  if (std::from_chars(behind + kBetween.size(), end, numbers.second).ec != std::errc()) return {};
  return numbers;
}

PoolOwner OwnerOfPool(std::string_view name) {
  const auto numbers = PoolNumbers(name);
  if (!numbers) return PoolOwner::kNotTold;
  return numbers->first == 0 ? PoolOwner::kProgram : PoolOwner::kGraph;
}

}  // namespace tidemark::events
