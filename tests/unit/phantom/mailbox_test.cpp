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

TEST_CASE("Ranks receive from each other in the order in which each sent") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  Mailbox first(folder, "all", 0, 3);
  Mailbox second(folder, "all", 1, 3);
  Mailbox third(folder, "all", 2, 3);
  const std::string long_one(1 << 20, 'x');
  REQUIRE(first.Send({1, 2}, "one").ok());
  REQUIRE(first.Send({1}, long_one).ok());
  REQUIRE(third.Send({1, 2}, "").ok());
  CHECK(*second.Receive(2) == "");
  CHECK(*second.Receive(0) == "one");
  CHECK(*second.Receive(0) == long_one);
  CHECK(*third.Receive(2) == "");
  CHECK(*third.Receive(0) == "one");
  CHECK(std::filesystem::is_empty(folder));
}

TEST_CASE("Groups of the same ranks do not receive each other's messages") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  Mailbox whole(folder, "all", 0, 1);
  Mailbox part(folder, whole.NameOfNextPart(), 0, 1);
  REQUIRE(whole.Send({0}, "whole").ok());
  REQUIRE(part.Send({0}, "part").ok());
  CHECK(*part.Receive(0) == "part");
  CHECK(*whole.Receive(0) == "whole");
  CHECK(whole.NameOfNextPart() != whole.NameOfNextPart());
  CHECK(whole.NameWithout({1, 2}) != whole.NameWithout({2}));
}

TEST_CASE("A rank waits for another, but not for ever") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "";
  Mailbox first(folder, "all", 0, 2);
  Mailbox second(folder, "all", 1, 2);
  std::thread speaker([&first] {
    std::this_thread::sleep_for(kSoon);
    CHECK(first.Send({1}, "late").ok());
  });
  CHECK(*second.Receive(0) == "late");
  speaker.join();
  CHECK(first.Receive(1, kSoon).error().message.find("Rank 1 sent nothing for") == 0);
  std::thread other([&first] {
    std::this_thread::sleep_for(kSoon);
    first.GiveUp();
  });
  CHECK(first.Receive(1).error().message == "Rank 1 is not waited for any more.");
  other.join();
}

TEST_CASE("A rank does not wait for a program that has ended") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / "gone";
  Mailbox alone(folder, "all", 0, 2);
  CHECK(alone.Receive(1).error().message == "Rank 1 sent nothing before its program ended.");
  CHECK(alone.Send({1}, "x").error().message.find("cannot be kept in") != std::string::npos);
}

TEST_CASE("Ranks meet where the first of them says, in the folder that all of them know") {
  const trace::Scratch scratch;
  const std::filesystem::path folder = scratch / std::string(40, 'x');
  unsetenv(kRanksVariable);
  CHECK(NewGroupId().empty());
  setenv(kRanksVariable, folder.c_str(), 1);
  const std::string id = NewGroupId();
  CHECK(id != NewGroupId());
  CHECK_FALSE(MeetingPlaceOf(id).has_value());  // not there
  std::filesystem::create_directory(folder);
  const std::optional<MeetingPlace> met = MeetingPlaceOf(id + std::string(10, '\0'));
  REQUIRE(met.has_value());
  CHECK(met->folder == folder);
  CHECK(id.ends_with(" " + met->group));
  CHECK_FALSE(MeetingPlaceOf("").has_value());
  CHECK_FALSE(MeetingPlaceOf("tidemark elsewhere 1").has_value());
  unsetenv(kRanksVariable);
  CHECK_FALSE(MeetingPlaceOf(id).has_value());
}

}  // namespace
}  // namespace tidemark::phantom::ranks
