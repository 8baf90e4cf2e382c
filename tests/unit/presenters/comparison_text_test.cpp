#include "app/presenters/comparison/comparison_text.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

StreamsSummary Summary(const Training& a, const Training& b) {
  const auto view_a = a.Publish();
  const auto view_b = b.Publish();
  return SummaryOf(CompareStreams(*view_a, *view_b, ComparedSteps::kAll), *view_a, "this run", *view_b,
                   "other.tide");
}

Training TrainingWith(int64_t activation_bytes, int steps) {
  Training training;
  training.Weight(4096);
  for (int step = 0; step < steps; ++step) training.Step(step, activation_bytes, 1000);
  return training;
}

}  // namespace

TEST_CASE("Two runs that are the same are said to be, in steps and allocations") {
  const StreamsSummary same = Summary(TrainingWith(8000, 3), TrainingWith(8000, 3));
  CHECK(same.sentence == "Steps: 3 in both. 7 allocations, the same in both, in order.");
  CHECK(same.first_difference.empty());
  CHECK_FALSE(same.first_in_a);
}

TEST_CASE("Of a run that was restarted it is told that only what came since is compared") {
  Training restarted = TrainingWith(1 << 20, 5);
  for (int step = 0; step < 2; ++step) restarted.Step(step, 8000, 1000);
  const StreamsSummary summary = Summary(restarted, TrainingWith(8000, 2));
  CHECK(summary.sentence.starts_with(
      "Of this run only what came since it began anew. Steps: 2 in both. Allocations: 4 agree in order"));
  CHECK(Summary(restarted, restarted)
            .sentence.starts_with("Of both only what came since each began anew. Steps: 2 in both. 4 "
                                  "allocations, the same in both"));
}

TEST_CASE("Of runs of other lengths it is told which steps only one has, and what agrees in the others") {
  const StreamsSummary longer = Summary(TrainingWith(8000, 3), TrainingWith(8000, 2));
  CHECK(longer.sentence ==
        "Steps: 2 in both, 1 only in this run. Allocations: 5 agree in order, of 7 in this run and 5 in "
        "other.tide; 1 difference.");
  INFO(longer.first_difference);
  CHECK(longer.first_difference.find("\nother.tide: goes on without it at event 32, after step 1") !=
        std::string::npos);
  REQUIRE(longer.first_in_a);
}

TEST_CASE("The first difference is told of both, and where it is") {
  const Training small = TrainingWith(8000, 2);
  const StreamsSummary other = Summary(small, TrainingWith(16'000, 2));
  REQUIRE(other.first_in_a);
  CHECK(small.Publish()->event(*other.first_in_a).bytes == 8000);
  INFO(other.first_difference);
  CHECK(other.first_difference.starts_with(
      "this run: event 11, step 0, forward: 8,000 B in a block of 8,192 B, conv1"));
  CHECK(other.first_difference.find("16,000 B in a block of 16,384 B") != std::string::npos);
}

TEST_CASE("A comparison of requests that nobody waits for any more ends") {
  const Training training = TrainingWith(8000, 100);
  const auto view = training.Publish();
  int asked = 0;
  CompareStreams(*view, *view, ComparedSteps::kAll, [&](double share) {
    CHECK(share <= 1);
    return ++asked < 3;
  });
  CHECK(asked == 3);
}

TEST_CASE("Cancel is heard within some thousand requests of runs that tell no step, wherever the work is") {
  timeline::Stream stream_a;
  timeline::Stream stream_b;
  constexpr int64_t kBlocks = 100'000;
  for (int64_t block = 1; block <= kBlocks; ++block) {
    const auto address = static_cast<uint64_t>(block) << 20;
    stream_a.Allocate(address, 1024 * block);
    stream_b.Allocate(address, 1024 * (block + 2 * kBlocks));
  }
  const auto a = stream_a.Publish();
  const auto b = stream_b.Publish();
  const auto times_asked = [&](int most) {
    int asked = 0;
    CompareStreams(*a, *b, ComparedSteps::kAll, [&](double) { return ++asked < most; });
    return asked;
  };
  const int all = times_asked(std::numeric_limits<int>::max());
  CHECK(all > 80);  // both are read, hashed, sorted and searched
  for (const int most : {1, 2, all / 4, all / 2, all - all / 4, all - 1}) CHECK(times_asked(most) == most);
}

}  // namespace tidemark::presenters
