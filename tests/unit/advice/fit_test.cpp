#include "profiler/advice/fit.h"

#include <algorithm>

#include "profiler/advice/step_time.h"
#include "tests/support/catch.h"

namespace tidemark::advice {
namespace {

using networks::CheckpointMode;
using networks::OptimizerKind;
using networks::Precision;
using networks::TrainingSettings;

constexpr int64_t kMebibyte = int64_t{1} << 20;

// As in the specification's own example.
networks::Network SmallNetwork() {
  return *networks::NetworkFromJson(
      R"({"title": "Small", "description": "Small.", "input": [3, 32, 32], "classes": 10, "layers": [
          {"name": "conv1", "kind": "conv2d", "in": 3, "out": 64, "kernel": 3, "padding": 0},
          {"name": "relu1", "kind": "relu"}, {"name": "flatten", "kind": "flatten"},
          {"name": "fc", "kind": "linear", "in": 57600, "out": 10}]})");
}

phantom::Card CardWith(int64_t usable_bytes) {
  phantom::Card card;
  card.compute_capability = 90;
  card.multiprocessors = 132;
  card.threads_per_multiprocessor = 2048;
  card.memory_bytes = usable_bytes + 100 * kMebibyte;
  card.context_bytes = 100 * kMebibyte;
  card.memory_bytes_per_second = 4.8e12;
  card.float32_flops = 66.9e12;
  card.float16_tensor_flops = 989.4e12;
  card.link_bytes_per_second = 450e9;
  return card;
}

// A made-up phantom: what a sample takes, by technique, and what the optimizer keeps.
class MadeUpPhantom {
 public:
  explicit MadeUpPhantom(int64_t usable_bytes) : usable_bytes_(usable_bytes) {}

  static int64_t ReservedBytes(const Configuration& configuration) {
    const TrainingSettings& settings = configuration.settings;
    int64_t sample = settings.amp == Precision::kFloat32 ? 4 * kMebibyte : 2 * kMebibyte;
    if (settings.checkpoint.mode != CheckpointMode::kNone) sample /= 2;
    const int64_t state = settings.optimizer == OptimizerKind::kAdam ? 20 * kMebibyte : 5 * kMebibyte;
    const int64_t tensors = 50 * kMebibyte + state + settings.batch * sample;
    return configuration.allocator.empty() ? tensors + 7 * kMebibyte : tensors;
  }
  Result<std::vector<Need>> operator()(std::span<const Configuration> configurations) {
    std::vector<Need> needs;
    for (const Configuration& configuration : configurations) {
      asked_.push_back(configuration);
      Need need;
      need.reserved_peak_bytes = ReservedBytes(configuration);
      need.allocated_peak_bytes =
          need.reserved_peak_bytes - (configuration.allocator.empty() ? 7 * kMebibyte : 0);
      need.fits = need.reserved_peak_bytes <= usable_bytes_;
      needs.push_back(need);
    }
    return needs;
  }
  const std::vector<Configuration>& asked() const { return asked_; }

 private:
  int64_t usable_bytes_;
  std::vector<Configuration> asked_;
};

FitAnswer FitOn(int64_t usable_bytes, MadeUpPhantom* phantom = nullptr, int64_t samples = 0) {
  MadeUpPhantom own(usable_bytes);
  MadeUpPhantom& asked = phantom == nullptr ? own : *phantom;
  const FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(usable_bytes), samples};
  const Result<FitAnswer> answer =
      FindFit(question, [&](std::span<const Configuration> all) { return asked(all); });
  if (!answer) FAIL(answer.error().message);
  return *answer;
}

TEST_CASE("The largest batch alone is the one that a whole search finds, for fewer questions") {
  for (const int64_t mib : {60, 90, 401, 997}) {
    MadeUpPhantom phantom(mib * kMebibyte);
    const FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(mib * kMebibyte), 0};
    const Result<LargestBatch> largest =
        FindBatchWithRoom(question, [&](std::span<const Configuration> all) { return phantom(all); });
    REQUIRE(largest.ok());
    CHECK(largest->batch == FitOn(mib * kMebibyte).largest_batch);
    CHECK(phantom.asked().size() <= 14);
  }
}

