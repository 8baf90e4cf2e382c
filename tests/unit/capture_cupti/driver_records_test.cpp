// The driver's source on a CUPTI that the test plays itself: what it makes of CUPTI's records, and of those
// that do not come.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"
#include "tests/unit/capture_cupti/fake_cupti.h"

namespace tidemark::capture {

using cupti::Code;
using events::Event;
using events::EventKind;

TEST_CASE("A pool on the host counts nothing") {
  InChild([] {
    Stream stream = Attached();
    cupti::MemoryRecord host = Pooled(0xbeef, 32 << 20);
    host.memory_kind = 2;  // CUPTI_ACTIVITY_MEMORY_KIND_PINNED
    fake.waiting = {host, Pooled(0xcafe, 64 << 20)};
    FlushDriver();
    REQUIRE(DriverBytes() == 64 << 20);
  });
}

TEST_CASE("Another process's pool counts nothing: its number stands where the size is") {
  InChild([] {
    Stream stream = Attached();
    cupti::MemoryRecord imported = Pooled(0xbeef, 4711);
    imported.pool_type = cupti::kImportedPool;
    fake.waiting = {imported};
    FlushDriver();
    REQUIRE(DriverBytes() == 0);
  });
}

TEST_CASE("What a pool gives back by itself is told though no call is made") {
  InChild([] {
    Stream stream = Attached();
    fake.waiting = {Pooled(0xbeef, 32 << 20)};
    FlushDriver();
    REQUIRE(DriverBytes() == 32 << 20);
    fake.waiting = {Pooled(0xbeef, 0)};
    for (int i = 0; i < 100 && DriverBytes() != 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(DriverBytes() == 0);
  });
}

TEST_CASE("What a pool took is told soon after the call, and not only as the program ends") {
  InChild([] {
    Stream stream = Attached();
    fake.waiting = {Pooled(0xbeef, 32 << 20)};
    Call(cupti::kDriverApi, 598, cupti::kExit, nullptr);  // cuMemAllocAsync
    for (int i = 0; i < 100 && DriverBytes() == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(DriverBytes() == 32 << 20);
  });
}

TEST_CASE("Pools come from records; what CUPTI dropped is a loss; records without calls are told") {
  InChild([] {
    Stream stream = Attached();
    const cupti::MemoryRecord pooled = Pooled(0xbeef, 32 << 20);
    fake.waiting = {pooled};
    fake.dropped = 3;
    FlushDriver();
    stream.Drain();
    REQUIRE(DriverBytes() == 32 << 20);
    REQUIRE(stream.ring.dropped(events::Source::kDriver) == 3);
    cupti::MemoryRecord unseen = pooled;
    unseen.pool_address = 0;
    unseen.address = 0x5000;
    fake.waiting = {unseen};
    FlushDriver();
    stream.Drain();
    REQUIRE(ToldOf(stream, EventKind::kMarker));
    REQUIRE(stream.names.find("too low: 1 alloc") != std::string::npos);
  });
}

TEST_CASE("That what pools give back is seen late is told once there is a pool") {
  InChild([] {
    fake.refuses_pool_records = true;
    Stream stream = Attached();
    FlushDriver();
    stream.Drain();
    REQUIRE(stream.names.find("is seen late") == std::string::npos);
    fake.waiting = {Pooled(0xbeef, 32 << 20)};
    FlushDriver();
    stream.Drain();
    REQUIRE(stream.names.find("is seen late") != std::string::npos);
  });
}

TEST_CASE("A record that CUPTI cannot give is a loss, and a buffer's end is none") {
  InChild([] {
    fake.next_record = [](uint8_t* buffer, size_t, const int** record) -> Code {
      constexpr Code kInvalidKind = 21;  // "incomplete or invalid"
      if (*record != nullptr) return kInvalidKind;
      *record = reinterpret_cast<const int*>(buffer);
      return cupti::kSuccess;
    };
    Stream stream = Attached();
    fake.waiting = {Pooled(0xbeef, 32 << 20), Pooled(0xbeef, 64 << 20)};
    FlushDriver();
    stream.Drain();
    REQUIRE(DriverBytes() == 32 << 20);
    REQUIRE(stream.ring.dropped(events::Source::kDriver) == 1);
  });
  InChild([] {
    Stream stream = Attached();
    fake.waiting = {Pooled(0xbeef, 32 << 20)};
    FlushDriver();
    stream.Drain();
    REQUIRE(stream.ring.dropped(events::Source::kDriver) == 0);
  });
}

TEST_CASE("What CUPTI dropped until the last flush is a loss, too") {
  InChild([] {
    Stream stream = Attached();
    fake.dropped = 3;
    GiveUpDriver("libtorch_cpu.so");
    stream.Drain();
    REQUIRE(stream.ring.dropped(events::Source::kDriver) == 3);
  });
}

TEST_CASE("Where CUPTI dropped a record no other tool is said to have it") {
  InChild([] {
    Stream stream = Attached();
    Malloc(0x7000, 1 << 20);
    fake.dropped = 1;
    for (int i = 0; i < 25; ++i) FlushDriver();
    stream.Drain();
    REQUIRE(stream.names.find("another tool") == std::string::npos);
  });
}

TEST_CASE("Which library asked for memory is told where CUPTI knows, and pools are no library's") {
  InChild([] {
    fake.has_sources = true;
    Stream stream = Attached();
    REQUIRE(fake.tells_sources);
    const auto record = [](uint64_t address, uint64_t bytes, uint64_t pool, const char* source) {
      cupti::SourcedMemoryRecord sourced{};
      sourced.memory.kind = cupti::kMemory2;
      sourced.memory.operation = cupti::kAllocation;
      sourced.memory.memory_kind = cupti::kDeviceMemory;
      sourced.memory.address = address;
      sourced.memory.bytes = bytes;
      sourced.memory.pool_address = pool;
      sourced.source = source;
      fake.recorded.append(reinterpret_cast<const char*>(&sourced), sizeof sourced);
    };
    const uint64_t address = 0x1000;
    Malloc(address, 1 << 20);
    record(address, 1 << 20, 0, "/usr/lib/libcublas.so.13");
    record(0x9000, 512, 0x77, "/usr/lib/libother.so");
    FlushDriver();
    stream.Drain();
    std::vector<int64_t> counted;
    for (const Event& event : stream.events) {
      if (event.kind == EventKind::kCounter && event.level == events::Level::kNone)
        counted.push_back(event.bytes);
    }
    REQUIRE(counted == std::vector<int64_t>{1 << 20});
    REQUIRE(stream.names.find("driver memory of libcublas.so.13") != std::string::npos);
  });
}

TEST_CASE("Records that another tool takes away are missed") {
  InChild([] {
    Stream stream = Attached();
    Malloc(0x7000, 1 << 20);
    for (int i = 0; i < 25; ++i) FlushDriver();
    stream.Drain();
    REQUIRE(stream.names.find("another tool gets CUPTI's records") != std::string::npos);
  });
}

}  // namespace tidemark::capture
