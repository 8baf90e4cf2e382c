#include "app/presenters/advice/consequences.h"

#include <algorithm>
#include <memory>

#include "profiler/networks/techniques.h"
#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

networks::Network ConvNet() {
  const Result<networks::Network> network = networks::FindNetwork("simple-conv-net");
  REQUIRE(network.ok());
  return *network;
}

// A made-up device: 2,000,000 bytes a sample, half of that under fp16, 100 MB besides.
std::optional<session::Prediction> Predict(const networks::TrainingSettings& settings) {
  session::Prediction prediction;
  const int64_t sample = settings.amp == networks::Precision::kFloat32 ? 2'000'000 : 1'000'000;
  prediction.allocated_peak_bytes = 100'000'000 + settings.batch * sample;
  prediction.reserved_peak_bytes = prediction.allocated_peak_bytes;
  prediction.out_of_memory = settings.batch > 1000;
  return prediction;
}

phantom::Card T4() {
  phantom::Card card = *phantom::FindCard("t4");
  card.memory_bytes = 10'000'000'000;
  return card;
}

// What was computed stays where it is.
AskEstimate Textbook() {
  return [network = ConvNet(), told = std::make_shared<textbook::Estimate>()](
             const networks::TrainingSettings& settings, int rank) {
    *told = textbook::EstimateMemory(network, settings, rank);
    return told.get();
  };
}

ConsequenceSources Sources() {
  const auto step_seconds = [](const networks::TrainingSettings& settings) {
    return std::optional(settings.amp == networks::Precision::kFloat32 ? 0.010 : 0.004);
  };
  return {Predict, Textbook(), step_seconds};
}

}  // namespace

TEST_CASE("A sample that needs less than nothing is explained by the workspaces that went") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  question.settings.batch = 20;
  ConsequenceSources sources = Sources();
  int64_t workspaces = 0;  // of the smaller batch
  sources.phantom = [&](const networks::TrainingSettings& settings) {
    std::optional<session::Prediction> prediction = Predict(settings);
    if (settings.batch < 20) {
      prediction->allocated_peak_bytes += workspaces;
      prediction->at_peak[static_cast<size_t>(timeline::SeriesOf(events::Category::kWorkspace))] = workspaces;
    }
    return prediction;
  };
  workspaces = 10'000'000;
  CHECK(DescribeConsequences(question, sources).batch == "+1.0 MB at peak per sample");
  workspaces = 30'000'000;
  CHECK(DescribeConsequences(question, sources).batch ==
        "−1.0 MB at peak per sample\nworkspaces need 30.0 MB less than at batch 10");
}

TEST_CASE("Each control says what it does to memory") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  const phantom::Card card = T4();
  question.card = &card;
  const Consequences lines = DescribeConsequences(question, Sources());
  CHECK(lines.network == "1,079,178 parameters · 4.3 MB");
  question.settings.amp = networks::Precision::kPureFloat16;
  CHECK(DescribeConsequences(question, Sources()).network == "1,079,178 parameters · 2.2 MB");
  CHECK(lines.batch == "+2.0 MB at peak per sample");
  CHECK(lines.precision == "fp16 would be −64.0 MB at peak, time × 0.40");
  CHECK(lines.accumulate == "effective batch 64");
  CHECK(lines.optimizer == "two moments per parameter: 8.6 MB");
  CHECK(lines.fit ==
        "predicted peak 228.0 MB\nwith cache and context 3.5 % of the T4\na step ~10.00 ms, by roofline");
  CHECK(lines.fits);
  CHECK(lines.clip.empty());
  REQUIRE(lines.precision_hints.size() == 4);
  CHECK(lines.precision_hints[0].empty());  // what is chosen says its effect below
  CHECK(lines.precision_hints[1] == "−64.0 MB at peak, time × 0.40");

  question.settings.amp = networks::Precision::kFloat16;
  question.settings.accumulate = 4;
  question.loss_scale = 65536;
  question.skipped_steps = 1;
  const Consequences half = DescribeConsequences(question, Sources());
  CHECK(half.precision == "−64.0 MB at peak against fp32, time × 0.40\nscale 65,536 · 1 step skipped");
  CHECK(half.accumulate == "effective batch 256 · ±0 B at peak");
}

TEST_CASE("A technique in use says what it does, and one that is not says nothing") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  question.settings.accumulate = 4;
  question.settings.learning_rate_rule = networks::LearningRateRule::kLinear;
  question.settings.channels_last = true;
  const Consequences lines = DescribeConsequences(question, Sources());
  const auto techniques = networks::Techniques();
  REQUIRE(lines.techniques.size() == techniques.size());
  for (size_t index = 0; index < techniques.size(); ++index) {
    const std::string key = techniques[index].key;
    INFO(key);
    CHECK(lines.techniques[index] == (key == "learning_rate_rule" ? "the learning rate is 0.004"
                                      : key == "channels_last"    ? "±0 B at peak"
                                                                  : ""));
  }
}

