#include "profiler/capture/cupti/driver_source.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "profiler/base/background_thread.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/cupti/device_work.h"
#include "profiler/capture/cupti/driver_memory.h"
#include "profiler/capture/cupti/library_memory.h"
#include "profiler/capture/cupti/sentences.h"
#include "profiler/capture/stacks/native_frames.h"
#include "profiler/capture/stacks/stack_names.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/driver_memory.h"
#include "profiler/events/source_standing.h"
#include "profiler/phantom/environment.h"

namespace tidemark::capture {
namespace {

using cupti::CallbackData;
using cupti::DriverMemory;
using events::Source;

constexpr std::chrono::milliseconds kFlushEvery{50};
constexpr size_t kBufferBytes = 64 << 10;
constexpr size_t kRecordsInBuffer = 32;         // memory records are rare: an early end brings them sooner
constexpr size_t kBufferBytesOfWork = 1 << 20;  // some 5,000 kernels
constexpr int kSilentFlushes = 20;              // after which records are taken to be somebody else's
constexpr uint32_t kForced = 1;                 // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

// Parameters as in CUPTI's generated_cuda_meta.h and generated_cuda_runtime_api_meta.h; the driver's and the
// runtime's are alike.
struct AllocateParameters {
  const uint64_t* address;
  size_t bytes;
};
struct PitchParameters {
  const uint64_t* address;
  const size_t* pitch;
  size_t width;
  size_t height;
};
struct AddressParameters {
  uint64_t address;
};
// CUmemAllocationProp: where cuMemCreate makes memory.
struct MemoryProperties {
  int type;
  int handle_types;
  int location;  // kOnDevice, or the host's
  int location_id;
};
struct CreateParameters {
  const uint64_t* handle;
  size_t bytes;
  const MemoryProperties* properties;
};
struct MapParameters {
  uint64_t address;
  size_t bytes;
  size_t offset;
  uint64_t handle;
};
struct UnmapParameters {
  uint64_t address;
  size_t bytes;
};

template <typename Parameters>
const Parameters& Of(const CallbackData& data) {
  return *static_cast<const Parameters*>(data.parameters);
}

std::atomic<void (*)(uint64_t address, uint64_t bytes)> leaving_listener{nullptr};

void TellThatLeaves(uint64_t address, uint64_t bytes) {
  if (auto* const listener = leaving_listener.load(std::memory_order_acquire)) listener(address, bytes);
}

struct Held {
  DriverMemory& device;
  DriverMemory& managed;
  cupti::LibraryMemory* libraries;  // null where CUPTI does not tell who asks
};

void OnAllocate(const Held& held, const CallbackData& data) {
  const auto& call = Of<AllocateParameters>(data);
  held.device.Allocated(*call.address, call.bytes);
}
void OnAllocatePitch(const Held& held, const CallbackData& data) {
  const auto& call = Of<PitchParameters>(data);
  held.device.Allocated(*call.address, *call.pitch * call.height);
}
void OnAllocateManaged(const Held& held, const CallbackData& data) {
  const auto& call = Of<AllocateParameters>(data);
  held.managed.Allocated(*call.address, call.bytes);
}
// What kind of memory lay there, nobody says.
template <void (DriverMemory::*take)(uint64_t address)>
void OnFree(const Held& held, const CallbackData& data) {
  for (DriverMemory* const memory : {&held.device, &held.managed})
    (memory->*take)(Of<AddressParameters>(data).address);
}
void OnFreeBegins(const Held& held, const CallbackData& data) {
  TellThatLeaves(Of<AddressParameters>(data).address, 1);
  OnFree<&DriverMemory::Leaves>(held, data);
}
constexpr auto kOnFreed = OnFree<&DriverMemory::Freed>;
constexpr auto kOnFreeFailed = OnFree<&DriverMemory::Stays>;
void OnCreate(const Held& held, const CallbackData& data) {
  constexpr int kOnDevice = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  const auto& call = Of<CreateParameters>(data);
  if (call.properties->location == kOnDevice) held.device.Created(*call.handle, call.bytes);
}
template <void (DriverMemory::*take)(uint64_t handle)>
void OnRelease(const Held& held, const CallbackData& data) {
  (held.device.*take)(Of<AddressParameters>(data).address);
}
void OnMap(const Held& held, const CallbackData& data) {
  const auto& call = Of<MapParameters>(data);
  const bool is_first = held.device.Mapped(call.address, call.bytes, call.handle);
  if (is_first && held.libraries != nullptr) {
    held.libraries->Mapped(call.address, call.bytes, LibraryThatAsked());
  }
}
template <void (DriverMemory::*take)(uint64_t address, uint64_t bytes)>
void OnUnmap(const Held& held, const CallbackData& data) {
  const auto& call = Of<UnmapParameters>(data);
  (held.device.*take)(call.address, call.bytes);
}
void OnUnmapBegins(const Held& held, const CallbackData& data) {
  TellThatLeaves(Of<UnmapParameters>(data).address, Of<UnmapParameters>(data).bytes);
  OnUnmap<&DriverMemory::MappingsLeave>(held, data);
}
void OnUnmapped(const Held& held, const CallbackData& data) {
  OnUnmap<&DriverMemory::Unmapped>(held, data);
  const auto& call = Of<UnmapParameters>(data);
  if (held.libraries != nullptr) held.libraries->Unmapped(call.address, call.bytes);
}

// What gives memory is looked at when it has; what takes it back when it begins, for afterwards another
// thread may have been given the same address or handle, and, since it may fail (by an address that is
// none's, or with memory in use), when it has ended.
struct WatchedCall {
  using Seen = void (*)(const Held& held, const CallbackData& data);
  int domain;
  uint32_t function;  // its number in cupti_driver_cbid.h and cupti_runtime_cbid.h
  Seen begins;
  Seen done;
  Seen failed = nullptr;

