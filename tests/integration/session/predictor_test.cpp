// The predictor with the real trainer. Prints how long answers take.
#include "profiler/session/predictor.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "profiler/session/run.h"
#include "tests/support/catch.h"

namespace tidemark::session {
namespace {

using networks::TrainingSettings;
using timeline::Series;

std::vector<TrainingSettings> Configurations() {
  std::vector<TrainingSettings> configurations(6);
  configurations[1].amp = networks::Precision::kFloat16;
  configurations[2].batch = 1024;
  configurations[3].checkpoint.mode = networks::CheckpointMode::kByLayer;
  configurations[4].network = "smaller-conv-net";
  configurations[4].optimizer = networks::OptimizerKind::kSgd;
  configurations[5].batch = 16;
  configurations[5].accumulate = 4;
  return configurations;
}

Prediction Answer(Predictor& predictor, const TrainingSettings& settings, const std::string& card) {
  const Result<Prediction> prediction = predictor.AskAndWait(settings, {card});
  if (!prediction) FAIL(prediction.error().message);
  CHECK(prediction->sentence.empty());
  CHECK_FALSE(prediction->out_of_memory);
  CHECK(prediction->steps == 3);
  return *prediction;
}

void CheckSame(const Prediction& one, const Prediction& other) {
  CHECK(one.allocated_peak_bytes == other.allocated_peak_bytes);
  CHECK(one.requested_peak_bytes == other.requested_peak_bytes);
  CHECK(one.reserved_peak_bytes == other.reserved_peak_bytes);
  // Not the process's and the card's levels: they are sampled ten times a second, at whatever moment that is.
  const auto end = static_cast<std::ptrdiff_t>(timeline::Series::kProcess);
  CHECK(std::equal(one.at_peak.begin(), one.at_peak.begin() + end, other.at_peak.begin()));
}

TEST_CASE("a warm process answers as a fresh one does, whatever was asked before", "[predictor]") {
  Predictor warm;
  for (const TrainingSettings& settings : Configurations()) {
    INFO(networks::ToJson(settings));
    Predictor fresh;
    const auto asked = std::chrono::steady_clock::now();
    const Prediction answer = Answer(warm, settings, "h200");
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - asked;
    std::printf("%8.1f ms  %s\n", took.count(), networks::ToJson(settings).c_str());
    CheckSame(answer, Answer(fresh, settings, "h200"));
    int64_t sum = 0;
    for (int category = 0; category < events::kCategoryCount; ++category)
      sum += answer.at_peak[static_cast<size_t>(category)];
    CHECK(sum == answer.allocated_peak_bytes);
    CHECK(answer.requested_peak_bytes <= answer.allocated_peak_bytes);
    CHECK(answer.allocated_peak_bytes <= answer.reserved_peak_bytes);
  }
}

int64_t HighestResidentKiB(int64_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return -1;
}

TEST_CASE("samples that no kernel looks at take no memory of the host", "[predictor]") {
  LiveOptions options;
  options.settings.network = "resnet-50";
  options.settings.batch = 4096;  // 2.3 GiB of pixels
  options.phantom_memory_bytes = int64_t{1} << 44;
  options.step_limit = 1;
  const auto run = Run::Start(options);
  if (!run) FAIL(run.error().message);
  REQUIRE((*run)->WaitUntilSettled(60'000));
  CHECK((*run)->status().state == RunState::kPaused);
  const int64_t highest_kib = HighestResidentKiB((*run)->description().process_id);
  CHECK(highest_kib > 0);
  CHECK(highest_kib < 1 << 20);
}

TEST_CASE("a prediction is what a long run on the phantom shows", "[predictor]") {
  LiveOptions options;
  options.step_limit = 30;
  const auto run = Run::Start(options);
  if (!run) FAIL(run.error().message);
  REQUIRE((*run)->WaitUntilSettled(60'000));
  Predictor predictor;
  const Prediction prediction = Answer(predictor, options.settings, options.device.card);
  const auto view = (*run)->view();
  const timeline::Step& last = view->steps().back();
  CHECK(prediction.allocated_peak_bytes == ValueOf(last.at_peak, Series::kAllocated));
  CHECK(prediction.requested_peak_bytes == last.requested_peak);
  CHECK(prediction.reserved_peak_bytes == last.reserved_peak);
}

TEST_CASE("cards differ, and switching between them changes no answer", "[predictor]") {
  Predictor predictor;
  const TrainingSettings settings;
  const Prediction h200 = Answer(predictor, settings, "h200");
  TrainingSettings other = settings;
  other.batch = 32;
  Answer(predictor, other, "t4");
  const Prediction t4 = Answer(predictor, settings, "t4");
  CHECK(t4.allocated_peak_bytes < h200.allocated_peak_bytes);  // smaller cuBLAS workspaces before Hopper
  other.batch = 33;
  Answer(predictor, other, "h200");
  Predictor fresh;
  CheckSame(Answer(fresh, settings, "h200"), h200);
}

TEST_CASE("an unknown card is a sentence", "[predictor]") {
  Predictor predictor;
  const Result<Prediction> prediction = predictor.AskAndWait({}, {"no-such-card"});
  REQUIRE_FALSE(prediction.ok());
  CHECK(prediction.error().message.find("no-such-card") != std::string::npos);
}

}  // namespace
}  // namespace tidemark::session
