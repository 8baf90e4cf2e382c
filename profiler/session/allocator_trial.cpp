#include "profiler/session/allocator_trial.h"

#include "profiler/events/allocator_settings.h"
#include "profiler/phantom/environment.h"

namespace tidemark::session {
namespace {

Result<std::vector<std::string>> EnvironmentOf(const phantom::Card& card, const std::string& settings,
                                               const AllocatorOf& allocator) {
  Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(card, allocator.stand_ins);
  if (!environment) return environment;
  environment->push_back(std::string(phantom::kMemoryVariable) + "=" + std::to_string(card.memory_bytes));
  const std::vector<std::string> changes = events::AllocatorEnvironment(settings);
  environment->insert(environment->end(), changes.begin(), changes.end());
  return environment;
}

}  // namespace

Status TakesSettings(const std::string& settings, const phantom::Card& card, const AllocatorOf& allocator) {
  if (settings.empty()) return Done{};
  const Result<std::vector<std::string>> environment = EnvironmentOf(card, settings, allocator);
  if (!environment) return environment.error();
  // Where nothing is asked of it, it can only be the settings that it refuses.
  const auto replayed = phantom::Replay({allocator.replayer, *environment}, {}, {allocator.addresses});
  if (replayed) return Done{};
  // Of words that are no setting at all its parser asserts, and asks for a report of a bug.
  const std::string& words = replayed.error().message;
  return Error{"PyTorch's allocator does not take the settings \"" + settings +
               "\". Write them as in PYTORCH_CUDA_ALLOC_CONF: "
               "expandable_segments:True,max_split_size_mb:128." +
               (words.find("INTERNAL ASSERT") == std::string::npos ? " It says: " + words : "")};
}

Result<phantom::Replayed> TryAllocator(const std::vector<phantom::Request>& requests,
                                       const phantom::Card& card, const std::string& settings,
                                       const AllocatorOf& allocator, size_t columns,
                                       const Progress& progress) {
  if (events::IsAsyncAllocator(settings)) return Error{events::kPoolIsTheDrivers};
  const Result<std::vector<std::string>> environment = EnvironmentOf(card, settings, allocator);
  if (!environment) return environment.error();
  bool was_cancelled = false;
  const auto goes_on = [&](double share) {
    was_cancelled = was_cancelled || (progress && !progress(share));
    return !was_cancelled;
  };
  const Result<std::vector<phantom::Replayed>> replayed =
      phantom::Replay({allocator.replayer, *environment}, requests, {allocator.addresses}, columns, goes_on);
  if (replayed)
    return was_cancelled ? Result<phantom::Replayed>(Error{"The replay was cancelled."}) : replayed->front();
  if (was_cancelled) return replayed.error();
  const Status taken = TakesSettings(settings, card, allocator);
  return taken ? replayed.error() : taken.error();
}

}  // namespace tidemark::session
