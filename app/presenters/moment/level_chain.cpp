#include "app/presenters/moment/level_chain.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "app/presenters/moment/peak_moment.h"
#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
#include "profiler/events/driver_memory.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using timeline::EventIndex;
using timeline::Series;
using timeline::View;

struct ChainLink {
  Series series;
  const char* gap;  // what lies between the level before and this one
};
constexpr std::array<ChainLink, timeline::kMemoryLevels.size()> kChain = {{
    {Series::kRequested, ""},
    {Series::kAllocated, "rounding to blocks"},
    {Series::kReserved, "cached by PyTorch"},
    {Series::kDriver, "outside of PyTorch"},
    {Series::kProcess, "context, modules, CUPTI, rounding to 2 MiB"},
    {Series::kCard, "other processes, the card's own"},
}};

constexpr int64_t kSampleNs = 100'000'000;  // from one to the next

bool Holds(const View& view, Series series, EventIndex begin, EventIndex end) {
  std::array<timeline::Bucket, 1> bucket;
  view.Envelope(series, begin, end, bucket);
  return bucket[0].min == bucket[0].max;
}

// From where on, not before `least`, the series has had the value that it has at `index`.
EventIndex HeldSince(const View& view, Series series, EventIndex least, EventIndex index) {
  while (least < index) {
    const EventIndex middle = least + (index - least) / 2;
    if (Holds(view, series, middle, index + 1)) {
      index = middle;
    } else {
      least = middle + 1;
    }
  }
  return index;
}