TEST_CASE("The largest batch alone is none that PyTorch gives its cache back for") {
  MadeUpPhantom phantom(400 * kMebibyte);
  const FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(400 * kMebibyte), 0};
  const auto ask = [&](std::span<const Configuration> all) {
    Result<std::vector<Need>> needs = phantom(all);
    for (Need& need : *needs) need.empties_cache = need.reserved_peak_bytes > 350 * kMebibyte;
    return needs;
  };
  const Result<LargestBatch> with_room = FindBatchWithRoom(question, ask);
  REQUIRE(with_room.ok());
  CHECK(with_room->batch == (350 - 77) / 4);
  const Result<FitAnswer> answer = FindFit(question, ask);
  REQUIRE(answer.ok());
  CHECK(answer->largest_batch == (400 - 77) / 4);
  CHECK(answer->batch_with_room == with_room->batch);
}

TEST_CASE("What fits as it is needs no proposal, and the largest batch is the last that fits") {
  for (const int64_t mib : {400, 401, 500, 997, 4000}) {
    const FitAnswer answer = FitOn(mib * kMebibyte);
    CHECK(answer.present.need.fits);
    CHECK(answer.proposals.empty());
    CHECK(answer.largest_batch == (mib - 77) / 4);
    CHECK(answer.batch_with_room == answer.largest_batch);
    CHECK_FALSE(answer.is_at_limit);
    CHECK_FALSE(answer.frontier.empty());
  }
  const FitAnswer roomy = FitOn(100'000 * kMebibyte);
  CHECK(roomy.largest_batch == networks::kMaxBatch);
  CHECK(roomy.is_at_limit);
  CHECK(FitOn(60 * kMebibyte).largest_batch == 0);
}

TEST_CASE(
    "Each proposal fits, keeps the step's samples, and the first is the cheapest that keeps the optimizer") {
  const FitAnswer answer = FitOn(220 * kMebibyte);
  REQUIRE_FALSE(answer.present.need.fits);
  REQUIRE_FALSE(answer.proposals.empty());
  for (const Proposal& proposal : answer.proposals) {
    CHECK(proposal.need.fits);
    CHECK(proposal.configuration.settings.batch * proposal.configuration.settings.accumulate == 64);
    CHECK(proposal.need.reserved_peak_bytes == MadeUpPhantom::ReservedBytes(proposal.configuration));
  }
  const Proposal& cheapest = answer.proposals.front();
  CHECK(cheapest.configuration.settings.optimizer == OptimizerKind::kAdam);
  for (const Proposal& proposal : answer.proposals) {
    if (proposal.configuration.settings.optimizer != OptimizerKind::kAdam) continue;
    CHECK(cheapest.step_seconds <= proposal.step_seconds);
  }
}

TEST_CASE("Nothing on the frontier is beaten in both memory and time") {
  const FitAnswer answer = FitOn(220 * kMebibyte);
  REQUIRE(answer.frontier.size() > 1);
  for (size_t i = 1; i < answer.frontier.size(); ++i) {
    CHECK(answer.frontier[i - 1].need.reserved_peak_bytes < answer.frontier[i].need.reserved_peak_bytes);
    CHECK(answer.frontier[i - 1].step_seconds > answer.frontier[i].step_seconds);
  }
}

TEST_CASE("What cannot fit is not asked, and no question has more than two micro-batches") {
  MadeUpPhantom phantom(90 * kMebibyte);
  const FitAnswer answer = FitOn(90 * kMebibyte, &phantom);
  CHECK(answer.asked == phantom.asked().size());
  CHECK(answer.asked < answer.considered);
  CHECK(std::ranges::all_of(phantom.asked(),
                            [](const Configuration& one) { return one.settings.accumulate <= 2; }));
}

TEST_CASE("Under ZeRO what is gathered or whole for a moment rules nothing out") {
  const networks::Network network = SmallNetwork();
  FitQuestion question{network, TrainingSettings(), CardWith(0), 0};
  question.settings.ranks = 8;
  question.settings.batch = 1;
  for (const auto zero : {networks::ZeroStage::kGradients, networks::ZeroStage::kParameters}) {
    question.settings.zero = zero;
    // What is kept alone, and a batch's activations beside it, has room; the largest layer, whole, has not.
    const textbook::Estimate estimate = textbook::EstimateMemory(network, question.settings);
    const int64_t beside = estimate.activations_bytes + estimate.input_bytes;
    const int64_t usable = estimate.parameters_bytes + estimate.optimizer_bytes + beside + kMebibyte;
    REQUIRE(estimate.whole_gradients_bytes > beside + kMebibyte);
    question.card = CardWith(usable);
    Need fitting;
    fitting.fits = true;
    int asked = 0;  // as the present step, and as a rung of its ladder
    const Result<FitAnswer> answer = FindFit(question, [&](std::span<const Configuration> configurations) {
      for (const Configuration& one : configurations) asked += one.settings == question.settings ? 1 : 0;
      return Result(std::vector<Need>(configurations.size(), fitting));
    });
    REQUIRE(answer.ok());
    CHECK(asked == 2);
  }
}

TEST_CASE("ZeRO's ranks each update their part, so that a step's optimizer takes less time") {
  const networks::Network network = SmallNetwork();
  phantom::Card card = CardWith(1000 * kMebibyte);
  card.memory_bytes_per_second /= 1000;  // so that bytes count, not launches
  TrainingSettings settings;
  settings.optimizer = OptimizerKind::kSgd;
  settings.ranks = 8;
  const double whole = EstimateStepTime(network, settings, card).total();
  for (const auto zero : {networks::ZeroStage::kGradients, networks::ZeroStage::kParameters}) {
    settings.zero = zero;
    CHECK(EstimateStepTime(network, settings, card).total() < whole);
  }
}

TEST_CASE("Where only segments lack room, the allocator's setting is proposed") {
  const FitAnswer answer = FitOn((70 + 64 * 4 + 1) * kMebibyte);  // tensors fit, the 7 MiB beside them do not
  const bool proposed = std::ranges::any_of(answer.proposals, [](const Proposal& proposal) {
    return proposal.configuration.allocator == kExpandableSegments &&
           proposal.configuration.settings == TrainingSettings();
  });
  CHECK(proposed);
}

TEST_CASE("Settings of the allocator that are in force already are kept, and are no change") {
  MadeUpPhantom phantom(220 * kMebibyte);
  const FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(220 * kMebibyte), 0,
                             kExpandableSegments};
  const Result<FitAnswer> answer =
      FindFit(question, [&](std::span<const Configuration> all) { return phantom(all); });
  REQUIRE(answer.ok());
  REQUIRE_FALSE(answer->proposals.empty());
  for (const Proposal& proposal : answer->proposals) {
    CHECK(proposal.configuration.allocator == kExpandableSegments);
    CHECK(DescribeProposal(question, proposal).find("expandable_segments") == std::string::npos);
  }
}

