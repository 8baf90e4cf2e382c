#include "app/presenters/comparison/compared_peaks.h"

#include <algorithm>

#include "app/presenters/comparison/same_place.h"
#include "app/presenters/comparison/state_comparison.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;

bool IsAsHigh(const timeline::View& view, EventIndex index, EventIndex peak) {
  constexpr int64_t kRounding = 10'000;  // a part of it
  const auto allocated = [&](EventIndex at) { return ValueOf(view.ValuesAt(at), view.peak_level()); };
  return allocated(index) >= allocated(peak) - allocated(peak) / kRounding;
}

std::vector<SameEvent> Mirrored(std::span<const SameEvent> same) {
  std::vector<SameEvent> mirrored;
  mirrored.reserve(same.size());
  for (const SameEvent& pair : same) mirrored.push_back({pair.b, pair.a});
  return mirrored;
}

bool IsIn(const std::vector<EventRange>& ranges, EventIndex index) {
  return std::ranges::any_of(
      ranges, [=](const EventRange& range) { return index >= range.begin && index < range.end; });
}

}  // namespace

ComparedPeaks PeaksToCompare(const timeline::View& view_a, EventIndex peak_a, const timeline::View& view_b,
                             EventIndex peak_b, std::optional<EventIndex> in_a,
                             std::optional<EventIndex> in_b) {
  const bool is_b_as_high = in_b && IsAsHigh(view_b, *in_b, peak_b);
  const bool is_a_as_high = in_a && IsAsHigh(view_a, *in_a, peak_a);
  const bool is_a_first = is_b_as_high && is_a_as_high && peak_a + *in_b <= *in_a + peak_b;
  if (is_b_as_high && (!is_a_as_high || is_a_first)) return {peak_a, *in_b};
  if (is_a_as_high) return {*in_a, peak_b};
  return {peak_a, peak_b};
}

std::optional<ComparedPeaks> PeaksOfRuns(const timeline::View& a, const std::vector<EventRange>& in_a,
                                         const timeline::View& b, const std::vector<EventRange>& in_b,
                                         std::span<const SameEvent> same) {
  if (a.empty() || b.empty() || in_a.empty() || in_b.empty()) return std::nullopt;
  const EventIndex peak_a = PeakIn(a, in_a);
  const EventIndex peak_b = PeakIn(b, in_b);
  const auto only_in = [](const std::vector<EventRange>& ranges, std::optional<EventIndex> place) {
    return place && IsIn(ranges, *place) ? place : std::nullopt;
  };
  return PeaksToCompare(a, peak_a, b, peak_b, only_in(in_a, SamePlace(b, peak_b, a, Mirrored(same))),
                        only_in(in_b, SamePlace(a, peak_a, b, same)));
}

}  // namespace tidemark::presenters
