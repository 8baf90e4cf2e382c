// How long advice takes, by the clock on the wall, beside what it may take: a search of what fits over about
// 200 configurations, what-if on a recording of a million events, a point of the curve over the batch size,
// and findings where very many copies come into question. On phantoms; with cuDNN's workspaces the first time
// is longer, while cuDNN is asked.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/advice/findings.h"
#include "profiler/advice/fit.h"
#include "profiler/advice/what_if.h"
#include "profiler/session/run.h"
#include "tests/bench/machine.h"
#include "tests/unit/advice/training_stream.h"

namespace tidemark::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCard = "l4";
constexpr int kSearchedBatch = 256;
constexpr int64_t kSteps = 160;  // of ResNet-50: a million events
constexpr int kSettleMs = 120'000;

struct Aim {
  std::string what;
  double seconds = 0;
};

double SecondsSince(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

void Tell(const Aim& aim, double seconds) {
  std::printf("%-60s %8.3f s, %5.2f of the %g s it may take\n", aim.what.c_str(), seconds,
              seconds / aim.seconds, aim.seconds);
}

networks::TrainingSettings SettingsOf(const std::string& network, int batch) {
  networks::TrainingSettings settings;
  settings.network = network;
  settings.batch = batch;
  return settings;
}

Status MeasureSearch(const std::string& name, double seconds) {
  const auto network = networks::FindNetwork(name);
  if (!network) return network.error();
  const auto card = phantom::FindCard(kCard);
  if (!card) return card.error();
  const auto began = Clock::now();
  const auto answer = advice::FindFit({*network, SettingsOf(name, kSearchedBatch), *card, 0},
                                      advice::AskPhantom(std::make_shared<advice::Needs>(*card, "")));
  if (!answer) return answer.error();
  Tell({"fit, " + name + ", " + std::to_string(answer->considered) + " configurations", seconds},
       SecondsSince(began));
  return Done{};
}

Status MakeRecording(const std::filesystem::path& file) {
  session::LiveOptions options;
  options.settings = SettingsOf("resnet-50", 8);
  options.device = {networks::DeviceKind::kPhantom, 0, kCard};
  options.step_limit = kSteps;
  options.recording = file;
  const auto run = session::Run::Start(options);
  if (!run) return run.error();
  if (!(*run)->WaitUntilSettled(kSettleMs)) return Error{"The run to be replayed did not end in time."};
  (*run)->Stop();
  return (*run)->WaitUntilSettled(kSettleMs) ? Status(Done{}) : Error{"The run did not end in time."};
}

Status MeasureWhatIf() {
  const auto card = phantom::FindCard(kCard);
  if (!card) return card.error();
  const std::filesystem::path file = "bench_advice.tide";
  if (Status made = MakeRecording(file); !made) return made;
  const auto began = Clock::now();
  const auto run = session::Run::Open(file);
  std::filesystem::remove(file);
  if (!run) return run.error();
  const auto view = (*run)->view();
  const auto replayed = advice::ReplayedRun::Of(*view, {*card, ""});
  if (!replayed) return replayed.error();
  const auto answer = replayed->With({*card, advice::kExpandableSegments});
  if (!answer) return answer.error();
  Tell({"what-if, " + std::to_string(view->end()) + " events, opened and replayed twice", 2},
       SecondsSince(began));
  return Done{};
}

// As the window asks: powers of two up to the first that does not fit, one warm trainer.
Status MeasureBatchPoints(const std::string& network) {
  session::Predictor predictor;
  if (const auto warm = predictor.AskAndWait(SettingsOf(network, 3), {kCard}); !warm) return warm.error();
  double slowest_seconds = 0;
  int slowest_batch = 0;
  for (int batch = 1; batch <= networks::kMaxBatch; batch *= 2) {
    const auto began = Clock::now();
    const auto answer = predictor.AskAndWait(SettingsOf(network, batch), {kCard});
    const double seconds = SecondsSince(began);
    if (!answer) return answer.error();
    if (seconds > slowest_seconds) {
      slowest_seconds = seconds;
      slowest_batch = batch;
    }
    if (answer->out_of_memory) break;
  }
  Tell({"slowest point of the curve, " + network + ", batch " + std::to_string(slowest_batch), 0.05},
       slowest_seconds);
  return Done{};
}

// Copies between types that prove to be meant, each taken back out of what was counted.
Status MeasureFindings(uint64_t copies) {
  advice::TrainingStream stream;
  const events::NameId copy = stream.Name("aten::_to_copy");
  const auto address = [](uint64_t place) { return advice::TrainingStream::kMore + place * 512; };
  for (int64_t step = 0; step < 2; ++step) {
    stream.BeginForward(step);
    for (uint64_t place = 0; place < copies; ++place) stream.Allocate(address(place), 512).op = copy;
    for (uint64_t place = 0; place < copies; ++place)
      stream.Categorize(address(place), events::Category::kInput);
    for (uint64_t place = 0; place < copies; ++place) stream.Free(address(place));
    stream.EndBackward(step);
  }
  const auto view = stream.Publish();
  const auto began = Clock::now();
  advice::FindingsIn(*view, ByteUnit::kMebibytes, 0);
  Tell({"findings, " + std::to_string(2 * copies) + " copies that are meant", 1}, SecondsSince(began));
  return Done{};
}

int Measure() {
  PrintMachine();
  for (const Status& status :
       {MeasureFindings(50'000), MeasureFindings(100'000), MeasureSearch("simple-conv-net", 2),
        MeasureSearch("resnet-50", 20), MeasureWhatIf(), MeasureBatchPoints("simple-conv-net"),
        MeasureBatchPoints("resnet-50")}) {
    if (status) continue;
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tidemark::bench

int main() { return tidemark::bench::Measure(); }
