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
  std::array<events::Event, 64> told;
  std::string names;
  const size_t count = ring->Pop(told, true);
  for (size_t i = 0; i < count; ++i) {
    if (told[i].kind == events::EventKind::kName) names += events::NamePiece(told[i]);
  }
  // PyTorch is there, since it reported, whatever the loader says.
  CHECK(names.starts_with("live (the CPU's tensors"));
  CHECK(names.find("absent") == std::string::npos);
}

}  // namespace tidemark::capture
