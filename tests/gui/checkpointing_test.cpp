#include "app/gui/panels/checkpointing.h"

#include <algorithm>

#include "app/gui/background/checkpoint_prices.h"
#include "app/gui/background/estimates.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using networks::Checkpointing;
using networks::CheckpointMode;

std::vector<CheckpointWay> Ways() {
  return {{{CheckpointMode::kSegments, 3}, 20'000'000, 40'000'000, 1, 0, true, {}, false},
          {{}, 50'000'000, 70'000'000, 0, 0, true, {}, false},
          {{CheckpointMode::kSegments, 1}, 50'000'000, 70'000'000, 1, 0, false, {}, false}};
}

}  // namespace

TEST_CASE("Each way to checkpoint says what it gains, and why it gains nothing") {
  const std::vector<CheckpointWay> ways = Ways();
  const auto why = [&](size_t way) { return WhyOfWay(ways[way], ways, ByteUnit::kMegabytes); };
  CHECK(why(0) ==
        "100 % of forward runs again for 30.0 MB less: backward needs 20.0 MB at most, the segments' "
        "inputs and what one segment saves.");
  CHECK(why(1) == "Nothing runs again: all 50.0 MB that backward needs are kept.");
  CHECK(why(2).starts_with(
      "100 % of forward runs again and gains nothing: when backward comes to the largest"));
}

TEST_CASE("Where the peak is elsewhere, a way that keeps less says that it stays") {
  std::vector<CheckpointWay> ways = Ways();
  const auto stays = [&] {
    return WhyOfWay(ways[0], ways, ByteUnit::kMegabytes).find("the peak stays") != std::string::npos;
  };
  CHECK_FALSE(stays());  // nobody has asked the phantom
  ways[0].phantom_bytes = ways[1].phantom_bytes = 500'000'000;
  CHECK(stays());
  ways[0].phantom_bytes = 545'600'000;
  CHECK_FALSE(stays());
  CHECK(WhyOfWay(ways[0], ways, ByteUnit::kMegabytes).find("the peak is 45.6 MB higher all the same") !=
        std::string::npos);
  ways[0].phantom_bytes = 470'000'000;
  CHECK_FALSE(stays());
}

TEST_CASE("A curve answers for its settings and every way on it") {
  CheckpointPrices prices;
  PriceQuestion question;
  CHECK_FALSE(prices.Answers(question));
  prices.made_for = question;
  for (const CheckpointWay& way : Ways()) {
    textbook::CurvePoint point;
    point.checkpoint = way.checkpoint;
    prices.ways.push_back({point, 0});
  }
  for (const CheckpointWay& way : Ways()) {
    question.settings.checkpoint = way.checkpoint;
    CHECK(prices.Answers(question));
  }
  question.settings.checkpoint = {CheckpointMode::kSegments, 2};
  CHECK_FALSE(prices.Answers(question));
  question.settings.checkpoint = {};
  question.settings.batch *= 2;
  CHECK_FALSE(prices.Answers(question));
}

TEST_CASE("A budget is planned elsewhere, once, unless it was given up") {
  const std::vector<networks::Network> networks{*networks::FindNetwork("lenet")};
  Estimates estimates(&networks);
  networks::TrainingSettings settings;
  settings.network = "lenet";
  CHECK(estimates.Textbook(settings) != nullptr);
  CHECK_FALSE(estimates.wants_plans());
  settings.checkpoint = {CheckpointMode::kBudget, 0, 1'000'000'000};
  CHECK(estimates.Textbook(settings) == nullptr);
  CHECK(estimates.Textbook(settings) == nullptr);
  const std::vector<WantedPlan> wanted = estimates.TakeWanted(8);
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].settings == settings);
  const uint64_t version = estimates.version();
  estimates.GiveUpPlans();
  CHECK(estimates.Textbook(settings) == nullptr);
  CHECK_FALSE(estimates.wants_plans());
  estimates.PlanAgain();
  CHECK(estimates.Textbook(settings) == nullptr);
  CHECK(estimates.TakeWanted(8).size() == 1);
  estimates.Keep(wanted[0], textbook::EstimateMemory(wanted[0].network, settings));
  CHECK(estimates.version() > version);
  REQUIRE(estimates.Textbook(settings) != nullptr);
  CHECK(estimates.Textbook(settings)->least_budget_bytes == 0);
}

TEST_CASE("The textbook's figure is the rank's own where ranks share the optimizer's state") {
  const std::vector<networks::Network> networks{*networks::FindNetwork("lenet")};
  Estimates estimates(&networks);
  networks::TrainingSettings settings;
  settings.network = "lenet";
  settings.ranks = 2;
  settings.zero = networks::ZeroStage::kState;
  const int64_t first = estimates.Textbook(settings, 0)->optimizer_bytes;
  const int64_t second = estimates.Textbook(settings, 1)->optimizer_bytes;
  CHECK(first != second);
  CHECK(second == textbook::EstimateMemory(networks[0], settings, 1).optimizer_bytes);
  CHECK(estimates.Textbook(settings, 2)->optimizer_bytes == first);  // there is no such rank
}

}  // namespace tidemark::gui
