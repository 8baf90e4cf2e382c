// What fit proposes, beside what the phantom of just that card says of it. Prints how long searches take.
#include "profiler/advice/fit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/session/run.h"
#include "tests/support/catch.h"

namespace tidemark::advice {
namespace {

FitQuestion QuestionOf(const std::string& network, int batch, networks::OptimizerKind optimizer) {
  FitQuestion question{*networks::FindNetwork(network), {}, *phantom::FindCard("t4"), 0};
  question.settings.network = network;
  question.settings.optimizer = optimizer;
  question.settings.batch = batch;
  return question;
}

// Of this process, by any of its threads.
size_t ChildProcesses() {
  size_t count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    for (int process = 0; children >> process;) ++count;
  }
  return count;
}

FitAnswer Search(const FitQuestion& question) {
  const auto began = std::chrono::steady_clock::now();
  const Result<FitAnswer> answer = FindFit(question, AskPhantom(std::make_shared<Needs>(question.card, "")));
  if (!answer) FAIL(answer.error().message);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%8.2f s  %s: %zu configurations, %zu asked\n", took.count(), question.network.name.c_str(),
              answer->considered, answer->asked);
  return *answer;
}

// What the present settings reserve where there is room for all of them.
int64_t ReservedInAll(FitQuestion question) {
  question.card.memory_bytes = kRoomForAllBytes;
  const auto needs = Needs(question.card, "").Ask(std::vector<Configuration>{{question.settings, ""}});
  if (!needs) FAIL(needs.error().message);
  return needs->front().reserved_peak_bytes;
}

// A phantom of the question's card, with its memory.
class TheCard {
 public:
  explicit TheCard(const FitQuestion& question) : setup_{question.card.name, ""} {
    session::PredictorOptions options;
    options.memory_bytes = question.card.memory_bytes;
    predictor_ = std::make_unique<session::Predictor>(options);
  }

  // Takes a process anew.
  void UseAllocator(const std::string& allocator) { setup_.allocator = allocator; }

  session::Prediction Run(const networks::TrainingSettings& settings) {
    const Result<session::Prediction> prediction = predictor_->AskAndWait(settings, setup_);
    if (!prediction) FAIL(prediction.error().message);
    return *prediction;
  }

 private:
  session::PhantomSetup setup_;
  std::unique_ptr<session::Predictor> predictor_;
};

bool AreAlike(int64_t one, int64_t other) {
  return std::abs(static_cast<double>(one) / static_cast<double>(other) - 1) <= 0.01;
}

// Those with the allocator that the card uses.
void CheckProposals(const FitAnswer& answer, const FitQuestion& question, TheCard& card,
                    const std::string& allocator) {
  std::vector<Proposal> proposals = answer.proposals;
  proposals.insert(proposals.end(), answer.frontier.begin(), answer.frontier.end());
  for (const Proposal& proposal : proposals) {
    if (proposal.configuration.allocator != allocator) continue;
    INFO(DescribeProposal(question, proposal));
    const session::Prediction prediction = card.Run(proposal.configuration.settings);
    CHECK_FALSE(prediction.out_of_memory);
    CHECK(AreAlike(proposal.need.allocated_peak_bytes, prediction.allocated_peak_bytes));
    CHECK(AreAlike(proposal.need.reserved_peak_bytes, prediction.reserved_peak_bytes));
  }
}

// Applies all that is said of a card with room for two thirds of what the settings reserve.
void CheckAdvice(FitQuestion question) {
  INFO(question.network.name);
  question.card.memory_bytes = question.card.context_bytes + ReservedInAll(question) * 2 / 3;
  const FitAnswer answer = Search(question);
  TheCard card(question);
  CHECK(card.Run(question.settings).out_of_memory);
  CHECK_FALSE(answer.present.need.fits);
  CHECK_FALSE(answer.proposals.empty());
  CheckProposals(answer, question, card, "");
  networks::TrainingSettings largest = question.settings;
  largest.batch = answer.largest_batch;
  if (largest.batch > 0) CHECK_FALSE(card.Run(largest).out_of_memory);
  ++largest.batch;
  CHECK(card.Run(largest).out_of_memory);
  card.UseAllocator(kExpandableSegments);
  CheckProposals(answer, question, card, kExpandableSegments);
}

TEST_CASE("what fit proposes has the phantom's own peaks, fits, and one more than the largest does not",
          "[fit]") {
  CheckAdvice(QuestionOf("simple-conv-net", 512, networks::OptimizerKind::kSgd));
  // "" is PyTorch's own, whatever is set for this process.
  setenv("PYTORCH_CUDA_ALLOC_CONF", kExpandableSegments, 1);
  CheckAdvice(QuestionOf("gpt-mini", 4, networks::OptimizerKind::kSgd));
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
}