  Seen At(const CallbackData& data) const {
    if (data.site == cupti::kEnter) return begins;
    const bool is_done = data.returned != nullptr && *static_cast<const int*>(data.returned) == 0;
    return is_done ? done : failed;
  }
};
constexpr std::array kWatched = {
    WatchedCall{cupti::kRuntimeApi, 20, nullptr, OnAllocate},                    // cudaMalloc
    WatchedCall{cupti::kRuntimeApi, 21, nullptr, OnAllocatePitch},               // cudaMallocPitch
    WatchedCall{cupti::kRuntimeApi, 22, OnFreeBegins, kOnFreed, kOnFreeFailed},  // cudaFree
    WatchedCall{cupti::kRuntimeApi, 206, nullptr, OnAllocateManaged},            // cudaMallocManaged
    WatchedCall{cupti::kDriverApi, 243, nullptr, OnAllocate},                    // cuMemAlloc_v2
    WatchedCall{cupti::kDriverApi, 244, nullptr, OnAllocatePitch},               // cuMemAllocPitch_v2
    WatchedCall{cupti::kDriverApi, 245, OnFreeBegins, kOnFreed, kOnFreeFailed},  // cuMemFree_v2
    WatchedCall{cupti::kDriverApi, 371, nullptr, OnAllocateManaged},             // cuMemAllocManaged
    WatchedCall{cupti::kDriverApi, 549, nullptr, OnCreate},                      // cuMemCreate
    // cuMemRelease
    WatchedCall{cupti::kDriverApi, 550, OnRelease<&DriverMemory::HandleLeaves>,
                OnRelease<&DriverMemory::Released>, OnRelease<&DriverMemory::HandleStays>},
    WatchedCall{cupti::kDriverApi, 551, nullptr, OnMap},  // cuMemMap
    // cuMemUnmap
    WatchedCall{cupti::kDriverApi, 552, OnUnmapBegins, OnUnmapped, OnUnmap<&DriverMemory::MappingsStay>},
    // What they did to a pool its records tell, which are fetched after a call.
    WatchedCall{cupti::kDriverApi, 598, nullptr, nullptr},  // cuMemAllocAsync
    WatchedCall{cupti::kDriverApi, 599, nullptr, nullptr},  // cuMemAllocAsync_ptsz
    WatchedCall{cupti::kDriverApi, 600, nullptr, nullptr},  // cuMemFreeAsync
    WatchedCall{cupti::kDriverApi, 601, nullptr, nullptr},  // cuMemFreeAsync_ptsz
    WatchedCall{cupti::kDriverApi, 602, nullptr, nullptr},  // cuMemPoolTrimTo
    WatchedCall{cupti::kDriverApi, 608, nullptr, nullptr},  // cuMemPoolDestroy
    WatchedCall{cupti::kDriverApi, 611, nullptr, nullptr},  // cuMemAllocFromPoolAsync
    WatchedCall{cupti::kDriverApi, 612, nullptr, nullptr},  // cuMemAllocFromPoolAsync_ptsz
};

// Where the call that this thread is in asked for memory. It is put into words before that is counted: names
// of C++ take the dynamic loader's lock, and a library that takes memory while it is loaded holds that and
// waits for the count's.
constinit thread_local events::NameId asked_at = 0;

class DriverSource {
 public:
  explicit DriverSource(const cupti::Functions& functions)
      : cupti_(functions), memory_([](int64_t live, int64_t change, uint64_t address) {
          EmitLevel(Source::kDriver, events::Level::kDriver, live, change, address,
                    change > 0 ? asked_at : 0);
        }) {
    cupti_.get_version(&version_);
  }

