#include "profiler/advice/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "profiler/advice/largest_search.h"
#include "profiler/advice/step_time.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"
#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::advice {
namespace {

using networks::Checkpointing;
using networks::CheckpointMode;
using networks::OptimizerKind;
using networks::Precision;
using networks::TrainingSettings;

constexpr int kAmpere = 80;  // the compute capability from which bfloat16 is the hardware's own
constexpr size_t kMostProposals = 12;
constexpr size_t kMostWaysOut = 3;

// All configurations that differ in the micro-batch alone, the smallest first: if one does not fit, those
// behind it do not.
using Ladder = std::vector<TrainingSettings>;

template <typename Value>
void AddOnce(std::vector<Value>& values, const Value& value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

std::vector<Precision> PrecisionsOf(const FitQuestion& question) {
  std::vector<Precision> precisions = {question.settings.amp};
  AddOnce(precisions, Precision::kFloat32);
  AddOnce(precisions, Precision::kFloat16);
  if (question.card.compute_capability >= kAmpere) AddOnce(precisions, Precision::kBfloat16);
  return precisions;
}

std::vector<Checkpointing> CheckpointingsOf(const FitQuestion& question) {
  std::vector<Checkpointing> checkpointings = {question.settings.checkpoint};
  if (!question.network.script.empty()) return checkpointings;  // it runs in one piece
  AddOnce(checkpointings, {CheckpointMode::kNone, 0});
  AddOnce(checkpointings, {CheckpointMode::kSegments, textbook::SquareRootSegments(question.network)});
  AddOnce(checkpointings, {CheckpointMode::kByLayer, 0});
  return checkpointings;
}

// The present one, and those with less state.
std::vector<OptimizerKind> OptimizersOf(const FitQuestion& question) {
  const auto state_of = [&](OptimizerKind kind) {
    TrainingSettings settings = question.settings;
    settings.optimizer = kind;
    return textbook::EstimateMemory(question.network, settings).optimizer_bytes;
  };
  std::vector<OptimizerKind> optimizers = {question.settings.optimizer};
  for (const OptimizerKind kind : {OptimizerKind::kMomentum, OptimizerKind::kSgd}) {
    if (state_of(kind) < state_of(question.settings.optimizer)) optimizers.push_back(kind);
  }
  return optimizers;
}

std::vector<Ladder> LaddersOf(const FitQuestion& question, int64_t samples) {
  std::vector<Ladder> ladders;
  for (const OptimizerKind optimizer : OptimizersOf(question)) {
    for (const Precision amp : PrecisionsOf(question)) {
      for (const Checkpointing& checkpoint : CheckpointingsOf(question)) {
        Ladder ladder;
        for (int batch = 1; batch <= std::min<int64_t>(samples, networks::kMaxBatch); ++batch) {
          if (samples % batch != 0 || samples / batch > networks::kMaxAccumulate) continue;
          TrainingSettings settings = question.settings;
          settings.batch = batch;
          settings.accumulate = static_cast<int>(samples / batch);
          settings.amp = amp;
          settings.checkpoint = checkpoint;
          settings.optimizer = optimizer;
          ladder.push_back(settings);
        }
        ladders.push_back(std::move(ladder));
      }
    }
  }
  return ladders;
}

// The least that is alive at once at some moment of a step: the gradients grow as the activations go. What is
// gathered, or whole for a moment, need not be there when most is.
int64_t LeastBytes(const textbook::Estimate& estimate) {
  return estimate.parameters_bytes + estimate.buffers_bytes + estimate.optimizer_bytes +
         std::max(estimate.gradients_bytes, estimate.activations_bytes + estimate.input_bytes);
}

// Of a pipeline's stages the one that needs most.
int64_t LeastBytes(const FitQuestion& question, const TrainingSettings& settings) {
  if (!networks::UsesPipeline(settings))
    return LeastBytes(textbook::EstimateMemory(question.network, settings));
  int64_t most = 0;
  for (const textbook::StageEstimate& stage : textbook::EstimateStages(question.network, settings))
    most = std::max(most, LeastBytes(stage.estimate));
  return most;
}

// Whether all micro-batches are in flight at once, so that smaller ones save nothing.
bool HoldsAllMicroBatches(const TrainingSettings& settings) {
  return settings.pipeline == networks::PipelineSchedule::kGpipe;
}

// The second micro-batch finds what all further ones find, but in a pipeline, where several are in flight.
Configuration AskedAs(Configuration configuration) {
  TrainingSettings& settings = configuration.settings;
  if (!networks::UsesPipeline(settings)) settings.accumulate = std::min(settings.accumulate, 2);
  return configuration;
}

// What is to be changed, a bit for each.
unsigned ChangesOf(const Configuration& present, const Configuration& configuration) {
  const TrainingSettings& now = present.settings;
  const TrainingSettings& then = configuration.settings;
  unsigned changes = 0;
  if (then.batch != now.batch || then.accumulate != now.accumulate) changes |= 1U;
  if (then.amp != now.amp) changes |= 2U;
  if (then.checkpoint != now.checkpoint) changes |= 4U;
  if (configuration.allocator != present.allocator) changes |= 8U;
  if (then.optimizer != now.optimizer) changes |= 16U;
  return changes;
}
constexpr unsigned kOptimizerChange = 16U;
constexpr double kAlike = 0.01;  // of a peak: nobody would change anything for less

bool Fits(const Need& need) { return need.fits; }
bool HasRoom(const Need& need) { return need.fits && !need.empties_cache; }

class Search {
 public:
  Search(const FitQuestion& question, const AskNeeds& ask, const FitProgress& progress)
      : question_(question),
        ask_(ask),
        progress_(progress),
        usable_bytes_(session::UsableBytes(question.card)) {}

  Result<FitAnswer> Run() && {
    const int64_t now = int64_t{question_.settings.batch} * question_.settings.accumulate;
    const int64_t samples = question_.samples > 0 ? question_.samples : now;
    const std::vector<Ladder> ladders = LaddersOf(question_, samples);
    if (ladders.front().empty()) {
      return Error{"A step of " + FormatNumber(samples) + " samples cannot be made of up to " +
                   FormatNumber(networks::kMaxAccumulate) + " equal micro-batches of up to " +
                   FormatNumber(networks::kMaxBatch) + ". Choose another --target-batch."};
    }
    answer_.considered = ladders.size() * ladders.front().size();
    if (Status asked = AskPresent(); !asked) return asked.error();
    if (Status climbed = Climb(ladders); !climbed) return climbed.error();
    if (Status tried = TryOtherAllocator(); !tried) return tried.error();
    if (Status found = FindLargestBatches(); !found) return found.error();
    MakeFrontier();
    const bool is_as_wanted = answer_.present.need.fits && samples == now;
    if (!is_as_wanted) MakeProposals();
    if (networks::UsesPipeline(question_.settings)) return std::move(answer_);  // ZeRO does not go with it
    networks::TrainingSettings alone = question_.settings;
    alone.ranks = 1;
    answer_.shardings = Shardings(textbook::EstimateMemory(question_.network, question_.settings),
                                  textbook::EstimateMemory(question_.network, alone),
                                  answer_.present.need.reserved_peak_bytes, usable_bytes_);
    return std::move(answer_);
  }

  Result<LargestBatch> RunForBatchWithRoom() && {
    if (Status asked = AskPresent(); !asked) return asked.error();
    const Result<FoundBatch> found = FindLargestBatch(HasRoom);
    if (!found) return found.error();
    return LargestBatch{found->batch, IsAtLimit(found->batch)};
  }

 private:
  struct FoundBatch {
    int batch = 0;
    bool empties_cache = false;
  };
  static bool IsAtLimit(int batch) { return batch == networks::kMaxBatch; }

  Result<std::vector<Need>> Ask(const std::vector<Configuration>& configurations) {
    std::vector<Configuration> asked;
    asked.reserve(configurations.size());
    for (const Configuration& configuration : configurations) asked.push_back(AskedAs(configuration));
    answer_.asked += asked.size();
    Result<std::vector<Need>> needs = ask_(asked);
    if (needs && progress_ && !progress_(std::min(done_, answer_.considered), answer_.considered)) {
      return Error{"Stopped as asked."};
    }
    return needs;
  }

  Proposal ProposalOf(const Configuration& configuration, const Need& need) const {
    return {configuration, need,
            EstimateStepTime(question_.network, configuration.settings, question_.card).total()};
  }

  Status AskPresent() {
    const Configuration present{question_.settings, question_.allocator};
    const Result<std::vector<Need>> need = Ask({present});
    if (!need) return need.error();
    answer_.present = ProposalOf(present, need->front());
    return Done{};
  }

  // Rung by rung, all ladders at once.
  Status Climb(const std::vector<Ladder>& ladders) {
    std::vector<bool> is_over(ladders.size(), false);
    for (size_t rung = 0; rung < ladders.front().size(); ++rung) {
      std::vector<Configuration> questions;
      std::vector<size_t> of;
      for (size_t i = 0; i < ladders.size(); ++i) {
        if (is_over[i]) continue;
        if (LeastBytes(question_, ladders[i][rung]) > usable_bytes_) {
          is_over[i] = true;
          continue;
        }
        questions.push_back({ladders[i][rung], question_.allocator});
        of.push_back(i);
      }
      done_ += ladders.size();
      if (questions.empty()) break;
      const Result<std::vector<Need>> needs = Ask(questions);
      if (!needs) return needs.error();
      for (size_t i = 0; i < questions.size(); ++i) {
        known_.push_back(ProposalOf(questions[i], (*needs)[i]));
        if (!(*needs)[i].fits) is_over[of[i]] = !HoldsAllMicroBatches(question_.settings);
      }
    }
    return Done{};
  }

  // Where tensors would have room, and segments have not.
  Status TryOtherAllocator() {
    if (question_.allocator == kExpandableSegments) return Done{};
    std::vector<Configuration> questions;
    for (const Proposal& proposal : known_) {
      if (!proposal.need.fits && proposal.need.allocated_peak_bytes <= usable_bytes_)
        questions.push_back({proposal.configuration.settings, kExpandableSegments});
    }
    if (questions.empty()) return Done{};
    answer_.considered += questions.size();
    done_ += questions.size();
    const Result<std::vector<Need>> needs = Ask(questions);
    if (!needs) return needs.error();
    for (size_t i = 0; i < questions.size(); ++i) known_.push_back(ProposalOf(questions[i], (*needs)[i]));
    return Done{};
  }

  Result<FoundBatch> FindLargestBatch(bool (*suits)(const Need&)) {
    LargestSearch search(networks::kMaxBatch, usable_bytes_, question_.settings.batch);
    bool empties_cache = false;
    while (const std::optional<int64_t> batch = search.Next()) {
      Configuration configuration{question_.settings, question_.allocator};
      configuration.settings.batch = static_cast<int>(*batch);
      if (configuration.settings.batch != question_.settings.batch &&
          LeastBytes(question_, configuration.settings) > usable_bytes_) {
        search.TakeTooMany();
        continue;
      }
      const Result<Need> need = NeedWithBatch(configuration);
      if (!need) return need.error();
      if (suits(*need)) empties_cache = need->empties_cache;
      search.Take(*batch, suits(*need), need->allocated_peak_bytes);
    }
    return FoundBatch{static_cast<int>(search.largest()), empties_cache};
  }

  Result<Need> NeedWithBatch(const Configuration& configuration) {
    if (configuration.settings.batch == question_.settings.batch) return answer_.present.need;
    const Result<std::vector<Need>> needs = Ask({configuration});
    return needs ? Result<Need>(needs->front()) : needs.error();
  }

  // What has room is looked for below what fits, where that has none.
  Status FindLargestBatches() {
    const Result<FoundBatch> fitting = FindLargestBatch(Fits);
    if (!fitting) return fitting.error();
    answer_.largest_batch = answer_.batch_with_room = fitting->batch;
    answer_.is_at_limit = IsAtLimit(fitting->batch);
    if (!fitting->empties_cache) return Done{};
    const Result<FoundBatch> with_room = FindLargestBatch(HasRoom);
    if (!with_room) return with_room.error();
    answer_.batch_with_room = with_room->batch;
    return Done{};
  }

  void MakeFrontier() {
    std::vector<Proposal> fitting;
    std::ranges::copy_if(known_, std::back_inserter(fitting),
                         [](const Proposal& proposal) { return proposal.need.fits; });
    std::ranges::stable_sort(fitting, {}, [](const Proposal& proposal) {
      return std::pair(proposal.need.reserved_peak_bytes, proposal.step_seconds);
    });
    for (const Proposal& proposal : fitting) {
      if (answer_.frontier.empty() || proposal.step_seconds < answer_.frontier.back().step_seconds)
        answer_.frontier.push_back(proposal);
    }
  }

  // What PyTorch can only hold by giving its cache back in between costs calls of the driver that no roofline
  // knows, so it stands behind what has room.
  static std::pair<bool, double> CostOf(const Proposal& proposal) {
    return {proposal.need.empties_cache, proposal.step_seconds};
  }

  void MakeProposals() {
    std::map<unsigned, Proposal> cheapest;  // by what is changed
    for (const Proposal& proposal : known_) {
      if (!proposal.need.fits) continue;
      const unsigned changes = ChangesOf(answer_.present.configuration, proposal.configuration);
      const auto [at, is_new] = cheapest.try_emplace(changes, proposal);
      if (!is_new && CostOf(proposal) < CostOf(at->second)) at->second = proposal;
    }
    const auto is_beaten = [&](unsigned changes, const Proposal& proposal) {
      return std::ranges::any_of(cheapest, [&](const auto& other) {
        const bool is_part = other.first != changes && (other.first & changes) == other.first;
        return is_part && CostOf(other.second) <= CostOf(proposal) &&
               other.second.need.reserved_peak_bytes <= proposal.need.reserved_peak_bytes;
      });
    };
    std::vector<std::pair<std::pair<bool, std::pair<bool, double>>, Proposal>> ranked;
    for (const auto& [changes, proposal] : cheapest) {
      if (is_beaten(changes, proposal)) continue;
      ranked.push_back({{(changes & kOptimizerChange) != 0, CostOf(proposal)}, proposal});
    }
    std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.first; });
    if (ranked.size() > kMostProposals) ranked.resize(kMostProposals);
    for (auto& entry : ranked) answer_.proposals.push_back(std::move(entry.second));
  }

