#include "app/gui/kept_runs.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

class UnsavedRun : public session::FakeRun {
 public:
  explicit UnsavedRun(bool has_file = false, size_t allocations = 3, int rank = 0)
      : has_file_(has_file), rank_(rank) {
    timeline::Stream stream;
    for (size_t i = 0; i < allocations; ++i) stream.Allocate((i + 1) << 20, 512);
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }
  bool has_file() const override { return has_file_; }
  events::RunDescription description() const override {
    events::RunDescription description;
    description.title = "nets/tiny on a card";
    description.rank = rank_;
    return description;
  }

 private:
  std::shared_ptr<const timeline::View> view_;
  const bool has_file_;
  const int rank_;
};

class ChosenRun : public session::FakeRun {
 public:
  explicit ChosenRun(const networks::TrainingSettings& settings) {
    timeline::Stream stream;
    stream.Mark(stream.Name("start"), stream.Name(ToJson(settings)));
    stream.Allocate(1 << 20, 1536);
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  std::shared_ptr<const timeline::View> view_;
};

class Ranks : public UnsavedRun {
 public:
  std::vector<const session::Run*> ranks() const override { return {this, &other_}; }

 private:
  UnsavedRun other_;
};

// A launcher, and what holds memory of the ranks with these numbers.
class Launcher : public UnsavedRun {
 public:
  explicit Launcher(const std::vector<int>& ranks) {
    for (const int rank : ranks) ranks_.push_back(std::make_unique<UnsavedRun>(false, 3, rank));
  }
  std::vector<const session::Run*> ranks() const override {
    std::vector<const session::Run*> ranks;
    for (const auto& rank : ranks_) ranks.push_back(rank.get());
    return ranks;
  }

 private:
  std::vector<std::unique_ptr<UnsavedRun>> ranks_;
};

// No file becomes larger, as long as this lives.
class LargestFile {
 public:
  explicit LargestFile(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited = before_;
    limited.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~LargestFile() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, on_excess_);
  }
  LargestFile(const LargestFile&) = delete;
  LargestFile& operator=(const LargestFile&) = delete;

 private:
  void (*on_excess_)(int) = std::signal(SIGXFSZ, SIG_IGN);  // writing fails instead
  rlimit before_{};
};

fs::path EmptyFolder() {
  const fs::path folder = fs::temp_directory_path() / ("kept-runs-" + std::to_string(getpid()));
  fs::remove_all(folder);
  return folder;
}

size_t FilesIn(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("What nobody saved is kept whole, with its bookmarks, under a name that tells when and what") {
  const fs::path folder = EmptyFolder();
  CHECK_FALSE(HasKeptRuns(folder));
  const auto run = std::make_shared<UnsavedRun>();
  const auto kept = KeepRun({run, {{run.get(), {{1, "here"}}}}, true, "nets/tiny on a card"}, folder);
  REQUIRE(kept.ok());
  REQUIRE(*kept);
  const std::string name = (*kept)->file.filename().string();
  CHECK(name.substr(name.find(' ')) == " nets-tiny on a card, peak 1.5 kB.tide");
  const auto read = session::Run::Open((*kept)->file);
  REQUIRE(read.ok());
  CHECK((*read)->view()->end() == run->view()->end());
  CHECK(trace::LoadBookmarks((*kept)->file)->size() == 1);
  CHECK(HasKeptRuns(folder));
  fs::remove_all(folder);
}

TEST_CASE("Runs of one network are told apart by what was chosen") {
  const fs::path folder = EmptyFolder();
  const auto name_of = [&](const networks::TrainingSettings& settings) {
    const auto kept = KeepRun({std::make_shared<ChosenRun>(settings), {}, true, "tiny"}, folder);
    REQUIRE((kept.ok() && *kept));
    const std::string name = (*kept)->file.filename().string();
    return name.substr(name.find(' ') + 1);
  };
  networks::TrainingSettings settings;
  settings.batch = 64;
  CHECK(name_of(settings) == "tiny, batch 64, peak 1.5 kB.tide");
  settings.batch = 128;
  settings.amp = networks::Precision::kFloat16;
  settings.checkpoint.mode = networks::CheckpointMode::kByLayer;
  CHECK(name_of(settings) == "tiny, batch 128, fp16 on, checkpoint none → by layer, peak 1.5 kB.tide");
}

TEST_CASE("The name of a run tells no peak while a lesson asks for it") {
  const fs::path folder = EmptyFolder();
  const auto kept = KeepRun({std::make_shared<UnsavedRun>(), {}, true, "a run", true}, folder);
  REQUIRE(kept.ok());
  const std::string name = (*kept)->file.filename().string();
  CHECK(name.substr(name.find(' ')) == " a run.tide");
  fs::remove_all(folder);
}

TEST_CASE("Sorted by name, what was kept is sorted by time, within a second too") {
  const fs::path folder = EmptyFolder();
  std::vector<fs::path> kept;
  for (int i = 0; i < 4; ++i)
    kept.push_back((*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, folder))->file);
  CHECK(FilesIn(folder) == kept.size());
  CHECK(std::ranges::is_sorted(kept));
  fs::remove_all(folder);
}