TEST_CASE("Another number of samples a step is made of micro-batches, or refused") {
  const FitAnswer answer = FitOn(1000 * kMebibyte, nullptr, 512);
  REQUIRE_FALSE(answer.proposals.empty());
  for (const Proposal& proposal : answer.proposals)
    CHECK(proposal.configuration.settings.batch * proposal.configuration.settings.accumulate == 512);
  const FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(1000 * kMebibyte),
                             8209};  // a prime
  MadeUpPhantom phantom(1000 * kMebibyte);
  const Result<FitAnswer> refused =
      FindFit(question, [&](std::span<const Configuration> all) { return phantom(all); });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("8,209 samples") != std::string::npos);
}

TEST_CASE("A search that is cancelled, or whose phantom fails, says so") {
  const FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(1000 * kMebibyte), 0};
  MadeUpPhantom phantom(1000 * kMebibyte);
  const Result<FitAnswer> cancelled = FindFit(
      question, [&](std::span<const Configuration> all) { return phantom(all); },
      [](size_t, size_t) { return false; });
  REQUIRE_FALSE(cancelled);
  const Result<FitAnswer> failed = FindFit(question, [](std::span<const Configuration>) {
    return Result<std::vector<Need>>(Error{"No phantom."});
  });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "No phantom.");
}

