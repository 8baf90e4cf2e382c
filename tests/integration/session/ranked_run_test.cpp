// Ranks on the CPU of this machine, each a real trainer: together they compute what one would, and none is
// left behind.
#include "profiler/session/ranked_run.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiler/networks/cifar10.h"
#include "tests/support/catch.h"
#include "tests/unit/session/start_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

constexpr int kRanksTimeoutMs = 120'000;

LiveOptions RanksOnCpu(int ranks, int batch, int64_t steps) {
  LiveOptions options;
  options.device = {networks::DeviceKind::kCpu, 0, ""};
  options.settings.network = "smaller-conv-net";
  options.settings.optimizer = networks::OptimizerKind::kMomentum;
  options.settings.learning_rate = 0.05;
  options.settings.accumulate = 2;
  options.settings.batch = batch;
  options.settings.ranks = ranks;
  options.step_limit = steps;
  return options;
}

std::vector<pid_t> ProcessesOf(const Run& run) {
  std::vector<pid_t> processes;
  for (const Run* rank : run.ranks()) processes.push_back(static_cast<pid_t>(rank->description().process_id));
  return processes;
}

bool AreGone(const std::vector<pid_t>& processes) {
  return std::ranges::all_of(processes, [](pid_t process) { return kill(process, 0) != 0; });
}

TEST_CASE("two ranks compute what one does with the double batch", "[ranks]") {
  const trace::Scratch scratch;
  constexpr int64_t kSteps = 4;
  // One micro-batch each: where several make a step, two ranks take other samples together than one does.
  LiveOptions options = RanksOnCpu(2, 8, kSteps);
  options.settings.accumulate = 1;
  options.recording = scratch / "run.tide";
  const auto two = StartOrFail(options);
  options.settings.ranks = 1;
  options.settings.batch = 16;
  options.recording.reset();
  const auto one = StartOrFail(options);
  REQUIRE(two->WaitUntilSettled(kRanksTimeoutMs));
  REQUIRE(one->WaitUntilSettled(kRanksTimeoutMs));
  INFO(two->status().sentence);
  REQUIRE(two->status().state == RunState::kPaused);
  REQUIRE(two->ranks().size() == 2);
  two->Stop();
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return two->status().state == RunState::kFinished; }));
  CHECK(AreGone(ProcessesOf(*two)));
  // Each loss follows from the parameters that all steps before it made.
  const auto first = two->ranks()[0]->view();
  const auto second = two->ranks()[1]->view();
  REQUIRE(first->steps().size() == kSteps);
  REQUIRE(second->steps().size() == kSteps);
  for (size_t step = 0; step < kSteps; ++step) {
    const double mean = (*first->steps()[step].loss + *second->steps()[step].loss) / 2;
    CHECK(*first->steps()[step].loss != *second->steps()[step].loss);  // samples of their own
    CHECK(mean == Approx(*one->view()->steps()[step].loss).epsilon(1e-5));
  }
  for (const char* name : {"run.rank0.tide", "run.rank1.tide"}) {
    const auto opened = Run::Open(scratch / name);
    REQUIRE(opened.ok());
    CHECK((*opened)->view()->steps().size() == kSteps);
    const auto peak = (*opened)->view()->PeakIn(timeline::SeriesOf(events::Category::kCommunication),
                                                (*opened)->view()->first(), (*opened)->view()->end());
    CHECK(timeline::ValueOf(peak.values, timeline::SeriesOf(events::Category::kCommunication)) >=
          4 * 519'000);
  }
}

int64_t MostOf(const Run& rank, events::Category category) {
  const auto view = rank.view();
  const auto series = timeline::SeriesOf(category);
  return timeline::ValueOf(view->PeakIn(series, view->steps().back().begin, view->end()).values, series);
}

