#include "app/presenters/comparison/state_comparison.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "app/presenters/allocations/blocks.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using timeline::LiveBlock;
using timeline::Series;
using timeline::View;

std::optional<int64_t> HighestIn(const View& view, const std::vector<EventRange>& ranges, Series series) {
  if (view.empty() || (series == Series::kRequested && !view.tells_requested())) return std::nullopt;
  int64_t bytes = 0;
  for (const EventRange& range : ranges)
    bytes = std::max(bytes, ValueOf(view.PeakIn(series, range.begin, range.end).values, series));
  return bytes == 0 ? std::nullopt : std::optional(bytes);  // nobody told of it
}

// The largest difference first, whichever way it goes. Negated, for of the smallest number there is no
// positive.
int64_t BySize(int64_t difference) { return std::min(difference, difference < 0 ? 0 : -difference); }

using BytesByName = std::map<std::string_view, int64_t, NaturalOrder>;
using OwnerName = std::string_view (*)(const View& view, const LiveBlock& block);

std::string_view LineOf(const View& view, const LiveBlock& block) {
  return events::InnermostLine(view.name(block.op));
}

BytesByName BytesBy(OwnerName owner_of, const Moment& moment) {
  BytesByName bytes;
  for (const LiveBlock& block : timeline::CountedBlocks(moment.state))
    AddTo(bytes[owner_of(*moment.view, block)], block.rounded_bytes);
  return bytes;
}

bool KnowsNames(const BytesByName& bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](const auto& entry) { return !entry.first.empty(); });
}

// By what both know a name of: nothing where one does not. `nameless`: what has none.
std::vector<ComparedBytes> CompareBy(OwnerName owner_of, Selection (*select)(std::string),
                                     std::string_view nameless, const Moment& a, const Moment& b) {
  const BytesByName of_a = BytesBy(owner_of, a);
  const BytesByName of_b = BytesBy(owner_of, b);
  std::vector<ComparedBytes> rows;
  if (!KnowsNames(of_a) || !KnowsNames(of_b)) return rows;
  std::map<std::string_view, ComparedBytes, NaturalOrder> by_name;
  for (const auto& [name, bytes] : of_a) by_name[name].a = bytes;
  for (const auto& [name, bytes] : of_b) by_name[name].b = bytes;
  for (auto& [name, row] : by_name) {
    row.title = name.empty() ? nameless : name;
    if (!name.empty()) row.selection = select(row.title);
    row.a = row.a.value_or(0);
    row.b = row.b.value_or(0);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedBytes& left, const ComparedBytes& right) {
    return BySize(*left.Difference()) < BySize(*right.Difference());
  });
  return rows;
}

bool TellsBlocks(const Moment& moment) { return moment.view == nullptr || moment.view->tells_blocks(); }

int64_t HeldBy(const Moment& moment, events::Category category) {
  return moment.state.values[static_cast<size_t>(category)];
}

// Whether anybody said what its blocks hold, of which it is all "unknown" else: then nothing of a category is
// known, and 0 is not it.
bool KnowsCategories(const Moment& moment) {
  if (!TellsBlocks(moment)) return false;
  if (HeldBy(moment, events::Category::kUnknown) == 0) return true;
  for (int number = 0; number < events::kCategoryCount; ++number) {
    const auto category = static_cast<events::Category>(number);
    if (category != events::Category::kUnknown && HeldBy(moment, category) != 0) return true;
  }
  return false;
}

std::vector<ComparedBytes> CompareCategories(const Moment& a, const Moment& b) {
  const bool known_in_a = KnowsCategories(a);
  const bool known_in_b = KnowsCategories(b);
  std::vector<ComparedBytes> rows;
  for (int number = 0; number < events::kCategoryCount; ++number) {
    const auto category = static_cast<events::Category>(number);
    const int64_t of_a = HeldBy(a, category);
    const int64_t of_b = HeldBy(b, category);
    if (of_a == 0 && of_b == 0) continue;
    ComparedBytes& row = rows.emplace_back(ComparedBytes{std::string(events::NameOf(category)), category,
                                                         of_a, of_b, CategorySelected(category)});
    if (!TellsBlocks(a)) row.a.reset();
    if (!TellsBlocks(b)) row.b.reset();
    // Where one side tells categories, what of the other is "unknown" is all of it and no category's bytes.
    if (category == events::Category::kUnknown && !known_in_a && !known_in_b) continue;
    if (!known_in_a) row.a.reset();
    if (!known_in_b) row.b.reset();
  }
  return rows;
}

// In place of categories, where one of the two does not tell those.
std::vector<ComparedBytes> CompareLines(const Moment& a, const Moment& b) {
  if (KnowsCategories(a) && KnowsCategories(b)) return {};
  return CompareBy(LineOf, FrameSelected, kNoLine, a, b);
}

// By stream, the default one (0) first.
std::vector<int64_t> BytesByStream(const Moment& moment) {
  std::map<uint64_t, int64_t> streams = {{0, 0}};
  for (const LiveBlock& block : timeline::CountedBlocks(moment.state))
    AddTo(streams[block.stream], block.rounded_bytes);
  std::vector<int64_t> bytes;
  bytes.reserve(streams.size());
  for (const auto& [stream, of_stream] : streams) bytes.push_back(of_stream);
  return bytes;
}