TEST_CASE(
    "A step's time grows with micro-batches of the same samples, with recomputation, and shrinks with AMP") {
  const networks::Network network = SmallNetwork();
  const phantom::Card card = CardWith(1000 * kMebibyte);
  TrainingSettings settings;
  settings.batch = 1024;
  const double once = EstimateStepTime(network, settings, card).total();
  TrainingSettings accumulated = settings;
  accumulated.batch = 16;
  accumulated.accumulate = 64;
  CHECK(EstimateStepTime(network, accumulated, card).total() > once);
  TrainingSettings checkpointed = settings;
  checkpointed.checkpoint.mode = CheckpointMode::kByLayer;
  CHECK(EstimateStepTime(network, checkpointed, card).total() > once);
  TrainingSettings half = settings;
  half.amp = Precision::kBfloat16;
  CHECK(EstimateStepTime(network, half, card).total() < once);
  TrainingSettings evaluated = settings;
  evaluated.pass = networks::Pass::kEvaluate;
  CHECK(EstimateStepTime(network, evaluated, card).total() < once / 2);
  TrainingSettings generous = settings;  // keeps all, so nothing is computed again
  generous.checkpoint = {networks::CheckpointMode::kBudget, 0, int64_t{1} << 40};
  CHECK(EstimateStepTime(network, generous, card).total() == once);
  TrainingSettings pure = half;
  pure.amp = Precision::kPureFloat16;  // without autocast's casts
  CHECK(EstimateStepTime(network, pure, card).total() < EstimateStepTime(network, half, card).total());
  phantom::Card slower = card;
  slower.memory_bytes_per_second /= 4;
  CHECK(EstimateStepTime(network, settings, slower).total() > once);
}

TEST_CASE("What a run needs is held against its card, where that is the reason") {
  const FitQuestion question{SmallNetwork(), {}, CardWith(1000 * kMebibyte)};
  const auto why = [&](int64_t needed, bool fits) {
    Need need;
    need.reserved_peak_bytes = needed;
    need.fits = fits;
    return WhyTooBig(question, need, ByteUnit::kMebibytes);
  };
  CHECK(why(2500 * kMebibyte, false) ==
        "It is too big for the card: it needs 2.44 GiB in all, 2.5 times the 1,000.0 MiB that the card has "
        "beside the context.");
  CHECK(why(2500 * kMebibyte, true).empty());  // it empties its cache in between
  CHECK(why(900 * kMebibyte, false).empty());  // the room is in pieces
}

TEST_CASE("That gaps are not all that a run lacks is told where a step allocates more than the card has") {
  const FitQuestion question{SmallNetwork(), {}, CardWith(1000 * kMebibyte)};
  Need need;
  need.reserved_peak_bytes = 2500 * kMebibyte;
  need.allocated_peak_bytes = 1000 * kMebibyte;
  CHECK(WhyGapsAreNotAll(question, need, ByteUnit::kMebibytes).empty());
  need.allocated_peak_bytes = 2000 * kMebibyte;
  CHECK(WhyGapsAreNotAll(question, need, ByteUnit::kMebibytes) ==
        "Without a gap it would not fit either: a step allocates 1.95 GiB, and the card has 1,000.0 MiB "
        "beside the context.");
  need.fits = true;
  CHECK(WhyGapsAreNotAll(question, need, ByteUnit::kMebibytes).empty());
}

