#include "app/presenters/run/rank_strip.h"

#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

session::Ranks RanksOf(const std::vector<int64_t>& peaks) {
  session::Ranks ranks;
  for (const int64_t peak : peaks) {
    session::RankPeaks& rank = ranks.ranks.emplace_back();
    rank.rank = static_cast<int64_t>(ranks.ranks.size()) - 1;
    rank.allocated = peak;
    rank.reserved = peak + 100;
  }
  return ranks;
}

TEST_CASE("the largest, the smallest and the odd one out of the ranks") {
  const RankStrip strip = MakeRankStrip(RanksOf({1000, 1010, 990, 1500, 1005}), std::nullopt);
  CHECK(strip.bars.size() == 5);
  CHECK(strip.largest == 3U);
  CHECK(strip.smallest == 2U);
  CHECK(strip.odd == 3U);
  CHECK(strip.median == 1005);
  CHECK(strip.top == 1600);
}

TEST_CASE("a rank whose memory ran out and that went on is no rank that it ended") {
  session::Ranks ranks = RanksOf({1000, 1010});
  ranks.ranks[0].times_survived = 2;
  ranks.ranks[1].out_of_memory = true;
  const RankStrip strip = MakeRankStrip(ranks, std::nullopt);
  CHECK_FALSE(strip.bars[0].out_of_memory);
  CHECK(SurvivedText(strip.bars[0].times_survived) == "memory ran out 2 times, and the run went on");
  CHECK(SurvivedText(1) == "memory ran out once, and the run went on");
  CHECK(strip.bars[1].out_of_memory);
  CHECK(SurvivedText(strip.bars[1].times_survived).empty());
}

TEST_CASE("the odd one may be the smallest") {
  CHECK(MakeRankStrip(RanksOf({1000, 1010, 400, 1005}), std::nullopt).odd == 2U);
}

TEST_CASE("ranks that are alike, or spread, have no odd one") {
  CHECK_FALSE(MakeRankStrip(RanksOf({1000, 1000, 1000}), std::nullopt).odd);
  CHECK_FALSE(MakeRankStrip(RanksOf({1000, 1000, 1000, 1009}), std::nullopt).odd);  // by less than 1 %
  CHECK_FALSE(MakeRankStrip(RanksOf({1000, 1200, 1400, 1600, 1800}), std::nullopt).odd);
  CHECK_FALSE(MakeRankStrip(RanksOf({1000, 5000}), std::nullopt).odd);
}

TEST_CASE("a rank is held against the median, and of two against the other") {
  const RankStrip three = MakeRankStrip(RanksOf({1000, 1500, 1000}), std::nullopt);
  CHECK(AgainstOthers(three, three.bars[0]) == "the median");
  CHECK(AgainstOthers(three, three.bars[1]) == "50.00 % above the median");
  const RankStrip two = MakeRankStrip(RanksOf({1000, 1500}), std::nullopt);
  CHECK(AgainstOthers(two, two.bars[1]) == "50.00 % above rank 0");
  CHECK(AgainstOthers(two, two.bars[0]) == "33.33 % below rank 1");
  const RankStrip alike = MakeRankStrip(RanksOf({1000, 1000}), std::nullopt);
  CHECK(AgainstOthers(alike, alike.bars[0]) == "as much as rank 1");
  const RankStrip one = MakeRankStrip(RanksOf({1000}), std::nullopt);
  CHECK(AgainstOthers(one, one.bars[0]).empty());
}

TEST_CASE("a rank without a recording leaves its place free") {
  session::Ranks ranks = RanksOf({1000, 1000, 1000});
  ranks.ranks[2].rank = 4;
  RankStrip strip = MakeRankStrip(ranks, std::nullopt);
  CHECK(strip.bars[1].place == 1);
  CHECK(strip.bars[2].place == 4);
  CHECK(strip.places == 5);
  ranks.ranks[2].rank = 20240131;  // of a name that tells a day
  strip = MakeRankStrip(ranks, std::nullopt);
  CHECK(strip.bars[2].place == 2);
  CHECK(strip.places == 3);
}

TEST_CASE("a rank's bar says what its file lacks, not how one that goes on is doing") {
  session::Ranks ranks = RanksOf({900, 800});
  for (session::RankPeaks& rank : ranks.ranks) rank.warning = "it is cut off";
  ranks.ranks[0].file = "run.rank0.tide";
  const RankStrip strip = MakeRankStrip(ranks, std::nullopt);
  CHECK(strip.bars[0].warning == "it is cut off");
  CHECK(strip.bars[1].warning.empty());
}

TEST_CASE("ranks are put beside each other step by step") {
  session::Ranks ranks = RanksOf({900, 800, 700});
  ranks.ranks[0].steps = {{0, 500, 600}, {1, 900, 1000}};
  ranks.ranks[1].steps = {{0, 510, 600}};
  ranks.ranks[2].steps = {{0, 505, 600}, {1, 700, 1000}, {4, 1, 1}};
  CHECK(StepsOf(ranks) == std::vector<int64_t>{0, 1, 4});
  const RankStrip strip = MakeRankStrip(ranks, 1);
  CHECK(strip.largest == 0U);
  CHECK(strip.smallest == 2U);
  CHECK_FALSE(strip.bars[1].known);
  CHECK(strip.median == 700);
  const RankStrip none = MakeRankStrip(ranks, 3);
  CHECK(none.bars.size() == 3);
  CHECK_FALSE(none.largest);
}

}  // namespace
}  // namespace tidemark::presenters
