// What a prediction holds with cuDNN's workspaces, as the real cuDNN 9.19 gives them.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiler/session/predictor.h"
#include "tests/support/catch.h"
#include "tests/support/cudnn.h"

namespace tidemark::session {
namespace {

Prediction Predict(const networks::TrainingSettings& settings, const std::string& card) {
  Predictor predictor;
  const Result<Prediction> prediction = predictor.AskAndWait(settings, {card});
  if (!prediction) FAIL(prediction.error().message);
  return *prediction;
}

// simple-conv-net.native.fp32 of tests/gpu/fixtures/h200/recordings.
TEST_CASE("SimpleConvNet at batch 64 on Hopper takes what an H200 took") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  const tests::WithCudnn with_cudnn(*folder);
  const Prediction prediction = Predict({}, "h200");
  CHECK(prediction.without_workspaces.empty());
  CHECK(prediction.allocated_peak_bytes == 186'380'800);
  CHECK(prediction.reserved_peak_bytes == 278'921'216);
}

TEST_CASE("Answers from the file are those of the process, and need none") {
  const auto folder = tests::InstalledCudnn();
  if (!folder) return;
  std::string cache = "/tmp/tidemark-cudnn-cache-XXXXXX";
  REQUIRE(mkdtemp(cache.data()) != nullptr);
  const tests::WithCudnn with_cudnn(*folder, cache);
  networks::TrainingSettings settings;
  settings.amp = networks::Precision::kFloat16;
  const Prediction cold = Predict(settings, "a100-80gb");
  CHECK(cold.without_workspaces.empty());
  const Prediction warm = Predict(settings, "a100-80gb");
  CHECK(warm.allocated_peak_bytes == cold.allocated_peak_bytes);
  CHECK(warm.reserved_peak_bytes == cold.reserved_peak_bytes);
  // What NVML tells besides is sampled by time, and the first run takes longer.
  for (int series = 0; series <= static_cast<int>(timeline::Series::kReserved); ++series) {
    CHECK(ValueOf(warm.at_peak, static_cast<timeline::Series>(series)) ==
          ValueOf(cold.at_peak, static_cast<timeline::Series>(series)));
  }
  std::filesystem::remove_all(cache);
}

TEST_CASE("Without cuDNN the prediction says why they are missing") {
  const Prediction left_out = Predict({}, "h200");
  CHECK(left_out.without_workspaces == "TIDEMARK_CUDNN=none leaves them out");
  CHECK(left_out.allocated_peak_bytes == 177'729'024);
  const tests::WithCudnn elsewhere("/nowhere");
  const Prediction missing = Predict({}, "h200");
  CHECK(missing.without_workspaces == "/nowhere/libcudnn.so.9 is not there");
  CHECK(missing.allocated_peak_bytes == 177'729'024);
}

}  // namespace
}  // namespace tidemark::session