std::vector<ComparedBytes> CompareStreamsOf(const Moment& a, const Moment& b) {
  const std::vector<int64_t> of_a = BytesByStream(a);
  const std::vector<int64_t> of_b = BytesByStream(b);
  const size_t count = std::max(of_a.size(), of_b.size());
  std::vector<ComparedBytes> rows;
  for (size_t i = 0; i < count && count > 1; ++i) {
    rows.push_back(
        {StreamTitle(i), std::nullopt, i < of_a.size() ? of_a[i] : 0, i < of_b.size() ? of_b[i] : 0});
  }
  return rows;
}

// Counts allocations that are alike in both runs, in whatever order they were made.
class BlockCounter {
 public:
  explicit BlockCounter(bool by_requested) : by_requested_(by_requested) {}

  void Count(const Moment& moment, int64_t OneSidedBlocks::*side,
             std::optional<events::EventIndex> OneSidedBlocks::*first) {
    for (const LiveBlock& block : timeline::CountedBlocks(moment.state)) {
      OneSidedBlocks row;
      row.title = BlockTitle(*moment.view, block);
      row.layer = LayerOf(*moment.view, block);
      row.category = block.category;
      row.bytes = by_requested_ ? block.bytes : block.rounded_bytes;
      OneSidedBlocks& alike =
          rows_.try_emplace({row.title, row.layer, row.category, row.bytes}, row).first->second;
      if (alike.*side == 0) alike.*first = block.born;
      ++(alike.*side);
    }
  }
  std::vector<OneSidedBlocks> Take() {
    std::vector<OneSidedBlocks> rows;
    for (auto& [key, row] : rows_) {
      if (row.in_a != row.in_b) rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const OneSidedBlocks& left, const OneSidedBlocks& right) {
      return BySize(left.Difference()) < BySize(right.Difference());
    });
    return rows;
  }

 private:
  bool by_requested_;
  std::map<std::tuple<std::string, std::string, events::Category, int64_t>, OneSidedBlocks> rows_;
};

// Whether who tells of a level says that it does: its reports may be fewer than what is compared. Of the card
// alone it tells in part, and not of the process.
bool WillTell(const View& view, Series series) {
  if (series != Series::kDriver && series != Series::kProcess && series != Series::kCard) return false;
  const events::Source teller = series == Series::kDriver ? events::Source::kDriver : events::Source::kDevice;
  return std::ranges::any_of(view.sources(), [teller, series](const timeline::SourceState& source) {
    const bool tells = series == Series::kProcess ? source.standing() == events::Standing::kLive
                                                  : events::Tells(source.standing());
    return source.source == teller && tells;
  });
}

}  // namespace

std::optional<int64_t> ComparedBytes::Difference() const {
  if (!a || !b) return std::nullopt;
  return SaturatingDifference(*b, *a);
}

std::optional<double> ComparedBytes::Percent() const {
  if (!a || !b || *a == 0) return std::nullopt;
  return 100 * (static_cast<double>(*b) - static_cast<double>(*a)) / static_cast<double>(*a);
}

int64_t OneSidedBlocks::Difference() const { return SaturatingProduct(in_b - in_a, bytes); }

std::vector<ComparedBytes> CompareLevels(const View& a, const std::vector<EventRange>& in_a, const View& b,
                                         const std::vector<EventRange>& in_b) {
  std::vector<ComparedBytes> rows;
  for (const Series level : timeline::kMemoryLevels) {
    ComparedBytes row{std::string(NameOf(level)), {}, HighestIn(a, in_a, level), HighestIn(b, in_b, level)};
    row.level = level;
    if (row.a || row.b || WillTell(a, level) || WillTell(b, level)) rows.push_back(std::move(row));
  }
  return rows;
}

Moment MomentAt(const View& view, events::EventIndex index) {
  return {&view, timeline::SettledStateAt(view, index, timeline::SettledBy(view, index))};
}

events::EventIndex PeakIn(const View& view, const std::vector<EventRange>& ranges) {
  const auto highest = [&](const EventRange& range) {
    return ValueOf(view.PeakIn(view.peak_level(), range.begin, range.end).values, view.peak_level());
  };
  const EventRange& range = *std::ranges::max_element(ranges, {}, highest);
  return timeline::HighestMoment(view, range.begin, range.end);
}

Moment PeakMomentIn(const View& view, const std::vector<EventRange>& ranges) {
  if (view.empty() || ranges.empty()) return {&view, {}};
  return MomentAt(view, PeakIn(view, ranges));
}

StateComparison CompareStates(const Moment& a, const Moment& b, bool by_requested) {
  BlockCounter counter(by_requested);
  if (TellsBlocks(a) && TellsBlocks(b)) {
    counter.Count(a, &OneSidedBlocks::in_a, &OneSidedBlocks::first_in_a);
    counter.Count(b, &OneSidedBlocks::in_b, &OneSidedBlocks::first_in_b);
  }
  return {CompareCategories(a, b), CompareBy(timeline::LayerOf, LayerSelected, kNoLayer, a, b),
          CompareLines(a, b), counter.Take(), CompareStreamsOf(a, b)};
}

}  // namespace tidemark::presenters
