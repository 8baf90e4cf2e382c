// The ring through which a traced process hands its events to the program: a memfd that both map. Many
// producers in one process, one consumer in another.
//
// Producers never block, allocate, lock or make a system call: Push claims a slot with one compare-and-swap,
// fills it and publishes it by its stamp. A full ring drops the newest event and counts it, per source. What
// a producer published survives its death (kill -9 included), because the consumer created the memory. A slot
// that was claimed and never published (its thread died in between) is skipped once the producer is known to
// be dead, or after kTornAfterNs, and counted as torn, by the source that its claimer had marked it with; of
// nobody where the thread died in the few instructions before that. Invariant: received + dropped + torn ==
// attempted, per source.
//
//   header page: magic, version, capacity | head | dropped[source] | tail
//   stamps:      one uint64 per slot: index + 1 of its event; its index with the highest bit set where the
//                claimer was given up
//   slots:       events::Event, 64 bytes each, capacity a power of two. The last 8 bytes of one that is
//                claimed and not published yet: 0xff, its source, 48 bits of its index
//
// Neither end trusts the other: the memory is sealed against resizing (no SIGBUS), the reader keeps its own
// position and size and hands on well-formed events only, and a writer refuses memory that is not a ring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/events/event.h"

namespace tidemark::transport {

inline constexpr size_t kDefaultRingCapacity = 1 << 18;  // 16 MiB of events
inline constexpr size_t kMaxRingCapacity = 1 << 24;      // 1 GiB of events
inline constexpr int64_t kTornAfterNs = 100'000'000;

struct RingHeader;

// The mapped memory; unmapped with its last copy.
class RingMemory {
 public:
  static size_t BytesFor(size_t capacity);
  // `fd` must be as long as BytesFor(capacity).
  static Result<RingMemory> Map(int fd, size_t capacity);

  size_t capacity() const { return capacity_; }
  RingHeader& header() const { return *header_; }
  uint64_t* stamp(uint64_t index) const { return stamps_ + (index & (capacity_ - 1)); }
  events::Event* slot(uint64_t index) const { return slots_ + (index & (capacity_ - 1)); }

 private:
  std::shared_ptr<RingHeader> header_;
  uint64_t* stamps_ = nullptr;
  events::Event* slots_ = nullptr;
  size_t capacity_ = 0;
};

// The consumer's end: creates the memory. One thread.
class RingReader {
 public:
  // `capacity` is a power of two from 64 to kMaxRingCapacity.
  static Result<RingReader> Create(size_t capacity = kDefaultRingCapacity);

  int fd() const { return fd_.get(); }  // to hand to the producer

  // Copies up to out.size() published events, in order, and frees their slots; how many were copied.
  // `producer_dead` says that nobody will publish what is claimed but empty. Nothing copied from a dead
  // producer's ring = it is drained.
  size_t Pop(std::span<events::Event> out, bool producer_dead);

  uint64_t received(events::Source source) const { return received_[static_cast<size_t>(source)]; }
  uint64_t dropped(events::Source source) const;
  // Claimed and never published, or published with fields that no producer of ours writes: of that source, of
  // none that is known, and all.
  uint64_t torn(events::Source source) const { return torn_by_[static_cast<size_t>(source)]; }
  uint64_t torn_of_nobody() const { return torn_of_nobody_; }
  uint64_t torn() const { return torn_; }

 private:
  friend class RingWriter;
  RingReader() = default;
  bool IsClaimed(uint64_t index) const;
  bool SkipTorn(bool producer_dead);
  uint8_t ClaimerOf(uint64_t index) const;
  void CountTorn(uint8_t source);

  UniqueFd fd_;
  RingMemory memory_;
  uint64_t tail_ = 0;  // next event to read; the header holds a copy for the producers
  uint64_t torn_ = 0;
  uint64_t torn_of_nobody_ = 0;
  std::array<uint64_t, events::kSourceCount> torn_by_{};
  std::array<uint64_t, events::kSourceCount> received_{};
  int64_t stuck_since_ns_ = 0;  // since when the slot at tail_ has been claimed and empty; 0 = it is not
};

// The producer's end: maps what it was handed. Push from any thread.
class RingWriter {
 public:
  static Result<RingWriter> Map(UniqueFd fd);
  // For producers in the reader's own process: both use one mapping, so that a thread sanitizer sees what
  // they do.
  static RingWriter Beside(const RingReader& reader);

  // False if the ring was full and the event is lost (and counted).
  bool Push(const events::Event& event);
  // Pushes the pieces of a name, all or none; false if the ring was too full for them, and they are counted
  // as dropped, of the source that wanted it.
  bool PushName(events::NameId id, std::string_view text, int64_t time_ns,
                events::Source source = events::Source::kTrainer);
  // That many events of a source were lost before they could be pushed: counted among the dropped.
  void CountLost(events::Source source, uint64_t events);

  // Share of the ring in use, 0..1: a trainer that we pace waits at step boundaries while it is more than
  // half full.
  double fill() const;

 private:
  RingWriter() = default;
  bool Claim(uint64_t count, events::Source source, uint64_t* first);
  void Mark(uint64_t index, events::Source source);
  bool Publish(uint64_t index, const events::Event& event);

  RingMemory memory_;
};

}  // namespace tidemark::transport
