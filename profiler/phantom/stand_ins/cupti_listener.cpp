#include "profiler/phantom/stand_ins/cupti_listener.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bitset>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/clock.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/activity.h"
#include "profiler/phantom/device/calling_library.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/stand_ins/cupti_buffers.h"

// CUPTI declares it and leaves what it is to itself.
struct CUpti_Subscriber_st {
  CUpti_CallbackFunc function = nullptr;
  void* argument = nullptr;
  std::string name;
};

namespace tidemark::phantom::cupti {
namespace {

using device::Activity;
using device::Call;
using device::Function;
using device::Place;

constexpr size_t kDomains = 3;            // driver and runtime; 0 is no domain
constexpr size_t kFunctions = 1024;       // more than either library has
constexpr uint32_t kContextId = 1;        // the one context there is
constexpr uint32_t kDefaultStreamId = 7;  // what CUPTI calls the default stream

CUpti_CallbackDomain DomainOf(const Function& function) {
  return function.library == Function::Library::kDriver ? CUPTI_CB_DOMAIN_DRIVER_API
                                                        : CUPTI_CB_DOMAIN_RUNTIME_API;
}

// A set of functions per domain; readers take no lock.
class FunctionSet {
 public:
  void Set(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on) {
    if (domain < kDomains && id < kFunctions) members_[domain][id].store(on, std::memory_order_relaxed);
  }
  void SetAll(CUpti_CallbackDomain domain, bool on) {
    if (domain >= kDomains) return;
    for (auto& member : members_[domain]) member.store(on, std::memory_order_relaxed);
  }
  bool Has(CUpti_CallbackDomain domain, CUpti_CallbackId id) const {
    return domain < kDomains && id < kFunctions && members_[domain][id].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::array<std::atomic<bool>, kFunctions>, kDomains> members_{};
};

uint32_t StreamId(uint64_t stream) {
  // 0, 1 and 2 are the default stream's names; others are addresses, of which CUPTI makes small numbers.
  if (stream <= 2) return kDefaultStreamId;
  static Mutex mutex;
  static auto* const ids = new std::map<uint64_t, uint32_t>;
  const MutexLock lock(mutex);
  return ids->emplace(stream, kDefaultStreamId + 1 + static_cast<uint32_t>(ids->size())).first->second;
}

CUpti_ActivityMemoryKind MemoryKind(Place place) {
  switch (place) {
    case Place::kPageable:
      return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
    case Place::kPinned:
      return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    case Place::kManaged:
      return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    case Place::kDevice:
      break;
  }
  return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
}

uint8_t CopyKind(Place from, Place to) {
  const bool from_device = from == Place::kDevice || from == Place::kManaged;
  const bool to_device = to == Place::kDevice || to == Place::kManaged;
  if (from_device) return to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  return to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

template <typename Record>
void WriteRecord(const Record& record) {
  Write({reinterpret_cast<const uint8_t*>(&record), sizeof record});
}

struct External {
  CUpti_ExternalCorrelationKind kind;
  uint64_t id;
};
thread_local std::vector<External> externals;

class Listener final : public device::ActivityListener {
 public:
  void OnBegin(Call& call) override {
    WriteExternals(call.correlation);
    CallBack(call, CUPTI_API_ENTER);
  }

  void OnEnd(Call& call) override {
    CallBack(call, CUPTI_API_EXIT);
    const CUpti_CallbackDomain domain = DomainOf(call.function);
    const CUpti_ActivityKind kind =
        domain == CUPTI_CB_DOMAIN_DRIVER_API ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
    if (!Enabled(kind) && !api_records_.Has(domain, call.function.number)) return;
    CUpti_ActivityAPI record{};
    record.kind = kind;
    record.cbid = call.function.number;
    record.start = static_cast<uint64_t>(call.begin_ns);
    record.end = Now();
    record.processId = static_cast<uint32_t>(getpid());
    record.threadId = static_cast<uint32_t>(syscall(SYS_gettid));
    record.correlationId = call.correlation;
    record.returnValue = static_cast<uint32_t>(*call.status);
    WriteRecord(record);
  }

  void OnActivity(const Activity& activity, uint32_t correlation) override {
    switch (activity.kind) {
      case Activity::Kind::kAllocate:
      case Activity::Kind::kFree:
        if (Enabled(CUPTI_ACTIVITY_KIND_MEMORY2)) WriteMemory(activity, correlation);
        return;
      case Activity::Kind::kCopy:
        if (Enabled(CUPTI_ACTIVITY_KIND_MEMCPY)) WriteCopy(activity, correlation);
        return;
      case Activity::Kind::kFill:
        if (Enabled(CUPTI_ACTIVITY_KIND_MEMSET)) WriteFill(activity, correlation);
        return;
      case Activity::Kind::kKernel:
        for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL}) {
          if (Enabled(kind)) return WriteKernel(activity, correlation, kind);
        }
        return;
    }
  }