// The first event from `index` to `end` at which it has another value; `end` if there is none.
EventIndex HeldUntil(const View& view, Series series, EventIndex index, EventIndex end) {
  EventIndex low = index + 1;
  EventIndex high = std::max(low, end);
  while (low < high) {
    const EventIndex middle = low + (high - low) / 2;
    if (Holds(view, series, index, middle + 1)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// What this process holds of the card, as it tells itself.
int64_t HeldAt(const View& view, EventIndex index) {
  const timeline::SeriesValues values = view.ValuesAt(index);
  return std::max(ValueOf(values, Series::kDriver), ValueOf(values, Series::kReserved));
}

// Where training began that goes on at `index`, if another did before it; else the view's beginning.
EventIndex BeginAnew(const View& view, EventIndex index) {
  const auto& steps = view.steps();
  const auto after = timeline::FirstStepAfter(view, index);
  const auto place = static_cast<int64_t>(after - steps.begin()) - 1;
  if (place < 0) return view.first();
  const int64_t number = steps[static_cast<size_t>(place)].number;  // steps are numbered from 0
  if (number < 0 || number >= place) return view.first();
  const timeline::Step& first = steps[static_cast<size_t>(place - number)];
  return first.number == 0 ? first.begin : view.first();
}

// What the card told before an event and after it.
class SamplesAround {
 public:
  SamplesAround(const View& view, EventIndex index, Series series)
      : view_(view),
        series_(series),
        index_(index),
        at_ns_(std::clamp(view.TimeOf(index), std::numeric_limits<int64_t>::min() + kSampleNs,
                          std::numeric_limits<int64_t>::max() - 2 * kSampleNs)),
        held_(HeldAt(view, index)) {
    // What is told is what has changed: it may have been asked since.
    const EventIndex latest = std::min(view.IndexAt(at_ns_ - kSampleNs), index);
    before_ = HeldSince(view, series, std::max(view.first(), latest), index);
    end_ = std::clamp(view.IndexAt(at_ns_ + 2 * kSampleNs), index + 1, view.end());
    after_ = HeldUntil(view, series, index, end_);
    is_old_ = before_ < BeginAnew(view, index);
  }

  bool comes_nearer_after() const {
    return after_ < end_ && (BytesAt(before_) == 0 || is_old_ || Off(after_) < Off(before_));
  }

  SampledLevel Told(bool after) const {
    const EventIndex taken = after ? after_ : before_;
    // What it said last holds as soon as it has been asked once more.
    const bool is_asked_since = !after && view_.TimeOf(view_.end() - 1) >= at_ns_ + kSampleNs;
    const EventIndex asked = std::clamp(view_.IndexAt(at_ns_ + kSampleNs), index_, view_.end() - 1);
    const bool is_of_moment = Off(taken) == 0 || (is_asked_since && asked < after_ && Off(asked) == 0);
    return {BytesAt(taken), is_of_moment ? 0 : SaturatingDifference(view_.TimeOf(taken), at_ns_),
            is_old_ && !after && !is_asked_since};
  }

 private:
  int64_t BytesAt(EventIndex at) const { return ValueOf(view_.ValuesAt(at), series_); }
  int64_t Off(EventIndex at) const {
    return SaturatingMagnitude(SaturatingDifference(HeldAt(view_, at), held_));
  }

  const View& view_;
  Series series_;
  EventIndex index_;
  int64_t at_ns_;
  int64_t held_;
  EventIndex before_ = 0;
  EventIndex after_ = 0;
  EventIndex end_ = 0;
  bool is_old_ = false;
};

// Between blocks and the driver, where nobody told what is reserved for them (backend:cudaMallocAsync).
constexpr const char* kPoolGap = "kept by the driver's pool, outside of PyTorch";
constexpr const char* kGapWithoutCupti = "context, modules, rounding to 2 MiB";

void AddGap(const View& view, Series above, const char* gap, int64_t bytes, std::vector<LevelRow>& rows) {
  const int64_t cupti = above == Series::kProcess ? CuptiShare(view, bytes) : 0;
  if (cupti == 0) return rows.push_back({gap, bytes});
  rows.push_back({std::string(events::kCuptiMemory), cupti});
  rows.push_back({kGapWithoutCupti, SaturatingDifference(bytes, cupti)});
}

}  // namespace

bool IsSampled(Series series) { return series == Series::kProcess || series == Series::kCard; }

int64_t CuptiShare(const View& view, int64_t gap_bytes) {
  const bool tells_work =
      std::ranges::any_of(view.device_work(), [](const auto& page) { return page.count > 0; });
  return tells_work && view.cupti_bytes() <= gap_bytes ? view.cupti_bytes() : 0;
}

SampledLevel SampleAt(const View& view, EventIndex index, Series series) {
  const SamplesAround samples(view, index, series);
  return samples.Told(samples.comes_nearer_after());
}

SampledLevel SampleBefore(const View& view, EventIndex index, Series series) {
  return SamplesAround(view, index, series).Told(false);
}

std::string AwayText(int64_t away_ns) {
  if (away_ns == 0) return "";
  return ", told " + FormatDuration(SaturatingMagnitude(away_ns)) + (away_ns > 0 ? " later" : " before");
}

int64_t LevelAt(const View& view, EventIndex index, Series series) {
  if (!IsSampled(series)) return ValueOf(view.ValuesAt(index), series);
  const SampledLevel sample = SampleAt(view, index, series);
  return sample.is_of_moment() ? sample.bytes : 0;
}

bool IsKnown(const std::vector<LevelRow>& chain, std::vector<LevelRow>::const_iterator gap) {
  const auto is_level = [](const LevelRow& row) { return !row.is_gap(); };
  const auto above = std::find_if(gap, chain.end(), is_level);
  const auto below = std::find_if(std::make_reverse_iterator(gap), chain.rend(), is_level);
  if (above == chain.end() || below == chain.rend()) return true;
  return gap->bytes >= 0 && (above->away_ns == 0) == (below->away_ns == 0);
}

std::vector<LevelRow> MakeLevelChain(const View& view, EventIndex begin, EventIndex end) {
  std::vector<LevelRow> rows;
  if (view.empty()) return rows;
  const View::Peak peak = view.PeakIn(view.peak_level(), begin, end);
  std::optional<Series> below;
  for (const ChainLink& link : kChain) {
    const SampledLevel level = IsSampled(link.series)
                                   ? SampleAt(view, peak.index, link.series)
                                   : SampledLevel{LevelAt(view, peak.index, link.series), 0};
    if (level.bytes == 0 || level.is_of_run_before) continue;  // nobody told of it
    if (link.series == Series::kRequested && !view.tells_requested()) continue;
    const bool is_pool = link.series == Series::kDriver && below == Series::kAllocated;
    const char* const gap = is_pool ? kPoolGap : link.gap;
    if (below) AddGap(view, link.series, gap, SaturatingDifference(level.bytes, rows.back().bytes), rows);
    rows.push_back({std::string(NameOf(link.series)), level.bytes, link.series, level.away_ns});
    below = link.series;
  }
  return rows;
}

std::vector<LevelRow> MakeLevelChain(const View& view) {
  const std::optional<PeakMoment> peak = PeakOfRun(view);
  // Where nobody told of steps, of the first level that was told of.
  if (!peak || (peak->step < 0 && !peak->ran_out)) return MakeLevelChain(view, view.first(), view.end());
  return MakeLevelChain(view, peak->index, peak->index + 1);
}

void DriverLibraries::Take(const View& view, const events::Event& event) {
  if (event.kind != events::EventKind::kCounter || event.source != events::Source::kDriver) return;
  const std::string_view name = view.name(event.name);
  const auto count = [&event](LibraryMemory& held, std::string_view called) {
    held.library = called;
    held.last_bytes = event.bytes;
    held.most_bytes = std::max(held.most_bytes, event.bytes);
  };
  if (name == events::kManagedMemory) count(managed_ ? *managed_ : managed_.emplace(), name);
  if (name.starts_with(events::kDriverMemoryOf))
    count(libraries_[event.name], name.substr(events::kDriverMemoryOf.size()));
}

std::vector<LibraryMemory> DriverLibraries::Largest() const {
  std::vector<LibraryMemory> sorted;
  sorted.reserve(libraries_.size());
  for (const auto& [id, library] : libraries_) sorted.push_back(library);
  std::ranges::stable_sort(sorted, std::greater(), &LibraryMemory::most_bytes);
  return sorted;
}

DriverLibraries DriverMemoryByLibrary(const View& view) {
  DriverLibraries libraries;
  for (EventIndex i = view.first(); i < view.end(); ++i) libraries.Take(view, view.event(i));
  return libraries;
}

bool IsWell(const timeline::SourceState& state) {
  return state.standing() == events::Standing::kWaiting || state.standing() == events::Standing::kLive;
}

std::string LostSince(const View& view, const timeline::SourceState& state) {
  if (state.lost == 0) return "";
  return "lost " + FormatNumber(static_cast<int64_t>(state.lost)) +
         (state.lost == 1 ? " event since " : " events since ") +
         FormatDuration(SaturatingDifference(state.lost_since_ns, view.start_ns()));
}

std::string LossText(const View& view) {
  const auto lost = static_cast<int64_t>(view.health().lost);
  if (lost == 0) return "";
  std::string sources;
  int64_t since_ns = std::numeric_limits<int64_t>::max();
  for (const timeline::SourceState& state : view.sources()) {
    if (state.lost == 0) continue;
    sources += (sources.empty() ? "" : ", ") + std::string(events::NameOf(state.source));
    since_ns = std::min(since_ns, state.lost_since_ns);
  }
  std::string text = FormatNumber(lost) + (lost == 1 ? " event was lost" : " events were lost");
  const int64_t after_ns = sources.empty() ? 0 : SaturatingDifference(since_ns, view.start_ns());
  if (!sources.empty()) text += " (" + sources + ")";
  if (after_ns > 0) text += ", the first after " + FormatDuration(after_ns);
  return text + "; the curves have gaps there.";
}

std::vector<std::string> SourceLines(const View& view) {
  std::vector<std::string> lines;
  for (const timeline::SourceState& state : view.sources()) {
    std::string line = std::string(events::NameOf(state.source)) + ": " + state.text;
    if (state.lost > 0) line += (state.text.empty() ? "" : "; ") + LostSince(view, state);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tidemark::presenters
