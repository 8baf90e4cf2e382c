#include "app/presenters/allocations/allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "profiler/base/csv.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/block_layer.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::LiveBlock;
using timeline::View;

Allocation Complete(const View& view, const LiveBlock& block) {
  Allocation allocation{block, view.FreedAt(block.born), 0, {}, 0};
  if (block.born >= view.first()) {
    const Event& birth = view.event(block.born);
    allocation.phase = birth.phase;
    allocation.recompute = birth.recompute;
    allocation.block.shape = view.ShapeOf(block.born);
  }
  if (const auto free = allocation.freed ? view.FreeIn(*allocation.freed) : std::nullopt) {
    allocation.block.category = free->category;
    if (free->name != 0) allocation.block.name = free->name;
  }
  const EventIndex until = allocation.freed.value_or(view.end() - 1);
  allocation.life_ns =
      std::max<int64_t>(0, SaturatingDifference(view.TimeOf(until), view.TimeOf(block.born)));
  return allocation;
}

std::vector<Allocation> AliveAt(const View& view, EventIndex moment, ProgressOfMany& wanted) {
  const AllocationsOf allocations(view);
  std::vector<Allocation> all;
  for (const LiveBlock& block : view.StateAt(moment).blocks) {
    if (!wanted.AfterOneMore()) break;
    all.push_back(allocations.Of(block));
  }
  return all;
}

std::vector<Allocation> BornIn(const View& view, EventIndex first, EventIndex end, ProgressOfMany& wanted) {
  const AllocationsOf allocations(view);
  std::vector<Allocation> all;
  for (EventIndex index = first; index < end && wanted.AfterOneMore(); ++index) {
    const Event& event = view.event(index);
    if (event.kind == EventKind::kAllocate) all.push_back(allocations.Born(event, index));
  }
  return all;
}

// As the filter says when, if it does.
AllocationQuery Scoped(const View& view, AllocationQuery query) {
  const AllocationFilter& filter = query.filter;
  if (filter.born) {
    query.born_in_range = true;
    query.first = filter.born->least;
    query.end = std::min<uint64_t>(filter.born->most, view.end() - 1) + 1;
  } else if (!filter.alive_at.empty()) {
    query.born_in_range = false;
    query.moment = filter.alive_at.front();
  }
  return query;
}

// The order of one column; equal rows stay in the order of their births.
template <typename Key>
void SortBy(std::vector<Allocation>& rows, bool descending, Key key) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Allocation& a, const Allocation& b) {
    return descending ? key(b) < key(a) : key(a) < key(b);
  });
}

// Texts are made once a row, not once a comparison.
template <typename Text>
void SortByText(std::vector<Allocation>& rows, bool descending, Text text) {
  std::vector<std::pair<std::string, size_t>> keys;
  keys.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) keys.emplace_back(text(rows[i]), i);
  std::stable_sort(keys.begin(), keys.end(), [descending](const auto& a, const auto& b) {
    return descending ? NaturalOrder()(b.first, a.first) : NaturalOrder()(a.first, b.first);
  });
  std::vector<Allocation> sorted;
  sorted.reserve(rows.size());
  for (const auto& [key, row] : keys) sorted.push_back(rows[row]);
  rows = std::move(sorted);
}

void Sort(const View& view, const AllocationQuery& query, std::vector<Allocation>& rows) {
  switch (query.sort) {
    case AllocationColumn::kTensor:
      return SortByText(rows, query.descending,
                        [&](const Allocation& row) { return BlockTitle(view, row.block); });
    case AllocationColumn::kShape:
      return SortByText(rows, query.descending,
                        [&](const Allocation& row) { return std::string(view.name(row.block.shape)); });
    case AllocationColumn::kLayer:
      return SortByText(rows, query.descending,
                        [&](const Allocation& row) { return std::string(LayerOf(view, row.block)); });
    case AllocationColumn::kOperator:
      return SortByText(rows, query.descending,
                        [&](const Allocation& row) { return std::string(view.name(row.block.op)); });
    case AllocationColumn::kCategory:
      return SortBy(rows, query.descending, [](const Allocation& row) { return row.block.category; });
    case AllocationColumn::kBytes:
      return SortBy(rows, query.descending, [](const Allocation& row) { return row.block.bytes; });
    case AllocationColumn::kBlock:
      return SortBy(rows, query.descending, [](const Allocation& row) { return row.block.rounded_bytes; });
    case AllocationColumn::kPhase:
      return SortBy(rows, query.descending,
                    [](const Allocation& row) { return std::tuple(row.phase, row.recompute); });
    case AllocationColumn::kBorn:
      return SortBy(rows, query.descending, [](const Allocation& row) { return row.block.born; });
    case AllocationColumn::kLife:
      return SortBy(rows, query.descending, [](const Allocation& row) { return row.life_ns; });
    case AllocationColumn::kAddress:
      return SortBy(rows, query.descending, [](const Allocation& row) { return row.block.address; });
  }
}

}  // namespace

