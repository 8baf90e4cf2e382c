#include "app/presenters/allocations/event_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "app/presenters/allocations/allocations.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::View;

constexpr uint64_t kBits = 64;  // of a word

// Asks of one event after the other, in their order; texts that many have in common are read once. One
// thread.
class EventMatcher {
 public:
  EventMatcher(const View& view, const AllocationFilter& filter)
      : view_(view),
        filter_(filter),
        allocations_(view),
        has_words_(!filter.words.empty() || !filter.excluded.empty()),
        means_allocations_only_(filter.born || filter.freed || !filter.categories.empty() ||
                                !filter.alive_at.empty() || filter.life_ns != AllocationFilter::Range()) {}

  bool Fits(const Event& event, EventIndex index) {
    if (event.kind == EventKind::kAllocate)
      open_.insert_or_assign(event.address, allocations_.Born(event, index));
    if (!IsOfBlock(event.kind)) return OtherFits(event, index);
    const auto block = open_.find(event.address);
    if (block == open_.end()) return OtherFits(event, index);  // born before the first event
    const bool fits = Matches(filter_, block->second) && WordsFit(event.kind, block->second);
    if (event.kind == EventKind::kFreeCompleted) open_.erase(block);
    return fits;
  }

 private:
  using Words = std::array<uint64_t, 4>;  // what the texts of an event are made of

  bool WordsFit(EventKind kind, const Allocation& allocation) {
    if (!has_words_) return true;
    const timeline::LiveBlock& block = allocation.block;
    const uint64_t rest = uint64_t{block.shape} << 32 | static_cast<uint64_t>(block.category) << 16 |
                          static_cast<uint64_t>(allocation.phase) << 8 |
                          (allocation.recompute != 0 ? 1U : 0U);
    return Known({KeyOf(kind, block.name), block.layer, block.op, rest},
                 [&] { return LowerCase(events::NameOf(kind)) + "\n" + SearchableText(view_, allocation); });
  }

  bool OtherFits(const Event& event, EventIndex index) {
    if (means_allocations_only_) return false;
    const AllocationFilter::Range any;
    if (filter_.bytes == any && filter_.addresses == any) return WordsFit(event, index);
    const EventRow row = EventRowOf(view_, index, ByteUnit::kMegabytes);
    return Holds(filter_.bytes, row.bytes) && Holds(filter_.addresses, row.address) && WordsFit(event, index);
  }

  // Numbers are words, too, where an event tells some: those are not alike.
  bool WordsFit(const Event& event, EventIndex index) {
    if (!has_words_) return true;
    const auto text = [&] {
      const EventRow row = EventRowOf(view_, index, ByteUnit::kMegabytes);
      const std::string_view phase =  // a name's fields hold letters
          event.kind == EventKind::kName ? "" : events::NameOf(event.phase);
      return LowerCase(
          fmt::format("{}\n{}\n{}\n{}\n{}", events::NameOf(event.kind), row.what, phase, row.layer, row.op));
    };
    const bool is_alike = event.kind == EventKind::kScopeBegin || event.kind == EventKind::kScopeEnd ||
                          events::IsDeviceWork(event.kind);
    if (!is_alike) return MatchesWords(filter_, text());
    const auto rest = static_cast<uint64_t>(event.phase);
    return Known({KeyOf(event.kind, event.name), event.layer, event.op, rest}, text);
  }

  static uint64_t KeyOf(EventKind kind, events::NameId name) {
    return static_cast<uint64_t>(kind) << 32 | name;
  }

  template <typename Text>
  bool Known(const Words& words, Text text) {
    const auto [known, fresh] = words_fit_.try_emplace(words, false);
    if (fresh) known->second = MatchesWords(filter_, text());
    return known->second;
  }

  template <typename Number>
  static bool Holds(const AllocationFilter::Range& range, const std::optional<Number>& number) {
    if (range == AllocationFilter::Range()) return true;
    return number && range.least <= static_cast<uint64_t>(*number) &&
           static_cast<uint64_t>(*number) <= range.most;
  }

  const View& view_;
  const AllocationFilter& filter_;
  const AllocationsOf allocations_;
  const bool has_words_;
  const bool means_allocations_only_;
  std::unordered_map<uint64_t, Allocation> open_;  // by address
  std::map<Words, bool> words_fit_;
};

}  // namespace

void EventSet::Add(bool belongs) {
  const uint64_t bit = (end_ - first_) % kBits;
  if (bit == 0) words_.push_back({size_, 0});
  words_.back().bits |= static_cast<uint64_t>(belongs) << bit;
  size_ += belongs ? 1 : 0;
  ++end_;
}

EventIndex EventSet::At(uint64_t place) const {
  const auto after = std::ranges::upper_bound(words_, place, {}, &Word::before);
  const auto word = static_cast<uint64_t>(after - words_.begin()) - 1;
  uint64_t bits = words_[word].bits;
  for (uint64_t left = place - words_[word].before; left > 0; --left) bits &= bits - 1;  // the lowest goes
  return first_ + word * kBits + static_cast<uint64_t>(std::countr_zero(bits));
}

uint64_t EventSet::CountBefore(EventIndex index) const {
  if (index <= first_) return 0;
  if (index >= end_) return size_;
  const Word& word = words_[(index - first_) / kBits];
  const uint64_t earlier = (uint64_t{1} << (index - first_) % kBits) - 1;
  return word.before + static_cast<uint64_t>(std::popcount(word.bits & earlier));
}

ListedEvents::ListedEvents(const View& view, const EventSet* fitting)
    : view_(view), fitting_(fitting), before_(fitting == nullptr ? 0 : fitting->CountBefore(view.first())) {}

uint64_t ListedEvents::size() const { return PlaceOf(view_.end()); }

EventIndex ListedEvents::At(uint64_t place) const {
  return fitting_ == nullptr ? view_.first() + place : fitting_->At(before_ + place);
}

uint64_t ListedEvents::PlaceOf(EventIndex index) const {
  const EventIndex in_view = std::clamp(index, view_.first(), view_.end());
  return fitting_ == nullptr ? in_view - view_.first() : fitting_->CountBefore(in_view) - before_;
}

std::vector<EventRow> EventRows(const ListedEvents& listed, uint64_t first, size_t count, ByteUnit unit) {
  std::vector<EventRow> rows;
  const uint64_t begin = std::min(first, listed.size());
  const uint64_t end = begin + std::min<uint64_t>(count, listed.size() - begin);
  rows.reserve(end - begin);
  for (uint64_t place = begin; place < end; ++place)
    rows.push_back(EventRowOf(listed.view(), listed.At(place), unit));
  return rows;
}

std::optional<EventSet> EventsThatFit(const View& view, const AllocationFilter& filter,
                                      const Progress& progress) {
  constexpr uint64_t kBetweenLooks = 1 << 14;
  EventSet fitting(view.first());
  EventMatcher matcher(view, filter);
  const uint64_t all = view.end() - view.first();
  for (EventIndex index = view.first(); index < view.end(); ++index) {
    const uint64_t looked_at = index - view.first();
    const bool looks = progress && looked_at % kBetweenLooks == 0;
    if (looks && !progress(static_cast<double>(looked_at) / static_cast<double>(all))) return std::nullopt;
    fitting.Add(matcher.Fits(view.event(index), index));
  }
  return fitting;
}

}  // namespace tidemark::presenters
