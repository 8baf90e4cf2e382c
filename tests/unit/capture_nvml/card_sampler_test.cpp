// The sampler on an NVML that the test plays itself. A process has one sampler, so each is tried in a forked
// child.
#include "profiler/capture/nvml/card_sampler.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "profiler/capture/nvml/cuda_device.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

using events::Event;
using events::EventKind;
using events::Level;

struct FakeNvml {
  nvml::Code init = nvml::kSuccess;
  nvml::Memory memory{100 << 20, 60 << 20, 40 << 20};
  std::vector<nvml::Process> processes;
} fake;

std::atomic<bool> nvml_hangs{false};

// Of a machine with several: a card of its own and a slice of one.
struct FakeCard {
  const char* uuid;
  nvml::Memory memory;
};
std::array fake_others = {FakeCard{"GPU-2", {100 << 20, 5 << 20, 95 << 20}},
                          FakeCard{"MIG-3", {20 << 20, 7 << 20, 13 << 20}}};

FakeCard* OtherCard(nvml::Device device) {
  for (FakeCard& card : fake_others) {
    if (device == &card) return &card;
  }
  return nullptr;
}

nvml::Functions FakeFunctions() {
  nvml::Functions functions;
  functions.init = [] { return fake.init; };
  functions.driver_version = [](char* text, unsigned bytes) {
    std::snprintf(text, bytes, "580.95");
    return nvml::kSuccess;
  };
  functions.device_by_uuid = [](const char* uuid, nvml::Device* device) {
    while (nvml_hangs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    *device = &fake;
    for (FakeCard& card : fake_others) {
      if (std::string(uuid) == card.uuid) *device = &card;
    }
    return *device != &fake || std::string(uuid) == "GPU-1" ? nvml::kSuccess : nvml::kNotFound;
  };
  functions.device_uuid = [](nvml::Device device, char* text, unsigned bytes) {
    std::snprintf(text, bytes, "%s", OtherCard(device) == nullptr ? "GPU-1" : OtherCard(device)->uuid);
    return nvml::kSuccess;
  };
  functions.device_count = [](unsigned* count) {
    *count = 1;
    return nvml::kSuccess;
  };
  functions.device_by_index = [](unsigned, nvml::Device* device) {
    *device = &fake;
    return nvml::kSuccess;
  };
  functions.memory_info = [](nvml::Device device, nvml::Memory* memory) {
    *memory = OtherCard(device) == nullptr ? fake.memory : OtherCard(device)->memory;
    return nvml::kSuccess;
  };
  functions.compute_processes = [](nvml::Device, unsigned* count, nvml::Process* processes) {
    const unsigned room = *count;
    *count = static_cast<unsigned>(fake.processes.size());
    if (room < *count) return nvml::kInsufficientSize;
    for (unsigned i = 0; i < *count; ++i) processes[i] = fake.processes[i];
    return nvml::kSuccess;
  };
  return functions;
}

struct Told {
  std::vector<Event> events;
  std::string names;
  std::vector<int64_t> OfLevel(Level level) const {
    std::vector<int64_t> bytes;
    for (const Event& event : events) {
      if (event.kind == EventKind::kCounter && event.level == level) bytes.push_back(event.bytes);
    }
    return bytes;
  }
};

Told WhatIsTold(void (*when)()) {
  Result<transport::RingReader> ring = transport::RingReader::Create(1024);
  OpenEventStream(transport::RingWriter::Beside(*ring), 0);
  when();
  Told told;
  std::array<Event, 64> batch;
  for (size_t count = 1; count > 0;) {
    count = ring->Pop(batch, true);
    for (size_t i = 0; i < count; ++i) {
      if (batch[i].kind == EventKind::kName) told.names += events::NamePiece(batch[i]);
      if (batch[i].kind != EventKind::kName) told.events.push_back(batch[i]);
    }
  }
  return told;
}

const char* watched_uuid = "";
void (*after_watching)() = nullptr;
Told Watch(const char* uuid, void (*then)() = nullptr) {
  watched_uuid = uuid;
  after_watching = then;
  return WhatIsTold([] {
    WatchCard(FakeFunctions(), watched_uuid);
    if (after_watching != nullptr) after_watching();
  });
}

// Until NVML answers.
int64_t AwaitFreeBytes(const char* uuid) {
  for (int tries = 0; tries < 500 && FreeBytesOfCard(uuid) == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return FreeBytesOfCard(uuid);
}

// Until the sampler finds that much left.
bool AwaitSample(int64_t left) {
  for (int tries = 0; tries < 500 && SampleCard() != left; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return SampleCard() == left;
}

bool InChild(bool (*body)()) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned OwnId() { return static_cast<unsigned>(getpid()); }

}  // namespace

TEST_CASE("A card's name is its sixteen bytes as NVML writes them") {
  const std::array<char, 16> bytes = {0,    17,   34,  51,  68,  85,  102, 119,
                                      -120, -103, -86, -69, -52, -35, -18, -1};
  CHECK(CardUuid(bytes.data()) == "GPU-00112233-4455-6677-8899-aabbccddeeff");
}

TEST_CASE("The card and the process are told when they change, among however many processes") {
  CHECK(InChild([] {
    for (unsigned i = 1; i < 40; ++i) fake.processes.push_back({i + (OwnId() << 8), 1 << 20, 0, 0});
    fake.processes.push_back({OwnId(), 30 << 20, 0, 0});
    static int64_t left = 0;
    const Told told = Watch("GPU-1", [] {
      SampleCard();
      fake.memory.used = 50 << 20;
      left = SampleCard();
    });
    if (told.events.size() != 4 || left != 60 << 20) return false;
    const Event& card = told.events[1];
    const Event& process = told.events[2];
    const Event& changed = told.events[3];
    return told.names.starts_with("live (NVML, driver 580.95, GPU-1)card") && card.level == Level::kCard &&
           card.bytes == 40 << 20 && process.level == Level::kProcess && process.bytes == 30 << 20 &&
           changed.bytes == 50 << 20 && changed.rounded_bytes == 10 << 20 &&
           changed.source == events::Source::kDevice;
  }));
}

TEST_CASE("A process that NVML knows by another number, or tells nothing of, is said") {
  CHECK(InChild([] {
    fake.processes = {{OwnId() + 100'000, 30 << 20, 0, 0}};
    const Told told = Watch("GPU-1", [] {
      for (int i = 0; i < 30; ++i) SampleCard();
    });
    const size_t first = told.names.find("in a container");
    return first != std::string::npos && told.names.find("in a container", first + 1) == std::string::npos;
  }));
  CHECK(InChild([] {
    fake.processes = {{OwnId(), nvml::kNotAvailable, 0, 0}};
    return Watch("GPU-1").names.find("WSL") != std::string::npos;
  }));
}

TEST_CASE("The free bytes of each of several cards are its own, and of a slice the slice's") {
  CHECK(InChild([] {
    fake.processes = {{OwnId(), 30 << 20, 0, 0}};
    static bool as_expected = false;
    WhatIsTold([] {
      WatchCardOfProcess(FakeFunctions());
      as_expected = AwaitFreeBytes("GPU-1") == 60 << 20 && FreeBytesOfCard("GPU-2") == 5 << 20 &&
                    FreeBytesOfCard("GPU-3") == 7 << 20 && FreeBytesOfCard("GPU-4") == 0;
    });
    return as_expected;
  }));
}

TEST_CASE("The card that a process works on is watched, not the first that it has a context on") {
  CHECK(InChild([] {
    fake.processes = {{OwnId(), 30 << 20, 0, 0}};
    static int64_t left = 0;
    const Told told = WhatIsTold([] {
      WatchCardOfProcess(FakeFunctions());
      AwaitFreeBytes("GPU-1");
      if (!AwaitSample(60 << 20)) return;  // the guess
      UsesCard("");
      UsesCard("GPU-2");
      UsesCard("GPU-1");  // worked on later
      if (AwaitSample(5 << 20)) left = SampleCard();
    });
    return told.OfLevel(Level::kCard) == std::vector<int64_t>{40 << 20, 95 << 20} &&
           told.OfLevel(Level::kProcess).front() == 30 << 20 &&
           told.names.find("GPU-2)") != std::string::npos && left == 5 << 20;
  }));
}

TEST_CASE("What a process takes is not told of the next card until NVML lists it there") {
  CHECK(InChild([] {
    fake.processes = {{OwnId(), 30 << 20, 0, 0}};
    const Told told = WhatIsTold([] {
      WatchCardOfProcess(FakeFunctions());
      AwaitFreeBytes("GPU-1");
      if (!AwaitSample(60 << 20)) return;
      fake.processes.clear();
      UsesCard("GPU-2");
      AwaitSample(5 << 20);
    });
    return told.OfLevel(Level::kProcess) == std::vector<int64_t>{30 << 20, 0};
  }));
}

TEST_CASE("Who tells of the card waits for no NVML") {
  CHECK(InChild([] {
    const Told told = WhatIsTold([] {
      WatchCardOfProcess(FakeFunctions(), 1);
      AwaitFreeBytes("GPU-2");
      alarm(20);  // ends a test that waits
      nvml_hangs = true;
      UsesCard("GPU-2");
      nvml_hangs = false;
      AwaitSample(5 << 20);
    });
    return told.OfLevel(Level::kCard) == std::vector<int64_t>{95 << 20};
  }));
}

TEST_CASE("A card that a process uses late is sampled as one that it used at once") {
  CHECK(InChild([] {
    const Told told = WhatIsTold([] {
      WatchCardOfProcess(FakeFunctions(), 1);
      AwaitFreeBytes("GPU-2");
      std::this_thread::sleep_for(std::chrono::milliseconds(250));  // the guesses are over
      UsesCard("GPU-2");
      if (!AwaitSample(5 << 20)) return;
      fake_others[0].memory.used = 50 << 20;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));  // nobody else samples
    });
    return told.names.find("does not know the card") != std::string::npos &&
           told.OfLevel(Level::kCard) == std::vector<int64_t>{95 << 20, 50 << 20};
  }));
}

// As on a real card: seen there with a process that had just made its context.
TEST_CASE("A process that NVML lists late is not missed") {
  CHECK(InChild([] {
    const Told told = Watch("GPU-1", [] {
      for (int i = 0; i < 10; ++i) SampleCard();
      fake.processes = {{OwnId(), 30 << 20, 0, 0}};
      SampleCard();
    });
    return told.names.find("another number") == std::string::npos &&
           told.events.back().level == Level::kProcess;
  }));
  CHECK(InChild([] {
    const Told told = Watch("GPU-1", [] {
      for (int i = 0; i < 30; ++i) SampleCard();
      fake.processes = {{OwnId(), 30 << 20, 0, 0}};
      SampleCard();
    });
    std::vector<uint32_t> states;  // by the number of their sentence
    for (const Event& event : told.events) {
      if (event.kind == EventKind::kMarker) states.push_back(static_cast<uint32_t>(event.name));
    }
    return states.size() == 3 && states[0] == states[2] && states[1] != states[0];
  }));
}

TEST_CASE("No driver, another driver, an unknown card: a sentence, and no samples") {
  CHECK(InChild([] {
    fake.init = nvml::kDriverNotLoaded;
    const Told told = Watch("GPU-1");
    return told.events.size() == 1 && told.names.starts_with("absent: the NVIDIA driver is not loaded");
  }));
  CHECK(InChild([] {
    fake.init = nvml::kLibraryRmVersionMismatch;
    return Watch("GPU-1").names.find("Restart the machine") != std::string::npos;
  }));
  CHECK(InChild([] {
    fake.init = nvml::kNoPermission;
    return Watch("GPU-1").names.find("with the capability \"utility\"") != std::string::npos;
  }));
  CHECK(InChild([] { return Watch("GPU-9").names.find("does not know the card") != std::string::npos; }));
}

}  // namespace tidemark::capture