TEST_CASE("What a file holds, what is empty and what has no folder is not kept") {
  const fs::path folder = EmptyFolder();
  CHECK_FALSE(*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(true), {}, true, "a run"}, folder));
  CHECK_FALSE(*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(false, 0), {}, true, "a run"}, folder));
  CHECK_FALSE(*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, ""));
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("Every rank of a run is kept") {
  const fs::path folder = EmptyFolder();
  const auto kept = KeepRun(LeavingRun{std::make_shared<Ranks>(), {}, true, "a run"}, folder);
  REQUIRE(kept.ok());
  CHECK((*kept)->file.string().ends_with(".rank0.tide"));
  CHECK(FilesIn(folder) == 2);
  fs::remove_all(folder);
}

TEST_CASE("Ranks are kept under their own numbers, and what is the only one under none") {
  const fs::path folder = EmptyFolder();
  const auto kept =
      KeepRun(LeavingRun{std::make_shared<Launcher>(std::vector{4, 5}), {}, true, "a run"}, folder);
  REQUIRE(kept.ok());
  const std::string first = (*kept)->file.string();
  REQUIRE(first.ends_with(".rank4.tide"));
  CHECK(fs::exists(first.substr(0, first.rfind(".rank4")) + ".rank5.tide"));
  CHECK(FilesIn(folder) == 2);
  const auto alone =
      KeepRun(LeavingRun{std::make_shared<Launcher>(std::vector{0}), {}, true, "a run"}, folder);
  REQUIRE(alone.ok());
  CHECK((*alone)->file.string().find(".rank") == std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("What was noted in a rank is kept beside that rank") {
  const fs::path folder = EmptyFolder();
  const auto run = std::make_shared<Ranks>();
  const session::Run* const second = run->ranks()[1];
  const auto kept = KeepRun({run, {{second, {{1, "here"}}}}, true, "a run"}, folder);
  REQUIRE(kept.ok());
  const std::string first = (*kept)->file.string();
  CHECK(trace::LoadBookmarks(first)->empty());
  const std::string other = first.substr(0, first.rfind(".rank0")) + ".rank1.tide";
  REQUIRE(trace::LoadBookmarks(other)->size() == 1);
  CHECK(trace::LoadBookmarks(other)->front().text == "here");
  fs::remove_all(folder);
}

TEST_CASE("The newest runs are kept, and the oldest go with their bookmarks") {
  const fs::path folder = EmptyFolder();
  fs::create_directories(folder);
  for (size_t i = 0; i < kMostKept; ++i)
    std::ofstream(folder / ("20200101-0000" + std::to_string(10 + i) + " old.tide")) << "old";
  const fs::path oldest = folder / "20200101-000010 old.tide";
  std::ofstream(trace::BookmarksFileOf(oldest)) << "[]";
  REQUIRE(*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, folder));
  CHECK_FALSE(fs::exists(oldest));
  CHECK_FALSE(fs::exists(trace::BookmarksFileOf(oldest)));
  CHECK(FilesIn(folder) == kMostKept);
  fs::remove_all(folder);
}

TEST_CASE("What was just kept stays, though the clock has gone back since the others were") {
  const fs::path folder = EmptyFolder();
  fs::create_directories(folder);
  for (size_t i = 0; i < kMostKept; ++i) {
    const fs::path later = folder / ("20990101-0000" + std::to_string(10 + i) + " later.tide");
    std::ofstream(later) << "later";
    fs::last_write_time(later, fs::file_time_type::clock::now() + std::chrono::hours(1));
  }
  const auto kept = KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, folder);
  REQUIRE((kept.ok() && *kept));
  CHECK(fs::exists((*kept)->file));
  CHECK_FALSE(fs::exists(folder / "20990101-000010 later.tide"));
  CHECK(FilesIn(folder) == kMostKept);
  fs::remove_all(folder);
}