TEST_CASE("Ways out are the three cheapest that do not live from an emptied cache") {
  FitAnswer answer;
  for (const bool empties_cache : {false, true, false, false, false}) {
    Proposal proposal;
    proposal.need.fits = true;
    proposal.need.empties_cache = empties_cache;
    proposal.step_seconds = static_cast<double>(answer.proposals.size());
    answer.proposals.push_back(proposal);
  }
  const std::vector<Proposal> ways = WaysOut(answer);
  REQUIRE(ways.size() == 3);
  CHECK(ways[0].step_seconds == 0);
  CHECK(ways[1].step_seconds == 2);
  CHECK(ways[2].step_seconds == 3);
}

TEST_CASE(
    "In a pipeline all micro-batches are asked for, and those that are in flight together save nothing") {
  FitQuestion question{SmallNetwork(), TrainingSettings(), CardWith(400 * kMebibyte), 0};
  question.settings.ranks = 2;
  int most_accumulated = 0;
  const auto ask = [&](std::span<const Configuration> all) {  // a phantom on which small ones do not fit
    std::vector<Need> needs;
    for (const Configuration& one : all) {
      most_accumulated = std::max(most_accumulated, one.settings.accumulate);
      Need need;
      need.fits = one.settings.batch >= 8 && one.settings.batch <= 32;
      needs.push_back(need);
    }
    return Result(needs);
  };
  CHECK(FindFit(question, ask)->shardings.size() == 9);
  CHECK(most_accumulated == 2);
  question.settings.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  const Result<FitAnswer> in_turns = FindFit(question, ask);
  REQUIRE(in_turns.ok());
  CHECK(in_turns->shardings.empty());
  CHECK(in_turns->proposals.empty());
  CHECK(most_accumulated == 64);
  question.settings.pipeline = networks::PipelineSchedule::kGpipe;
  const Result<FitAnswer> together = FindFit(question, ask);
  REQUIRE(together.ok());
  CHECK_FALSE(together->proposals.empty());
}

TEST_CASE("A way out that changes more and saves no more is none") {
  FitAnswer answer;
  const auto add = [&](int batch, networks::Precision amp, int64_t reserved_bytes) {
    Proposal proposal;
    proposal.configuration.settings.batch = batch;
    proposal.configuration.settings.amp = amp;
    proposal.need.fits = true;
    proposal.need.reserved_peak_bytes = reserved_bytes;
    answer.proposals.push_back(proposal);
  };
  const int now = answer.present.configuration.settings.batch;
  add(now / 2, networks::Precision::kFloat32, 1'000'000);
  add(now / 2, networks::Precision::kFloat16, 995'000);  // half a hundredth for another change
  add(now, networks::Precision::kFloat16, 1'200'000);
  add(now / 4, networks::Precision::kFloat16, 500'000);
  const std::vector<Proposal> ways = WaysOut(answer);
  REQUIRE(ways.size() == 3);
  CHECK(ways[1].configuration.settings.batch == now);
  CHECK(ways[2].configuration.settings.batch == now / 4);
}

TEST_CASE("ZeRO divides states, then gradients, then parameters") {
  textbook::Estimate estimate;
  estimate.parameters_bytes = estimate.gradients_bytes = 800;
  estimate.optimizer_bytes = 1600;
  const std::vector<Sharding> shardings = Shardings(estimate, estimate, 4000, 1200);
  REQUIRE(shardings.size() == 9);
  CHECK(shardings[0].bytes == 4000 - 800);         // stage 1, 2 ranks
  CHECK(shardings[5].bytes == 4000 - 2400 + 300);  // stage 2, 8 ranks
  CHECK(shardings[8].bytes == 4000 - 3200 + 400);  // stage 3, 8 ranks
  CHECK(shardings[8].fits);
  CHECK_FALSE(shardings[7].fits);
  // Of a step that shares its states already nothing is taken twice.
  textbook::Estimate present = estimate;
  present.optimizer_bytes = 200;
  CHECK(Shardings(present, estimate, 2600, 1200)[8].bytes == 4000 - 3200 + 400);
}

}  // namespace
}  // namespace tidemark::advice
