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
#include <utility>

#include "profiler/base/background_thread.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/cupti/device_work.h"
#include "profiler/capture/cupti/driver_memory.h"
#include "profiler/capture/cupti/library_memory.h"
#include "profiler/capture/cupti/sentences.h"
#include "profiler/capture/cupti/watched_calls.h"
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
using cupti::Held;
using cupti::WatchedCall;
using cupti::WatchedCalls;
using events::Source;

constexpr std::chrono::milliseconds kFlushEvery{50};
constexpr int kTurnsBetweenPools = 5;  // of that, while a pool may give memory back by itself
constexpr size_t kBufferBytes = 64 << 10;
constexpr size_t kRecordsInBuffer = 32;         // memory records are rare: an early end brings them sooner
constexpr size_t kBufferBytesOfWork = 1 << 20;  // some 5,000 kernels
constexpr int kSilentFlushes = 20;              // after which records are taken to be somebody else's
constexpr uint32_t kForced = 1;                 // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

std::atomic<void (*)(uint64_t address, uint64_t bytes)> leaving_listener{nullptr};

void TellThatLeaves(uint64_t address, uint64_t bytes) {
  if (auto* const listener = leaving_listener.load(std::memory_order_acquire)) listener(address, bytes);
}

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
  static void OnCallback(void* self, int domain, uint32_t function, const void* data);
  void OnCall(const WatchedCall& call, const CallbackData& data);
  Held held() { return {memory_, managed_, has_sources_ ? &libraries_ : nullptr, TellThatLeaves}; }
  static void OnBufferRequested(uint8_t** buffer, size_t* bytes, size_t* most_records);
  static void OnBufferCompleted(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid);
  cupti::Code Subscribe(std::string& holder) TIDEMARK_REQUIRES(flushing_);
  bool EnableRecords();
  bool EnableSources() const;
  void EnableWork() const;
  bool IsToBeFlushed(int turn);
  void TakeRecord(const int* record);
  void TakePooled(const cupti::MemoryRecord& memory);
  void TakeSource(const cupti::MemoryRecord& memory, const int* record);
  void FetchRecords(uint32_t flags) TIDEMARK_REQUIRES(flushing_);
  void StopRecords() TIDEMARK_REQUIRES(flushing_);
  void Compare(uint64_t calls_before) TIDEMARK_REQUIRES(flushing_);
  void Complain(const std::string& lack) TIDEMARK_REQUIRES(flushing_);
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
  bool has_pool_records_ = false;
  std::atomic<bool> told_of_late_pools_{false};
  const bool wants_work_ = WantsDeviceWork();
  std::atomic<bool> called_{false};    // since the last flush
  std::atomic<uint64_t> records_{0};   // of whatever kind
  std::atomic<uint64_t> recorded_{0};  // allocations among them
  Mutex flushing_;                     // and attaching, and giving up
  cupti::Subscriber subscriber_ TIDEMARK_GUARDED_BY(flushing_) = nullptr;
  bool ended_ TIDEMARK_GUARDED_BY(flushing_) = false;
  uint64_t dropped_ TIDEMARK_GUARDED_BY(flushing_) = 0;  // by CUPTI, of whatever kind
  uint64_t records_before_ TIDEMARK_GUARDED_BY(flushing_) = 0;
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
  for (const WatchedCall& call : WatchedCalls()) {
    if (cupti_.enable_callback(1, subscriber_, call.domain, call.function) == cupti::kSuccess) ++enabled;
  }
  // Without it, what a context takes with it when it goes is not seen to go.
  const bool sees_ends =
      cupti_.enable_callback(1, subscriber_, cupti::kResources, cupti::kContextGoes) == cupti::kSuccess;
  has_records_ = EnableRecords();
  EmitState(Source::kDriver, Live());
  const size_t unseen = WatchedCalls().size() - enabled + (sees_ends ? 0 : 1);
  if (unseen > 0) EmitLack(Source::kDriver, std::to_string(unseen) + " kinds of calls cannot be seen");
  if (!has_records_)
    EmitLack(Source::kDriver, "by callbacks only: memory pools (cudaMallocAsync) are not seen");
  if (wants_work_) EnableWork();
  return true;
}

// Records of another major version may look otherwise.
bool DriverSource::EnableRecords() {
  const int major = cupti::MajorVersion(version_);
  if (major != 12 && major != 13) return false;
  if (cupti_.register_buffers(OnBufferRequested, OnBufferCompleted) != cupti::kSuccess) return false;
  // Before CUPTI's thread brings the first record; of pools those of what is trimmed and destroyed.
  has_sources_ = EnableSources();
  has_pool_records_ = cupti_.enable_kind(cupti::kMemoryPool) == cupti::kSuccess;
  if (cupti_.enable_kind(cupti::kMemory2) != cupti::kSuccess) return has_sources_ = false;
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
    for (int turn = 1;; ++turn) {
      std::this_thread::sleep_for(kFlushEvery);
      DriverSource& source = *the_driver_source.load();
      if (source.IsToBeFlushed(turn)) source.Flush();
    }
  });
  std::atexit([] { the_driver_source.load()->End(); });
}

// A pool gives back what is above its threshold when the device is waited for, in no call that is watched.
bool DriverSource::IsToBeFlushed(int turn) {
  const bool was_called = called_.exchange(false);
  return was_called || wants_work_ || (turn % kTurnsBetweenPools == 0 && memory_.PoolsMayShrink());
}

