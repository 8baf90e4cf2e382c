// What the probe says of PyTorch's allocator, on a stream of the test's own.
#include "profiler/capture/probe/allocator_state.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"

namespace {

using namespace std::chrono_literals;

std::thread other;

// The names that came since it was asked last, one after the other.
std::string NamesTold(tidemark::transport::RingReader& ring) {
  std::array<tidemark::events::Event, 64> told;
  std::string names;
  const size_t count = ring.Pop(told, true);
  for (size_t i = 0; i < count; ++i) {
    if (told[i].kind == tidemark::events::EventKind::kName) names += tidemark::events::NamePiece(told[i]);
  }
  return names;
}

}  // namespace

// The loader's lock is held here. Another thread begins CUDA, and asks the loader whether PyTorch is there;
// meanwhile a tensor is made.
extern "C" __attribute__((visibility("default"))) void TidemarkTestWhileLoading() {
  other = std::thread([] { tidemark::capture::TellAllocatorsOutlook(); });
  std::this_thread::sleep_for(200ms);  // until it waits for the loader
  tidemark::capture::TellAllocatorReports(/*is_cuda=*/false);
}

namespace tidemark::capture {

TEST_CASE("A library that allocates while it is loaded keeps nobody waiting for ever") {
  Result<transport::RingReader> ring = transport::RingReader::Create(64);
  REQUIRE(ring);
  OpenEventStream(transport::RingWriter::Beside(*ring), 0);
  alarm(20);  // ends a test that waits
  REQUIRE(dlopen(TIDEMARK_LOADING_LIBRARY, RTLD_NOW) != nullptr);
  other.join();
  alarm(0);
  const std::string names = NamesTold(*ring);
  // PyTorch is there, since it reported, whatever the loader says.
  CHECK(names.starts_with("live (the CPU's tensors"));
  CHECK(names.find("absent") == std::string::npos);

  // Of a card beside it, one figure is of both.
  TellAllocatorReports(/*is_cuda=*/true);
  CHECK(NamesTold(*ring).find("is of both together") != std::string::npos);
}

}  // namespace tidemark::capture
