#include "profiler/events/cuda_graphs.h"

#include <charconv>

namespace tidemark::events {
namespace {

constexpr std::string_view kPool = "private pool (";
constexpr std::string_view kBetween = ", ";

}  // namespace

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