void DriverSource::OnCallback(void* self, int domain, uint32_t function, const void* data) {
  auto& source = *static_cast<DriverSource*>(self);
  if (domain == cupti::kResources) {
    return cupti::OnContextGoes(source.held(), static_cast<const cupti::ResourceData*>(data)->context);
  }
  for (const WatchedCall& call : WatchedCalls()) {
    if (call.domain != domain || call.function != function) continue;
    return source.OnCall(call, *static_cast<const CallbackData*>(data));
  }
}

void DriverSource::OnCall(const WatchedCall& call, const CallbackData& data) {
  called_.store(true, std::memory_order_relaxed);
  const WatchedCall::Seen seen = data.parameters == nullptr ? nullptr : call.At(data);
  if (seen == nullptr) return;
  const bool gives = call.begins == nullptr;
  if (gives && WantsNativeStacks()) asked_at = WithSegmentStack(0, 0, Source::kDriver);
  seen(held(), data);
  asked_at = 0;
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
  cupti::Code code = source == nullptr ? cupti::kNoMoreRecords : cupti::kSuccess;
  while (code == cupti::kSuccess) {
    code = source->cupti_.next_record(buffer, valid, &record);
    if (code == cupti::kSuccess) source->TakeRecord(record);
  }
  // One that is incomplete, as a forced flush brings them: how many lie behind it nobody can say.
  if (code != cupti::kNoMoreRecords) CountLoss(Source::kDriver, 1);
  std::free(buffer);
}

void DriverSource::TakeRecord(const int* record) {
  ++records_;
  if (*record == cupti::kMemory2) {
    cupti::MemoryRecord memory{};
    std::memcpy(&memory, record, sizeof memory);
    if (has_sources_ && memory.memory_kind == cupti::kDeviceMemory) TakeSource(memory, record);
    if (memory.pool_address != 0) {
      TakePooled(memory);
    } else if (memory.operation == cupti::kAllocation && memory.memory_kind == cupti::kDeviceMemory &&
               memory.context_id != cupti::kNoContext) {
      ++recorded_;
    }
  } else if (*record == cupti::kMemoryPool) {
    cupti::PoolRecord pool{};
    std::memcpy(&pool, record, sizeof pool);
    if (pool.pool_type == cupti::kImportedPool) return memory_.PoolIsElsewhere(pool.address);
    if (pool.operation == cupti::kPoolDestroyed) memory_.PoolIs(pool.address, {}, pool.timestamp);
    if (pool.operation == cupti::kPoolTrimmed)
      memory_.PoolIs(pool.address, {pool.bytes, pool.release_threshold}, pool.timestamp);
  } else {
    TellDeviceWork(record);
  }
}

// One on the host, or another process's: in its records that one's number stands in the place of its size.
void DriverSource::TakePooled(const cupti::MemoryRecord& memory) {
  if (!has_pool_records_ && !told_of_late_pools_.exchange(true))
    EmitLack(Source::kDriver, "what memory pools (cudaMallocAsync) give back is seen late");
  if (memory.memory_kind != cupti::kDeviceMemory || memory.pool_type == cupti::kImportedPool)
    return memory_.PoolIsElsewhere(memory.pool_address);
  memory_.PoolIs(memory.pool_address, {memory.pool_bytes, memory.pool_release_threshold}, memory.timestamp);
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
  FetchRecords(0);
  Compare(calls_before);
}

void DriverSource::FetchRecords(uint32_t flags) {
  const cupti::Code code = cupti_.flush_all(flags);
  libraries_.Settle();
  size_t dropped = 0;
  if (cupti_.dropped_records(nullptr, 0, &dropped) == cupti::kSuccess && dropped > 0) {
    CountLoss(Source::kDriver, dropped);
    dropped_ += dropped;
  }
  if (code == cupti::kSuccess) return;
  Complain("by callbacks only: CUPTI gives its records no more (code " + std::to_string(code) +
           "), so memory pools (cudaMallocAsync) are not seen");
}

// A callback comes before its record: more records than callbacks are calls that we do not watch, and where
// records are missing and none at all comes any more, they are another tool's by now.
void DriverSource::Compare(uint64_t calls_before) {
  const uint64_t records = records_;
  const bool some_are_missing = recorded_ + dropped_ < calls_before;
  silent_flushes_ = some_are_missing && records == records_before_ ? silent_flushes_ + 1 : 0;
  records_before_ = records;
  const uint64_t recorded = recorded_;
  const uint64_t calls = memory_.allocations();
  if (recorded > calls) {
    Complain("too low: " + std::to_string(recorded - calls) + " allocations are in CUPTI's records only");
  } else if (silent_flushes_ >= kSilentFlushes) {
    Complain(
        "by callbacks only: another tool gets CUPTI's records now, so memory pools (cudaMallocAsync) "
        "are not seen");
  }
}

// Once: what follows from the first would be told again and again.
void DriverSource::Complain(const std::string& lack) {
  if (!std::exchange(complained_, true)) EmitLack(Source::kDriver, lack);
}

void DriverSource::StopRecords() {
  ended_ = true;
  if (!has_records_) return;
  cupti_.disable_kind(cupti::kMemory2);
  cupti_.disable_kind(cupti::kMemoryPool);
  if (wants_work_) DisableDeviceWork(cupti_);
  FetchRecords(kForced);
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