bool HasRoomForLong(const FitQuestion& question, const networks::TrainingSettings& settings) {
  session::LiveOptions options;
  options.settings = settings;
  options.device = {networks::DeviceKind::kPhantom, 0, question.card.name};
  options.step_limit = 40;
  const auto run = session::Run::Start(options);
  if (!run) FAIL(run.error().message);
  REQUIRE((*run)->WaitUntilSettled(120'000));
  return (*run)->status().state == session::RunState::kPaused;
}

// Near the card's end a convolution takes less workspace where it finds no room, and blocks settle late.
TEST_CASE("fit, the phantom's answer and a long run agree on the largest batch", "[fit]") {
  const FitQuestion question = QuestionOf("resnet-50", 1, networks::OptimizerKind::kAdam);
  const auto needs = std::make_shared<Needs>(question.card, "");
  const Result<LargestBatch> largest = FindBatchWithRoom(question, AskPhantom(needs));
  if (!largest) FAIL(largest.error().message);
  TheCard card(question);
  for (const bool has_room : {true, false}) {
    networks::TrainingSettings settings = question.settings;
    settings.batch = largest->batch + (has_room ? 0 : 1);
    INFO(settings.batch);
    const auto need = needs->Ask(std::vector<Configuration>{{settings, ""}});
    REQUIRE(need.ok());
    CHECK((need->front().fits && !need->front().empties_cache) == has_room);
    const session::Prediction there = card.Run(settings);
    CHECK(there.out_of_memory == !need->front().fits);
    CHECK((there.times_survived == 0 || !has_room));
    CHECK(HasRoomForLong(question, settings) == need->front().fits);
  }
}

// Its blocks settle a step later than those of one network.
TEST_CASE("what two networks in turns need is what the phantom says of them", "[fit]") {
  FitQuestion question = QuestionOf("dcgan", 128, networks::OptimizerKind::kSgd);
  question.settings.amp = networks::Precision::kFloat16;
  question.settings.checkpoint = {networks::CheckpointMode::kSegments, 5, 0};
  const auto needs = Needs(question.card, "").Ask(std::vector<Configuration>{{question.settings, ""}});
  REQUIRE(needs.ok());
  CHECK(needs->front().allocated_peak_bytes == TheCard(question).Run(question.settings).allocated_peak_bytes);
}

// Each stage on a phantom of its own.
int64_t ReservedByStage(const FitQuestion& question, const networks::TrainingSettings& settings, int stage) {
  session::PredictorOptions options;
  options.memory_bytes = kRoomForAllBytes;
  options.place = RankPlace{stage, settings.ranks};
  session::Predictor predictor(options);
  const Result<session::Prediction> prediction = predictor.AskAndWait(settings, {question.card.name, ""});
  if (!prediction) FAIL(prediction.error().message);
  return prediction->reserved_peak_bytes;
}

TEST_CASE("of a pipeline the fullest stage decides, with all micro-batches that it has in flight", "[fit]") {
  for (const auto schedule :
       {networks::PipelineSchedule::kOneForwardOneBackward, networks::PipelineSchedule::kGpipe}) {
    FitQuestion question = QuestionOf("vit-b-16", 2, networks::OptimizerKind::kSgd);
    question.settings.ranks = 2;
    question.settings.accumulate = 6;
    question.settings.pipeline = schedule;
    std::vector<int64_t> stages;
    for (int stage = 0; stage < 2; ++stage)
      stages.push_back(ReservedByStage(question, question.settings, stage));
    const auto fullest = std::ranges::max_element(stages);
    question.card.memory_bytes = question.card.context_bytes + *fullest * 2 / 3;
    const FitAnswer answer = Search(question);
    CHECK(answer.present.need.reserved_peak_bytes == *fullest);
    CHECK(answer.present.need.stage == fullest - stages.begin());
    CHECK(DescribeStages(question, answer.present.need)
              .ends_with("here stage " + std::to_string(fullest - stages.begin()) + "."));
    CHECK_FALSE(answer.present.need.fits);
    CHECK(answer.shardings.empty());
    REQUIRE_FALSE(answer.proposals.empty());
    const Proposal& first = answer.proposals.front();
    INFO(DescribeProposal(question, first));
    CHECK(first.configuration.settings.batch * first.configuration.settings.accumulate == 12);
    CHECK(first.need.fits);
    CHECK(first.need.reserved_peak_bytes <= question.card.memory_bytes - question.card.context_bytes);
  }
}

TEST_CASE("of a pipeline with many stages no more trainers stay than are allowed", "[fit]") {
  FitQuestion question = QuestionOf("vgg-11", 2, networks::OptimizerKind::kSgd);
  question.settings.ranks = static_cast<int>(kMostWarmStages) + 2;
  question.settings.accumulate = question.settings.ranks;
  question.settings.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  const size_t before = ChildProcesses();
  Needs needs(question.card, "");
  const auto answers = needs.Ask(std::vector<Configuration>{{question.settings, ""}});
  if (!answers) FAIL(answers.error().message);
  CHECK(answers->front().reserved_peak_bytes > 0);
  CHECK(ChildProcesses() <= before + kTrainers);
}

// On demand: it takes minutes.
TEST_CASE("what fit proposes for each network that comes along holds", "[.search]") {
  // Of small networks it takes many samples until the step needs more than parameters and workspaces.
  const auto batch_of = [](const networks::Network& network) {
    if (network.parameters() > 5'000'000) return 32;
    return network.parameters() > 1'000'000 ? 512 : 4096;
  };
  const Result<std::vector<networks::Network>> all = networks::LoadNetworks();
  REQUIRE(all.ok());
  for (const networks::Network& network : *all)
    CheckAdvice(QuestionOf(network.name, batch_of(network), networks::OptimizerKind::kAdam));
}

}  // namespace
}  // namespace tidemark::advice
