#include "app/gui/batch_search.h"

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

session::Prediction FitsUpTo(int limit, const networks::TrainingSettings& settings) {
  session::Prediction prediction;
  prediction.out_of_memory = settings.batch > limit;
  return prediction;
}

}  // namespace

TEST_CASE("The largest batch that fits is found, close enough") {
  for (const int limit : {1, 2, 63, 64, 777, 2047, 4000}) {
    networks::TrainingSettings failed;
    failed.batch = 4096;
    BatchSearch search;
    search.Begin(failed);
    int questions = 0;
    search.Continue([&](const networks::TrainingSettings& settings) {
      ++questions;
      return std::optional(FitsUpTo(limit, settings));
    });
    REQUIRE(search.batch().has_value());
    CHECK(*search.batch() <= limit);
    CHECK(*search.batch() >= limit - 1 - limit / 64);
    CHECK(questions <= 13);
  }
}

TEST_CASE("The search waits for its answers") {
  networks::TrainingSettings failed;
  failed.batch = 256;
  BatchSearch search;
  search.Begin(failed);
  for (int i = 0; i < 5; ++i) search.Continue([](const networks::TrainingSettings&) { return std::nullopt; });
  CHECK_FALSE(search.batch().has_value());
}

TEST_CASE("Without an answer half of the batch is offered") {
  networks::TrainingSettings failed;
  failed.batch = 256;
  BatchSearch search;
  search.Begin(failed);
  search.Continue([](const networks::TrainingSettings&) {
    session::Prediction prediction;
    prediction.sentence = "The trainer is missing.";
    return std::optional(prediction);
  });
  CHECK(search.batch() == 128);
}

}  // namespace tidemark::gui
