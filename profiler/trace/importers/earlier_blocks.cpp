#include "profiler/trace/importers/earlier_blocks.h"

#include <optional>
#include <unordered_map>

#include "profiler/base/saturating.h"

namespace tidemark::trace {

using events::EventKind;

Earlier EarlierThan(const std::vector<TraceInstant>& instants, bool is_own) {
  struct Device {
    std::optional<int64_t> before;  // in all, when the trace began
    int64_t explained = 0;
  };
  Earlier earlier;
  std::map<uint8_t, Device> devices;
  std::unordered_map<uint64_t, bool> alive;
  for (const TraceInstant& told : instants) {
    if (!told.is_of_memory()) continue;
    Device& device = devices[told.TotalsOf(is_own)];
    const bool adds = told.kind == EventKind::kAllocate;
    const bool takes = told.kind == EventKind::kFreeRequested || told.kind == EventKind::kFreeCompleted;
    if (!device.before && told.total_allocated >= 0) {
      const int64_t change = adds ? told.bytes : takes ? -told.bytes : 0;
      device.before = SaturatingDifference(told.total_allocated, SaturatingSum(change, device.explained));
    }
    if (!adds && !takes) continue;
    const auto [block, is_new] = alive.try_emplace(told.address, adds);
    block->second = adds;
    if (!takes || !is_new || told.bytes == 0) continue;
    earlier.blocks.push_back(told);
    device.explained = SaturatingSum(device.explained, told.bytes);
  }
  for (const auto& [number, device] : devices) {
    const int64_t rest = SaturatingDifference(device.before.value_or(0), device.explained);
    if (rest > 0 && device.before) earlier.unexplained_bytes[number] = rest;
  }
  return earlier;
}

}  // namespace tidemark::trace
