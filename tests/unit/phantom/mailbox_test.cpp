#include "profiler/phantom/ranks/mailbox.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom::ranks {
namespace {

constexpr std::chrono::milliseconds kSoon{30};

TEST_CASE("Ranks hear each other in the order in which each spoke") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  Mailbox first(folder, "all", 0, 3);
  Mailbox second(folder, "all", 1, 3);
  Mailbox third(folder, "all", 2, 3);
  const std::string long_one(1 << 20, 'x');
  REQUIRE(first.Say({1, 2}, "one").ok());
  REQUIRE(first.Say({1}, long_one).ok());
  REQUIRE(third.Say({1, 2}, "").ok());
  CHECK(*second.Hear(2) == "");
  CHECK(*second.Hear(0) == "one");
  CHECK(*second.Hear(0) == long_one);
  CHECK(*third.Hear(2) == "");
  CHECK(*third.Hear(0) == "one");
  CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE("Groups of the same ranks do not hear each other") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  Mailbox whole(folder, "all", 0, 1);
  Mailbox part(folder, whole.NameOfNextPart(), 0, 1);
  REQUIRE(whole.Say({0}, "whole").ok());
  REQUIRE(part.Say({0}, "part").ok());
  CHECK(*part.Hear(0) == "part");
  CHECK(*whole.Hear(0) == "whole");
  CHECK(whole.NameOfNextPart() != whole.NameOfNextPart());
}

TEST_CASE("A rank waits for another, but not for ever") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  Mailbox first(folder, "all", 0, 2);
  Mailbox second(folder, "all", 1, 2);
  std::thread speaker([&first] {
    std::this_thread::sleep_for(kSoon);
    CHECK(first.Say({1}, "late").ok());
  });
  CHECK(*second.Hear(0) == "late");
  speaker.join();
  CHECK(first.Hear(1, kSoon).error().message.find("Rank 1 sent nothing for") == 0);
  std::thread other([&first] {
    std::this_thread::sleep_for(kSoon);
    first.GiveUp();
  });
  CHECK(first.Hear(1).error().message == "Rank 1 is not waited for any more.");
  other.join();
}

TEST_CASE("A rank does not wait for a program that has ended") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "gone";
  Mailbox alone(folder, "all", 0, 2);
  CHECK(alone.Hear(1).error().message == "Rank 1 sent nothing before its program ended.");
  CHECK(alone.Say({1}, "x").error().message.find("cannot be kept in") != std::string::npos);
}

TEST_CASE("Ranks meet where the first of them says") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  unsetenv(kRanksVariable);
  CHECK_FALSE(NewMeetingPlace().has_value());
  setenv(kRanksVariable, folder.c_str(), 1);
  const std::optional<MeetingPlace> place = NewMeetingPlace();
  REQUIRE(place.has_value());
  CHECK(NewMeetingPlace()->group != place->group);
  unsetenv(kRanksVariable);

  const std::string text = TextOf(*place, 256);
  const std::optional<MeetingPlace> met = MeetingPlaceFrom(text + std::string(10, '\0'));
  REQUIRE(met.has_value());
  CHECK(met->folder == folder);
  CHECK(met->group == place->group);
  CHECK(TextOf(*place, text.size()).empty());
  CHECK_FALSE(MeetingPlaceFrom("").has_value());
  CHECK_FALSE(MeetingPlaceFrom("tidemark 1").has_value());
  CHECK_FALSE(MeetingPlaceFrom(TextOf({scratch / "elsewhere", "1"}, 256)).has_value());
}

}  // namespace
}  // namespace tidemark::phantom::ranks
