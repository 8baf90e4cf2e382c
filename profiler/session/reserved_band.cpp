#include "profiler/session/reserved_band.h"

#include <algorithm>
#include <string>
#include <utility>

#include "profiler/session/run_requests.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/series.h"

namespace tidemark::session {
namespace {

using phantom::Request;

// PyTorch's kLargeBuffer: what it reserves for blocks from 1 to 10 MiB (CUDACachingAllocator.cpp).
constexpr int64_t kSegmentBytes = 20 << 20;

}  // namespace

Result<ReservedBand> ReservedBandOf(const timeline::View& view, const phantom::Card& card,
                                    const AllocatorOf& allocator, const std::vector<std::string>& environment,
                                    const phantom::ReplayProgress& progress) {
  const int64_t usable_bytes = card.memory_bytes - card.context_bytes;
  const Result<std::vector<Request>> requests = RequestsOf(view, usable_bytes);
  if (!requests) return requests.error();
  Result<std::vector<std::string>> all = phantom::PhantomEnvironment(card, allocator.stand_ins);
  if (!all) return all.error();
  all->insert(all->end(), environment.begin(), environment.end());
  all->push_back(std::string(phantom::kMemoryVariable) + "=" + std::to_string(card.memory_bytes));
  const auto peak = [&](timeline::Series series) {
    return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
  };
  const Result<phantom::ReservedBand> bytes = phantom::BandOfReserved(
      {allocator.replayer, std::move(*all)}, *requests,
      {peak(timeline::Series::kAllocated), peak(timeline::Series::kReserved), 0, 0, {}}, allocator.addresses,
      progress);
  if (!bytes) return bytes.error();
  const int64_t further_bytes = std::max(bytes->most_bytes - bytes->least_bytes, kSegmentBytes);
  const bool is_nearly_full = bytes->empties_cache || bytes->most_bytes + further_bytes > usable_bytes;
  return ReservedBand{*bytes, is_nearly_full && WentOnAfterFailures(view)};
}

}  // namespace tidemark::session