AllocationsOf::AllocationsOf(const View& view) : view_(view) {
  if (view.empty()) return;
  for (const LiveBlock& block : view.StateAt(view.end() - 1).blocks) alive_at_end_.emplace(block.born, block);
}

Allocation AllocationsOf::Of(const LiveBlock& block) const {
  const auto at_end = alive_at_end_.find(block.born);
  return Complete(view_, at_end == alive_at_end_.end() ? block : at_end->second);
}

Allocation AllocationsOf::Born(const Event& birth, EventIndex index) const {
  return Of(BlockBornAt(birth, index));
}

std::string SearchableText(const View& view, const Allocation& allocation) {
  const LiveBlock& block = allocation.block;
  return LowerCase(fmt::format("{}\n{}\n{}\n{}\n{}\n{}{}", BlockTitle(view, block), view.name(block.shape),
                               events::NameOf(block.category), LayerOf(view, block), view.name(block.op),
                               events::NameOf(allocation.phase),
                               allocation.recompute != 0 ? " recompute" : ""));
}

AllocationMatcher::AllocationMatcher(const View& view, AllocationFilter filter)
    : view_(view), filter_(std::move(filter)) {}

bool AllocationMatcher::Fits(const Allocation& allocation) {
  if (!Matches(filter_, allocation)) return false;
  if (filter_.words.empty() && filter_.excluded.empty()) return true;
  const LiveBlock& block = allocation.block;
  const uint32_t rest = static_cast<uint32_t>(block.category) << 16 |
                        static_cast<uint32_t>(allocation.phase) << 8 | (allocation.recompute != 0 ? 1U : 0U);
  const auto [known, fresh] =
      words_fit_.try_emplace({block.name, block.shape, block.layer, block.op, rest}, false);
  if (fresh) known->second = MatchesWords(filter_, SearchableText(view_, allocation));
  return known->second;
}

timeline::View::StateEffort EffortOfTable(const View& view, const AllocationQuery& asked) {
  if (view.empty()) return {};
  const AllocationQuery query = Scoped(view, asked);
  const timeline::View::StateEffort of_ends = view.EffortOfState(view.end() - 1);  // of AllocationsOf
  if (!query.born_in_range) return of_ends + view.EffortOfState(query.moment);
  const EventIndex end = std::clamp(query.end, view.first(), view.end());
  const EventIndex first = std::clamp(query.first, view.first(), end);
  return of_ends + timeline::View::StateEffort{0, std::min(end - first, kMostEventsLookedAt)};
}

std::optional<AllocationTable> MakeAllocationTable(const View& view, const AllocationQuery& asked,
                                                   const Progress& progress) {
  AllocationTable table;
  if (view.empty()) return table;
  ProgressOfMany wanted(progress, 2 * EffortOfTable(view, asked).total());  // each is made, then matched
  const AllocationQuery query = Scoped(view, asked);
  table.scope_of_filter = query.filter.born || !query.filter.alive_at.empty();
  AllocationMatcher matcher(view, query.filter);
  std::vector<Allocation> all;
  if (query.born_in_range) {
    const EventIndex end = std::clamp(query.end, view.first(), view.end());
    EventIndex first = std::clamp(query.first, view.first(), end);
    if (end - first > kMostEventsLookedAt) {
      table.events_left_out = end - first - kMostEventsLookedAt;
      first += table.events_left_out;
    }
    all = BornIn(view, first, end, wanted);
  } else {
    all = AliveAt(view, query.moment, wanted);
  }
  table.considered = all.size();
  for (Allocation& allocation : all) {
    if (!wanted.AfterOneMore()) return std::nullopt;
    if (query.only.any() && !Selects(query.only, view, allocation.block)) continue;
    if (!matcher.Fits(allocation)) continue;
    AddTo(table.bytes, allocation.block.bytes);
    table.tells_shapes = table.tells_shapes || allocation.block.shape != 0;
    table.rows.push_back(allocation);
  }
  Sort(view, query, table.rows);
  return table;
}

std::string AllocationsAsCsv(const View& view, const std::vector<Allocation>& rows) {
  std::string csv =
      "tensor,category,requested_bytes,block_bytes,layer,operator,phase,recompute,stream,born,freed,life_ns,"
      "address,shape\n";
  for (const Allocation& row : rows) {
    const LiveBlock& block = row.block;
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{:#x},{}\n",
                   CsvField(BlockTitle(view, block)), events::KeyOf(block.category), block.bytes,
                   block.rounded_bytes, CsvField(LayerOf(view, block)), CsvField(view.name(block.op)),
                   events::NameOf(row.phase), row.recompute, block.stream, block.born,
                   row.freed ? fmt::to_string(*row.freed) : std::string(), row.life_ns, block.address,
                   CsvField(view.name(block.shape)));
  }
  return csv;
}

}  // namespace tidemark::presenters
