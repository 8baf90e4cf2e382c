#include "profiler/events/allocator_settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace tidemark::events {
namespace {

constexpr const char* kVariable = "PYTORCH_ALLOC_CONF";
constexpr const char* kOldVariable = "PYTORCH_CUDA_ALLOC_CONF";  // all versions know it

// What stands behind "key:" up to the next comma outside of brackets; "" if the key is not there.
std::string_view ValueOf(std::string_view settings, std::string_view key) {
  size_t at = settings.find(key);
  while (at != std::string_view::npos && at != 0 && settings[at - 1] != ',') at = settings.find(key, at + 1);
  if (at == std::string_view::npos) return "";
  settings.remove_prefix(at + key.size());
  if (!settings.starts_with(':')) return "";
  settings.remove_prefix(1);
  const bool is_list = settings.starts_with('[');
  return settings.substr(is_list ? 1 : 0, settings.find(is_list ? ']' : ',') - (is_list ? 1 : 0));
}

std::string Packed(std::string_view settings) {
  std::string packed(settings);
  std::erase(packed, ' ');
  return packed;
}

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "256:1,512:2,>:4": up to 256 MiB (not included) as for it, beyond the last as for ">".
void ReadDivisions(std::string_view pairs, std::array<int64_t, 16>& divisions) {
  size_t next = 0;
  bool first = true;
  while (!pairs.empty()) {
    const std::string_view pair = pairs.substr(0, pairs.find(','));
    pairs.remove_prefix(std::min(pairs.size(), pair.size() + 1));
    const size_t colon = std::min(pair.find(':'), pair.size());
    const auto value = NumberIn(pair.substr(std::min(colon + 1, pair.size())));
    const auto megabytes = NumberIn(pair.substr(0, colon));
    if (!value) continue;
    if (pair.substr(0, colon) == ">") {
      std::fill(divisions.begin() + static_cast<ptrdiff_t>(next), divisions.end(), *value);
    } else if (megabytes && *megabytes > 0) {
      const auto power = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(*megabytes)) - 1);
      const size_t index = std::min(power, divisions.size() - 1);
      if (first) std::fill(divisions.begin(), divisions.begin() + static_cast<ptrdiff_t>(index), *value);
      divisions[index] = *value;
      next = index + 1;
      first = false;
    }
  }
}

}  // namespace

AllocatorRules RulesOf(std::string_view settings) {
  const std::string packed = Packed(settings);
  AllocatorRules rules;
  const auto split = NumberIn(ValueOf(packed, "max_split_size_mb"));
  if (split && *split <= INT64_MAX >> 20) rules.max_split_bytes = *split << 20;
  const std::string_view divisions = ValueOf(packed, "roundup_power2_divisions");
  if (const auto all = NumberIn(divisions)) {
    rules.roundup_power2_divisions.fill(*all);
  } else {
    ReadDivisions(divisions, rules.roundup_power2_divisions);
  }
  return rules;
}

bool IsAsyncAllocator(std::string_view settings) {
  return ValueOf(Packed(settings), "backend") == "cudaMallocAsync";
}

std::string AllocatorSettings() {
  for (const char* name : {kVariable, kOldVariable}) {
    const char* settings = std::getenv(name);
    if (settings != nullptr && *settings != '\0') return settings;
  }
  return "";
}

std::vector<std::string> AllocatorEnvironment(const std::string& settings) {
  if (settings.empty()) return {kVariable, kOldVariable};
  return {kVariable, std::string(kOldVariable) + "=" + settings};
}

}  // namespace tidemark::events
