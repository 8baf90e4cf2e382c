#include "profiler/advice/needs.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "profiler/session/allocator_trial.h"
#include "profiler/session/card_fit.h"

namespace tidemark::advice {
namespace {

// Of a steady step's peak, what no other plan of cuDNN's makes smaller.
int64_t BesideWorkspaces(const session::Prediction& prediction) {
  return prediction.allocated_peak_bytes -
         ValueOf(prediction.at_peak, timeline::SeriesOf(events::Category::kWorkspace));
}

// One that does not fit before any that does, however much that one reserves.
std::pair<bool, int64_t> Fullness(const Need& need) { return {!need.fits, need.reserved_peak_bytes}; }

// The fullest card decides; what is not known of any of them is not known of all.
Need FullestOf(const std::vector<std::vector<Need>>& stages, size_t configuration) {
  Need fullest;
  std::vector<std::string> unknown_sizes;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    const Need& need = stages[stage][configuration];
    for (const std::string& size : need.unknown_sizes) {
      if (std::ranges::find(unknown_sizes, size) == unknown_sizes.end()) unknown_sizes.push_back(size);
    }
    const bool empties_cache = fullest.empties_cache || need.empties_cache;
    const int64_t times_survived = fullest.times_survived + need.times_survived;
    if (stage == 0 || Fullness(need) > Fullness(fullest)) {
      fullest = need;
      fullest.stage = static_cast<int>(stage);
    }
    fullest.empties_cache = empties_cache;
    fullest.times_survived = times_survived;
  }
  fullest.unknown_sizes = std::move(unknown_sizes);
  return fullest;
}

// Each piece of work once, by one of so many workers side by side.
void ShareWork(size_t workers, size_t pieces, const std::function<void(size_t worker, size_t piece)>& work) {
  std::atomic<size_t> next{0};
  const auto take_turns = [&](size_t worker) {
    for (size_t piece = next++; piece < pieces; piece = next++) work(worker, piece);
  };
  std::vector<std::jthread> others;
  for (size_t worker = 1; worker < std::min(workers, pieces); ++worker)
    others.emplace_back(take_turns, worker);
  take_turns(0);
}

}  // namespace

Needs::Needs(phantom::Card card, std::string allocator, std::function<bool()> goes_on)
    : card_(std::move(card)),
      allocator_(std::move(allocator)),
      goes_on_(std::move(goes_on)),
      workers_(kTrainers) {}

std::unique_ptr<session::Predictor> Needs::MakePredictor(const Phantoms& phantoms,
                                                         int64_t memory_bytes) const {
  session::PredictorOptions options;
  options.memory_bytes = memory_bytes;
  options.with_requests = true;
  options.place = phantoms.place;
  return std::make_unique<session::Predictor>(options);
}

Status Needs::AskOnCard(Phantoms& phantoms, const Configuration& configuration, Need& need) {
  if (phantoms.of_card == nullptr) phantoms.of_card = MakePredictor(phantoms, card_.memory_bytes);
  const Result<session::Prediction> there =
      phantoms.of_card->AskAndWait(configuration.settings, {card_.name, configuration.allocator}, goes_on_);
  if (!there) return there.error();
  need.fits = !there->out_of_memory;
  if (!need.fits) return Done{};
  need.allocated_peak_bytes = there->allocated_peak_bytes;
  need.reserved_peak_bytes = there->reserved_peak_bytes;
  need.times_survived = there->times_survived;
  need.empties_cache = true;
  return Done{};
}

Result<Need> Needs::AskOne(Phantoms& phantoms, const Configuration& configuration) {
  if (phantoms.with_room == nullptr) phantoms.with_room = MakePredictor(phantoms, kRoomForAllBytes);
  const Result<session::Prediction> prediction =
      phantoms.with_room->AskAndWait(configuration.settings, {card_.name, allocator_}, goes_on_);
  if (!prediction) return prediction.error();
  const int64_t usable_bytes = session::UsableBytes(card_);
  Need need;
  need.allocated_peak_bytes = prediction->allocated_peak_bytes;
  need.reserved_peak_bytes = prediction->reserved_peak_bytes;
  need.without_workspaces = prediction->without_workspaces;
  need.unknown_sizes = prediction->unknown_sizes;
  need.fits = need.reserved_peak_bytes <= usable_bytes;
  const bool cannot_fit = BesideWorkspaces(*prediction) > usable_bytes;
  const bool surely_fits =
      !session::IsInDoubt(need.reserved_peak_bytes, usable_bytes) && configuration.allocator == allocator_;
  if (cannot_fit || prediction->requests == nullptr || surely_fits) return need;
  const Result<phantom::Replayed> tried =
      session::TryAllocator(*prediction->requests, card_, configuration.allocator);
  if (!tried) return tried.error();
  need.fits = tried->failures == 0;
  need.empties_cache = need.fits && tried->retries > 0;
  if (need.fits) {
    need.reserved_peak_bytes = tried->reserved_peak_bytes;
  } else if (const Status asked = AskOnCard(phantoms, configuration, need); !asked) {
    return asked.error();
  }
  return need;
}

Result<std::vector<Need>> Needs::Ask(std::span<const Configuration> configurations) {
  if (!configurations.empty() && networks::UsesPipeline(configurations.front().settings))
    return AskStages(configurations);
  std::vector<Result<Need>> answers(configurations.size(), Error{"Nobody answered."});
  std::atomic<bool> failed{false};
  ShareWork(workers_.size(), configurations.size(), [&](size_t worker, size_t i) {
    if (failed) return;
    answers[i] = AskOne(workers_[worker], configurations[i]);
    if (!answers[i]) failed = true;
  });
  std::vector<Need> needs;
  for (const Result<Need>& answer : answers) {
    if (!answer) return answer.error();
    needs.push_back(*answer);
  }
  return needs;
}

Result<std::vector<Need>> Needs::AskStages(std::span<const Configuration> configurations) {
  const int ranks = configurations.front().settings.ranks;
  if (stages_.size() != static_cast<size_t>(ranks)) stages_.clear();
  stages_.resize(static_cast<size_t>(ranks));
  std::vector<std::vector<Need>> needs(stages_.size());
  std::vector<Status> asked(stages_.size(), Done{});
  ShareWork(kTrainers, stages_.size(), [&](size_t /*worker*/, size_t stage) {
    Phantoms& phantoms = stages_[stage];
    phantoms.place = RankPlace{static_cast<int>(stage), ranks};
    for (const Configuration& configuration : configurations) {
      Result<Need> need = AskOne(phantoms, configuration);
      if (!need) {
        asked[stage] = need.error();
        return;
      }
      needs[stage].push_back(std::move(*need));
    }
    if (stages_.size() > kMostWarmStages) phantoms = {};
  });
  for (const Status& each : asked) {
    if (!each) return each.error();
  }
  std::vector<Need> fullest;
  for (size_t i = 0; i < configurations.size(); ++i) fullest.push_back(FullestOf(needs, i));
  return fullest;
}

}  // namespace tidemark::advice
