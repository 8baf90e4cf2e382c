#include "profiler/capture/cupti/device_work.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/base/demangle.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/device_work.h"

namespace tidemark::capture {
namespace {

using events::EventKind;

// Not KIND_KERNEL: that one lets no two kernels run at once.
constexpr std::array kKinds = {cupti::kConcurrentKernel, cupti::kMemcpy, cupti::kMemset, cupti::kMemcpyPeer};
constexpr uint32_t kLastDevice = std::numeric_limits<uint8_t>::max();
constexpr const char* kNameless = "kernel without a name";

class KernelNames {
 public:
  events::NameId IdOf(const char* symbol) {
    if (symbol == nullptr || *symbol == '\0') return Intern(kNameless, events::Source::kDriver);
    const MutexLock lock(mutex_);
    const auto [known, is_new] = ids_.try_emplace(symbol, 0);
    // The ring was full where it is 0 again.
    if (known->second == 0) known->second = Intern(Demangled(symbol), events::Source::kDriver);
    return known->second;
  }

 private:
  Mutex mutex_;
  std::unordered_map<std::string, events::NameId> ids_ TIDEMARK_GUARDED_BY(mutex_);
};

KernelNames& TheKernelNames() {
  static auto& names = *new KernelNames;  // CUPTI's thread outlives main
  return names;
}

// CUpti_ActivityMemcpyKind.
const char* DirectionOf(uint8_t copy_kind) {
  static constexpr std::array kDirections = {
      "unknown direction", "host to device", "device to host",          "host to array",
      "array to host",     "array to array", "array to device",         "device to array",
      "device to device",  "host to host",   "device to another device"};
  return kDirections[std::min<size_t>(copy_kind, kDirections.size() - 1)];
}

// `record` = its card, stream and times.
void Tell(EventKind kind, events::NameId name, uint64_t bytes, const auto& record) {
  events::Event event;
  event.kind = kind;
  event.source = events::Source::kDriver;
  event.name = name;
  event.bytes = static_cast<int64_t>(bytes);
  event.address = record.times.start;
  event.rounded_bytes =
      static_cast<int64_t>(record.times.end > record.times.start ? record.times.end - record.times.start : 0);
  event.stream = record.stream_id;
  event.device = static_cast<uint8_t>(std::min<uint32_t>(record.device_id, kLastDevice));
  EmitOnDevice(event);
}

template <typename Value>
std::optional<Value> Attribute(const cupti::Functions& functions, int attribute) {
  Value value{};
  size_t bytes = sizeof value;
  if (functions.get_attribute == nullptr) return std::nullopt;
  if (functions.get_attribute(attribute, &bytes, &value) != cupti::kSuccess) return std::nullopt;
  return value;
}

}  // namespace

bool WantsDeviceWork() {
  const char* const value = std::getenv(events::kDeviceWorkVariable);
  return value != nullptr && std::string_view(value) == "1";
}

int EnableDeviceWork(const cupti::Functions& functions) {
  int refused = 0;
  for (const int kind : kKinds) {
    const bool is_optional = kind == cupti::kMemcpyPeer;  // needs cards that reach one another
    if (functions.enable_kind(kind) != cupti::kSuccess && !is_optional) ++refused;
  }
  return refused;
}

// CUPTI's guide, and its header: buffers of that size are made with a context, and lie on the card unless the
// host's pinned memory is asked for.
std::optional<int64_t> BytesReservedForWork(const cupti::Functions& functions) {
  const auto buffer = Attribute<size_t>(functions, cupti::kBufferBytes);
  const auto buffers = Attribute<size_t>(functions, cupti::kBuffersAtFirst);
  const auto are_hosts = Attribute<uint8_t>(functions, cupti::kBuffersAreHosts);
  if (!buffer || !buffers || !are_hosts) return std::nullopt;
  return *are_hosts != 0 ? 0 : static_cast<int64_t>(*buffer * *buffers);
}

void DisableDeviceWork(const cupti::Functions& functions) {
  for (const int kind : kKinds) functions.disable_kind(kind);
}

void TellDeviceWork(const int* record) {
  if (*record == cupti::kConcurrentKernel) {
    cupti::KernelRecord kernel{};
    std::memcpy(&kernel, record, sizeof kernel);
    Tell(EventKind::kKernel, TheKernelNames().IdOf(kernel.name), 0, kernel);
  } else if (*record == cupti::kMemcpy || *record == cupti::kMemcpyPeer || *record == cupti::kMemset) {
    cupti::TransferRecord transfer{};
    std::memcpy(&transfer, record, sizeof transfer);
    const bool is_set = *record == cupti::kMemset;
    Tell(is_set ? EventKind::kMemorySet : EventKind::kMemoryCopy,
         is_set ? 0 : Intern(DirectionOf(transfer.copy_kind), events::Source::kDriver), transfer.bytes,
         transfer);
  }
}

}  // namespace tidemark::capture
