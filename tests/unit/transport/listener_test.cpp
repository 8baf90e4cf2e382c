// A program asks for a ring by the socket's name, and gets it, or is declined.
#include "profiler/capture/transport/listener.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/support/catch.h"

namespace tidemark::transport {
namespace {

std::optional<Listener::Caller> Await(Listener& listener) {
  std::optional<Listener::Caller> caller;
  while (!caller) {
    pollfd waiting{listener.fd(), POLLIN, 0};
    REQUIRE(poll(&waiting, 1, 10'000) == 1);
    caller = listener.Accept();
  }
  return caller;
}

// Says nothing.
UniqueFd Connect(const std::string& name) {
  UniqueFd connected(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  REQUIRE(connect(connected.get(), reinterpret_cast<const sockaddr*>(&address), bytes) == 0);
  return connected;
}

TEST_CASE("What is pushed onto the ring that was asked for arrives") {
  Result<Listener> listener = Listener::Create();
  REQUIRE(listener.ok());
  CHECK_FALSE(listener->Accept().has_value());
  Result<RingReader> ring = RingReader::Create(64);
  REQUIRE(ring.ok());
  setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", 1);
  setenv("RANK", "3", 1);  // by itself: /proc/self/environ has none
  setenv("WORLD_SIZE", "4", 1);
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
  CHECK(caller->rank_environment == std::string("RANK=3\0WORLD_SIZE=4\0", 20));
  CHECK(Listener::Answer(*caller, *ring).ok());
  program.join();
  for (const char* const name : {"PYTORCH_CUDA_ALLOC_CONF", "RANK", "WORLD_SIZE"}) unsetenv(name);
  std::array<events::Event, 4> events;
  REQUIRE(ring->Pop(events, true) == 1);
  CHECK(events[0].bytes == 7);
}

TEST_CASE("With no descriptor free who asks waits, and the listener rests meanwhile and tells") {
  Result<Listener> listener = Listener::Create();
  REQUIRE(listener.ok());
  const UniqueFd program = Connect(listener->name());
  REQUIRE(send(program.get(), "ask ", 4, 0) == 4);
  CHECK(listener->trouble().empty());
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const auto first_free = static_cast<rlim_t>(UniqueFd(dup(program.get())).get());
  const rlimit none_free{first_free, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_NOFILE, &none_free) == 0);
  pollfd waiting{listener->fd(), POLLIN, 0};
  const bool was_readable = poll(&waiting, 1, 1000) == 1;
  const bool was_accepted = listener->Accept().has_value();
  const bool stays_readable = poll(&waiting, 1, 50) == 1;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(was_readable);
  CHECK_FALSE(was_accepted);
  CHECK_FALSE(stays_readable);
  CHECK(listener->trouble().find("ulimit -n") != std::string::npos);
  CHECK(listener->Accept().has_value());
  const UniqueFd next = Connect(listener->name());
  REQUIRE(send(next.get(), "ask ", 4, 0) == 4);
  CHECK(poll(&waiting, 1, 1000) == 1);
  CHECK(listener->Accept().has_value());
}

TEST_CASE("Who connects and says nothing keeps nobody waiting, and has its turn after a second") {
  Result<Listener> listener = Listener::Create();
  REQUIRE(listener.ok());
  const UniqueFd silent = Connect(listener->name());
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(listener->Accept().has_value());
  std::thread program([name = listener->name()] { (void)AskForRing(name); });
  std::optional<Listener::Caller> asked = Await(*listener);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500));
  CHECK(asked->allocator_settings.has_value());
  std::optional<Listener::Caller> late;
  while (!late && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    usleep(10'000);
    late = listener->Accept();
  }
  REQUIRE(late.has_value());
  CHECK_FALSE(late->allocator_settings.has_value());
  CHECK(late->process_id == getpid());
  asked.reset();  // and with it the program's waiting
  program.join();
}

TEST_CASE("Who is not answered has no ring, and no error") {
  Result<Listener> listener = Listener::Create();
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
