#include "profiler/advice/what_if.h"

#include <vector>

#include "profiler/base/saturating.h"
#include "profiler/session/reserved_band.h"

namespace tidemark::advice {

Result<WhatIf> AskWhatIf(const timeline::View& view, const AllocatorSetup& own, const AllocatorSetup& other,
                         const session::AllocatorOf& allocator) {
  const Result<std::vector<phantom::Request>> requests =
      session::RequestsOf(view, own.card.memory_bytes - own.card.context_bytes);
  if (!requests) return requests.error();
  const Result<phantom::Replayed> before =
      session::TryAllocator(*requests, own.card, own.settings, allocator);
  if (!before) return before.error();
  const Result<phantom::Replayed> after =
      session::TryAllocator(*requests, other.card, other.settings, allocator);
  if (!after) return after.error();
  const auto peak = [&](timeline::Series series) {
    return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
  };
  return WhatIf{*before, *after,
                before->allocated_peak_bytes == peak(timeline::Series::kAllocated) &&
                    before->reserved_peak_bytes == peak(timeline::Series::kReserved)};
}

int64_t UnusedBytes(const phantom::Replayed& replayed) {
  return SaturatingDifference(replayed.reserved_peak_bytes, replayed.allocated_peak_bytes);
}

}  // namespace tidemark::advice
