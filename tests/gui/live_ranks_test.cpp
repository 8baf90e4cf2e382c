#include "app/gui/live_ranks.h"

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

// A run that goes on by itself, alone or with others.
class RunOfRanks : public session::Run {
 public:
  RunOfRanks() { Grow(); }
  void Grow() { view_ = timeline::Builder().Publish(); }
  void Add(const RunOfRanks* rank) { ranks_.push_back(rank); }

  std::shared_ptr<const timeline::View> view() const override { return view_; }
  session::RunStatus status() const override { return {}; }
  events::RunDescription description() const override { return {}; }
  bool live() const override { return true; }
  std::vector<const session::Run*> ranks() const override { return ranks_; }
  bool Change(const networks::TrainingSettings&) override { return false; }
  bool SetMode(transport::RunMode) override { return false; }
  bool SetPace(double) override { return false; }
  bool Restart(const networks::TrainingSettings&) override { return false; }
  bool SetStepLimit(int64_t) override { return false; }
  void Stop() override {}
  bool WaitUntilSettled(int) override { return true; }
  Status Save(const std::filesystem::path&) const override { return Done{}; }

 private:
  std::shared_ptr<const timeline::View> view_;
  std::vector<const session::Run*> ranks_;
};

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

TEST_CASE("Ranks that nobody wants to see are not read until another run begins") {
  RunOfRanks run;
  run.Add(&run);
  LiveRanks ranks;
  ranks.Close();
  CHECK_FALSE(ranks.BeginReading(run, true, LiveRanks::Clock::now()));
  ranks.Begin();
  CHECK(ranks.BeginReading(run, true, LiveRanks::Clock::now()));
  ranks.Begin();
  CHECK_FALSE(ranks.BeginReading(run, true, LiveRanks::Clock::now()));  // that of the run before goes on
  CHECK_FALSE(ranks.BeginReading(RunOfRanks(), false, LiveRanks::Clock::now()));
}

TEST_CASE("The rank that is shown is the run's own until another is asked for") {
  RunOfRanks run;
  RunOfRanks other;
  run.Add(&run);
  run.Add(&other);
  LiveRanks ranks;
  CHECK(&ranks.ShownOf(run) == &run);
  CHECK_FALSE(ranks.Show(run, 0));
  CHECK_FALSE(ranks.Show(run, 2));
  CHECK(ranks.Show(run, 1));
  CHECK(&ranks.ShownOf(run) == &other);
  CHECK(&ranks.ShownOf(other) == &other);  // one that is alone
  ranks.Begin();
  CHECK(&ranks.ShownOf(run) == &run);
}

}  // namespace tidemark::gui
