#include "app/gui/shown_run.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {
namespace {

// A process of a run, or all of one that is one alone.
class NotedProcess : public session::FakeRun {
 public:
  explicit NotedProcess(std::vector<uint8_t> cards = {0}) : cards_(std::move(cards)) { Allocate(); }
  void Allocate() {
    for (const uint8_t card : cards_) stream_.Allocate(++address_ << 20, 512).device = card;
    view_ = stream_.Publish();
  }
  void CountOnCard() {
    stream_.Add(events::EventKind::kCounter, 0, 1);
    view_ = stream_.Publish();
  }
  void Add(const NotedProcess* rank) { ranks_.push_back(rank); }
  void RecordTo(const std::filesystem::path& file) { recording_ = file; }

  bool has_file() const override { return recording_.has_value(); }
  std::optional<std::filesystem::path> recording() const override { return recording_; }
  std::shared_ptr<const timeline::View> view() const override { return view_; }
  std::vector<const session::Run*> ranks() const override { return ranks_; }

 private:
  std::vector<uint8_t> cards_;
  timeline::Stream stream_;
  uint64_t address_ = 0;
  std::shared_ptr<const timeline::View> view_;
  std::vector<const session::Run*> ranks_;
  std::optional<std::filesystem::path> recording_;
};

class ReadProcess : public NotedProcess {
 public:
  bool has_file() const override { return true; }
};

presenters::Band AnyBand() { return Result<session::ReservedBand>(session::ReservedBand()); }

}  // namespace

TEST_CASE("A run is saved as far as a file holds it, whatever the card counts meanwhile") {
  const trace::Scratch scratch;
  const auto run = std::make_shared<NotedProcess>();
  ShownRun shown(run, RunOrigin::kBegun);
  CHECK_FALSE(shown.is_saved());
  CHECK(shown.needs_keeping());
  shown.TakeSaved(run.get(), scratch / "own.tide", run->view()->end());
  CHECK(shown.is_saved());
  run->CountOnCard();
  CHECK(shown.is_saved());
  run->Allocate();
  CHECK_FALSE(shown.is_saved());
}

TEST_CASE("What was noted before a run is saved goes beside its file with what is noted after") {
  const trace::Scratch scratch;
  const auto run = std::make_shared<NotedProcess>();
  ShownRun shown(run, RunOrigin::kBegun);
  CHECK(shown.Note(shown.process(), {1, "before"}).ok());
  CHECK(shown.TakeSaved(run.get(), scratch / "own.tide", run->view()->end()).size() == 1);
  CHECK(shown.Note(shown.process(), {2, "after"}).ok());
  CHECK(*trace::LoadBookmarks(scratch / "own.tide") == shown.bookmarks());
  CHECK(shown.bookmarks().size() == 2);
  // Another file holds it now.
  shown.TakeSaved(run.get(), scratch / "other.tide", run->view()->end());
  CHECK(shown.Note(shown.process(), {3, "later"}).ok());
  CHECK(trace::LoadBookmarks(scratch / "other.tide")->size() == 3);
}

TEST_CASE("What is noted in a run that is recorded as it goes is kept beside the recording") {
  const trace::Scratch scratch;
  const auto run = std::make_shared<NotedProcess>();
  run->RecordTo(scratch / "run.tide");
  ShownRun shown(run, RunOrigin::kBegun);
  CHECK_FALSE(shown.needs_keeping());
  CHECK(shown.Note(shown.process(), {1, "here"}).ok());
  CHECK(trace::LoadBookmarks(scratch / "run.tide")->size() == 1);
  CHECK(shown.TakeSaved(run.get(), scratch / "copy.tide", run->view()->end()).size() == 1);
  CHECK(shown.Note(shown.process(), {2, "there"}).ok());
  CHECK(trace::LoadBookmarks(scratch / "run.tide")->size() == 2);
}

TEST_CASE("Beside notes that cannot be read none are kept, which is said, and a copy gets all") {
  const trace::Scratch scratch;
  const std::filesystem::path damaged = trace::BookmarksFileOf(scratch / "run.tide");
  std::ofstream(damaged) << "{";
  std::shared_ptr<NotedProcess> run = std::make_shared<ReadProcess>();
  SECTION("of a file that was read") {}
  SECTION("of one that is written as it goes") {
    run = std::make_shared<NotedProcess>();
    run->RecordTo(scratch / "run.tide");
  }
  ShownRun shown(run, RunOrigin::kBegun);
  CHECK_FALSE(shown.ReadNotes(scratch / "run.tide").ok());
  const Status noted = shown.Note(shown.process(), {1, "here"});
  REQUIRE_FALSE(noted.ok());
  CHECK(noted.error().message.find("run.tide.bookmarks.json") != std::string::npos);
  CHECK(trace::ReadFile(damaged) == "{");
  CHECK(shown.TakeSaved(run.get(), scratch / "copy.tide", run->view()->end()).size() == 1);
  CHECK(shown.Note(shown.process(), {2, "there"}).ok());
  CHECK(trace::LoadBookmarks(scratch / "copy.tide")->size() == 2);
}

TEST_CASE("What is noted in a file that nobody knows the name of is said to be in none") {
  ShownRun shown(std::make_shared<ReadProcess>(), RunOrigin::kFollowed);
  CHECK(shown.ReadNotesOfFollowed().ok());
  CHECK_FALSE(shown.Note(shown.process(), {1, "here"}).ok());
}

