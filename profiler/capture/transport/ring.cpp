#include "profiler/capture/transport/ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <utility>

// Without it the compiler fetches for reading. Processors that know no such fetch pass over it.
#if defined(__x86_64__)
#define TIDEMARK_PREFETCHES_TO_WRITE __attribute__((target("prfchw")))
#else
#define TIDEMARK_PREFETCHES_TO_WRITE
#endif

namespace tidemark::transport {

using Counter = std::atomic<uint64_t>;
static_assert(Counter::is_always_lock_free && sizeof(Counter) == sizeof(uint64_t),
              "atomics in shared memory must not hide a lock");

// `head` is what every push changes: a cache line of its own.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): as said
struct RingHeader {
  uint64_t magic = 0;
  uint32_t version = 0;
  uint32_t event_bytes = 0;
  uint64_t capacity = 0;
  alignas(64) Counter head;
  alignas(64) std::array<Counter, events::kSourceCount> dropped;
  alignas(64) Counter tail;
};

namespace {

constexpr uint64_t kMagic = 0x474e'4952'4544'4954;  // "TIDERING"
constexpr uint32_t kVersion = 6;
constexpr size_t kHeaderBytes = 4096;
constexpr size_t kMinRingCapacity = 64;
constexpr uint64_t kRetiredBit = uint64_t{1} << 63;  // beside the index at which a slot was given up
constexpr uint8_t kNobody = events::kSourceCount;
static_assert(sizeof(RingHeader) <= kHeaderBytes);

std::atomic_ref<uint64_t> Stamp(const RingMemory& memory, uint64_t index) {
  return std::atomic_ref<uint64_t>(*memory.stamp(index));
}

// What stands where a slot's event will end while its claimer writes it: no event's last 8 bytes, whose first
// is a kind.
constexpr size_t kMarkOffset = offsetof(events::Event, kind);
static_assert(kMarkOffset + sizeof(uint64_t) == sizeof(events::Event));
uint64_t MarkOf(uint64_t index, uint8_t source) {
  constexpr uint64_t kNoKind = 0xff;
  return kNoKind | uint64_t{source} << 8 | index << 16;
}
std::atomic_ref<uint64_t> MarkIn(events::Event& slot) {
  return std::atomic_ref<uint64_t>(
      *std::launder(reinterpret_cast<uint64_t*>(reinterpret_cast<std::byte*>(&slot) + kMarkOffset)));
}

bool IsCapacity(uint64_t capacity) {
  return capacity >= kMinRingCapacity && capacity <= kMaxRingCapacity && std::has_single_bit(capacity);
}

int64_t MonotonicNs() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Error RingError(const std::string& what) { return Error{what + ": " + std::strerror(errno) + "."}; }

Error NotARing(const std::string& why) {
  return Error{"What was handed over as an event ring is not one (" + why +
               "). The trainer and the program must be of the same build."};
}

}  // namespace

size_t RingMemory::BytesFor(size_t capacity) {
  return kHeaderBytes + capacity * (sizeof(uint64_t) + sizeof(events::Event));
}

Result<RingMemory> RingMemory::Map(int fd, size_t capacity) {
  // Populated now: a page fault inside an allocator's hook would cost a hundred pushes.
  const size_t bytes = BytesFor(capacity);
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (address == MAP_FAILED) return RingError("The event ring cannot be mapped");
  auto* base = static_cast<std::byte*>(address);
  RingMemory memory;
  memory.header_ = std::shared_ptr<RingHeader>(std::launder(reinterpret_cast<RingHeader*>(base)),
                                               [bytes](RingHeader* header) { munmap(header, bytes); });
  memory.stamps_ = reinterpret_cast<uint64_t*>(base + kHeaderBytes);
  memory.slots_ = reinterpret_cast<events::Event*>(base + kHeaderBytes + capacity * sizeof(uint64_t));
  memory.capacity_ = capacity;
  return memory;
}

Result<RingReader> RingReader::Create(size_t capacity) {
  TIDEMARK_CHECK(IsCapacity(capacity));
  RingReader reader;
  reader.fd_ = UniqueFd(memfd_create("tidemark-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!reader.fd_.valid()) return RingError("The event ring cannot be created");
  const auto bytes = static_cast<off_t>(RingMemory::BytesFor(capacity));
  // Allocated in full at once, so that a machine out of memory says so here and not by SIGBUS in the traced
  // program.
  if (ftruncate(reader.fd(), bytes) != 0 || fallocate(reader.fd(), 0, 0, bytes) != 0) {
    return RingError("There is no memory for the event ring of " + std::to_string(bytes >> 20) + " MiB");
  }
  if (fcntl(reader.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return RingError("The event ring cannot be sealed against resizing");
  }
  Result<RingMemory> memory = RingMemory::Map(reader.fd(), capacity);
  if (!memory) return memory.error();
  reader.memory_ = std::move(*memory);
  auto* header = new (&reader.memory_.header()) RingHeader{};
  header->capacity = capacity;
  header->event_bytes = sizeof(events::Event);
  header->version = kVersion;
  header->magic = kMagic;
  return reader;
}

bool RingReader::IsClaimed(uint64_t index) const {
  const uint64_t claimed = memory_.header().head.load(std::memory_order_acquire) - tail_;
  return claimed <= memory_.capacity() &&
         index - tail_ < claimed;  // a head out of range is damage: nothing is claimed
}

// The slot at tail_ holds no event. Steps over it if one was claimed there that will never come.
bool RingReader::SkipTorn(bool producer_dead) {
  if (!IsClaimed(tail_)) {
    stuck_since_ns_ = 0;
    return false;
  }
  auto stamp = Stamp(memory_, tail_);
  uint64_t seen = stamp.load(std::memory_order_acquire);
  if (seen == tail_ + 1) return true;  // published in between
  if ((seen & kRetiredBit) != 0) {     // its new claimer left it alone and counted its event as dropped
    ++tail_;
    return true;
  }
  if (!producer_dead) {
    const int64_t now_ns = MonotonicNs();
    if (stuck_since_ns_ == 0) stuck_since_ns_ = now_ns;
    if (now_ns - stuck_since_ns_ < kTornAfterNs) return false;
    // Whoever claimed it may only be very late, and write into the slot when it is somebody else's: so nobody
    // gets it.
    if (!stamp.compare_exchange_strong(seen, kRetiredBit | tail_, std::memory_order_acq_rel)) return true;
  }
  stuck_since_ns_ = 0;
  CountTorn(ClaimerOf(tail_));
  ++tail_;
  return true;
}

// kNobody where the claimer did not come so far as to mark it.
uint8_t RingReader::ClaimerOf(uint64_t index) const {
  const uint64_t mark = MarkIn(*memory_.slot(index)).load(std::memory_order_relaxed);
  uint8_t source = 0;
  while (source < kNobody && mark != MarkOf(index, source)) ++source;
  return source;
}

void RingReader::CountTorn(uint8_t source) {
  ++torn_;
  ++(source < kNobody ? torn_by_[source] : torn_of_nobody_);
}

size_t RingReader::Pop(std::span<events::Event> out, bool producer_dead) {
  constexpr uint64_t kFreeEvery = 1024;  // slots are handed back while a long batch is still being copied
  auto& shared_tail = memory_.header().tail;
  size_t count = 0;
  while (count < out.size()) {
    if (Stamp(memory_, tail_).load(std::memory_order_acquire) == tail_ + 1) {
      out[count] = *memory_.slot(tail_);
      if (events::IsWellFormedOfRing(out[count])) {
        ++received_[static_cast<size_t>(out[count].source)];
        ++count;
      } else {
        CountTorn(static_cast<uint8_t>(out[count].source));
      }
      stuck_since_ns_ = 0;
      ++tail_;
    } else if (!SkipTorn(producer_dead)) {
      break;
    }
    if (tail_ % kFreeEvery == 0) shared_tail.store(tail_, std::memory_order_release);
  }
  shared_tail.store(tail_, std::memory_order_release);
  return count;
}

uint64_t RingReader::dropped(events::Source source) const {
  return memory_.header().dropped[static_cast<size_t>(source)].load(std::memory_order_acquire);
}

Result<RingWriter> RingWriter::Map(UniqueFd fd) {
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return NotARing("it is not sealed shared memory");
  struct stat status {};
  RingHeader header{};
  if (fstat(fd.get(), &status) != 0 || pread(fd.get(), &header, sizeof header, 0) != sizeof header) {
    return NotARing("it is too short");
  }
  if (header.magic != kMagic) return NotARing("its first bytes are not those of a ring");
  if (header.version != kVersion || header.event_bytes != sizeof(events::Event)) {
    return NotARing("its version is " + std::to_string(header.version) + ", not " + std::to_string(kVersion));
  }
  if (!IsCapacity(header.capacity) ||
      static_cast<uint64_t>(status.st_size) != RingMemory::BytesFor(header.capacity)) {
    return NotARing("its size does not fit its capacity");
  }
  Result<RingMemory> memory = RingMemory::Map(fd.get(), header.capacity);
  if (!memory) return memory.error();
  RingWriter writer;
  writer.memory_ = std::move(*memory);
  return writer;
}

RingWriter RingWriter::Beside(const RingReader& reader) {
  RingWriter writer;
  writer.memory_ = reader.memory_;
  return writer;
}

bool RingWriter::Claim(uint64_t count, events::Source source, uint64_t* first) {
  RingHeader& header = memory_.header();
  uint64_t head = header.head.load(std::memory_order_relaxed);
  do {
    const uint64_t used = head - header.tail.load(std::memory_order_acquire);
    // Another producer may have moved on since `head` was read, and the tail with it: then `used` wraps
    // around, and the compare-and-swap below is bound to fail and bring a fresh head.
    const bool stale = used > memory_.capacity() && header.head.load(std::memory_order_relaxed) != head;
    if (!stale && (used > memory_.capacity() || memory_.capacity() - used < count)) {
      CountLost(source, count);
      return false;
    }
  } while (!header.head.compare_exchange_weak(head, head + count, std::memory_order_relaxed));
  *first = head;
  return true;
}

// The fences keep the compiler to this order: first the mark, then the event, its last bytes last. A thread
// that is killed in between has done all before and nothing after.
void RingWriter::Mark(uint64_t index, events::Source source) {
  if ((Stamp(memory_, index).load(std::memory_order_relaxed) & kRetiredBit) != 0) return;
  MarkIn(*memory_.slot(index)).store(MarkOf(index, static_cast<uint8_t>(source)), std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

bool RingWriter::Publish(uint64_t index, const events::Event& event) {
  auto stamp = Stamp(memory_, index);
  if (const uint64_t seen = stamp.load(std::memory_order_relaxed); (seen & kRetiredBit) != 0) [[unlikely]] {
    // Given up by now, it has been counted as torn. Given up a lap ago, its claimer may still write into it.
    if (seen != (kRetiredBit | index)) CountLost(event.source, 1);
    return false;
  }
  events::Event& slot = *memory_.slot(index);
  std::memcpy(reinterpret_cast<std::byte*>(&slot), &event, kMarkOffset);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  uint64_t last = 0;
  std::memcpy(&last, reinterpret_cast<const std::byte*>(&event) + kMarkOffset, sizeof last);
  MarkIn(slot).store(last, std::memory_order_relaxed);
  stamp.store(index + 1, std::memory_order_release);
  return true;
}

void RingWriter::CountLost(events::Source source, uint64_t events) {
  memory_.header().dropped[static_cast<size_t>(source)].fetch_add(events, std::memory_order_relaxed);
}

TIDEMARK_PREFETCHES_TO_WRITE bool RingWriter::Push(const events::Event& event) {
  uint64_t index = 0;
  if (!Claim(1, event.source, &index)) return false;
  Mark(index, event.source);
  const bool published = Publish(index, event);
  // The next push finds its place in the cache, as its own: a lap ago another process read it.
  __builtin_prefetch(memory_.stamp(index + 1), 1);
  __builtin_prefetch(memory_.slot(index + 1), 1);
  return published;
}

bool RingWriter::PushName(events::NameId id, std::string_view text, int64_t time_ns, events::Source source) {
  events::Event event;
  event.time_ns = time_ns;
  event.kind = events::EventKind::kName;
  event.source = source;
  const uint64_t pieces = events::NamePieces(text);
  uint64_t next = 0;
  if (!Claim(pieces, source, &next)) return false;
  for (uint64_t i = 0; i < pieces; ++i) Mark(next + i, source);
  bool complete = true;
  events::CutName(event, id, text, [&](const events::Event& piece) { complete &= Publish(next++, piece); });
  return complete;
}

double RingWriter::fill() const {
  const RingHeader& header = memory_.header();
  const uint64_t tail = header.tail.load(std::memory_order_acquire);
  const uint64_t used = header.head.load(std::memory_order_relaxed) - tail;
  return static_cast<double>(std::min<uint64_t>(used, memory_.capacity())) /
         static_cast<double>(memory_.capacity());
}

}  // namespace tidemark::transport
