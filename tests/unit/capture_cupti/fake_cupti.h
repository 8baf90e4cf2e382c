// A CUPTI that a test plays itself, and the driver's source attached to it. A process has one source and one
// stream, so what needs another is tried in a forked child (InChild).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/capture/cupti/functions.h"
#include "profiler/capture/transport/ring.h"
#include "profiler/events/event.h"

namespace tidemark::capture {

struct FakeCupti {
  uint32_t version = 130001;
  cupti::Code refusal = cupti::kSuccess;
  cupti::Callback callback = nullptr;
  void* argument = nullptr;
  cupti::BufferRequested requested = nullptr;
  cupti::BufferCompleted completed = nullptr;
  std::vector<cupti::MemoryRecord> waiting;
  std::string recorded;  // a buffer as CUPTI filled it
  size_t dropped = 0;
  cupti::Code (*next_record)(uint8_t*, size_t, const int**) = nullptr;  // the real one; else the fake's own
  bool has_sources = false;                                             // CUPTI 12.6 and later
  bool has_attributes = false;
  bool buffers_are_hosts = false;
  bool tells_sources = false;
  bool subscribed = false;
  bool refuses_calls = false;
  bool refuses_pool_records = false;
};
extern FakeCupti fake;

cupti::Functions FakeFunctions();

// In which all calls are made.
extern void* const a_context;
void Call(int domain, uint32_t function, int site, const void* parameters, int result = 0);

struct Allocation {
  const uint64_t* address;
  size_t bytes;
};

// cudaMalloc as it is on a card: the runtime's call, and the driver's in it.
void Malloc(const uint64_t& address, size_t bytes, int result = 0);
void Free(const uint64_t& address, int result = 0);

struct Stream {
  transport::RingReader ring;
  std::vector<events::Event> events;
  std::string names;  // all pieces

  void Drain();
};

// The driver's source, on the fake, and the stream that it tells.
Stream Attached();

// Runs it in a child, which has neither a stream nor a source yet. What is not as it requires Catch tells
// there.
void InChild(void (*body)());

// Whether the driver's source told it last.
bool ToldOf(const Stream& stream, events::EventKind kind);

// A record of memory that came from a pool, which has that much.
cupti::MemoryRecord Pooled(uint64_t pool, uint64_t bytes);

}  // namespace tidemark::capture
