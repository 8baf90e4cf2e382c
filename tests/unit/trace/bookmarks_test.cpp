#include "profiler/trace/bookmarks.h"

#include <fstream>

#include "tests/support/catch.h"

namespace tidemark::trace {
namespace {

namespace fs = std::filesystem;

TEST_CASE("Bookmarks are kept in their order beside the recording") {
  const fs::path folder = fs::temp_directory_path() / "tidemark-bookmarks-test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path recording = folder / "run.tide";
  std::vector<Bookmark> bookmarks;
  SetBookmark({200, "later"}, &bookmarks);
  SetBookmark({100, "earlier \"quoted\""}, &bookmarks);
  SetBookmark({200, "later, in other words"}, &bookmarks);
  REQUIRE(bookmarks.size() == 2);
  CHECK(bookmarks[1].text == "later, in other words");
  CHECK(LoadBookmarks(recording)->empty());
  REQUIRE(SaveBookmarks(bookmarks, recording).ok());
  CHECK(*LoadBookmarks(recording) == bookmarks);
  SetBookmark({100, ""}, &bookmarks);
  SetBookmark({200, ""}, &bookmarks);
  REQUIRE(SaveBookmarks(bookmarks, recording).ok());
  CHECK_FALSE(fs::exists(BookmarksFileOf(recording)));

  const std::vector<Bookmark> own = {{300, "of the trace itself"}};
  CHECK(*LoadBookmarks(recording, own) == own);
  REQUIRE(SaveBookmarks({}, recording, true).ok());
  CHECK(LoadBookmarks(recording, own)->empty());

  const fs::path long_name = folder / (std::string(250, 'y') + ".tide");  // 255 bytes, and with more no name
  CHECK(SaveBookmarks({}, long_name).ok());
  CHECK(LoadBookmarks(long_name)->empty());
  CHECK_FALSE(SaveBookmarks(own, long_name).ok());
  fs::remove_all(folder);
}

TEST_CASE("Bookmarks that make no sense are a sentence, or left out one by one") {
  const fs::path folder = fs::temp_directory_path() / "tidemark-bad-bookmarks-test";
  fs::create_directories(folder);
  const fs::path recording = folder / "run.tide";
  const auto write = [&](const char* text) { std::ofstream(BookmarksFileOf(recording)) << text; };
  write("not JSON");
  const Result<std::vector<Bookmark>> unreadable = LoadBookmarks(recording);
  REQUIRE_FALSE(unreadable.ok());
  CHECK(unreadable.error().message.find("left as it is") != std::string::npos);
  write(R"([{"time_ns": "x"}, 7, {"time_ns": 5, "text": "one"}, {"time_ns": 1e300, "text": "no"}])");
  const Result<std::vector<Bookmark>> some = LoadBookmarks(recording);
  REQUIRE(some.ok());
  REQUIRE(some->size() == 1);
  CHECK((*some)[0].text == "one");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tidemark::trace
