#include "profiler/session/reserved_band.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "profiler/events/allocator_settings.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/run_requests.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/series.h"

namespace tidemark::session {
namespace {

using phantom::Request;

// PyTorch's kLargeBuffer: what it reserves for blocks from 1 to 10 MiB (CUDACachingAllocator.cpp).
constexpr int64_t kSegmentBytes = 20 << 20;

bool HasCompleteStep(const timeline::View& view) {
  return std::ranges::any_of(view.steps(), [](const timeline::Step& step) { return step.complete; });
}

// At least what was reserved, `least_bytes`, at most all of the cards, `most_bytes`. Nothing of a run in
// which no step told when blocks come back, or that ended for want of room, nor where the replay fails for
// another reason than that it was cancelled.
Result<std::optional<int64_t>> WithLateFrees(const timeline::View& view, int64_t usable_bytes,
                                             int64_t least_bytes, int64_t most_bytes,
                                             const phantom::Replayer& replayer,
                                             const phantom::AddressOrder& order, const Progress& progress) {
  if (!HasCompleteStep(view) || !WentOnAfterFailures(view)) return std::optional<int64_t>();
  const Result<std::vector<Request>> requests = LateRequestsOf(view, usable_bytes);
  if (!requests) return requests.error();
  if (requests->empty()) return std::optional<int64_t>();
  bool was_cancelled = false;
  const auto goes_on = [&](double) {  // one order after all others
    was_cancelled = was_cancelled || (progress && !progress(1));
    return !was_cancelled;
  };
  const Result<std::vector<phantom::Replayed>> replayed =
      phantom::Replay(replayer, *requests, {order}, 0, goes_on);
  if (!replayed && was_cancelled) return replayed.error();
  if (!replayed) return std::optional<int64_t>();
  if (replayed->at(0).failures > 0) return std::optional(most_bytes);
  return std::optional(std::max(least_bytes, replayed->at(0).reserved_peak_bytes));
}

}  // namespace

Result<ReservedBand> ReservedBandOf(const timeline::View& view, const phantom::Card& card,
                                    const AllocatorOf& allocator, const std::vector<std::string>& environment,
                                    const Progress& progress) {
  const auto is_async = [](const std::string& variable) {
    return events::IsAsyncAllocator(std::string_view(variable).substr(variable.find('=') + 1));
  };
  if (std::ranges::any_of(environment, is_async)) return Error{events::kPoolIsTheDrivers};
  const int64_t usable_bytes = UsableBytes(card);
  const Result<std::vector<Request>> requests = RequestsOf(view, usable_bytes);
  if (!requests) return requests.error();
  Result<std::vector<std::string>> all = phantom::PhantomEnvironment(card, allocator.stand_ins);
  if (!all) return all.error();
  all->insert(all->end(), environment.begin(), environment.end());
  all->push_back(std::string(phantom::kMemoryVariable) + "=" + std::to_string(card.memory_bytes));
  const auto peak = [&](timeline::Series series) {
    return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
  };
  const int64_t reserved_bytes = peak(timeline::Series::kReserved);
  const phantom::Replayer replayer{allocator.replayer, std::move(*all)};
  const Result<phantom::ReservedBand> bytes = phantom::BandOfReserved(
      replayer, *requests, {peak(timeline::Series::kAllocated), reserved_bytes, 0, 0, 0, {}},
      allocator.addresses, progress);
  if (!bytes) return bytes.error();
  const int64_t all_bytes =
      SaturatingProduct(usable_bytes, static_cast<int64_t>(std::max<size_t>(view.devices().size(), 1)));
  const Result<std::optional<int64_t>> late =
      WithLateFrees(view, usable_bytes, reserved_bytes, all_bytes, replayer, allocator.addresses, progress);
  if (!late) return late.error();
  const int64_t further_bytes = std::max(bytes->most_bytes - bytes->least_bytes, kSegmentBytes);
  // A request that was larger than all that was free says nothing of the others.
  const bool empties_cache = bytes->empties_cache && view.out_of_memory().empty();
  const int64_t moved_bytes = bytes->most_bytes - reserved_bytes;
  const bool is_nearly_full =
      empties_cache || SaturatingSum(HighestOfCards(view).reserved_bytes,
                                     SaturatingSum(moved_bytes, further_bytes)) > usable_bytes;
  return ReservedBand{*bytes, is_nearly_full && WentOnAfterFailures(view), *late};
}

}  // namespace tidemark::session