  // Whether it is to be kept.
  bool Attach();
  void Begin() const;  // once it can be found
  void Flush();
  void GiveUp(const std::string& who);
  void End();
  const DriverMemory& memory() const { return memory_; }

 private:
  static void OnCallback(void* self, int domain, uint32_t function, const CallbackData* data);
  static void OnBufferRequested(uint8_t** buffer, size_t* bytes, size_t* most_records);
  static void OnBufferCompleted(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);
  cupti::Code Subscribe(std::string& holder) TIDEMARK_REQUIRES(flushing_);
  bool EnableRecords();
  bool EnableSources() const;
  void EnableWork() const;
  void TakeRecord(const int* record);
  void TakeSource(const cupti::MemoryRecord& memory, const int* record);
  void StopRecords() TIDEMARK_REQUIRES(flushing_);
  void Compare(uint64_t calls_before) TIDEMARK_REQUIRES(flushing_);
  std::string Live() const {
    return "live (CUPTI " + cupti::VersionText(version_) +
           (phantom::IsOnPhantom() ? ", the phantom's stand-in)" : ")");
  }
  bool IsOwnProcess() const { return getpid() == process_; }  // a forked child's CUDA is not to be touched

  const cupti::Functions cupti_;
  const pid_t process_ = getpid();
  uint32_t version_ = 0;
  DriverMemory memory_;
  DriverMemory managed_{[](int64_t live, int64_t change, uint64_t /*address*/) {
    EmitCount(Source::kDriver, std::string(events::kManagedMemory), live, change);
  }};
  cupti::LibraryMemory libraries_{[](const std::string& library, int64_t live, int64_t change) {
    EmitCount(Source::kDriver, events::DriverMemoryCounter(library), live, change);
  }};
  std::atomic<bool> has_records_{false};  // whoever flushes may come while it attaches
  std::atomic<bool> has_sources_{false};
  const bool wants_work_ = WantsDeviceWork();
  std::atomic<bool> called_{false};  // since the last flush
  std::atomic<uint64_t> recorded_{0};
  Mutex flushing_;  // and attaching, and giving up
  cupti::Subscriber subscriber_ TIDEMARK_GUARDED_BY(flushing_) = nullptr;
  bool ended_ TIDEMARK_GUARDED_BY(flushing_) = false;
  uint64_t recorded_before_ TIDEMARK_GUARDED_BY(flushing_) = 0;
  int silent_flushes_ TIDEMARK_GUARDED_BY(flushing_) = 0;
  bool complained_ TIDEMARK_GUARDED_BY(flushing_) = false;
};

std::atomic<DriverSource*> the_driver_source{nullptr};
std::atomic<bool> driver_attached{false};

cupti::Code DriverSource::Subscribe(std::string& holder) {
  if (cupti_.subscribe_named == nullptr) return cupti_.subscribe(&subscriber_, OnCallback, this);
  std::array<char, 128> name{};
  cupti::SubscriberParameters parameters{sizeof(cupti::SubscriberParameters), "Tidemark", name.data(),
                                         name.size()};
  const cupti::Code code = cupti_.subscribe_named(&subscriber_, OnCallback, this, &parameters);
  name.back() = '\0';
  holder = name.data();
  return code;
}

bool DriverSource::Attach() {
  const MutexLock lock(flushing_);
  std::string holder;
  if (const cupti::Code code = Subscribe(holder); code != cupti::kSuccess) {
    EmitState(Source::kDriver, cupti::RefusalSentence(code, version_, holder));
    return false;
  }
  size_t enabled = 0;
  for (const WatchedCall& call : kWatched) {
    if (cupti_.enable_callback(1, subscriber_, call.domain, call.function) == cupti::kSuccess) ++enabled;
  }
  has_records_ = EnableRecords();
  EmitState(Source::kDriver, Live());
  if (enabled < kWatched.size()) {
    EmitLack(Source::kDriver, std::to_string(kWatched.size() - enabled) + " kinds of calls cannot be seen");
  }
  if (!has_records_) {
    EmitLack(Source::kDriver, "by callbacks only: memory pools (cudaMallocAsync) are not seen");
  }
  if (wants_work_) EnableWork();
  return true;
}

// Records of another major version may look otherwise.
bool DriverSource::EnableRecords() {
  const int major = cupti::MajorVersion(version_);
  if (major != 12 && major != 13) return false;
  if (cupti_.register_buffers(OnBufferRequested, OnBufferCompleted) != cupti::kSuccess) return false;
  has_sources_ = EnableSources();  // before CUPTI's thread brings the first record
  if (cupti_.enable_kind(cupti::kMemory2) != cupti::kSuccess) return has_sources_ = false;
  cupti_.enable_kind(cupti::kMemoryPool);  // adds trimmed and destroyed pools, where it exists
  return true;
}

// Allocations from the driver are rare, so that it may look at the stack of each.
bool DriverSource::EnableSources() const {
  return cupti_.enable_source != nullptr && cupti_.enable_source(1) == cupti::kSuccess;
}

void DriverSource::EnableWork() const {
  const int refused = has_records_ ? EnableDeviceWork(cupti_) : 1;
  if (refused != 0) {
    return EmitLack(Source::kDriver, "CUPTI gives no records of kernels, memory copies or memsets");
  }
  const std::optional<int64_t> taken = BytesReservedForWork(cupti_);
  if (taken.value_or(0) > 0) EmitCount(Source::kDriver, events::kCuptiMemory, *taken, *taken);
  EmitState(Source::kDriver, Live() + ", with kernels, memory copies and memsets");
  if (!taken) EmitLack(Source::kDriver, "what CUPTI's own buffers take of the card is not told");
}

void DriverSource::Begin() const {
  if (!has_records_) return;
  RunInBackground([] {
    while (true) {
      std::this_thread::sleep_for(kFlushEvery);
      DriverSource& source = *the_driver_source.load();
      if (source.called_.exchange(false) || source.wants_work_) source.Flush();
    }
  });
  std::atexit([] { the_driver_source.load()->End(); });
}

void DriverSource::OnCallback(void* self, int domain, uint32_t function, const CallbackData* data) {
  auto& source = *static_cast<DriverSource*>(self);
  for (const WatchedCall& call : kWatched) {
    if (call.domain != domain || call.function != function) continue;
    source.called_.store(true, std::memory_order_relaxed);
    const WatchedCall::Seen seen = data->parameters == nullptr ? nullptr : call.At(*data);
    cupti::LibraryMemory* const libraries = source.has_sources_ ? &source.libraries_ : nullptr;
    if (seen == nullptr) return;
    const bool gives = call.begins == nullptr;
    if (gives && WantsNativeStacks()) asked_at = WithSegmentStack(0, 0, Source::kDriver);
    seen({source.memory_, source.managed_, libraries}, *data);
    asked_at = 0;
    return;
  }
}

void DriverSource::OnBufferRequested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  const DriverSource* const source = the_driver_source.load();
  const bool with_work = source != nullptr && source->wants_work_;
  const size_t size = with_work ? kBufferBytesOfWork : kBufferBytes;
  *buffer = static_cast<uint8_t*>(std::calloc(1, size));
  *bytes = *buffer == nullptr ? 0 : size;
  *most_records = with_work ? 0 : kRecordsInBuffer;
}

void DriverSource::OnBufferCompleted(void* /*context*/, uint32_t /*stream*/, uint8_t* buffer,
                                     size_t /*bytes*/, size_t valid) {
  DriverSource* const source = the_driver_source.load();
  const int* record = nullptr;
  while (source != nullptr && source->cupti_.next_record(buffer, valid, &record) == cupti::kSuccess) {
    source->TakeRecord(record);
  }
  std::free(buffer);
}

void DriverSource::TakeRecord(const int* record) {
  if (*record == cupti::kMemory2) {
    cupti::MemoryRecord memory{};
    std::memcpy(&memory, record, sizeof memory);
    if (has_sources_ && memory.memory_kind == cupti::kDeviceMemory) TakeSource(memory, record);
    if (memory.pool_address != 0 && memory.memory_kind != cupti::kDeviceMemory) {
      memory_.PoolIsElsewhere(memory.pool_address);
    } else if (memory.pool_address != 0) {
      memory_.PoolIs(memory.pool_address, memory.pool_bytes, memory.timestamp);
    } else if (memory.operation == cupti::kAllocation && memory.memory_kind == cupti::kDeviceMemory &&
               memory.context_id != cupti::kNoContext) {
      ++recorded_;
    }
  } else if (*record == cupti::kMemoryPool) {
    cupti::PoolRecord pool{};
    std::memcpy(&pool, record, sizeof pool);
    if (pool.operation == cupti::kPoolDestroyed) memory_.PoolIs(pool.address, 0, pool.timestamp);
    if (pool.operation == cupti::kPoolTrimmed) memory_.PoolIs(pool.address, pool.bytes, pool.timestamp);
  } else {
    TellDeviceWork(record);
  }
}

// Whoever is named for what was mapped had asked for something else.
void DriverSource::TakeSource(const cupti::MemoryRecord& memory, const int* record) {
  if (memory.pool_address != 0 || memory.context_id == cupti::kNoContext) return;
  if (memory.operation == cupti::kRelease) return libraries_.Freed(memory.address, memory.timestamp);
  cupti::SourcedMemoryRecord sourced{};
  std::memcpy(&sourced, record, sizeof sourced);
  libraries_.Allocated(memory.address, memory.bytes, sourced.source, memory.timestamp);
}

void DriverSource::Flush() {
  if (!IsOwnProcess()) return;  // before the lock: a fork may have copied it while it was held
  const MutexLock lock(flushing_);
  if (ended_ || !has_records_) return;
  const uint64_t calls_before = memory_.allocations();
  cupti_.flush_all(0);
  libraries_.Settle();
  size_t dropped = 0;
  if (cupti_.dropped_records(nullptr, 0, &dropped) == cupti::kSuccess && dropped > 0) {
    CountLoss(Source::kDriver, dropped);
  }
  Compare(calls_before);
}

// A callback comes before its record: more records than callbacks are calls that we do not watch, and records
// that never come are another tool's by now.
void DriverSource::Compare(uint64_t calls_before) {
  const uint64_t recorded = recorded_;
  silent_flushes_ = recorded < calls_before && recorded == recorded_before_ ? silent_flushes_ + 1 : 0;
  recorded_before_ = recorded;
  if (complained_) return;
  const uint64_t calls = memory_.allocations();
  if (recorded > calls) {
    EmitLack(Source::kDriver,
             "too low: " + std::to_string(recorded - calls) + " allocations are in CUPTI's records only");
  } else if (silent_flushes_ >= kSilentFlushes) {
    EmitLack(
        Source::kDriver,
        "by callbacks only: another tool gets CUPTI's records now, so memory pools (cudaMallocAsync) are "
        "not seen");
  } else {
    return;
  }
  complained_ = true;
}

void DriverSource::StopRecords() {
  ended_ = true;
  if (!has_records_) return;
  cupti_.disable_kind(cupti::kMemory2);
  cupti_.disable_kind(cupti::kMemoryPool);
  if (wants_work_) DisableDeviceWork(cupti_);
  cupti_.flush_all(kForced);
  libraries_.Settle();
}

// What nobody counts any more is told as 0, as where it never was counted.
void DriverSource::GiveUp(const std::string& who) {
  if (!IsOwnProcess() || wants_work_) return;
  const MutexLock lock(flushing_);
  if (ended_ || subscriber_ == nullptr) return;
  StopRecords();
  if (has_sources_) cupti_.enable_source(0);
  cupti_.unsubscribe(subscriber_);
  memory_.CountNoMore();
  managed_.CountNoMore();
  libraries_.CountNoMore();
  EmitState(Source::kDriver, cupti::GivenUpSentence(who));
}

void DriverSource::End() {
  if (!IsOwnProcess()) return;
  Flush();
  const MutexLock lock(flushing_);
  if (!ended_) StopRecords();
}

}  // namespace

void AttachToDriver(const Result<cupti::Functions>& functions) {
  if (driver_attached.exchange(true)) return;
  if (!functions) return EmitState(Source::kDriver, functions.error().message);
  auto* const source = new DriverSource(*functions);  // lives as long as CUPTI, which may call it any time
  the_driver_source = source;
  if (source->Attach()) source->Begin();
}

void OnDriverMemoryLeaves(void (*listener)(uint64_t address, uint64_t bytes)) { leaving_listener = listener; }

void FlushDriver() {
  if (DriverSource* const source = the_driver_source) source->Flush();
}

void GiveUpDriver(const std::string& who) {
  if (DriverSource* const source = the_driver_source) source->GiveUp(who);
}

int64_t DriverBytes() {
  const DriverSource* const source = the_driver_source;
  return source == nullptr ? 0 : source->memory().live_bytes();
}

std::vector<cupti::Region> DriverRegions(uint64_t address, uint64_t bytes) {
  const DriverSource* const source = the_driver_source;
  return source == nullptr ? std::vector<cupti::Region>() : source->memory().RegionsIn(address, bytes);
}

}  // namespace tidemark::capture
