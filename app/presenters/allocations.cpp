#include "app/presenters/allocations.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "app/presenters/blocks.h"
#include "profiler/timeline/ledger.h"

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
  }
  // Frees come back with what the block held at its end.
  if (allocation.freed) {
    const Event& end = view.event(*allocation.freed);
    allocation.block.category = end.category;
    if (end.name != 0) allocation.block.name = end.name;
  }
  const EventIndex until = allocation.freed.value_or(view.end() - 1);
  allocation.life_ns = std::max<int64_t>(0, view.TimeOf(until) - view.TimeOf(block.born));
  return allocation;
}

// What is alive at the view's end, by birth: it has no free to say what it held.
using StillAlive = std::unordered_map<EventIndex, LiveBlock>;

StillAlive AliveAtTheEnd(const View& view) {
  StillAlive still_alive;
  for (const LiveBlock& block : view.StateAt(view.end() - 1).blocks) still_alive.emplace(block.born, block);
  return still_alive;
}

std::vector<Allocation> AliveAt(const View& view, EventIndex moment) {
  const StillAlive still_alive = AliveAtTheEnd(view);
  std::vector<Allocation> all;
  for (const LiveBlock& block : view.StateAt(moment).blocks) {
    const auto at_end = still_alive.find(block.born);
    all.push_back(Complete(view, at_end == still_alive.end() ? block : at_end->second));
  }
  return all;
}

std::vector<Allocation> BornIn(const View& view, EventIndex first, EventIndex end) {
  const StillAlive still_alive = AliveAtTheEnd(view);
  std::vector<Allocation> all;
  for (EventIndex index = first; index < end; ++index) {
    const Event& event = view.event(index);
    if (event.kind != EventKind::kAllocate) continue;
    const auto alive = still_alive.find(index);
    all.push_back(Complete(view, alive == still_alive.end() ? BlockBornAt(event, index) : alive->second));
  }
  return all;
}

std::string SearchableText(const View& view, const Allocation& allocation) {
  const LiveBlock& block = allocation.block;
  return LowerCase(fmt::format(
      "{}\n{}\n{}\n{}\n{}{}", BlockTitle(view, block), events::NameOf(block.category), view.name(block.layer),
      view.name(block.op), events::NameOf(allocation.phase), allocation.recompute != 0 ? " recompute" : ""));
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
    return descending ? b.first < a.first : a.first < b.first;
  });
  std::vector<Allocation> sorted;
  sorted.reserve(rows.size());
  for (const auto& [key, row] : keys) sorted.push_back(rows[row]);
  rows = std::move(sorted);
}

void Sort(const View& view, const AllocationQuery& query, std::vector<Allocation>& rows) {
  const auto name = [&view](events::NameId id) { return std::string(view.name(id)); };
  switch (query.sort) {
    case AllocationColumn::kTensor:
      return SortByText(rows, query.descending,
                        [&](const Allocation& row) { return BlockTitle(view, row.block); });
    case AllocationColumn::kLayer:
      return SortByText(rows, query.descending, [&](const Allocation& row) { return name(row.block.layer); });
    case AllocationColumn::kOperator:
      return SortByText(rows, query.descending, [&](const Allocation& row) { return name(row.block.op); });
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

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

}  // namespace

AllocationTable MakeAllocationTable(const View& view, const AllocationQuery& query) {
  AllocationTable table;
  if (view.empty()) return table;
  std::vector<Allocation> all;
  if (query.born_in_range) {
    const EventIndex end = std::clamp(query.end, view.first(), view.end());
    EventIndex first = std::clamp(query.first, view.first(), end);
    if (end - first > kMostEventsLookedAt) {
      table.events_left_out = end - first - kMostEventsLookedAt;
      first += table.events_left_out;
    }
    all = BornIn(view, first, end);
  } else {
    all = AliveAt(view, query.moment);
  }
  table.considered = all.size();
  for (Allocation& allocation : all) {
    if (query.only.any() && !Selects(query.only, view, allocation.block)) continue;
    const bool asks_for_text = !query.filter.words.empty() || !query.filter.excluded.empty();
    if (!Matches(query.filter, allocation, asks_for_text ? SearchableText(view, allocation) : "")) continue;
    timeline::AddTo(table.bytes, allocation.block.bytes);
    table.rows.push_back(allocation);
  }
  Sort(view, query, table.rows);
  return table;
}

std::string AllocationsAsCsv(const View& view, const std::vector<Allocation>& rows) {
  std::string csv =
      "tensor,category,requested_bytes,block_bytes,layer,operator,phase,recompute,stream,born,freed,life_ns,"
      "address\n";
  for (const Allocation& row : rows) {
    const LiveBlock& block = row.block;
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{},{},{},{},{},{},{:#x}\n",
                   CsvField(view.name(block.name)), events::KeyOf(block.category), block.bytes,
                   block.rounded_bytes, CsvField(view.name(block.layer)), CsvField(view.name(block.op)),
                   events::NameOf(row.phase), row.recompute, block.stream, block.born,
                   row.freed ? fmt::to_string(*row.freed) : std::string(), row.life_ns, block.address);
  }
  return csv;
}

}  // namespace tidemark::presenters
