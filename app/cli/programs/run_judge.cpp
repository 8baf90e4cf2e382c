#include "app/cli/programs/run_judge.h"

#include <limits>

#include "profiler/session/run_requests.h"

namespace tidemark::cli {

using session::HeldOfCard;

RunJudge::RunJudge(const timeline::View& view, const std::string& settings,
                   const session::AllocatorOf& allocator)
    : settings_(settings),
      allocator_(allocator),
      requests_(session::RequestsOf(view, std::numeric_limits<int64_t>::max())),
      highest_(session::HighestOfCards(view)) {}

Result<std::optional<HeldOfCard>> RunJudge::HeldOn(const phantom::Card& card) const {
  if (!requests_) return requests_.error();
  const int64_t usable_bytes = session::UsableBytes(card);
  const int64_t held_bytes = session::HeldPeakOf(highest_.reserved_bytes, highest_.allocated_bytes).bytes;
  if (held_bytes <= usable_bytes) return std::optional(HeldOfCard{held_bytes});
  if (highest_.allocated_bytes > usable_bytes) return std::optional<HeldOfCard>();
  const Result<phantom::Replayed> tried = session::TryAllocator(*requests_, card, settings_, allocator_);
  if (!tried) return tried.error();
  return tried->failures == 0 ? std::optional(session::HeldBy(*tried)) : std::nullopt;
}

}  // namespace tidemark::cli
