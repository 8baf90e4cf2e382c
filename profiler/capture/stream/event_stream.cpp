#include "profiler/capture/stream/event_stream.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/base/check.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stream/clock.h"
#include "profiler/events/source_standing.h"

namespace tidemark::capture {
namespace {

using events::Event;
using events::NameId;

// Lets maps of std::string be asked with a std::string_view, without a copy.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using NameMap = std::unordered_map<std::string, NameId, TextHash, std::equal_to<>>;

std::atomic<transport::RingWriter*> open_ring{nullptr};  // lives as long as the process, as its threads do
uint8_t stream_device = 0;

uint32_t ThreadId() {
  uint32_t& thread = detail::ticked_clock.thread;
  if (thread == 0) [[unlikely]]
    thread = static_cast<uint32_t>(syscall(SYS_gettid));
  return thread;
}

class NameTable {
 public:
  // The lock is held while the name is pushed, so that nobody can use the id before its name is on the ring.
  NameId IdOf(std::string_view name, events::Source source) {
    const MutexLock lock(mutex_);
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    const auto id = static_cast<NameId>(ids_.size() + 1);  // 0 is the empty name
    transport::RingWriter* const ring = open_ring.load(std::memory_order_relaxed);
    // Better no name than one that nobody was told.
    if (ring != nullptr && !ring->PushName(id, name, NowNs(), source)) return 0;
    names_.push_back(&ids_.emplace(name, id).first->first);
    return id;
  }
  std::string NameOf(NameId id) {
    const MutexLock lock(mutex_);
    return id == 0 || id > names_.size() ? std::string() : *names_[id - 1];
  }

 private:
  Mutex mutex_;
  NameMap ids_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<const std::string*> names_ TIDEMARK_GUARDED_BY(mutex_);  // by id; entries of a map stay
};

NameTable& Names() {
  static auto& names = *new NameTable;  // threads of LibTorch outlive main
  return names;
}

// What each source has said of itself. What it cannot tell is said again with each state in which it tells.
class SourceStandings {
 public:
  void State(events::Source source, std::string_view sentence) {
    const MutexLock lock(mutex_);
    Said& said = said_[static_cast<size_t>(source)];
    said.state = sentence;
    Tell(source, said);
  }
  void Lack(events::Source source, std::string_view sentence) {
    const MutexLock lock(mutex_);
    Said& said = said_[static_cast<size_t>(source)];
    said.lacks.emplace_back(sentence);
    Tell(source, said);
  }

 private:
  struct Said {
    std::string state = "live";
    std::vector<std::string> lacks;
  };
  static void Tell(events::Source source, const Said& said) {
    std::string sentence = said.state;
    if (events::Tells(events::StandingOf(sentence))) {
      for (const std::string& lack : said.lacks) sentence = events::InPart(sentence, lack);
    }
    Event event;
    event.kind = events::EventKind::kMarker;
    event.source = source;
    event.name = Intern(sentence, source);
    Emit(event);
  }

  Mutex mutex_;
  std::array<Said, events::kSourceCount> said_ TIDEMARK_GUARDED_BY(mutex_);
};

SourceStandings& Standings() {
  static auto& standings = *new SourceStandings;  // threads of LibTorch outlive main
  return standings;
}

struct RecentName {
  std::string_view text;
  NameId id = 0;
};
struct KnownNames {
  NameMap ids;
  std::array<RecentName, 512> recent{};
};
// Allocated, for what a thread has in a library that comes in late must be small (initial-exec, see
// CMakeLists.txt).
constinit thread_local KnownNames* known_names = nullptr;
// What is told while the process exits is told by a thread whose own objects are gone.
constinit thread_local bool known_names_are_gone = false;
struct KnownNamesOwner {
  KnownNamesOwner() { known_names = new KnownNames; }
  ~KnownNamesOwner() {
    known_names_are_gone = true;
    delete std::exchange(known_names, nullptr);
  }
  KnownNamesOwner(const KnownNamesOwner&) = delete;
  KnownNamesOwner& operator=(const KnownNamesOwner&) = delete;
};
KnownNames& KnownNamesOfThread() {
  if (known_names == nullptr) [[unlikely]] {
    thread_local const KnownNamesOwner owner;
  }
  return *known_names;
}

}  // namespace

void OpenEventStream(transport::RingWriter writer, uint8_t device) {
  TIDEMARK_CHECK(!EventStreamIsOpen());
  stream_device = device;
  open_ring = new transport::RingWriter(std::move(writer));
}

void CloseEventStream() { open_ring = nullptr; }

bool EventStreamIsOpen() { return open_ring.load(std::memory_order_relaxed) != nullptr; }

bool Emit(Event& event) {
  event.device = stream_device;
  return EmitOnDevice(event);
}

bool EmitOnDevice(Event& event) {
  transport::RingWriter* const ring = open_ring.load(std::memory_order_acquire);
  if (ring == nullptr) return false;
  event.time_ns = NowNs();
  event.thread = ThreadId();
  return ring->Push(event);
}

NameId Intern(std::string_view name, events::Source source) {
  if (name.empty()) return 0;
  if (known_names_are_gone) return Names().IdOf(name, source);
  // Most names are LibTorch's own constants, so they are looked for by address first. The text decides.
  KnownNames& known = KnownNamesOfThread();
  RecentName& recent = known.recent[(reinterpret_cast<uintptr_t>(name.data()) >> 4) % known.recent.size()];
  if (recent.text == name) return recent.id;
  auto found = known.ids.find(name);
  if (found == known.ids.end()) {
    const NameId id = Names().IdOf(name, source);
    if (id == 0) return 0;
    found = known.ids.emplace(name, id).first;
  }
  recent = {found->first, found->second};  // entries of a map stay where they are
  return found->second;
}

std::string NameOf(NameId id) { return Names().NameOf(id); }

void EmitPhase(events::Phase phase) {
  Event event;
  event.kind = events::EventKind::kPhase;
  event.phase = phase;
  Emit(event);
}

void EmitNumbered(events::EventKind kind, int64_t number) {
  Event event;
  event.kind = kind;
  event.bytes = number;
  Emit(event);
}

void EmitState(events::Source source, std::string_view sentence) { Standings().State(source, sentence); }

void EmitLack(events::Source source, std::string_view sentence) { Standings().Lack(source, sentence); }

void EmitLevel(events::Source source, events::Level level, int64_t bytes, int64_t change_bytes,
               uint64_t address, NameId op) {
  Event event;
  event.kind = events::EventKind::kCounter;
  event.source = source;
  event.level = level;
  event.name = Intern(NameOf(level), source);
  event.bytes = bytes;
  event.rounded_bytes = change_bytes;
  event.address = address;
  event.op = op;
  Emit(event);
}

void EmitCount(events::Source source, std::string_view name, int64_t bytes, int64_t change_bytes) {
  Event event;
  event.kind = events::EventKind::kCounter;
  event.source = source;
  event.name = Intern(name, source);
  event.bytes = bytes;
  event.rounded_bytes = change_bytes;
  Emit(event);
}

void CountLoss(events::Source source, uint64_t events) {
  transport::RingWriter* const ring = open_ring.load(std::memory_order_acquire);
  if (ring != nullptr) ring->CountLost(source, events);
}

double RingFill() {
  const transport::RingWriter* const ring = open_ring.load(std::memory_order_acquire);
  return ring == nullptr ? 0 : ring->fill();
}

}  // namespace tidemark::capture
