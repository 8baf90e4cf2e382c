#include "tests/unit/capture_cupti/fake_cupti.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"

namespace tidemark::capture {

using cupti::CallbackData;
using cupti::Code;
using events::Event;
using events::EventKind;

namespace {

// CUPTI 13.0's CUpti_ActivityMemory4 and CUpti_ActivityMemoryPool3.
size_t BytesOf(const int* record) { return *record == cupti::kMemory2 ? 128 : 80; }

int first_context = 0;

}  // namespace

FakeCupti fake;
void* const a_context = &first_context;

cupti::Functions FakeFunctions() {
  cupti::Functions functions;
  functions.get_version = [](uint32_t* version) {
    *version = fake.version;
    return cupti::kSuccess;
  };
  functions.subscribe_named = [](cupti::Subscriber* subscriber, cupti::Callback callback, void* argument,
                                 cupti::SubscriberParameters* parameters) {
    if (fake.refusal != cupti::kSuccess) {
      std::snprintf(parameters->holder, parameters->holder_bytes, "Nsight Systems");
      return fake.refusal;
    }
    fake.callback = callback;
    fake.argument = argument;
    *subscriber = &fake;
    fake.subscribed = true;
    return cupti::kSuccess;
  };
  functions.unsubscribe = [](cupti::Subscriber) {
    fake.subscribed = false;
    return cupti::kSuccess;
  };
  functions.enable_callback = [](uint32_t, cupti::Subscriber, int, uint32_t) {
    return fake.refuses_calls ? 1 : cupti::kSuccess;
  };
  functions.register_buffers = [](cupti::BufferRequested requested, cupti::BufferCompleted completed) {
    fake.requested = requested;
    fake.completed = completed;
    return cupti::kSuccess;
  };
  functions.enable_kind = [](int kind) {
    const bool refuses = fake.refuses_pool_records && kind == cupti::kMemoryPool;
    return refuses ? cupti::Code{1} : cupti::kSuccess;
  };
  functions.disable_kind = [](int) { return cupti::kSuccess; };
  if (fake.has_sources) {
    functions.enable_source = [](uint8_t on) {
      fake.tells_sources = on != 0;
      return cupti::kSuccess;
    };
  }
  if (fake.has_attributes) {
    functions.get_attribute = [](int attribute, size_t* bytes, void* value) {
      const size_t number = attribute == cupti::kBufferBytes ? 3'200'000 : 3;
      if (attribute == cupti::kBuffersAreHosts && *bytes != 1) return 1;
      if (attribute == cupti::kBuffersAreHosts) {
        *static_cast<uint8_t*>(value) = fake.buffers_are_hosts ? 1 : 0;
      } else {
        std::memcpy(value, &number, *bytes);
      }
      return cupti::kSuccess;
    };
  }
  functions.flush_all = [](uint32_t) {
    if (!fake.recorded.empty()) {
      uint8_t* whole = nullptr;
      size_t room = 0;
      size_t any = 0;
      fake.requested(&whole, &room, &any);
      const size_t valid = fake.recorded.copy(reinterpret_cast<char*>(whole), room);
      fake.completed(nullptr, 0, whole, room, valid);
      fake.recorded.clear();
      return cupti::kSuccess;
    }
    if (fake.waiting.empty()) return cupti::kSuccess;
    uint8_t* buffer = nullptr;
    size_t bytes = 0;
    size_t most = 0;
    fake.requested(&buffer, &bytes, &most);
    const size_t valid = fake.waiting.size() * sizeof(cupti::MemoryRecord);
    std::memcpy(buffer, fake.waiting.data(), valid);
    fake.waiting.clear();
    fake.completed(nullptr, 0, buffer, bytes, valid);
    return cupti::kSuccess;
  };
  functions.next_record = [](uint8_t* buffer, size_t valid, const int** record) {
    const size_t bytes = *record == nullptr      ? 0
                         : fake.recorded.empty() ? sizeof(cupti::MemoryRecord)
                                                 : BytesOf(*record);
    const uint8_t* next = *record == nullptr ? buffer : reinterpret_cast<const uint8_t*>(*record) + bytes;
    if (next >= buffer + valid) return 12;
    *record = reinterpret_cast<const int*>(next);
    return cupti::kSuccess;
  };
  if (fake.next_record != nullptr) functions.next_record = fake.next_record;
  functions.dropped_records = [](void*, uint32_t, size_t* dropped) {
    *dropped = std::exchange(fake.dropped, 0);
    return cupti::kSuccess;
  };
  return functions;
}

void Call(int domain, uint32_t function, int site, const void* parameters, int result) {
  CallbackData data{};
  data.site = site;
  data.parameters = parameters;
  data.returned = &result;
  data.context = a_context;
  fake.callback(fake.argument, domain, function, &data);
}

void Malloc(const uint64_t& address, size_t bytes, int result) {
  const Allocation call{&address, bytes};
  Call(cupti::kRuntimeApi, 20, cupti::kEnter, &call);
  Call(cupti::kDriverApi, 243, cupti::kEnter, &call);
  Call(cupti::kDriverApi, 243, cupti::kExit, &call, result);
  Call(cupti::kRuntimeApi, 20, cupti::kExit, &call, result);
}

void Free(const uint64_t& address, int result) {
  Call(cupti::kRuntimeApi, 22, cupti::kEnter, &address);
  Call(cupti::kDriverApi, 245, cupti::kEnter, &address);
  Call(cupti::kDriverApi, 245, cupti::kExit, &address, result);
  Call(cupti::kRuntimeApi, 22, cupti::kExit, &address, result);
}

void Stream::Drain() {
  std::array<Event, 64> batch;
  for (size_t count = 1; count > 0;) {
    count = ring.Pop(batch, true);
    for (size_t i = 0; i < count; ++i) {
      if (batch[i].kind == EventKind::kName) names += events::NamePiece(batch[i]);
      if (batch[i].kind != EventKind::kName) events.push_back(batch[i]);
    }
  }
}

Stream Attached() {
  Result<transport::RingReader> ring = transport::RingReader::Create(1024);
  REQUIRE(ring);
  OpenEventStream(transport::RingWriter::Beside(*ring), 0);
  AttachToDriver(FakeFunctions());
  return {std::move(*ring), {}, {}};
}

void InChild(void (*body)()) {
  std::cout.flush();  // else the child tells it, too
  const pid_t child = fork();
  if (child == 0) {
    int exit_code = 0;
    try {
      body();
    } catch (...) {
      exit_code = 1;
    }
    std::cout.flush();
    _exit(exit_code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const bool is_as_required = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  CHECK(is_as_required);
}

bool ToldOf(const Stream& stream, EventKind kind) {
  return !stream.events.empty() && stream.events.back().kind == kind &&
         stream.events.back().source == events::Source::kDriver;
}

cupti::MemoryRecord Pooled(uint64_t pool, uint64_t bytes) {
  cupti::MemoryRecord pooled{};
  pooled.kind = cupti::kMemory2;
  pooled.operation = cupti::kAllocation;
  pooled.memory_kind = cupti::kDeviceMemory;
  pooled.is_async = 1;
  pooled.pool_address = pool;
  pooled.pool_bytes = bytes;
  return pooled;
}

}  // namespace tidemark::capture
