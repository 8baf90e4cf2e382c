#include "profiler/session/allocator_trial.h"

#include <utility>

#include "profiler/events/allocator_settings.h"
#include "profiler/phantom/environment.h"

namespace tidemark::session {

Result<phantom::Replayed> TryAllocator(const std::vector<phantom::Request>& requests,
                                       const phantom::Card& card, const std::string& settings,
                                       const AllocatorOf& allocator) {
  Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(card, allocator.stand_ins);
  if (!environment) return environment.error();
  environment->push_back(std::string(phantom::kMemoryVariable) + "=" + std::to_string(card.memory_bytes));
  const std::vector<std::string> changes = events::AllocatorEnvironment(settings);
  environment->insert(environment->end(), changes.begin(), changes.end());
  const Result<std::vector<phantom::Replayed>> replayed =
      phantom::Replay({allocator.replayer, std::move(*environment)}, requests, {phantom::AddressOrder{}});
  if (!replayed) return replayed.error();
  return replayed->front();
}

}  // namespace tidemark::session
