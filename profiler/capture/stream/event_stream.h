// The traced process's one way out for events: it stamps them and pushes them onto the ring, and gives names
// their ids. There is one stream in a process, because what feeds it (symbols that LibTorch calls, callbacks
// without arguments) has nowhere to keep a pointer.
//
// Thread safe. Emit and EmitOnDevice never allocate, lock or make a system call (but for the first one of a
// thread, which asks for the thread's id); they may run under the allocator's lock. What has a name or a
// sentence to tell (Intern, EmitLevel, EmitCount, EmitState, EmitLack) locks, and allocates where it is new.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/capture/transport/ring.h"
#include "profiler/events/event.h"

namespace tidemark::capture {

// Everything emitted before is lost without a trace: open the stream first. `device` goes into every event
// that is emitted without one.
void OpenEventStream(transport::RingWriter ring, uint8_t device);
// For a forked child: what it does is not this stream's. Opens no second time.
void CloseEventStream();
bool EventStreamIsOpen();

// Fills `time_ns`, `thread` and `device`, which is the stream's; all else is the caller's. False: the event
// is lost.
bool Emit(events::Event& event);
// For who knows the device: an allocator of several cards, and what runs on them. `device` stays as it is.
bool EmitOnDevice(events::Event& event);

// The id of a name, announced on the ring, as an event of `source`, before the id is first returned; 0 where
// the ring is too full, and then that is counted. O(1) from a cache of the calling thread; a new name takes a
// lock.
events::NameId Intern(std::string_view name, events::Source source = events::Source::kTrainer);
// The name that Intern gave this id; "" if it gave it to none. Takes a lock.
std::string NameOf(events::NameId id);

void EmitPhase(events::Phase phase);
// kStepBegin, kStepEnd, kMicroBatchBegin.
void EmitNumbered(events::EventKind kind, int64_t number);

// What state that source is in from here on: a sentence for people.
void EmitState(events::Source source, std::string_view sentence);
// What a source does not tell while it is live, and why: "operators are not known: ..."; beside what was said
// so of it before, in whatever states it is live from here on. Any thread.
void EmitLack(events::Source source, std::string_view sentence);
// A level stands at `bytes`, after it changed by `change_bytes` at `address` (0 = not known where); `op` =
// what led to that.
void EmitLevel(events::Source source, events::Level level, int64_t bytes, int64_t change_bytes,
               uint64_t address, events::NameId op = 0);
// Something else that is counted in bytes, of no level, stands at `bytes`, after it changed by
// `change_bytes`.
void EmitCount(events::Source source, std::string_view name, int64_t bytes, int64_t change_bytes);
// That many events of a source could not be kept before they reached the stream. Counted in the ring's own
// header, so that a full ring does not lose it.
void CountLoss(events::Source source, uint64_t events);

// Share of the ring in use, 0..1.
double RingFill();

}  // namespace tidemark::capture
