// What fit proposes, beside what the phantom of just that card says of it. Prints how long searches take.
#include "profiler/advice/fit.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::advice {
namespace {

FitQuestion QuestionOf(const std::string& network, int batch, int64_t memory_bytes) {
  FitQuestion question{*networks::FindNetwork(network), {}, *phantom::FindCard("t4"), 0};
  question.settings.network = network;
  question.settings.optimizer = networks::OptimizerKind::kSgd;
  question.settings.batch = batch;
  question.card.memory_bytes = memory_bytes;
  return question;
}

FitAnswer Search(const FitQuestion& question) {
  const auto began = std::chrono::steady_clock::now();
  Needs needs(question.card);
  const Result<FitAnswer> answer =
      FindFit(question, [&](std::span<const Configuration> asked) { return needs.Ask(asked); });
  if (!answer) FAIL(answer.error().message);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%8.2f s  %s: %zu configurations, %zu asked\n", took.count(), question.network.name.c_str(),
              answer->considered, answer->asked);
  return *answer;
}

session::Prediction OnTheCard(session::Predictor& predictor, const networks::TrainingSettings& settings) {
  const Result<session::Prediction> prediction = predictor.AskAndWait(settings, "t4");
  if (!prediction) FAIL(prediction.error().message);
  return *prediction;
}

// What the present settings reserve where there is room for all of them.
int64_t ReservedInAll(const FitQuestion& question) {
  const auto needs = Needs(question.card).Ask(std::vector<Configuration>{{question.settings, ""}});
  if (!needs) FAIL(needs.error().message);
  return needs->front().reserved_peak_bytes;
}

void CheckProposals(const FitQuestion& question, const FitAnswer& answer, session::Predictor& predictor) {
  for (const Proposal& proposal : answer.proposals) {
    INFO(DescribeProposal(question, proposal));
    if (!proposal.configuration.allocator.empty()) continue;
    const session::Prediction prediction = OnTheCard(predictor, proposal.configuration.settings);
    CHECK_FALSE(prediction.out_of_memory);
    CHECK(proposal.need.allocated_peak_bytes == prediction.allocated_peak_bytes);
    const auto reserved = static_cast<double>(prediction.run_reserved_peak_bytes);
    CHECK(std::abs(static_cast<double>(proposal.need.reserved_peak_bytes) / reserved - 1) <= 0.01);
  }
}

TEST_CASE(
    "what fit proposes has the phantom's own peaks, fits, and one sample more than the largest does not",
    "[fit]") {
  const std::pair<const char*, int> runs[] = {{"simple-conv-net", 512}, {"gpt-mini", 4}};
  for (const auto& [network, batch] : runs) {
    INFO(network);
    FitQuestion question = QuestionOf(network, batch, int64_t{16} << 30);
    question.card.memory_bytes = question.card.context_bytes + ReservedInAll(question) * 2 / 3;
    const FitAnswer answer = Search(question);
    session::PredictorOptions options;
    options.memory_bytes = question.card.memory_bytes;
    session::Predictor predictor(options);
    CHECK(OnTheCard(predictor, question.settings).out_of_memory);
    REQUIRE_FALSE(answer.present.need.fits);
    REQUIRE(answer.proposals.size() >= 2);
    CheckProposals(question, answer, predictor);
    networks::TrainingSettings largest = question.settings;
    largest.batch = answer.largest_batch;
    REQUIRE(largest.batch > 1);
    CHECK_FALSE(OnTheCard(predictor, largest).out_of_memory);
    largest.batch += 1;
    CHECK(OnTheCard(predictor, largest).out_of_memory);
  }
}

// On demand: it takes 20 s of a processor.
TEST_CASE("a network that is larger than the card's memory is proposed what makes it fit", "[.search]") {
  const FitAnswer answer = Search(QuestionOf("resnet-50", 64, int64_t{3} << 30));
  CHECK_FALSE(answer.present.need.fits);
  CHECK_FALSE(answer.proposals.empty());
}

}  // namespace
}  // namespace tidemark::advice
