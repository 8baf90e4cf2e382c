#include "profiler/advice/needs.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "profiler/session/allocator_trial.h"

namespace tidemark::advice {
Needs::Needs(phantom::Card card, std::string allocator)
    : card_(std::move(card)), allocator_(std::move(allocator)) {
  session::PredictorOptions options;
  options.memory_bytes = kRoomForAllBytes;
  options.with_requests = true;
  options.allocator = allocator_;
  for (size_t i = 0; i < kTrainers; ++i) {
    predictors_.push_back(std::make_unique<session::Predictor>(options));
  }
}

Result<Need> Needs::AskOne(session::Predictor& predictor, const Configuration& configuration) {
  const Result<session::Prediction> prediction = predictor.AskAndWait(configuration.settings, card_.name);
  if (!prediction) return prediction.error();
  const int64_t usable_bytes = card_.memory_bytes - card_.context_bytes;
  Need need;
  need.allocated_peak_bytes = prediction->allocated_peak_bytes;
  need.reserved_peak_bytes = prediction->run_reserved_peak_bytes;
  need.without_workspaces = prediction->without_workspaces;
  need.unknown_sizes = prediction->unknown_sizes;
  need.fits = need.reserved_peak_bytes <= usable_bytes;
  const bool cannot_fit = prediction->run_allocated_peak_bytes > usable_bytes;
  if (cannot_fit || prediction->requests == nullptr || (need.fits && configuration.allocator == allocator_)) {
    return need;
  }
  const Result<phantom::Replayed> tried =
      session::TryAllocator(*prediction->requests, card_, configuration.allocator);
  if (!tried) return tried.error();
  need.fits = tried->failures == 0;
  need.empties_cache = need.fits && tried->retries > 0;
  if (need.fits) need.reserved_peak_bytes = tried->reserved_peak_bytes;
  return need;
}

Result<std::vector<Need>> Needs::Ask(std::span<const Configuration> configurations) {
  std::vector<Result<Need>> answers(configurations.size(), Error{"Nobody answered."});
  std::atomic<size_t> next{0};
  const auto work = [&](session::Predictor& predictor) {
    for (size_t i = next++; i < configurations.size(); i = next++) {
      answers[i] = AskOne(predictor, configurations[i]);
      if (!answers[i]) next = configurations.size();
    }
  };
  {
    std::vector<std::jthread> workers;
    const size_t count = std::min(predictors_.size(), configurations.size());
    for (size_t i = 1; i < count; ++i) workers.emplace_back([&, i] { work(*predictors_[i]); });
    work(*predictors_.front());
  }
  std::vector<Need> needs;
  for (const Result<Need>& answer : answers) {
    if (!answer) return answer.error();
    needs.push_back(*answer);
  }
  return needs;
}

}  // namespace tidemark::advice
