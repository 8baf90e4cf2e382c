#include "profiler/trace/importers/trace_records.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "profiler/trace/importers/objects.h"

namespace tidemark::trace {

TraceTexts::Id TraceTexts::Add(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<Id>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

TraceArgument ArgumentOf(std::string_view key) {
  using enum TraceArgument;
  static constexpr std::array<std::pair<std::string_view, TraceArgument>, 15> kNamed = {
      {{"Addr", kAddress},
       {"Bytes", kBytes},
       {"Device Id", kDevice},
       {"Device Type", kDeviceType},
       {"Total Allocated", kTotalAllocated},
       {"Total Reserved", kTotalReserved},
       {"Requested", kRequested},
       {"Free", kFree},
       {"Stream", kStream},
       {"Thread", kThread},
       {"Category", kCategory},
       {"Layer", kLayer},
       {"Operator", kOperator},
       {"Tensor", kTensor},
       {"Sequence number", kSequence}}};
  const auto found =
      std::find_if(kNamed.begin(), kNamed.end(), [key](const auto& named) { return named.first == key; });
  return found == kNamed.end() ? kOther : found->second;
}

void TraceArguments::Set(TraceArgument argument, int64_t number) {
  const auto at_least_0 = std::max<int64_t>(number, 0);
  const auto small = static_cast<uint8_t>(std::clamp<int64_t>(number, 0, 255));
  switch (argument) {
    case TraceArgument::kAddress:
      memory.address = static_cast<uint64_t>(number);
      return;
    case TraceArgument::kBytes:
      is_sized = true;
      memory.bytes = number == std::numeric_limits<int64_t>::min() ? 0 : std::abs(number);
      memory.action = number < 0 ? MemoryRecord::Action::kFree : MemoryRecord::Action::kAllocate;
      return;
    case TraceArgument::kDevice:
      memory.device = small;  // the CPU's is -1
      return;
    case TraceArgument::kDeviceType:
      memory.device_type = small;
      return;
    case TraceArgument::kTotalAllocated:
      memory.total_allocated = at_least_0;
      return;
    case TraceArgument::kTotalReserved:
      memory.total_reserved = at_least_0;
      return;
    case TraceArgument::kRequested:
      memory.requested = at_least_0;
      return;
    case TraceArgument::kFree:
      memory.free_bytes = at_least_0;
      return;
    case TraceArgument::kStream:
      memory.stream = static_cast<uint64_t>(number);
      return;
    case TraceArgument::kThread:
      memory.thread = static_cast<uint32_t>(number);
      return;
    case TraceArgument::kSequence:
      is_differentiable = number >= 0;
      return;
    default:
      return;
  }
}

void TraceArguments::Set(TraceArgument argument, std::string_view text, TraceTexts& texts) {
  if (argument == TraceArgument::kCategory) memory.category = CategoryFromText(text);
  if (argument == TraceArgument::kLayer) memory.layer = texts.Add(text);
  if (argument == TraceArgument::kOperator) memory.op = texts.Add(text);
  if (argument == TraceArgument::kTensor) memory.tensor = texts.Add(text);
}

}  // namespace tidemark::trace
