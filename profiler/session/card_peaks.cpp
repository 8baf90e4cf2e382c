#include "profiler/session/card_peaks.h"

#include <algorithm>
#include <map>

#include "profiler/timeline/ledger.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;
using timeline::View;

bool IsOfMemory(EventKind kind) {
  return kind == EventKind::kAllocate || kind == EventKind::kFreeRequested ||
         kind == EventKind::kFreeCompleted || kind == EventKind::kSegmentAllocate ||
         kind == EventKind::kSegmentFree || kind == EventKind::kSegmentMap ||
         kind == EventKind::kSegmentUnmap;
}

}  // namespace

bool IsOfSeveralCards(const View& view) {
  int first = -1;
  for (events::EventIndex index = view.first(); index < view.end(); ++index) {
    const Event event = view.event(index);
    if (!IsOfMemory(event.kind)) continue;
    if (first >= 0 && first != event.device) return true;
    first = event.device;
  }
  return false;
}

std::vector<CardPeaks> PeaksOfCards(const View& view) {
  if (view.first() > 0 || !IsOfSeveralCards(view)) return {};
  struct Card {
    timeline::Ledger ledger;
    CardPeaks peaks;
  };
  std::map<uint8_t, Card> cards;
  timeline::Health unheeded;  // the view's own tells it
  for (events::EventIndex index = view.first(); index < view.end(); ++index) {
    Event event = view.event(index);
    if (!IsOfMemory(event.kind)) continue;
    auto& [ledger, peaks] = cards[event.device];
    peaks.device = event.device;
    ledger.Apply(event, index, unheeded);
    const auto note = [&values = ledger.values()](int64_t& peak, Series series) {
      peak = std::max(peak, ValueOf(values, series));
    };
    note(peaks.allocated_bytes, Series::kAllocated);
    note(peaks.requested_bytes, Series::kRequested);
    note(peaks.reserved_bytes, Series::kReserved);
  }
  std::vector<CardPeaks> all;
  all.reserve(cards.size());
  for (const auto& [device, card] : cards) all.push_back(card.peaks);
  return all;
}

}  // namespace tidemark::session
