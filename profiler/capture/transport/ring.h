// The ring through which a traced process hands its events to the program: a memfd that both map. Many producers in one
// process, one consumer in another.
//
// Producers never block, allocate, lock or make a system call: Push claims a slot with one compare-and-swap, fills it and
// publishes it by its stamp. A full ring drops the newest event and counts it, per source. What a producer published
// survives its death (kill -9 included), because the consumer created the memory. A slot that was claimed and never
// published (its thread died in between) is skipped once the producer is known to be dead, or after kTornAfterNs, and
// counted as torn. Invariant: written + dropped == attempted, per source.
//
//   header page: magic, version, capacity | head | tail | written[source], dropped[source] | torn
//   stamps:      one uint64 per slot: index + 1 of the event that it holds
//   slots:       events::Event, 64 bytes each, capacity a power of two
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/events/event.h"

namespace tidemark::transport {

inline constexpr size_t kDefaultRingCapacity = 1 << 18;  // 16 MiB of events
inline constexpr int kSourceCount = 5;                   // events::Source
inline constexpr int64_t kTornAfterNs = 100'000'000;

struct RingHeader;

// The consumer's end: creates the memory. One thread.
class RingReader {
 public:
  static Result<RingReader> Create(size_t capacity = kDefaultRingCapacity);
  RingReader(RingReader&&) noexcept;
  RingReader& operator=(RingReader&&) noexcept;
  ~RingReader();

  int fd() const { return fd_.get(); }  // to hand to the producer

  // Copies up to out.size() published events, in order, and frees their slots; how many were copied. `producer_dead`
  // says that nobody will publish what is claimed but empty.
  size_t Pop(std::span<events::Event> out, bool producer_dead);

  uint64_t written(events::Source source) const;
  uint64_t dropped(events::Source source) const;
  uint64_t torn() const;

 private:
  RingReader() = default;
  UniqueFd fd_;
  RingHeader* header_ = nullptr;
  int64_t stuck_since_ns_ = 0;
};

// The producer's end: maps what it was handed. Push from any thread.
class RingWriter {
 public:
  static Result<RingWriter> Map(UniqueFd fd);
  RingWriter(RingWriter&&) noexcept;
  RingWriter& operator=(RingWriter&&) noexcept;
  ~RingWriter();

  // False if the ring was full and the event is lost (and counted).
  bool Push(const events::Event& event);
  // Pushes the pieces of a name; all or, if the ring is full, counted.
  void PushName(events::NameId id, std::string_view text, int64_t time_ns);

  // Share of the ring in use, 0..1: a trainer that we pace waits at step boundaries while it is more than half full.
  double fill() const;

 private:
  RingWriter() = default;
  RingHeader* header_ = nullptr;
  size_t mapped_bytes_ = 0;
};

}  // namespace tidemark::transport