  bool Enabled(CUpti_ActivityKind kind) const { return kinds_[kind].load(std::memory_order_relaxed); }
  void Enable(CUpti_ActivityKind kind, bool on) { kinds_[kind].store(on); }
  FunctionSet& api_records() { return api_records_; }
  FunctionSet& callbacks() { return callbacks_; }
  std::atomic<CUpti_SubscriberHandle>& subscriber() { return subscriber_; }
  std::atomic<CUpti_TimestampCallbackFunc>& clock() { return clock_; }
  std::atomic<bool>& tells_callers() { return tells_callers_; }

  uint64_t Now() const {
    const CUpti_TimestampCallbackFunc its_clock = clock_.load(std::memory_order_relaxed);
    return its_clock != nullptr ? its_clock() : static_cast<uint64_t>(RealtimeNs());
  }

 private:
  void CallBack(Call& call, CUpti_ApiCallbackSite site) {
    const CUpti_CallbackDomain domain = DomainOf(call.function);
    const CUpti_SubscriberHandle listening = subscriber_.load(std::memory_order_acquire);
    if (listening == nullptr || !callbacks_.Has(domain, call.function.number)) return;
    CUpti_CallbackData data{};
    data.callbackSite = site;
    data.functionName = call.function.name;
    data.functionParams = call.parameters;
    data.functionReturnValue = call.status;
    data.symbolName = call.symbol;
    data.contextUid = kContextId;
    data.correlationData = call.listener_word;
    data.correlationId = call.correlation;
    listening->function(listening->argument, domain, call.function.number, &data);
  }

  void WriteExternals(uint32_t correlation) const {
    if (!Enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) return;
    // The latest of each kind.
    std::bitset<CUPTI_EXTERNAL_CORRELATION_KIND_SIZE> told;
    for (auto external = externals.rbegin(); external != externals.rend(); ++external) {
      if (told.test(external->kind)) continue;
      told.set(external->kind);
      CUpti_ActivityExternalCorrelation record{};
      record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
      record.externalKind = external->kind;
      record.externalId = external->id;
      record.correlationId = correlation;
      WriteRecord(record);
    }
  }

  // The card that holds the block; of the host's memory the thread's.
  static int DeviceOf(const Activity& activity) {
    const device::Device* const there = device::TheDevice();
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what this is about
    const auto* const pointer = reinterpret_cast<const void*>(activity.address);
    const std::optional<int> card = there == nullptr ? std::nullopt : there->memory.CardOf(pointer);
    return card.value_or(device::CurrentDevice());
  }

  void WriteMemory(const Activity& activity, uint32_t correlation) const {
    const bool allocates = activity.kind == Activity::Kind::kAllocate;
    CUpti_ActivityMemory4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
    record.memoryOperationType = allocates ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
                                           : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
    record.memoryKind = MemoryKind(activity.place);
    record.correlationId = correlation;
    record.address = activity.address;
    record.bytes = activity.bytes;
    record.timestamp = Now();
    record.processId = static_cast<uint32_t>(getpid());
    record.deviceId = static_cast<uint32_t>(DeviceOf(activity));
    record.contextId = kContextId;
    record.streamId = activity.asynchronous ? StreamId(activity.stream) : CUPTI_INVALID_STREAM_ID;
    record.isAsync = activity.asynchronous ? 1 : 0;
    if (activity.pool.address != 0) {
      record.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
      record.memoryPoolConfig.address = activity.pool.address;
      record.memoryPoolConfig.releaseThreshold = activity.pool.release_threshold_bytes;
      record.memoryPoolConfig.pool.size = activity.pool.reserved_bytes;
      record.memoryPoolConfig.utilizedSize = activity.pool.used_bytes;
    }
    if (tells_callers_.load(std::memory_order_relaxed)) record.source = device::CallingLibrary();
    WriteRecord(record);
  }

  void WriteCopy(const Activity& activity, uint32_t correlation) const {
    CUpti_ActivityMemcpy6 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    record.copyKind = CopyKind(activity.from, activity.place);
    record.srcKind = static_cast<uint8_t>(MemoryKind(activity.from));
    record.dstKind = static_cast<uint8_t>(MemoryKind(activity.place));
    record.flags = activity.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC : CUPTI_ACTIVITY_FLAG_NONE;
    record.bytes = activity.bytes;
    record.start = Now();  // done the moment it is submitted
    record.end = record.start;
    record.deviceId = static_cast<uint32_t>(device::CurrentDevice());
    record.contextId = kContextId;
    record.streamId = StreamId(activity.stream);
    record.correlationId = correlation;
    record.copyCount = 1;
    WriteRecord(record);
  }