TEST_CASE("sharing state, gradients and parameters changes nothing that is computed", "[ranks]") {
  LiveOptions options = RanksOnCpu(2, 4, 4);
  options.settings.clip_norm = 0.5;
  options.settings.checkpoint = {networks::CheckpointMode::kSegments, 2};
  const auto plain = StartOrFail(options);
  REQUIRE(plain->WaitUntilSettled(kRanksTimeoutMs));
  plain->Stop();
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return plain->status().state == RunState::kFinished; }));
  REQUIRE(plain->view()->steps().size() == 4);
  const int64_t whole = MostOf(*plain, events::Category::kOptimizerState);
  using networks::ZeroStage;
  for (const auto stage : {ZeroStage::kState, ZeroStage::kGradients, ZeroStage::kParameters}) {
    options.settings.zero = stage;
    const auto shared = StartOrFail(options);
    REQUIRE(shared->WaitUntilSettled(kRanksTimeoutMs));
    shared->Stop();
    REQUIRE(Eventually(kRanksTimeoutMs, [&] { return shared->status().state > RunState::kPaused; }));
    INFO(shared->status().sentence);
    const double epsilon = stage == ZeroStage::kState ? 1e-6 : 1e-5;
    std::vector<int64_t> state;
    for (size_t rank = 0; rank < 2; ++rank) {
      const auto view = shared->ranks()[rank]->view();
      REQUIRE(view->steps().size() == 4);
      for (size_t step = 0; step < 4; ++step) {
        CHECK(*view->steps()[step].loss ==
              Approx(*plain->ranks()[rank]->view()->steps()[step].loss).epsilon(epsilon));
      }
      state.push_back(MostOf(*shared->ranks()[rank], events::Category::kOptimizerState));
    }
    if (stage == ZeroStage::kState) {
      CHECK(state[0] + state[1] == whole);  // each tensor's once, of all ranks together
    } else {
      CHECK(2 * state[1] == Approx(whole).epsilon(0.01));
    }
  }
}

// Ten pictures, each of one brightness.
void MakeCifar10(const std::filesystem::path& folder) {
  std::ofstream training(folder / "data_batch_1.bin", std::ios::binary);
  for (char label = 0; label < 10; ++label)
    training << label << std::string(networks::kCifar10PictureBytes, static_cast<char>(label * 25));
}

TEST_CASE("ranks divide CIFAR-10's pictures, and what overflows on one skips the step on all", "[ranks]") {
  const trace::Scratch scratch;
  MakeCifar10(scratch / "");
  LiveOptions options = RanksOnCpu(2, 5, 4);
  options.settings.accumulate = 1;
  options.settings.data = scratch / "";
  options.settings.amp = networks::Precision::kFloat16;
  options.settings.loss_scaling = {true, 0x1p24};  // too much for the first steps
  options.settings.zero = networks::ZeroStage::kGradients;
  const auto two = StartOrFail(options);
  options.settings.ranks = 1;
  options.settings.batch = 10;
  options.settings.zero = networks::ZeroStage::kOff;
  options.step_limit = 1;
  const auto one = StartOrFail(options);
  REQUIRE(two->WaitUntilSettled(kRanksTimeoutMs));
  REQUIRE(one->WaitUntilSettled(kRanksTimeoutMs));
  two->Stop();
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return two->status().state == RunState::kFinished; }));
  INFO(two->status().sentence);
  const auto first_view = two->ranks()[0]->view();
  const auto second_view = two->ranks()[1]->view();
  const auto& first = first_view->steps();
  const auto& second = second_view->steps();
  REQUIRE(first.size() == 4);
  REQUIRE(second.size() == 4);
  const auto is_skipped = [](const timeline::Step& step) { return step.skipped; };
  CHECK(std::ranges::count_if(first, is_skipped) > 0);
  for (size_t step = 0; step < 4; ++step) {
    CHECK(first[step].skipped == second[step].skipped);
    REQUIRE(first[step].loss_scale);
    CHECK(first[step].loss_scale == second[step].loss_scale);
  }
  CHECK(*first[0].loss != *second[0].loss);
  CHECK((*first[0].loss + *second[0].loss) / 2 == Approx(*one->view()->steps()[0].loss).epsilon(1e-3));
}

