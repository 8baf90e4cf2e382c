#include "app/gui/background/latest_request.h"

#include <chrono>
#include <thread>
#include <vector>

#include "app/gui/searches/checkpoint_planner.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

networks::TrainingSettings SettingsOf(const networks::Network& network, int batch) {
  networks::TrainingSettings settings;
  settings.network = network.name;
  settings.batch = batch;
  return settings;
}

void Finish(BackgroundJobs& jobs) {
  for (int i = 0; i < 30'000 && !jobs.empty(); ++i) {
    jobs.Poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

TEST_CASE("Nothing but the latest request is wanted, and not even that once something else is shown") {
  LatestRequest latest;
  const Request first = latest.Begin();
  CHECK(first.wanted());
  const Request second = latest.Begin();
  CHECK_FALSE(first.wanted());
  CHECK(second.wanted());
  latest.Drop();
  CHECK_FALSE(second.wanted());
  CHECK(latest.Begin().wanted());
}

TEST_CASE("Prices of a network that another came in the place of are nobody's, and no Cancel of a person's") {
  const std::vector<networks::Network> networks = *networks::LoadNetworks();
  const networks::TrainingSettings settings = SettingsOf(networks.front(), 8);
  BackgroundJobs jobs;
  Estimates estimates(&networks);
  CheckpointPlanner planner(&jobs, &estimates);
  planner.AskForPrices(settings, std::nullopt, networks);
  planner.Forget();
  Finish(jobs);
  CHECK_FALSE(planner.prices().made_for);
  CHECK_FALSE(planner.prices().cancelled_for);

  planner.AskForPrices(settings, std::nullopt, networks);
  planner.AskForPrices(SettingsOf(networks.front(), 16), std::nullopt, networks);  // overtakes it
  Finish(jobs);
  CHECK_FALSE(planner.prices().made_for);
  planner.AskForPrices(settings, std::nullopt, networks);
  Finish(jobs);
  REQUIRE(planner.prices().made_for);
  CHECK(planner.prices().made_for->settings == settings);
  CHECK_FALSE(planner.prices().ways.empty());
}

TEST_CASE("Ways to checkpoint are planned once, whatever way is in force") {
  const std::vector<networks::Network> networks = *networks::LoadNetworks();
  networks::TrainingSettings settings = SettingsOf(*networks::NetworkNamed(networks, "simple-conv-net"), 64);
  settings.checkpoint = {networks::CheckpointMode::kBudget, 0, 20'000'000};  // which comes to what none does
  BackgroundJobs jobs;
  Estimates estimates(&networks);
  CheckpointPlanner planner(&jobs, &estimates);
  planner.AskForPrices(settings, std::nullopt, networks);
  Finish(jobs);
  planner.AskForPrices(settings, std::nullopt, networks);
  CHECK(jobs.empty());
  for (const PricedWay& way : planner.prices().ways) {
    settings.checkpoint = way.point.checkpoint;
    planner.AskForPrices(settings, std::nullopt, networks);
    CHECK(jobs.empty());
  }
}

}  // namespace tidemark::gui
