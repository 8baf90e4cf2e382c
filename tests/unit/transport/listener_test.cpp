// A program asks for a ring by the socket's name, and gets it, or is declined.
#include "profiler/capture/transport/listener.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "tests/support/catch.h"

namespace tidemark::transport {
namespace {

std::optional<Listener::Caller> Await(const Listener& listener) {
  pollfd waiting{listener.fd(), POLLIN, 0};
  REQUIRE(poll(&waiting, 1, 10'000) == 1);
  return listener.Accept();
}

TEST_CASE("What is pushed onto the ring that was asked for arrives") {
  const Result<Listener> listener = Listener::Create();
  REQUIRE(listener.ok());
  CHECK_FALSE(listener->Accept().has_value());
  Result<RingReader> ring = RingReader::Create(64);
  REQUIRE(ring.ok());
  setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", 1);
  std::thread program([name = listener->name()] {
    Result<std::optional<RingWriter>> writer = AskForRing(name);
    events::Event event;
    event.bytes = 7;
    if (writer && writer->has_value()) (*writer)->Push(event);
  });
  const std::optional<Listener::Caller> caller = Await(*listener);
  REQUIRE(caller.has_value());
  CHECK(caller->process_id == getpid());
  CHECK(caller->allocator_settings == "expandable_segments:True");
  CHECK(Listener::Answer(*caller, *ring).ok());
  program.join();
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
  std::array<events::Event, 4> events;
  REQUIRE(ring->Pop(events, true) == 1);
  CHECK(events[0].bytes == 7);
}

TEST_CASE("Who is not answered has no ring, and no error") {
  const Result<Listener> listener = Listener::Create();
  REQUIRE(listener.ok());
  bool has_ring = true;
  bool ok = false;
  std::thread program([&, name = listener->name()] {
    const Result<std::optional<RingWriter>> answer = AskForRing(name);
    ok = answer.ok();
    has_ring = ok && answer->has_value();
  });
  REQUIRE(Await(*listener).has_value());  // and let go at once
  program.join();
  CHECK(ok);
  CHECK_FALSE(has_ring);
}

TEST_CASE("A socket that nobody listens on cannot be reached") {
  std::string name;
  {
    const Result<Listener> listener = Listener::Create();
    REQUIRE(listener.ok());
    name = listener->name();
  }
  CHECK_FALSE(AskForRing(name).ok());
}

}  // namespace
}  // namespace tidemark::transport