  void WriteFill(const Activity& activity, uint32_t correlation) const {
    CUpti_ActivityMemset4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    record.value = activity.fill_value;
    record.bytes = activity.bytes;
    record.start = Now();
    record.end = record.start;
    record.deviceId = static_cast<uint32_t>(device::CurrentDevice());
    record.contextId = kContextId;
    record.streamId = StreamId(activity.stream);
    record.correlationId = correlation;
    record.flags = static_cast<uint16_t>(activity.asynchronous ? CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC
                                                               : CUPTI_ACTIVITY_FLAG_NONE);
    record.memoryKind = static_cast<uint16_t>(MemoryKind(activity.place));
    WriteRecord(record);
  }

  void WriteKernel(const Activity& activity, uint32_t correlation, CUpti_ActivityKind kind) const {
    CUpti_ActivityKernel10 record{};
    record.kind = kind;
    record.start = Now();
    record.end = record.start;
    record.completed = record.end;
    record.deviceId = static_cast<uint32_t>(device::CurrentDevice());
    record.contextId = kContextId;
    record.streamId = StreamId(activity.stream);
    record.gridX = static_cast<int32_t>(activity.grid[0]);
    record.gridY = static_cast<int32_t>(activity.grid[1]);
    record.gridZ = static_cast<int32_t>(activity.grid[2]);
    record.blockX = static_cast<int32_t>(activity.block[0]);
    record.blockY = static_cast<int32_t>(activity.block[1]);
    record.blockZ = static_cast<int32_t>(activity.block[2]);
    record.dynamicSharedMemory = static_cast<int32_t>(activity.shared_bytes);
    record.correlationId = correlation;
    record.name = device::KernelName(reinterpret_cast<const void*>(activity.address));
    WriteRecord(record);
  }

  std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> kinds_{};
  FunctionSet api_records_;
  FunctionSet callbacks_;
  std::atomic<CUpti_SubscriberHandle> subscriber_{nullptr};
  std::atomic<CUpti_TimestampCallbackFunc> clock_{nullptr};
  std::atomic<bool> tells_callers_{false};
};

// Never destroyed: the device tells until the process is gone. It listens from the first thing that is asked
// of CUPTI, so a program that asks nothing pays nothing.
Listener& TheListener() {
  static Listener* const listener = [] {
    auto* made = new Listener;
    device::Listen(made);
    return made;
  }();
  return *listener;
}

}  // namespace

bool EnableKind(CUpti_ActivityKind kind, bool on) {
  if (RecordBytes(kind) == 0) return false;
  TheListener().Enable(kind, on);
  return true;
}

void EnableApiRecords(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on) {
  TheListener().api_records().Set(domain, id, on);
}

void TellCallers(bool on) { TheListener().tells_callers() = on; }

void UseClock(CUpti_TimestampCallbackFunc clock) { TheListener().clock().store(clock); }
uint64_t Now() { return TheListener().Now(); }

void PushExternal(CUpti_ExternalCorrelationKind kind, uint64_t id) { externals.push_back({kind, id}); }

bool PopExternal(CUpti_ExternalCorrelationKind kind, uint64_t* last) {
  for (auto external = externals.rbegin(); external != externals.rend(); ++external) {
    if (external->kind != kind) continue;
    if (last != nullptr) *last = external->id;
    externals.erase(std::next(external).base());
    return true;
  }
  return false;
}

// A subscriber that has gone may still be in a callback on another thread, so its struct stays.
bool Subscribe(CUpti_CallbackFunc function, void* argument, const char* name) {
  auto made = std::make_unique<CUpti_Subscriber_st>(
      CUpti_Subscriber_st{function, argument, name == nullptr ? "" : name});
  CUpti_SubscriberHandle none = nullptr;
  if (!TheListener().subscriber().compare_exchange_strong(none, made.get())) return false;
  static_cast<void>(made.release());
  return true;
}

const char* SubscriberName() {
  const CUpti_SubscriberHandle subscriber = TheSubscriber();
  return subscriber == nullptr ? "" : subscriber->name.c_str();
}

void Unsubscribe() {
  TheListener().subscriber().store(nullptr);
  EnableDomain(CUPTI_CB_DOMAIN_DRIVER_API, false);
  EnableDomain(CUPTI_CB_DOMAIN_RUNTIME_API, false);
}

CUpti_SubscriberHandle TheSubscriber() { return TheListener().subscriber().load(); }
bool IsSubscriber(CUpti_SubscriberHandle handle) { return handle != nullptr && handle == TheSubscriber(); }

void EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on) {
  TheListener().callbacks().Set(domain, id, on);
}
void EnableDomain(CUpti_CallbackDomain domain, bool on) { TheListener().callbacks().SetAll(domain, on); }
bool CallbackEnabled(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  return TheListener().callbacks().Has(domain, id);
}

}  // namespace tidemark::phantom::cupti
