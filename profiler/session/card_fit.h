// Whether what a run took fits on its card, and on which others: memory alone decides. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/result.h"
#include "profiler/base/saturating.h"
#include "profiler/events/run_description.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/replay/replay.h"
#include "profiler/session/reserved_band.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

int64_t UsableBytes(const phantom::Card& card);  // what it has beside its context
// "an estimate; outside of PyTorch's figures"
const char* WhereContextIsFrom(const phantom::Card& card);

struct Prediction;  // predictor.h

// What PyTorch held of the card at the peak. `is_at_least`: what its blocks take, where nobody told what is
// reserved for them, as with backend:cudaMallocAsync, whose pool is the driver's.
struct HeldPeak {
  int64_t bytes = 0;
  bool is_at_least = false;
};
HeldPeak HeldPeakOf(int64_t reserved_bytes, int64_t allocated_bytes);  // 0 = not told
HeldPeak HeldPeakOf(const Prediction& peaks);
// Behind a figure that is at least so much.
inline constexpr const char* kPoolNotTold =
    ", at least: what the driver's pool keeps beside blocks is not told";

struct CardFit {
  phantom::Card card;               // with the memory that the run had
  int64_t reserved_bytes = 0;       // at the peak
  int64_t most_reserved_bytes = 0;  // the upper end of its band; the same where none is known
  // Of the known cards the one with the least memory that holds most_reserved_bytes with ease
  // (HoldsWithEase).
  std::optional<phantom::Card> smallest;
  bool none_is_smaller = false;  // than that one, of the known ones
  bool is_at_least = false;      // as of HeldPeak: then no smallest one is known

  // The context is an estimate (card.h), and so is its sum with what PyTorch reserved.
  int64_t taken_bytes() const { return SaturatingSum(reserved_bytes, card.context_bytes); }
  int64_t most_taken_bytes() const { return SaturatingSum(most_reserved_bytes, card.context_bytes); }
  bool may_not_fit() const { return most_reserved_bytes > UsableBytes(card); }
};

// Whether the card holds so much beside its context, and where that is an estimate also beside one of twice
// as much: what was measured of the contexts of others is up to half as much again as the rule behind
// estimates gives.
bool HoldsWithEase(const phantom::Card& card, int64_t reserved_bytes);
int64_t HeldWithEase(const phantom::Card& card);  // the most that it does

// `known` ascends by memory, as LoadCards gives them.
CardFit FitOf(const phantom::Card& card, const std::vector<phantom::Card>& known, const HeldPeak& held,
              const std::optional<ReservedBand>& band);

// The most that any one of a run's cards held, of each figure; `device` means nothing.
timeline::DevicePeaks HighestOfCards(const timeline::View& view);
HeldPeak HighestHeld(const timeline::View& view);

// What a run takes of a card that has room for all of it, on the fullest of several.
struct Need {
  // At its peak, beside workspaces, for which libraries may take less: a card without as much has no room. Of
  // several cards as much as the fullest needs at the least; 0 = not known.
  int64_t allocated_bytes = 0;
  int64_t reserved_bytes = 0;  // a card with as much has room
};
Need NeedOf(const timeline::View& view);

// What PyTorch holds of a card that has room for the run.
struct HeldOfCard {
  int64_t reserved_bytes = 0;  // at the peak, on the fullest of several
  bool empties_cache = false;  // PyTorch gives its cache back in between, for want of room
};
HeldOfCard HeldBy(const phantom::Replayed& replayed);
// Of a run on that card, with its memory. O(events).
HeldOfCard HeldBy(const timeline::View& view, const phantom::Card& card);
bool HasRoomToSpare(const phantom::Card& card, const HeldOfCard& held);

// Of the fullest card of a run on several; how far addresses move what was reserved on each is not known. Of
// a run on one `held` and `band` decide.
CardFit FitOfFullest(const timeline::View& view, const phantom::Card& card,
                     const std::vector<phantom::Card>& known, const HeldPeak& held,
                     const std::optional<ReservedBand>& band);

// "24 GiB" of 23.52: how cards are told apart, as they are sold, whatever unit else is told in. Their makers
// write GB and mean this; ECC and the driver keep a part of it. What no card is sold with, such as a slice of
// one, is told as it is.
std::string CardSize(int64_t bytes);

// "2.3 %" of all of the card's memory.
std::string ShareOf(const phantom::Card& card, int64_t bytes);

// "H200" of "NVIDIA H200": the maker goes without saying.
std::string ShortCardTitle(const std::string& title);

// The card that a run was on, by its title or name, with the run's memory; where that is no more than the
// context (0, say), the card's own. Nothing if it is none of them.
std::optional<phantom::Card> CardOf(std::string_view told, int64_t memory_bytes,
                                    const std::vector<phantom::Card>& known);
// All memory of the cards that a run took memory on: what the series of its view, which add them up, are held
// against.
struct Capacity {
  int64_t bytes = 0;  // 0 = not known, or on the CPU
  size_t cards = 1;

  // "card", "2 cards"
  std::string title() const;
};
// "the card has", "its 2 cards have"
std::string InWords(const Capacity& capacity);
Capacity CapacityOf(const events::RunDescription& description, const timeline::View& view);

// Whether it has less memory than the known one of its name, as --memory asks for.
bool IsLimited(const phantom::Card& card, const std::vector<phantom::Card>& known);
// The same of the card of a run on a phantom.
bool IsLimited(const events::RunDescription& description, const std::vector<phantom::Card>& known);
// The same as CardOf; where it is none of them, or nothing tells it, the one named `fallback` with the memory
// that the run tells: its description, or else what it had when memory ran out (PyTorch's, what was free, and
// a context). `view` may be null. Error: that one is not known, either.
Result<phantom::Card> CardOr(const std::string& fallback, const events::RunDescription& description,
                             const timeline::View* view, const std::vector<phantom::Card>& known);

}  // namespace tidemark::session
