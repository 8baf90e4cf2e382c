#include "profiler/events/event.h"

#include <array>

#include "profiler/base/check.h"

namespace tidemark::events {
namespace {

template <typename Enum, size_t kCount>
std::string_view Lookup(const std::array<std::string_view, kCount>& names, Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < kCount ? names[index] : "unknown";
}

}  // namespace

std::string_view NameOf(Category category) {
  static constexpr std::array<std::string_view, kCategoryCount> kNames = {
      "parameter", "optimizer state", "gradient", "input",         "activation", "temporary",
      "workspace", "autocast cache",  "unknown",  "communication", "output"};
  return Lookup(kNames, category);
}

std::string_view KeyOf(Category category) {
  static constexpr std::array<std::string_view, kCategoryCount> kKeys = {
      "parameter", "optimizer_state", "gradient", "input",         "activation", "temporary",
      "workspace", "autocast_cache",  "unknown",  "communication", "output"};
  return Lookup(kKeys, category);
}

std::string_view NameOf(Phase phase) {
  static constexpr std::array<std::string_view, kPhaseCount> kNames = {"idle", "forward", "backward",
                                                                       "optimizer", "evaluation"};
  return Lookup(kNames, phase);
}

std::string_view NameOf(EventKind kind) {
  static constexpr std::array<std::string_view, kEventKindCount> kNames = {
      "allocate",     "free requested", "free completed", "categorize",    "segment allocate",
      "segment free", "segment map",    "segment unmap",  "out of memory", "snapshot",
      "phase",        "step begin",     "step end",       "micro-batch",   "scope begin",
      "scope end",    "marker",         "metric",         "counter",       "loss",
      "name",         "kernel",         "memory copy",    "memset",        "tensor shape"};
  return Lookup(kNames, kind);
}

std::string_view NameOf(Source source) {
  static constexpr std::array<std::string_view, 5> kNames = {"trainer", "allocator", "driver", "device",
                                                             "session"};
  return Lookup(kNames, source);
}

std::string_view NameOf(Level level) {
  static constexpr std::array<std::string_view, kLevelCount> kNames = {"counter", "driver", "process",
                                                                       "card"};
  return Lookup(kNames, level);
}

}  // namespace tidemark::events
