#include "app/gui/background/live_ranks.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/application.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

// A run that goes on by itself, alone or with others.
class RunOfRanks : public session::FakeRun {
 public:
  RunOfRanks() { Grow(); }
  void Grow() { view_ = timeline::Builder().Publish(); }
  void Allocate() {
    timeline::Stream stream;
    stream.Allocate(1 << 20, 512);
    view_ = stream.Publish();
  }
  void Add(const RunOfRanks* rank) { ranks_.push_back(rank); }
  void AddBefore(const RunOfRanks* rank) { ranks_.insert(ranks_.begin(), rank); }

  std::shared_ptr<const timeline::View> view() const override {
    ++looked_at_;
    return view_;
  }
  int looked_at() const { return looked_at_; }
  bool live() const override { return true; }
  std::vector<const session::Run*> ranks() const override { return ranks_; }

 private:
  std::shared_ptr<const timeline::View> view_;
  mutable std::atomic<int> looked_at_ = 0;
  std::vector<const session::Run*> ranks_;
};

// Once they are listed.
bool ShowsRank(Application& app, int64_t rank) {
  const auto* const before = app.scene_input().log;
  return PollUntil(app, [&] {
    app.Push(OpenRank{rank});
    app.ExecuteCommands();
    return app.scene_input().log != before;
  });
}

}  // namespace

TEST_CASE("Ranks that go on are read when they have changed, a few times a second, one reading at a time") {
  RunOfRanks run;
  RunOfRanks other;
  run.Add(&run);
  run.Add(&other);
  LiveRanks ranks;
  LiveRanks::Clock::time_point now = LiveRanks::Clock::now();
  const auto first = ranks.BeginReading(run, false, now);
  REQUIRE(first);
  CHECK(first->ranks.size() == 2);
  CHECK_FALSE(first->with_curves);
  other.Grow();
  CHECK_FALSE(ranks.BeginReading(run, false, now += 1s));  // one goes on
  ranks.EndReading();
  CHECK(ranks.BeginReading(run, false, now));
  ranks.EndReading();
  CHECK_FALSE(ranks.BeginReading(run, false, now += 1s));  // nothing has changed
  other.Grow();
  CHECK(ranks.BeginReading(run, false, now += 1s));
  ranks.EndReading();
  other.Grow();
  CHECK_FALSE(ranks.BeginReading(run, false, now += 1ms));
  CHECK(ranks.BeginReading(run, true, now));  // curves are wanted
}