  const FitQuestion& question_;
  const AskNeeds& ask_;
  const FitProgress& progress_;
  const int64_t usable_bytes_;
  size_t done_ = 0;
  std::vector<Proposal> known_;
  FitAnswer answer_;
};

}  // namespace

AskNeeds AskPhantom(std::shared_ptr<Needs> needs) {
  return [needs = std::move(needs)](std::span<const Configuration> asked) { return needs->Ask(asked); };
}

Result<FitAnswer> FindFit(const FitQuestion& question, const AskNeeds& ask, const FitProgress& progress) {
  return Search(question, ask, progress).Run();
}

Result<LargestBatch> FindBatchWithRoom(const FitQuestion& question, const AskNeeds& ask,
                                       const FitProgress& progress) {
  return Search(question, ask, progress).RunForBatchWithRoom();
}

std::vector<Proposal> WaysOut(const FitAnswer& answer) {
  const Configuration& now = answer.present.configuration;
  std::vector<Proposal> ways;
  // One that changes more than a cheaper one does, and saves no more for it.
  const auto adds_nothing = [&](const Proposal& proposal) {
    const unsigned all = ChangesOf(now, proposal.configuration);
    return std::ranges::any_of(ways, [&](const Proposal& way) {
      const unsigned part = ChangesOf(now, way.configuration);
      const auto bytes = static_cast<double>(proposal.need.reserved_peak_bytes);
      return part != all && (part & all) == part &&
             static_cast<double>(way.need.reserved_peak_bytes) <= bytes * (1 + kAlike);
    });
  };
  for (const Proposal& proposal : answer.proposals) {
    if (ways.size() == kMostWaysOut) break;
    if (HasRoom(proposal.need) && !adds_nothing(proposal)) ways.push_back(proposal);
  }
  return ways;
}