constexpr const char* kLanguageModel =
    R"({"title": "Tied", "description": "A block, and a table at both ends.",
  "input": [8], "vocabulary": 17, "classes": 17, "layers": [
    {"name": "token", "kind": "embedding", "in": 17, "out": 16},
    {"name": "position", "kind": "position_embedding", "length": 8},
    {"name": "norm", "kind": "layer_norm"}, {"name": "qkv", "kind": "linear", "in": 16, "out": 48},
    {"name": "attention", "kind": "attention", "heads": 2, "causal": true},
    {"name": "project", "kind": "linear", "in": 16, "out": 16},
    {"name": "add", "kind": "add", "inputs": ["position", "project"]},
    {"name": "last_norm", "kind": "layer_norm"},
    {"name": "head", "kind": "linear", "in": 16, "out": 17, "bias": false, "weights_of": "token"}]})";

// What is trained one after the other, two steps each: the third loss of a network follows from two updates.
std::vector<networks::TrainingSettings> PipelinedCourse(const std::string& language_model) {
  networks::TrainingSettings settings = RanksOnCpu(2, 2, 0).settings;
  settings.network = "mlp";
  settings.accumulate = 3;
  settings.clip_norm = 0.5;
  settings.pipeline = networks::PipelineSchedule::kGpipe;
  std::vector<networks::TrainingSettings> course = {settings};
  settings.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  course.push_back(settings);
  settings.network = "simple-conv-net";
  settings.split = networks::StageBalance::kActivations;
  course.push_back(settings);
  settings.pipeline = networks::PipelineSchedule::kGpipe;
  settings.checkpoint = {networks::CheckpointMode::kByLayer};
  course.push_back(settings);
  settings.network = language_model;
  settings.split = networks::StageBalance::kParameters;
  course.push_back(settings);
  settings.amp = networks::Precision::kBfloat16;
  settings.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  course.push_back(settings);
  return course;
}

std::vector<double> LossesOf(const std::vector<networks::TrainingSettings>& course, int ranks,
                             std::unique_ptr<Run>& run) {
  LiveOptions options = RanksOnCpu(ranks, 2, 2);
  for (size_t index = 0; index < course.size(); ++index) {
    options.settings = course[index];
    options.settings.ranks = ranks;
    if (index == 0) run = StartOrFail(options);
    if (index > 0) REQUIRE(run->Change(options.settings));
    if (index > 0) REQUIRE(run->SetStepLimit(static_cast<int64_t>(2 * index + 2)));
    REQUIRE(run->WaitUntilSettled(kRanksTimeoutMs));
    INFO(run->status().sentence);
    REQUIRE(run->status().state == RunState::kPaused);
  }
  std::vector<double> losses;
  for (const timeline::Step& step : run->view()->steps()) losses.push_back(*step.loss);
  return losses;
}

// The phase in which the last step's first activation is born.
events::Phase PhaseOfFirstActivation(const Run& rank) {
  const auto view = rank.view();
  const auto series = timeline::SeriesOf(events::Category::kActivation);
  const timeline::Step& step = view->steps().back();
  for (timeline::EventIndex index = step.begin + 1; index < step.end; ++index) {
    if (timeline::ValueOf(view->ValuesAt(index), series) >
        timeline::ValueOf(view->ValuesAt(index - 1), series))
      return view->StateAt(index).phase;
  }
  FAIL("the last step has no activation");
  return events::Phase::kOptimizer;
}

TEST_CASE("a pipeline's stages compute what one process does, by either schedule", "[ranks]") {
  const trace::Scratch scratch;
  trace::WriteFile(scratch / "tied.json", kLanguageModel);
  const auto course = PipelinedCourse((scratch / "tied.json").string());
  std::unique_ptr<Run> staged;
  std::unique_ptr<Run> alone;
  const std::vector<double> of_stages = LossesOf(course, 2, staged);
  const std::vector<double> of_one = LossesOf(course, 1, alone);
  REQUIRE(of_stages.size() == 2 * course.size());
  for (size_t step = 0; step < of_one.size(); ++step) {
    INFO(step);
    CHECK(of_stages[step] == Approx(of_one[step]).epsilon(1e-5));
  }
  // Rank 1 waits for the first stage before anything: the first bubble.
  CHECK(PhaseOfFirstActivation(*staged->ranks()[0]) == events::Phase::kForward);
  CHECK(PhaseOfFirstActivation(*staged->ranks()[1]) == events::Phase::kIdle);
  // The shared table is on both stages: 17 · 16 values.
  const int64_t whole = MostOf(*alone, events::Category::kOptimizerState);
  const int64_t first = MostOf(*staged->ranks()[0], events::Category::kOptimizerState);
  const int64_t last = MostOf(*staged->ranks()[1], events::Category::kOptimizerState);
  CHECK(first < whole);
  CHECK(last < whole);
  CHECK(first + last == whole + 4 * 17 * 16);
}