TEST_CASE("Of others those stay that were written last, whatever local time their names tell") {
  const fs::path folder = EmptyFolder();
  fs::create_directories(folder);
  const fs::path first = folder / "20990101-000000 before the clocks went back.tide";
  std::ofstream(first) << "first";
  fs::last_write_time(first, fs::file_time_type::clock::now() - std::chrono::hours(1));
  for (size_t i = 1; i < kMostKept; ++i)
    std::ofstream(folder / ("20200101-0000" + std::to_string(10 + i) + " later.tide")) << "later";
  REQUIRE(*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, folder));
  CHECK_FALSE(fs::exists(first));
  CHECK(FilesIn(folder) == kMostKept);
  fs::remove_all(folder);
}

TEST_CASE("A run whose bookmarks cannot be written is kept, and what is missing is said") {
  const fs::path folder = EmptyFolder();
  const auto run = std::make_shared<UnsavedRun>();
  constexpr rlim_t kLargest = 1 << 20;
  const LeavingRun leaving{run, {{run.get(), {{1, std::string(2 * kLargest, 'x')}}}}, true, "a run"};
  const LargestFile of_bookmarks_is_larger(kLargest);
  const auto kept = KeepRun(leaving, folder);
  REQUIRE((kept.ok() && *kept));
  CHECK(fs::exists((*kept)->file));
  CHECK(WhatIsMissing(**kept).starts_with(", but not its bookmarks. "));
  fs::remove_all(folder);
}

TEST_CASE("A run of many ranks counts as one, and goes whole") {
  const fs::path folder = EmptyFolder();
  fs::create_directories(folder);
  for (size_t rank = 0; rank < 3; ++rank)
    std::ofstream(folder / ("20200101-000009 old.rank" + std::to_string(rank) + ".tide")) << "old";
  for (size_t i = 1; i < kMostKept; ++i)
    std::ofstream(folder / ("20200101-0000" + std::to_string(10 + i) + " old.tide")) << "old";
  REQUIRE(*KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, folder));
  CHECK(FilesIn(folder) == kMostKept);
  REQUIRE(*KeepRun(LeavingRun{std::make_shared<Ranks>(), {}, true, "a run"}, folder));
  CHECK(FilesIn(folder) == kMostKept + 1);
  fs::remove_all(folder);
}

TEST_CASE("That a run cannot be kept is said") {
  const fs::path folder = EmptyFolder();
  std::ofstream(folder) << "a file where a folder should be";
  CHECK_FALSE(KeepRun(LeavingRun{std::make_shared<UnsavedRun>(), {}, true, "a run"}, folder).ok());
  fs::remove(folder);
}

TEST_CASE("Of a long title as many letters are kept as there is room for, and the peak") {
  const fs::path folder = EmptyFolder();
  std::string title(59, 'x');
  title += "ü and more";
  const auto kept = KeepRun({std::make_shared<UnsavedRun>(), {}, true, title}, folder);
  REQUIRE(kept.ok());
  const std::string name = (*kept)->file.filename().string();
  CHECK(name.substr(name.find(' ')) == " " + std::string(59, 'x') + ", peak 1.5 kB.tide");
  CHECK_FALSE(*KeepRun({std::make_shared<UnsavedRun>(), {}, false, title}, folder));  // somebody saved it
  fs::remove_all(folder);
}

}  // namespace tidemark::gui