TEST_CASE("Sharing among one rank is told to be without effect") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  question.settings.zero = networks::ZeroStage::kGradients;
  const auto told = [&] {
    return std::ranges::count(DescribeConsequences(question, Sources()).techniques,
                              "one rank has nobody to share with: choose more ranks");
  };
  CHECK(told() == 1);
  question.settings.ranks = 8;
  CHECK(told() == 0);
}

TEST_CASE("A pipeline tells its stages before anything runs") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  question.settings.accumulate = 3;
  question.settings.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  const auto line_of_pipeline = [&] {
    const Consequences lines = DescribeConsequences(question, Sources());
    for (size_t index = 0; index < networks::Techniques().size(); ++index) {
      if (networks::Techniques()[index].key == std::string_view("pipeline")) return lines.techniques[index];
    }
    return std::string();
  };
  CHECK(line_of_pipeline() == "one rank is one stage: choose more ranks");
  question.settings.ranks = 2;
  CHECK(line_of_pipeline().starts_with("each waits 25 % of a step (bubble)\n0: conv1 … flatten, "));
  CHECK(line_of_pipeline().find("\n1: fc, ") != std::string::npos);
  CHECK(DescribeConsequences(question, Sources()).accumulate.starts_with("effective batch 192"));
}

TEST_CASE("Checkpointing offers six ways, and the one in force among them") {
  const networks::Network network = ConvNet();
  networks::TrainingSettings settings;
  const auto usual = CheckpointChoices(network, settings, 40'435'712);
  REQUIRE(usual.size() == 6);
  CHECK(usual.back().budget_bytes == 20'000'000);
  for (networks::Checkpointing checkpoint : usual) {
    if (checkpoint.segments > 0) checkpoint.segments += 3;
    settings.checkpoint = checkpoint;
    const auto choices = CheckpointChoices(network, settings, 40'435'712);
    CHECK(std::count(choices.begin(), choices.end(), checkpoint) == 1);
  }
}

TEST_CASE("√N segments stay √N of whichever network is chosen, and other ways to checkpoint as they are") {
  const networks::Network small = ConvNet();
  const Result<networks::Network> large = networks::FindNetwork("resnet-50");
  REQUIRE(large.ok());
  networks::TrainingSettings settings;
  settings.network = small.name;
  const auto choice_there = [&](size_t choice) {
    settings.checkpoint = CheckpointChoices(small, settings, 0)[choice];
    const networks::TrainingSettings there = WithNetwork(settings, &small, *large);
    CHECK(there.network == large->name);
    const auto choices = CheckpointChoices(*large, there, 0);
    return std::find(choices.begin(), choices.end(), there.checkpoint) - choices.begin();
  };
  for (const int choice : {0, 1, 2, 3, 4}) CHECK(choice_there(static_cast<size_t>(choice)) == choice);
  settings.checkpoint = {networks::CheckpointMode::kSegments, 2};
  CHECK(WithNetwork(settings, nullptr, *large).checkpoint == settings.checkpoint);
}

TEST_CASE(
    "How full a card is that a step just fits on is told with its context, as a figure that can be read") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  const phantom::Card card = T4();
  question.card = &card;
  ConsequenceSources sources = Sources();
  sources.phantom = [&card](const networks::TrainingSettings& settings) {
    std::optional<session::Prediction> prediction = Predict(settings);
    prediction->reserved_peak_bytes = card.memory_bytes - card.context_bytes - 30'000'000;
    return prediction;
  };
  CHECK(DescribeConsequences(question, sources).fit ==
        "predicted peak 228.0 MB\nwith cache and context 99.7 % of the T4\na step ~10.00 ms, by roofline");
}

TEST_CASE("What does not fit is said, and what is not known yet is left open") {
  const networks::Network network = ConvNet();
  ConsequenceQuestion question;
  question.network = &network;
  const phantom::Card card = T4();
  question.card = &card;
  question.settings.batch = 2000;
  const Consequences lines = DescribeConsequences(question, Sources());
  CHECK_FALSE(lines.fits);
  CHECK(lines.fit == "does not fit on the T4");
  CHECK(lines.precision == "fp16 does not fit on the card");
  ConsequenceSources half_fits = Sources();
  half_fits.phantom = [](const networks::TrainingSettings& settings) {
    std::optional<session::Prediction> prediction = Predict(settings);
    prediction->out_of_memory = settings.amp == networks::Precision::kFloat32;
    return prediction;
  };
  CHECK(DescribeConsequences(question, half_fits).precision == "fp16 fits on the card, time × 0.40");
  question.settings.checkpoint = {networks::CheckpointMode::kBudget, 0, 20'000'000};
  ConsequenceSources nothing_yet;
  nothing_yet.phantom = [](const networks::TrainingSettings&) { return std::nullopt; };
  nothing_yet.textbook = [](const networks::TrainingSettings&, int) { return nullptr; };
  nothing_yet.step_seconds = [](const networks::TrainingSettings&) { return std::nullopt; };
  const Consequences open = DescribeConsequences(question, nothing_yet);
  CHECK(open.optimizer == "…");
  CHECK(open.checkpoint == "… against none\n…");
  CHECK(open.batch == "…");
  CHECK(open.fit == "…");
  CHECK(open.accumulate == "effective batch 2,000");
}

}  // namespace tidemark::presenters
