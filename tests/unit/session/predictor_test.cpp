#include "profiler/session/predictor.h"

#include <chrono>
#include <string>
#include <thread>

#include "profiler/base/paths.h"
#include "tests/support/catch.h"
#include "tests/unit/session/fake_trainer.h"

namespace tidemark::session {
namespace {

using timeline::Series;

networks::TrainingSettings Settings(FakeBehaviour behaviour, int batch = 64) {
  networks::TrainingSettings settings;
  settings.batch = batch;
  settings.accumulate = 1 + behaviour;
  return settings;
}

std::filesystem::path FakeTrainer() { return ExecutableFolder() / "fake_trainer"; }

void CheckFakeAnswer(const Result<Prediction>& prediction) {
  if (!prediction) FAIL(prediction.error().message);
  CHECK(prediction->allocated_peak_bytes ==
        2 * kFakeBlockBytes);  // three in the first step, which does not count
  CHECK(prediction->requested_peak_bytes == 2 * (kFakeBlockBytes - 100));
  CHECK(ValueOf(prediction->at_peak, timeline::SeriesOf(events::Category::kActivation)) ==
        2 * kFakeBlockBytes);
  CHECK(prediction->step_seconds > 0);
  CHECK_FALSE(prediction->out_of_memory);
  CHECK(prediction->sentence.empty());
}

TEST_CASE("answers tell the steady state, from one warm process", "[predictor]") {
  Predictor predictor({FakeTrainer()});
  for (int batch = 1; batch <= 5; ++batch)
    CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys, batch), {"h200"}));
  CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys, 1), {"t4"}));
}

TEST_CASE("a question is put by asking, and its answer is known from then on", "[predictor]") {
  Predictor predictor({FakeTrainer()});
  networks::TrainingSettings settings = Settings(kObeys);
  CHECK_FALSE(predictor.Find(settings, {"h200"}).has_value());
  CHECK(predictor.answers() == 0);
  CHECK_FALSE(predictor.Ask(settings, {"h200"}).has_value());
  std::optional<Prediction> answer;
  for (int i = 0; i < 20'000 && !answer; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    answer = predictor.Find(settings, {"h200"});
  }
  REQUIRE(answer.has_value());
  CHECK(predictor.answers() == 1);
  CHECK(answer->allocated_peak_bytes == 2 * kFakeBlockBytes);
  settings.seed = 17;  // moves no byte, so it is the same question
  settings.learning_rate = 0.5;
  CHECK(predictor.Ask(settings, {"h200"}).has_value());
  settings.clip_norm = 2;
  CHECK_FALSE(predictor.Ask(settings, {"h200"}).has_value());
  CHECK_FALSE(predictor.Ask(Settings(kObeys), {"t4"}).has_value());
}

TEST_CASE("what is known of other settings of the allocator is kept, and is no answer for these",
          "[predictor]") {
  Predictor predictor({FakeTrainer()});
  CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys), {"h200"}));
  const PhantomSetup other{"h200", "max_split_size_mb:128"};
  CHECK_FALSE(predictor.Find(Settings(kObeys), other).has_value());
  CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys), other));
  CHECK(predictor.answers() == 2);
  CHECK(predictor.Find(Settings(kObeys), {"h200"}).has_value());
}

TEST_CASE("out of memory is an answer, and the next question is answered too", "[predictor]") {
  Predictor predictor({FakeTrainer()});
  const bool warm = GENERATE(false, true);
  if (warm) CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys), {"h200"}));
  const Result<Prediction> prediction = predictor.AskAndWait(Settings(kRunsOutOfMemory), {"h200"});
  if (!prediction) FAIL(prediction.error().message);
  CHECK(prediction->out_of_memory);
  CHECK(prediction->sentence == "CUDA out of memory.");
  CHECK(prediction->allocated_peak_bytes == 3 * kFakeBlockBytes);
  CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys, 2), {"h200"}));
}

TEST_CASE("a trainer that dies is an error with its words, and the next question is answered",
          "[predictor]") {
  Predictor predictor({FakeTrainer()});
  const bool warm = GENERATE(false, true);
  if (warm) CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys), {"h200"}));
  const Result<Prediction> prediction = predictor.AskAndWait(Settings(kAborts), {"h200"});
  REQUIRE_FALSE(prediction.ok());
  CHECK(prediction.error().message.find("something broke") != std::string::npos);
  const std::optional<Prediction> again = predictor.Ask(Settings(kAborts), {"h200"});
  REQUIRE(again.has_value());  // a failure is known for a while: a window asks each frame
  CHECK(again->sentence == prediction.error().message);
  CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys, 2), {"h200"}));
}

TEST_CASE("without a trainer every question has a sentence", "[predictor]") {
  Predictor predictor({"/no/such/trainer"});
  const Result<Prediction> prediction = predictor.AskAndWait(Settings(kObeys), {"h200"});
  REQUIRE_FALSE(prediction.ok());
  CHECK(prediction.error().message.find("/no/such/trainer") != std::string::npos);
}

TEST_CASE("who waits for an answer can end that", "[predictor]") {
  Predictor predictor({FakeTrainer()});
  const auto began = std::chrono::steady_clock::now();
  int asked = 0;
  const Result<Prediction> prediction =
      predictor.AskAndWait(Settings(kIgnoresStop), {"h200"}, [&asked] { return ++asked < 3; });
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));  // an answer has a minute
  CHECK(asked == 3);
  REQUIRE_FALSE(prediction.ok());
  CHECK(prediction.error().message == "Stopped as asked.");
}

TEST_CASE("a predictor goes at once, whatever was asked", "[predictor]") {
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  auto began = clock();
  {
    Predictor predictor({FakeTrainer()});
    CheckFakeAnswer(predictor.AskAndWait(Settings(kObeys), {"h200"}));
    for (int batch = 1; batch <= 4; ++batch) predictor.Ask(Settings(kIgnoresStop, batch), {"h200"});
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // one of them is with the trainer
    CHECK(predictor.answers() == 1);
    began = clock();
  }
  // A trainer that hangs has a second to stop; an answer would be waited for a minute.
  CHECK(clock() - began < std::chrono::seconds(10));
}

}  // namespace
}  // namespace tidemark::session
