#include "profiler/capture/transport/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/support/catch.h"

namespace tidemark::transport {
namespace {

std::pair<Channel, Channel> Pair() { return std::move(*Channel::CreatePair()); }

TEST_CASE("messages arrive one by one, whole, in both directions", "[channel]") {
  const auto [program, trainer] = Pair();
  REQUIRE(program.Send("one").ok());
  REQUIRE(program.Send(std::string(kMaxMessageBytes, 'x')).ok());
  REQUIRE(trainer.Send("back").ok());
  CHECK((*trainer.Receive(-1))->message == "one");
  CHECK((*trainer.Receive(-1))->message == std::string(kMaxMessageBytes, 'x'));
  CHECK((*program.Receive(-1))->message == "back");
}

TEST_CASE("a descriptor rides on a message and closes on exec", "[channel]") {
  const auto [program, trainer] = Pair();
  const UniqueFd file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  REQUIRE(program.Send("with", file.get()).ok());
  REQUIRE(program.Send("without").ok());
  const auto with = std::move(*trainer.Receive(-1));
  REQUIRE(with->attached_fd.valid());
  CHECK(with->attached_fd.get() != file.get());
  CHECK((fcntl(with->attached_fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
  char magic[4];
  CHECK(read(with->attached_fd.get(), magic, 4) == 4);
  CHECK_FALSE((*trainer.Receive(-1))->attached_fd.valid());
}

TEST_CASE("waiting ends when its time is over", "[channel]") {
  const auto [program, trainer] = Pair();
  const auto nothing = program.Receive(10);
  REQUIRE(nothing.ok());
  CHECK_FALSE(nothing->has_value());
  const auto now = program.Receive(0);
  REQUIRE(now.ok());
  CHECK_FALSE(now->has_value());
}

TEST_CASE("what was sent before the other end went is still received, then its absence is an error",
          "[channel]") {
  auto [program, trainer] = Pair();
  REQUIRE(trainer.Send("last words").ok());
  { const Channel gone = std::move(trainer); }
  CHECK((*program.Receive(-1))->message == "last words");
  const auto after = program.Receive(-1);
  REQUIRE_FALSE(after.ok());
  CHECK(after.error().message.find("gone") != std::string::npos);
  CHECK_FALSE(program.Send("hello?").ok());  // and no SIGPIPE
}

TEST_CASE("last words are received from an end that left messages of ours unread", "[channel]") {
  auto [program, trainer] = Pair();
  REQUIRE(program.Send("never read").ok());
  REQUIRE(trainer.Send("last words").ok());
  REQUIRE(trainer.Send("and more").ok());
  { const Channel gone = std::move(trainer); }
  for (const char* words : {"last words", "and more"}) {
    const auto received = program.Receive(-1);
    REQUIRE(received.ok());
    CHECK((*received)->message == words);
  }
  CHECK_FALSE(program.Receive(-1).ok());
}

TEST_CASE("messages that are too long or empty are refused by the sender", "[channel]") {
  const auto [program, trainer] = Pair();
  const Status too_long = program.Send(std::string(kMaxMessageBytes + 1, 'x'));
  REQUIRE_FALSE(too_long.ok());
  CHECK(too_long.error().message.find("65537") != std::string::npos);
  CHECK_FALSE(program.Send("").ok());
}

TEST_CASE("a message that is too long to receive is an error, not a piece of one", "[channel]") {
  const auto [program, trainer] = Pair();
  const std::string raw(kMaxMessageBytes + 10, 'x');
  REQUIRE(send(trainer.fd(), raw.data(), raw.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(raw.size()));
  const auto received = program.Receive(-1);
  REQUIRE_FALSE(received.ok());
  CHECK(received.error().message.find("longer than") != std::string::npos);
}

TEST_CASE("a peer that does not read: TrySend says so, Send waits for it", "[channel]") {
  const auto [program, trainer] = Pair();
  const std::string message(1000, 'x');
  int sent = 0;
  while (true) {
    const Result<bool> result = program.TrySend(message);
    REQUIRE(result.ok());
    if (!*result) break;
    ++sent;
    REQUIRE(sent < 100'000);
  }
  int received = 0;
  std::thread reader([&, &peer = trainer] {
    for (int i = 0; i < sent + 1; ++i) received += peer.Receive(-1).ok() ? 1 : 0;
  });
  CHECK(program.Send(message).ok());
  reader.join();
  CHECK(received == sent + 1);
}

}  // namespace
}  // namespace tidemark::transport