TEST_CASE("The window's own run is nobody's until something is noted in it") {
  ShownRun shown(std::make_shared<NotedProcess>(), RunOrigin::kBegun);
  shown.SetExample(true);
  CHECK_FALSE(shown.needs_keeping());
  CHECK(shown.Note(shown.process(), {1, "here"}).ok());
  CHECK(shown.needs_keeping());
}

TEST_CASE("Each rank has its own notes, and its own band") {
  const auto run = std::make_shared<NotedProcess>();
  const NotedProcess other;
  run->Add(run.get());
  run->Add(&other);
  ShownRun shown(run, RunOrigin::kBegun);
  shown.ranks().List(*run);
  const auto first = shown.part();
  CHECK(first.get() == run.get());
  CHECK(shown.AskForBand());
  CHECK_FALSE(shown.AskForBand());
  shown.TakeBand(first, AnyBand());
  CHECK(shown.band());
  CHECK(shown.Note(shown.process(), {1, "of the first"}).ok());
  CHECK_FALSE(shown.Follow());

  CHECK(shown.ShowRank(1));
  CHECK(shown.part().get() == &other);
  CHECK(shown.bookmarks().empty());
  CHECK_FALSE(shown.band());
  CHECK(shown.AskForBand());
  shown.TakeBand(first, AnyBand());  // which comes late
  CHECK_FALSE(shown.band());
  CHECK_FALSE(shown.ShowRank(1));
  CHECK(shown.ShowRank(0));
  CHECK(shown.bookmarks().size() == 1);
}

TEST_CASE("A rank that comes before the one that is shown takes its place where nobody chose") {
  const auto run = std::make_shared<NotedProcess>();
  const NotedProcess rank;
  ShownRun shown(run, RunOrigin::kBegun);
  run->Add(&rank);
  CHECK(shown.Follow());
  CHECK(shown.part().get() == &rank);
}

TEST_CASE("What was noted before a launcher's first rank came is kept with that rank") {
  const trace::Scratch scratch;
  const auto launcher = std::make_shared<NotedProcess>();
  NotedProcess rank;
  rank.RecordTo(scratch / "run.rank0.tide");
  ShownRun shown(launcher, RunOrigin::kBegun);
  CHECK(shown.Note(shown.process(), {2, "before"}).ok());
  CHECK(shown.CarryNotes().ok());  // there is none yet
  CHECK(shown.bookmarks().size() == 1);
  launcher->Add(&rank);
  CHECK(shown.Follow());
  CHECK(shown.CarryNotes().ok());
  CHECK(shown.bookmarks() == std::vector<trace::Bookmark>{{2, "before"}});
  CHECK(*trace::LoadBookmarks(scratch / "run.rank0.tide") == shown.bookmarks());
  CHECK(shown.Note(shown.process(), {1, "after"}).ok());
  CHECK(shown.CarryNotes().ok());  // once
  CHECK(shown.bookmarks().size() == 2);
}

TEST_CASE(
    "What was asked for in a launcher is noted in the rank that came meanwhile, and without a run nowhere") {
  const auto launcher = std::make_shared<NotedProcess>();
  const NotedProcess rank;
  ShownRun shown(launcher, RunOrigin::kBegun);
  const auto asked_in = shown.process();
  launcher->Add(&rank);
  CHECK(shown.Follow());
  CHECK(shown.Note(asked_in, {1, "here"}).ok());
  CHECK(shown.bookmarks() == std::vector<trace::Bookmark>{{1, "here"}});
  shown = {};
  CHECK_FALSE(shown.Note(asked_in, {1, "here"}).ok());
  CHECK_FALSE(shown.Note(shown.process(), {1, "here"}).ok());
}

TEST_CASE("One card of a run is shown alone, and another rank whole again") {
  const auto run = std::make_shared<NotedProcess>(std::vector<uint8_t>{0, 1});
  const NotedProcess other;
  run->Add(run.get());
  run->Add(&other);
  ShownRun shown(run, RunOrigin::kBegun);
  CHECK(shown.cards().all == std::vector<uint8_t>{0, 1});
  CHECK(shown.ShowCard(1));
  CHECK(shown.cards().alone == 1);
  const auto card = shown.part();
  CHECK(card.get() != run.get());
  CHECK(shown.Note(shown.process(), {1, "of the process"}).ok());
  CHECK(shown.ShowCard({}));
  CHECK(shown.bookmarks().size() == 1);
  CHECK(shown.ShowCard(1));
  CHECK(shown.part() == card);  // which has gone on meanwhile
  shown.ranks().List(*run);
  CHECK(shown.ShowRank(1));
  CHECK_FALSE(shown.cards().alone);
  CHECK(shown.cards().all.empty());
}

TEST_CASE("A run is told from one that has come in its place") {
  auto run = std::make_shared<NotedProcess>();
  const std::weak_ptr<const session::Run> before = run;
  ShownRun shown(std::move(run), RunOrigin::kBegun);
  CHECK(shown.Is(before));
  CHECK(shown.Is(shown.part()));
  shown = ShownRun(std::make_shared<NotedProcess>(), RunOrigin::kBegun);
  CHECK_FALSE(shown.Is(before));
  shown = ShownRun();
  CHECK_FALSE(shown);
  CHECK_FALSE(shown.Is(before));
}

}  // namespace tidemark::gui