TEST_CASE("Ranks whose strip is hidden are not read until it is shown again") {
  const auto application = Application::Create({}, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto run = std::make_shared<RunOfRanks>();
  RunOfRanks other;
  run->Add(run.get());
  run->Add(&other);
  app.ShowRun(run);
  int read = other.looked_at();
  const auto is_read = [&] { return other.looked_at() != std::exchange(read, other.looked_at()); };
  const auto hide_or_show = [&] {
    app.Push(ActionId::kRankStrip);
    app.ExecuteCommands();
  };
  REQUIRE(PollUntil(app, is_read));
  REQUIRE(ShowsRank(app, 1));  // the strip is there
  REQUIRE(ShowsRank(app, 0));
  hide_or_show();
  CHECK_FALSE(app.view_state().rank_strip);
  PollUntil(app, [&] { return !app.waiting(); });
  is_read();  // what was under way
  other.Grow();
  for (const auto end = LiveRanks::Clock::now() + 500ms; LiveRanks::Clock::now() < end;) app.Poll();
  CHECK_FALSE(is_read());
  hide_or_show();
  CHECK(PollUntil(app, is_read));
  hide_or_show();
  app.ShowRun(std::make_shared<RunOfRanks>());
  CHECK(app.view_state().rank_strip);  // those of the next run are seen
}

TEST_CASE("A run that is one alone is not read for ranks") {
  CHECK_FALSE(LiveRanks().BeginReading(RunOfRanks(), false, LiveRanks::Clock::now()));
}

TEST_CASE("The rank that is shown is the run's own until another is asked for") {
  RunOfRanks run;
  RunOfRanks other;
  run.Add(&run);
  run.Add(&other);
  LiveRanks ranks;
  ranks.List(run);
  CHECK(&ranks.ShownOf(run) == &run);
  CHECK_FALSE(ranks.Show(run, 0));
  CHECK_FALSE(ranks.Show(run, 2));
  CHECK(ranks.Show(run, 1));
  CHECK(&ranks.ShownOf(run) == &other);
  CHECK(&ranks.ShownOf(other) == &other);  // one that is alone
}

TEST_CASE("A rank that is asked for stays where others come before it; else the first is shown") {
  RunOfRanks run;
  RunOfRanks first;
  RunOfRanks last;
  run.Add(&last);
  LiveRanks ranks;
  CHECK(&ranks.ShownOf(run) == &last);
  CHECK_FALSE(ranks.BeginReading(run, true, LiveRanks::Clock::now()));  // one alone
  run.AddBefore(&first);
  CHECK(&ranks.ShownOf(run) == &first);
  ranks.List(run);
  RunOfRanks before;
  run.AddBefore(&before);  // the strip does not tell of it yet
  CHECK(ranks.Show(run, 1));
  CHECK(&ranks.ShownOf(run) == &last);
  CHECK(ranks.PlaceOfShown(run) == 2);
}

TEST_CASE("What was tried of one rank is not told of another") {
  const auto run = std::make_shared<RunOfRanks>();
  RunOfRanks other;
  for (RunOfRanks* rank : {run.get(), &other}) {
    rank->Allocate();
    run->Add(rank);
  }
  ApplicationOptions options;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kPhantom, 0, "t4"};
  options.services.allocator_of = [](const events::RunDescription&) {
    return Error{"There is no such torch."};
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  (*application)->ShowRun(run);
  (*application)->Push(TryAllocators{});
  (*application)->ExecuteCommands();
  const Trials& found = *(*application)->scene_input().trials;
  CHECK(found.error == "There is no such torch.");
  PollUntil(**application, [&] {  // they are listed
    (*application)->Push(OpenRank{1});
    (*application)->ExecuteCommands();
    return found.error.empty();
  });
  CHECK(found.error.empty());
}

class EndedProgram : public RunOfRanks {
 public:
  session::RunStatus status() const override {
    session::RunStatus status;
    status.state = session::RunState::kFinished;
    return status;
  }
  events::RunDescription description() const override {
    events::RunDescription description;
    description.title = "train.py on phantom NVIDIA T4";
    return description;
  }
};

TEST_CASE("The band of other orders of addresses is of the rank that is shown") {
  const auto run = std::make_shared<EndedProgram>();
  EndedProgram other;
  for (EndedProgram* rank : {run.get(), &other}) {
    rank->Allocate();
    run->Add(rank);
  }
  ApplicationOptions options;
  options.services.band_of = [&](const session::Run& of, const Progress&) -> presenters::Band {
    return Result<session::ReservedBand>(Error{&of == &other ? "rank 1" : "rank 0"});
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto is_of = [&](const char* rank) {
    const presenters::Band& band = app.scene_input().band;
    return band && band->error().message == rank;
  };
  app.ShowRun(run);
  CHECK(PollUntil(app, [&] { return is_of("rank 0"); }));
  REQUIRE(ShowsRank(app, 1));
  CHECK_FALSE(app.scene_input().band);
  CHECK(PollUntil(app, [&] { return is_of("rank 1"); }));
}

TEST_CASE("A run of ranks is saved once each of them is") {
  const auto run = std::make_shared<RunOfRanks>();
  RunOfRanks first;
  RunOfRanks second;
  for (RunOfRanks* rank : {run.get(), &first, &second}) rank->Allocate();
  run->Add(&first);
  const trace::Scratch scratch;
  const auto application = Application::Create({}, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto save = [&](const char* name) {
    app.Push(SaveRecording{scratch / name});
    app.ExecuteCommands();
    REQUIRE(PollUntil(app, [&] {
      const auto& lines = app.scene_input().log->lines();
      return !lines.empty() && lines.back().text == "Saved " + (scratch / name).string() + ".";
    }));
  };
  const auto quits = [&] {
    app.Push(ActionId::kQuit);
    app.ExecuteCommands();
    app.Poll();
    return app.wants_to_quit();
  };
  app.ShowRun(run);
  app.Poll();
  save("rank0.tide");
  SECTION("the only one") { CHECK(quits()); }
  SECTION("one after the other") {
    run->Add(&second);
    CHECK_FALSE(quits());
    REQUIRE(ShowsRank(app, 1));
    save("rank1.tide");
    CHECK(quits());
  }
}

TEST_CASE("What was noted in a rank is there when it is shown again") {
  const auto run = std::make_shared<RunOfRanks>();
  RunOfRanks other;
  for (RunOfRanks* rank : {run.get(), &other}) {
    rank->Allocate();
    run->Add(rank);
  }
  const trace::Scratch scratch;
  ApplicationOptions options;
  options.kept_runs = scratch / "kept";
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.ShowRun(run);
  app.Push(KeepBookmark{app.shown_process(), 1, "in rank 0"});
  app.ExecuteCommands();
  REQUIRE(ShowsRank(app, 1));
  app.Push(KeepBookmark{app.shown_process(), 2, "in rank 1"});
  app.ExecuteCommands();
  REQUIRE(app.KeepOnClosing().size() == 1);
  std::vector<std::string> noted;
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "kept")) {
    if (entry.path().extension() != ".tide") continue;
    const auto bookmarks = trace::LoadBookmarks(entry.path());
    REQUIRE(bookmarks->size() == 1);
    noted.push_back(entry.path().stem().extension().string() + ": " + bookmarks->front().text);
  }
  std::ranges::sort(noted);
  CHECK(noted == std::vector<std::string>{".rank0: in rank 0", ".rank1: in rank 1"});
}

}  // namespace tidemark::gui
