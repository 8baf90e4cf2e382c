#include "app/presenters/allocations/range_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/allocations/selection.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::Series;
using timeline::View;

constexpr size_t kBatch = 4096;  // events between two reports

void Add(CountAndBytes& sum, int64_t bytes) {
  ++sum.count;
  AddTo(sum.bytes, bytes);
}

std::string PowerOfTwo(size_t exponent, const char* between) {
  static constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  const size_t unit = std::min(exponent / 10, kUnits.size() - 1);
  return fmt::format("{}{}{}", uint64_t{1} << (exponent - unit * 10), between, kUnits[unit]);
}

// Takes in event by event what happens in the stretch.
class Walk {
 public:
  Walk(const View& view, RangeStatistics& statistics) : view_(view), statistics_(statistics) {
    View::Column before;  // of an empty range: the moment before it
    const std::array<EventIndex, 2> nothing = {statistics.first, statistics.first};
    view_.Columns(nothing, timeline::kAllCategories, {&before, 1});
    allocated_ = before.lowest;
  }

  void Take(EventIndex begin, EventIndex end) {
    std::vector<EventIndex> edges(end - begin + 1);
    std::iota(edges.begin(), edges.end(), begin);
    columns_.resize(end - begin);
    view_.Columns(edges, timeline::kAllCategories, columns_);
    for (EventIndex index = begin; index < end; ++index)
      Take(view_.event(index), index, columns_[index - begin].lowest);
  }

 private:
  void Take(const Event& event, EventIndex index, int64_t allocated) {
    int64_t gone = allocated_;  // what the event took from it
    SubtractFrom(gone, allocated);
    if (event.kind == EventKind::kAllocate) AddTo(gone, event.rounded_bytes);
    if (gone != 0) Add(statistics_.freed, gone);
    End(index);
    if (event.kind == EventKind::kAllocate) Begin(event, index);
    allocated_ = allocated;
  }
  void Begin(const Event& event, EventIndex index) {
    Add(statistics_.allocated, event.rounded_bytes);
    Add(statistics_.sizes[SizeBinOf(event.bytes)], event.bytes);
    if (!statistics_.largest || event.bytes > statistics_.largest->bytes)
      statistics_.largest = BlockBornAt(event, index);
    const auto freed = view_.FreedAt(index);
    if (freed && *freed < statistics_.end)
      temporary_[*freed] = {event.rounded_bytes, statistics_.allocated.count};
  }
  void End(EventIndex index) {
    const auto found = temporary_.find(index);
    if (found == temporary_.end()) return;
    const auto& [bytes, born] = found->second;
    Add(statistics_.temporary, bytes);
    if (statistics_.allocated.count - born <= kShortLived) Add(statistics_.short_lived, bytes);
    temporary_.erase(found);
  }

  struct Temporary {
    int64_t bytes = 0;
    uint64_t born = 0;  // how many allocations there were, with its own
  };

  const View& view_;
  RangeStatistics& statistics_;
  int64_t allocated_ = 0;                                // before the next event
  std::vector<View::Column> columns_;                    // of single events
  std::unordered_map<EventIndex, Temporary> temporary_;  // by where they end
};

}  // namespace

size_t SizeBinOf(int64_t bytes) {
  if (bytes <= 1) return 0;
  return std::min(static_cast<size_t>(std::bit_width(static_cast<uint64_t>(bytes)) - 1), kSizeBins - 1);
}

std::string SizeBinTitle(size_t bin, ByteUnit unit) {
  if (bin == 0) return "0 B";
  return unit == ByteUnit::kMebibytes ? PowerOfTwo(bin, " ") : FormatBytes(int64_t{1} << bin, unit);
}

std::string FilterOfSizeBin(size_t bin) {
  const std::string least = ">=" + (bin == 0 ? "0" : PowerOfTwo(bin, ""));
  return bin + 1 < kSizeBins ? least + " <" + PowerOfTwo(bin + 1, "") : least;
}

std::optional<RangeStatistics> MakeRangeStatistics(const View& view, EventIndex first, EventIndex end,
                                                   const Progress& progress) {
  RangeStatistics statistics;
  statistics.first = std::clamp(first, view.first(), view.end());
  statistics.end = std::clamp(end, statistics.first, view.end());
  if (statistics.first == statistics.end) return statistics;
  Walk walk(view, statistics);
  for (EventIndex begin = statistics.first; begin < statistics.end; begin += kBatch) {
    const auto length = static_cast<double>(statistics.end - statistics.first);
    if (!progress(static_cast<double>(begin - statistics.first) / length)) return std::nullopt;
    walk.Take(begin, std::min<EventIndex>(begin + kBatch, statistics.end));
  }
  if (statistics.largest) {  // as it turned out: a workspace is told to be one after its birth
    const auto last = OwnersOf(AllocationSelected(statistics.largest->born), view).block;
    statistics.largest = last.value_or(*statistics.largest);
  }
  const EventIndex peak = timeline::HighestMoment(view, statistics.first, statistics.end);
  statistics.peak = {peak, view.ValuesAt(peak)};
  statistics.net_bytes = statistics.allocated.bytes;
  SubtractFrom(statistics.net_bytes, statistics.freed.bytes);
  return statistics;
}

}  // namespace tidemark::presenters
