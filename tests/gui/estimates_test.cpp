#include "app/gui/background/estimates.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

std::vector<networks::Network> OneNetwork() {
  const Result<networks::Network> network = networks::FindNetwork(networks::TrainingSettings().network);
  REQUIRE(network);
  return {*network};
}

}  // namespace

TEST_CASE("What the textbook does not look at is no other question") {
  const std::vector<networks::Network> networks = OneNetwork();
  Estimates estimates(&networks);
  networks::TrainingSettings settings;
  const textbook::Estimate* const first = estimates.Textbook(settings);
  REQUIRE(first != nullptr);
  settings.learning_rate = 0.5;
  settings.seed = 7;
  settings.data = "cifar-10-batches-bin";
  CHECK(estimates.Textbook(settings) == first);
  settings.batch = 65;
  CHECK(estimates.Textbook(settings) != first);
}

TEST_CASE("A total is the whole estimate's, and needs none") {
  const std::vector<networks::Network> networks = OneNetwork();
  Estimates estimates(&networks);
  networks::TrainingSettings settings;
  const std::optional<int64_t> total = estimates.TextbookBytes(settings);
  CHECK(estimates.textbooks() == 0);
  REQUIRE(estimates.Textbook(settings) != nullptr);
  CHECK(estimates.Textbook(settings)->total_bytes == total);
  settings.network = "of another";
  CHECK_FALSE(estimates.TextbookBytes(settings));
  CHECK(estimates.TextbookBytes(networks::ToJson(networks::TrainingSettings()), 0) == total);
  settings = {};
  settings.checkpoint = {networks::CheckpointMode::kBudget, 0};
  CHECK_FALSE(estimates.TextbookBytes(settings));  // until it is planned
  CHECK(estimates.wants_plans());
}

TEST_CASE(
    "However many settings are looked at, so many estimates are remembered, and what was planned is planned "
    "anew") {
  const std::vector<networks::Network> networks = OneNetwork();
  Estimates estimates(&networks);
  networks::TrainingSettings planned;
  planned.checkpoint = {networks::CheckpointMode::kBudget, 0};
  CHECK(estimates.Textbook(planned) == nullptr);
  const std::vector<WantedPlan> plans = estimates.TakeWanted(1);
  REQUIRE(plans.size() == 1);
  estimates.Keep(plans.front(), {});
  CHECK(estimates.Textbook(planned) != nullptr);
  networks::TrainingSettings settings;
  for (settings.batch = 1; settings.batch <= 1000; ++settings.batch) {
    estimates.BeginFrame();
    REQUIRE(estimates.Textbook(settings) != nullptr);
    CHECK(estimates.textbooks() < 300);
  }
  CHECK(estimates.Textbook(planned) == nullptr);
  CHECK(estimates.wants_plans());
}

TEST_CASE(
    "However many texts are taken for settings, so many are remembered, and none once all is forgotten") {
  const std::vector<networks::Network> networks = OneNetwork();
  Estimates estimates(&networks);
  size_t most = 0;
  for (int i = 0; i < 50'000; ++i) {
    estimates.BeginFrame();
    CHECK(estimates.Textbook(std::to_string(i)) == nullptr);
    most = std::max(most, estimates.settings());
  }
  CHECK(most < 25'000);
  estimates.Forget();
  CHECK(estimates.settings() == 0);
}

}  // namespace tidemark::gui