std::string DescribeProposal(const FitQuestion& question, const Proposal& proposal) {
  std::string text = networks::DescribeChange(question.settings, proposal.configuration.settings);
  if (proposal.configuration.allocator == question.allocator) return text;
  return text + (text.empty() ? "" : ", ") + proposal.configuration.allocator;
}

std::string WhyTooBig(const FitQuestion& question, const Need& present, ByteUnit unit) {
  const int64_t usable = session::UsableBytes(question.card);
  const int64_t needed = present.reserved_peak_bytes;
  if (present.fits || usable <= 0 || needed <= usable) return "";
  return fmt::format(
      "It is too big for the card: it needs {} in all, {:.1f} times the {} that the card has beside the "
      "context.",
      FormatBytes(needed, unit), static_cast<double>(needed) / static_cast<double>(usable),
      FormatBytes(usable, unit));
}

std::string WhyGapsAreNotAll(const FitQuestion& question, const Need& present, ByteUnit unit) {
  const int64_t usable = session::UsableBytes(question.card);
  if (present.fits || usable <= 0 || present.allocated_peak_bytes <= usable) return "";
  return fmt::format(
      "Without a gap it would not fit either: a step allocates {}, and the card has {} beside the context.",
      FormatBytes(present.allocated_peak_bytes, unit), FormatBytes(usable, unit));
}

std::string DescribeStages(const FitQuestion& question, const Need& present) {
  if (!networks::UsesPipeline(question.settings)) return "";
  return "Each of " + FormatNumber(question.settings.ranks) +
         " stages has such a card; the figures are the fullest one's, here stage " +
         FormatNumber(present.stage) + ".";
}

}  // namespace tidemark::advice