TEST_CASE("a stage between two others computes its part, of more and of fewer micro-batches", "[ranks]") {
  std::vector<networks::TrainingSettings> course;
  for (const int micro_batches : {5, 2}) {
    for (const auto schedule :
         {networks::PipelineSchedule::kGpipe, networks::PipelineSchedule::kOneForwardOneBackward}) {
      course.push_back(RanksOnCpu(3, 2, 0).settings);
      course.back().network = "mlp";
      course.back().accumulate = micro_batches;
      course.back().pipeline = schedule;
    }
  }
  std::unique_ptr<Run> staged;
  std::unique_ptr<Run> alone;
  const std::vector<double> of_stages = LossesOf(course, 3, staged);
  const std::vector<double> of_one = LossesOf(course, 1, alone);
  REQUIRE(of_stages.size() == 2 * course.size());
  REQUIRE(of_one.size() == of_stages.size());
  for (size_t step = 0; step < of_one.size(); ++step) {
    INFO(step);
    CHECK(of_stages[step] == Approx(of_one[step]).epsilon(1e-5));
  }
}

TEST_CASE("a network that cannot be split is refused by name", "[ranks]") {
  LiveOptions options = RanksOnCpu(2, 2, 1);
  options.settings.pipeline = networks::PipelineSchedule::kGpipe;
  options.settings.network = "dcgan";
  const auto adversaries = Run::Start(options);
  REQUIRE_FALSE(adversaries.ok());
  CHECK(adversaries.error().message.find("DCGAN") != std::string::npos);
  options.settings.network = "lenet";
  options.settings.ranks = 6;
  const auto short_one = Run::Start(options);
  REQUIRE_FALSE(short_one.ok());
  CHECK(short_one.error().message.find("LeNet-5 can be split into 5 stages at most") == 0);
}

TEST_CASE("a change reaches all ranks at the same step", "[ranks]") {
  LiveOptions options = RanksOnCpu(2, 4, 0);
  const auto run = StartOrFail(options);
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return run->status().steps_done > 2 || !run->live(); }));
  options.settings.accumulate = 3;  // of another number on one rank, the other would wait for ever
  REQUIRE(run->Change(options.settings));
  const int64_t before = run->status().steps_done;
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return run->status().steps_done > before + 3 || !run->live(); }));
  for (const Run* rank : run->ranks()) CHECK(rank->view()->settings().size() == 2);
  options.settings.ranks = 3;
  CHECK_FALSE(run->Change(options.settings));
}

TEST_CASE("where a rank dies, all end, and the sentence says which", "[ranks]") {
  const auto run = StartOrFail(RanksOnCpu(2, 4, 0));
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return run->status().steps_done > 2 || !run->live(); }));
  const std::vector<pid_t> processes = ProcessesOf(*run);
  REQUIRE(kill(processes[1], SIGKILL) == 0);
  REQUIRE(Eventually(kRanksTimeoutMs, [&] { return run->status().state > RunState::kPaused; }));
  CHECK(run->status().state == RunState::kDied);
  INFO(run->status().sentence);
  CHECK(run->status().sentence.starts_with("Rank 1 of 2 ended, and so did all."));
  CHECK(run->status().sentence.find("SIGKILL") != std::string::npos);
  CHECK(AreGone(processes));
}

TEST_CASE("more ranks than a machine has room for are refused", "[ranks]") {
  const auto run = Run::Start(RanksOnCpu(65, 4, 1));
  REQUIRE_FALSE(run.ok());
  CHECK(run.error().message.find("65 ranks") == 0);
}

}  // namespace
}  // namespace tidemark::session
