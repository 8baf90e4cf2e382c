// The driver's source on a CUPTI that the test plays itself: what it tells of calls, and how it fares.
#include "profiler/capture/cupti/driver_source.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/driver_memory.h"
#include "tests/support/catch.h"
#include "tests/unit/capture_cupti/fake_cupti.h"

namespace tidemark::capture {

using cupti::Code;
using events::Event;
using events::EventKind;

// tests/gpu/cupti_recorder.cpp made it on an H200: a plain allocation, one with a pitch, managed and pinned
// host memory, two mapped pieces, and a pool of 32 MiB that was trimmed.
void TellsRecordsOfRealCard() {
  std::ifstream file(SourceFolder() / "tests/gpu/fixtures/h200/cupti.buffers", std::ios::binary);
  uint64_t bytes = 0;
  file.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
  std::string buffer(bytes, '\0');
  REQUIRE(file.read(buffer.data(), static_cast<std::streamsize>(bytes)));
  REQUIRE(bytes == 14 * 128 + 3 * 80);
  Stream stream = Attached();
  for (const uint64_t address : {0x1000, 0x2000}) {  // the two calls that were watched then
    Malloc(address, 1 << 20);
    Free(address);
  }
  fake.recorded = buffer;
  FlushDriver();
  stream.Drain();
  std::vector<int64_t> levels;
  for (const Event& event : stream.events) {
    if (event.kind == EventKind::kCounter) levels.push_back(event.bytes);
  }
  REQUIRE(stream.names.find("too low") == std::string::npos);
  REQUIRE(levels == std::vector<int64_t>{1 << 20, 0, 1 << 20, 0, 32 << 20, 0});
}

TEST_CASE("The records of a real card: what is mapped is no call that was missed, pools are told") {
  InChild(TellsRecordsOfRealCard);
}

TEST_CASE("A tool that holds CUPTI is named, and nothing else happens") {
  InChild([] {
    fake.refusal = cupti::kMultipleSubscribers;
    Stream stream = Attached();
    FlushDriver();
    stream.Drain();
    REQUIRE(stream.events.size() == 1);
    REQUIRE(ToldOf(stream, EventKind::kMarker));
    REQUIRE(stream.names.find("blocked by Nsight Systems") != std::string::npos);
  });
}

// Whatever keeps CUPTI from serving us: its sentence is the state, and what else tells goes on telling.
TEST_CASE("Permission trouble, no driver, an old one, MIG, WSL: a sentence, and the rest is recorded") {
  struct Trouble {
    Code code;
    const char* sentence;
  };
  static constexpr std::array kTroubles = {
      Trouble{cupti::kInsufficientPrivileges, "NVreg_RestrictProfilingToAdminUsers=0"},
      Trouble{cupti::kVirtualizedDevicePrivileges, "NVreg_RestrictProfilingToAdminUsers=0"},
      Trouble{cupti::kUnknownError, "there is no NVIDIA driver that answers"},
      Trouble{cupti::kNotInitialized, "there is no NVIDIA driver that answers"},
      Trouble{cupti::kNotCompatible, "this driver is too old for CUPTI 13.0"},
      Trouble{cupti::kMigDevice, "(MIG)"},
      Trouble{cupti::kWslDevice, "under WSL"},
      Trouble{cupti::kVirtualizedDeviceNotSupported, "virtual GPU"},
      Trouble{cupti::kConfidentialComputing, "confidential computing"},
      Trouble{77, "error 77"}};
  static const Trouble* trouble = nullptr;
  for (const Trouble& each : kTroubles) {
    trouble = &each;
    INFO(each.sentence);
    InChild([] {
      fake.refusal = trouble->code;
      Stream stream = Attached();
      EmitPhase(events::Phase::kForward);
      FlushDriver();
      stream.Drain();
      REQUIRE(stream.events.size() == 2);
      REQUIRE(stream.events.front().kind == EventKind::kMarker);
      REQUIRE(stream.events.front().source == events::Source::kDriver);
      REQUIRE(stream.events.back().kind == EventKind::kPhase);
      REQUIRE(DriverBytes() == 0);
      REQUIRE(stream.names.find(trouble->sentence) != std::string::npos);
      REQUIRE(stream.names.ends_with("The rest is recorded."));
    });
  }
}

TEST_CASE("Of a CUPTI of another version callbacks alone are taken: its records may look otherwise") {
  InChild([] {
    fake.version = 140000;
    Stream stream = Attached();
    const uint64_t address = 0x7000;
    Malloc(address, 1 << 20);
    FlushDriver();
    stream.Drain();
    REQUIRE(fake.requested == nullptr);
    REQUIRE(DriverBytes() == 1 << 20);
    REQUIRE(stream.names.find("live (CUPTI 14.0), but by callbacks only") != std::string::npos);
  });
}

// The real one, where PyTorch's wheels brought it.
#ifdef TIDEMARK_CUPTI
// cuptiActivityGetNextRecord needs no driver.
TEST_CASE("CUPTI itself goes from record to record of a real card, and what they tell is the same") {
  InChild([] {
    REQUIRE(dlopen(TIDEMARK_CUPTI, RTLD_NOW) != nullptr);
    const Result<cupti::Functions> real = cupti::LoadFunctions();
    REQUIRE(real);
    fake.next_record = real->next_record;
    TellsRecordsOfRealCard();
  });
}

TEST_CASE("CUPTI on a machine without a driver says so") {
  if (void* const driver = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(driver);
    WARN("This machine has a driver: what there is without it is not tried.");
    return;
  }
  InChild([] {
    REQUIRE(dlopen(TIDEMARK_CUPTI, RTLD_NOW) != nullptr);
    Result<transport::RingReader> ring = transport::RingReader::Create(1024);
    OpenEventStream(transport::RingWriter::Beside(*ring), 0);
    AttachToDriver(cupti::LoadFunctions());
    Stream stream{std::move(*ring), {}, {}};
    stream.Drain();
    REQUIRE(ToldOf(stream, EventKind::kMarker));
    REQUIRE(stream.names.starts_with("absent: there is no NVIDIA driver that answers"));
  });
}
#endif

TEST_CASE("A CUPTI that lacks functions is none, and says which") {
  InChild([] {
    REQUIRE(dlopen(TIDEMARK_OLD_CUPTI, RTLD_NOW) != nullptr);
    const Result<cupti::Functions> functions = cupti::LoadFunctions();
    REQUIRE_FALSE(functions);
    REQUIRE(
        functions.error().message.starts_with("absent: the CUPTI that is installed has no cuptiSubscribe"));
  });
}

TEST_CASE("The CUPTI that is loaded is taken, whatever its version") {
  InChild([] {
    REQUIRE(dlopen(TIDEMARK_FUTURE_CUPTI, RTLD_NOW) != nullptr);
    const Result<cupti::Functions> functions = cupti::LoadFunctions();
    REQUIRE_FALSE(functions);
    REQUIRE(functions.error().message.find("has no cuptiSubscribe") != std::string::npos);
  });
}

TEST_CASE("Without CUPTI the state says so") {
  InChild([] {
    Result<transport::RingReader> ring = transport::RingReader::Create(1024);
    OpenEventStream(transport::RingWriter::Beside(*ring), 0);
    AttachToDriver(Error{"absent: there is none."});
    Stream stream{std::move(*ring), {}, {}};
    stream.Drain();
    REQUIRE(ToldOf(stream, EventKind::kMarker));
    REQUIRE(stream.names == "absent: there is none.");
  });
}

TEST_CASE("Calls change the driver's level at once, failed ones and doubly told ones do not") {
  InChild([] {
    Stream stream = Attached();
    const uint64_t address = 0x7000;
    Malloc(address, 1 << 20);
    Malloc(0x9000, 1 << 30, 2);  // cudaErrorMemoryAllocation
    Free(address, 1);            // cudaErrorInvalidValue
    REQUIRE(DriverBytes() == 1 << 20);
    Free(address);
    stream.Drain();
    REQUIRE(stream.events.size() == 3);
    const Event& allocated = stream.events[1];
    const Event& freed = stream.events[2];
    REQUIRE(allocated.kind == EventKind::kCounter);
    REQUIRE(allocated.level == events::Level::kDriver);
    REQUIRE(allocated.bytes == 1 << 20);
    REQUIRE(allocated.rounded_bytes == 1 << 20);
    REQUIRE(allocated.address == address);
    REQUIRE(freed.bytes == 0);
    REQUIRE(freed.rounded_bytes == -(1 << 20));
  });
}

TEST_CASE("A context that goes takes along what was allocated in it, and its addresses are free again") {
  InChild([] {
    static std::vector<uint64_t> leaving;
    Stream stream = Attached();
    OnDriverMemoryLeaves([](uint64_t address, uint64_t /*bytes*/) { leaving.push_back(address); });
    const uint64_t address = 0x7000;
    Malloc(address, 1 << 20);
    const auto goes = [](void* context) {
      const cupti::ResourceData data{context};
      fake.callback(fake.argument, cupti::kResources, cupti::kContextGoes, &data);
    };
    int another_context = 0;
    goes(&another_context);
    goes(nullptr);
    REQUIRE(DriverBytes() == 1 << 20);
    goes(a_context);
    REQUIRE(DriverBytes() == 0);
    REQUIRE(leaving == std::vector<uint64_t>{address});
    Malloc(address, 2 << 20);
    REQUIRE(DriverBytes() == 2 << 20);
  });
}

TEST_CASE("Managed memory is in no level, and told by itself") {
  InChild([] {
    Stream stream = Attached();
    const uint64_t address = 0x7000;
    const Allocation call{&address, 1 << 20};
    for (const int site : {cupti::kEnter, cupti::kExit}) Call(cupti::kDriverApi, 371, site, &call);
    Call(cupti::kRuntimeApi, 206, cupti::kExit, &call);
    Free(address);
    stream.Drain();
    std::vector<int64_t> counted;
    for (const Event& event : stream.events) {
      if (event.kind == EventKind::kCounter && event.level == events::Level::kNone)
        counted.push_back(event.bytes);
    }
    REQUIRE(DriverBytes() == 0);
    REQUIRE(counted == std::vector<int64_t>{1 << 20, 0});
    REQUIRE(stream.names.find(events::kManagedMemory) != std::string::npos);
  });
}

// CUmemAllocationProp as far as it is read.
struct Properties {
  int type = 1;
  int handle_types = 0;
  int location = 1;  // CU_MEM_LOCATION_TYPE_DEVICE
  int location_id = 0;
};
struct Creation {
  const uint64_t* handle;
  size_t bytes;
  const Properties* properties;
  unsigned long long flags = 0;
};
struct Mapping {
  uint64_t address;
  size_t bytes;
  size_t offset;
  uint64_t handle;
};

int64_t BytesOfLibraries(const Stream& stream) {
  int64_t bytes = 0;
  for (const Event& event : stream.events) {
    if (event.kind == EventKind::kCounter && event.level == events::Level::kNone)
      bytes += event.rounded_bytes;
  }
  return bytes;
}

TEST_CASE("Mapped memory counts where it is the device's own, and once, for its library too") {
  InChild([] {
    constexpr size_t kPiece = 2 << 20;
    fake.has_sources = true;
    Stream stream = Attached();
    const auto create = [](uint64_t handle, const Properties& properties) {
      const Creation call{&handle, kPiece, &properties};
      for (const int site : {cupti::kEnter, cupti::kExit}) Call(cupti::kDriverApi, 549, site, &call);
    };
    const auto map = [](uint64_t address, uint64_t handle) {
      const Mapping call{address, kPiece, 0, handle};
      for (const int site : {cupti::kEnter, cupti::kExit}) Call(cupti::kDriverApi, 551, site, &call);
    };
    create(0x1, Properties{});
    map(0x10'0000'0000, 0x1);
    map(0x20'0000'0000, 0x1);  // once more
    map(0x30'0000'0000, 0x7);  // another process's
    Properties host;
    host.location = 3;  // CU_MEM_LOCATION_TYPE_HOST_NUMA
    create(0x2, host);
    map(0x40'0000'0000, 0x2);
    stream.Drain();
    REQUIRE(DriverBytes() == kPiece);
    REQUIRE(BytesOfLibraries(stream) == kPiece);
  });
}

TEST_CASE("Calls that cannot be watched stay in the state, whatever else is found missing") {
  InChild([] {
    fake.refuses_calls = true;
    Stream stream = Attached();
    Malloc(0x7000, 1 << 20);
    for (int i = 0; i < 25; ++i) FlushDriver();
    stream.Drain();
    const std::string state = NameOf(stream.events.back().name);
    REQUIRE(state.find("kinds of calls cannot be seen") != std::string::npos);
    REQUIRE(state.find("another tool gets CUPTI's records") != std::string::npos);
  });
}

// What is told of CUPTI's own buffers where kernels are: -1 = that it is not told.
int64_t ToldOfCuptisBuffers() {
  setenv("TIDEMARK_KERNELS", "1", 1);
  Stream stream = Attached();
  stream.Drain();
  int64_t bytes = stream.names.find("take of the card is not told") == std::string::npos ? 0 : -1;
  for (const Event& event : stream.events) {
    if (event.kind == EventKind::kCounter && NameOf(event.name) == events::kCuptiMemory) bytes = event.bytes;
  }
  return bytes;
}

TEST_CASE("What CUPTI takes of the card for itself is told with kernels, where it says so") {
  InChild([] { REQUIRE(ToldOfCuptisBuffers() == -1); });
  fake.has_attributes = true;
  InChild([] { REQUIRE(ToldOfCuptisBuffers() == 9'600'000); });
  fake.buffers_are_hosts = true;
  InChild([] { REQUIRE(ToldOfCuptisBuffers() == 0); });
  fake.has_attributes = false;
}

void GivesUpDriverWith(bool kernels_wanted) {
  if (kernels_wanted) setenv("TIDEMARK_KERNELS", "1", 1);
  Stream stream = Attached();
  Malloc(0x7000, 1 << 20);
  GiveUpDriver("libtorch_cpu.so");
  FlushDriver();
  GiveUpDriver("libtorch_cpu.so");
  const bool held = !DriverRegions(0x7000, 1).empty() && DriverBytes() == 1 << 20;
  if (!kernels_wanted) Malloc(0x9000, 1 << 20);  // a call that was on its way
  stream.Drain();
  const bool told =
      stream.names.find("given up to torch.profiler: CUPTI serves one tool at a time") != std::string::npos;
  const bool at_zero = std::ranges::any_of(stream.events, [](const Event& event) {
    return event.kind == EventKind::kCounter && event.level == events::Level::kDriver && event.bytes == 0 &&
           event.rounded_bytes == -(1 << 20);
  });
  const auto levels = std::ranges::count_if(stream.events, [](const Event& event) {
    return event.kind == EventKind::kCounter && event.level == events::Level::kDriver;
  });
  REQUIRE(fake.subscribed == kernels_wanted);
  REQUIRE(held == kernels_wanted);
  REQUIRE(told != kernels_wanted);
  REQUIRE(at_zero != kernels_wanted);
  REQUIRE(levels == (kernels_wanted ? 1 : 2));
}

TEST_CASE("A program that asks for CUPTI itself gets it, unless its kernels are wanted") {
  InChild([] { GivesUpDriverWith(false); });
  InChild([] { GivesUpDriverWith(true); });
}

TEST_CASE("What the ring cannot take is counted: written and dropped are what was attempted") {
  InChild([] {
    Result<transport::RingReader> ring = transport::RingReader::Create(64);
    OpenEventStream(transport::RingWriter::Beside(*ring), 0);
    AttachToDriver(FakeFunctions());
    constexpr uint64_t kAttempted = 500;
    for (uint64_t i = 1; i <= kAttempted; ++i) Malloc(i << 20, 1 << 20);
    constexpr uint64_t kDroppedByCupti = 7;
    fake.dropped = kDroppedByCupti;  // it forgets that number once it has told it, and the ring is full
    FlushDriver();
    std::array<Event, 64> batch;
    while (ring->Pop(batch, true) > 0) {
    }
    const uint64_t states = 1;
    const uint64_t names = events::NamePieces("live (CUPTI 13.0)") + events::NamePieces("driver");
    uint64_t others = 0;
    for (const events::Source source :
         {events::Source::kTrainer, events::Source::kAllocator, events::Source::kDevice})
      others += ring->received(source) + ring->dropped(source);
    REQUIRE(ring->dropped(events::Source::kDriver) > kDroppedByCupti);
    REQUIRE(others == 0);
    REQUIRE(ring->received(events::Source::kDriver) + ring->dropped(events::Source::kDriver) ==
            kAttempted + kDroppedByCupti + states + names);
  });
}

}  // namespace tidemark::capture
