#include "app/cli/run_writer.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "app/presenters/run/run_formats.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/presenters/training.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::cli {
namespace {

class WrittenRun : public session::FakeRun {
 public:
  WrittenRun() { training.Step(0, 1000, 1000); }
  std::shared_ptr<const timeline::View> view() const override { return training.Publish(); }

  mutable presenters::Training training;
};

TEST_CASE("Whatever a run is written as, how far it is is told, and a cancel leaves no file") {
  const trace::Scratch scratch;
  const WrittenRun run;
  for (const presenters::RunFormat& format : presenters::RunFormats()) {
    CAPTURE(format.key);
#if !TIDEMARK_ARROW
    if (format.key == std::string("arrow")) continue;
#endif
    const std::filesystem::path file = scratch / ("run" + std::string(format.ending));
    CHECK_FALSE(WriteRun({run, {}}, format.key, file, [](double) { return false; }));
    CHECK_FALSE(std::filesystem::exists(file));
    double told = 0;
    CHECK(WriteRun({run, {}}, format.key, file, [&](double share) {
      told = share;
      return true;
    }));
    CHECK(told == 1);
    CHECK(std::filesystem::file_size(file) > 0);
  }
}

TEST_CASE("What is written over a file of another run does not show that one's bookmarks") {
  const trace::Scratch scratch;
  const WrittenRun run;
  for (const char* const format : {"tide", "perfetto", "chrome"}) {
    CAPTURE(format);
    const std::filesystem::path file = scratch / format;
    REQUIRE(trace::SaveBookmarks({{1, "of another"}}, file).ok());
    CHECK(WriteRun({run, {}}, format, file, {}));
    CHECK(trace::LoadBookmarks(file)->empty());
  }
}

TEST_CASE(
    "What was noted in a run stays when its own file is written over in a format without a place for it") {
  const trace::Scratch scratch;
  const WrittenRun run;
  const std::filesystem::path file = scratch / "snapshot.pickle";
  const std::vector<trace::Bookmark> own = {{1, "here"}};
  REQUIRE(trace::SaveBookmarks(own, file).ok());
  CHECK(WriteRun({run, own}, "pickle", file, {}));
  CHECK(*trace::LoadBookmarks(file) == own);
  CHECK(WriteRun({run, {{1, "elsewhere"}}}, "pickle", file, {}));
  CHECK(trace::LoadBookmarks(file)->empty());
}

TEST_CASE("A picture of the timeline has the bookmarks, and of any other it is told that it has not") {
  const trace::Scratch scratch;
  const WrittenRun run;
  const session::NotedRun noted{run, {{run.view()->TimeOf(3), "the first hill"}}};
  const std::filesystem::path file = scratch / "run.svg";
  REQUIRE(WriteRun(noted, "svg", file));
  std::ifstream drawn(file);
  std::ostringstream svg;
  svg << drawn.rdbuf();
  CHECK(svg.str().find(">the first hill<") != std::string::npos);
  CHECK(LeftOutBy(noted, "svg", file).empty());
  REQUIRE(LeftOutBy(noted, "svg", scratch / "run.map.svg").size() == 1);
  CHECK(LeftOutBy(noted, "svg", scratch / "run.map.svg")[0].find("bookmarks") != std::string::npos);
}

TEST_CASE("Folded stacks are of the peak, and that is told; a run without allocations has none") {
  const trace::Scratch scratch;
  WrittenRun run;
  run.training.Step(1, 3000, 3000);
  run.training.Step(2, 1000, 1000);
  const std::filesystem::path file = scratch / "run.folded";
  REQUIRE(WriteRun({run, {}}, "folded", file));
  CHECK(trace::ReadFile(file) ==
        "backward;conv1;aten::relu;temporary 3072\nforward;conv1;aten::relu;activation 3072\n");
  CHECK(LeftOutBy({run, {}}, "folded", file) ==
        std::vector<std::string>{
            "Of the run it holds one moment: 6,144 B allocated at the peak of the run, in step 1."});
  WrittenRun none;
  none.training = {};
  CHECK_FALSE(WriteRun({none, {}}, "folded", scratch / "none.folded"));
  CHECK(scratch.FileCount() == 1);
}

}  // namespace
}  // namespace tidemark::cli
