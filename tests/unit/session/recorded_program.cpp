// A program that asks for a ring as the probe would, tells of blocks, and ends as it is told:
// recorded_program ENTRY ALLOCATIONS END, where END is its exit code, 128 + N for signal N, or -1 to wait.
// A program of its own, since a copy of a test with threads may find a lock of the sanitizer's allocator
// held.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "profiler/capture/transport/listener.h"

int main(int count, char** words) {
  using namespace tidemark;
  if (count != 4) return 2;
  signal(SIGTERM, SIG_DFL);
  const std::string entry = words[1];
  const int64_t allocations = std::atoll(words[2]);
  const int end = std::atoi(words[3]);
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  if (!ring || !ring->has_value()) return 3;
  for (int64_t i = 1; i <= allocations; ++i) {
    (*ring)->Push({.address = static_cast<uint64_t>(i) * 512,
                   .bytes = 512,
                   .rounded_bytes = 512,
                   .source = events::Source::kAllocator});
  }
  if (end == -1) pause();
  if (end > 128) kill(getpid(), end - 128);
  _exit(end);
}
