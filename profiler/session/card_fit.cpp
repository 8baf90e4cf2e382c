#include "profiler/session/card_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "profiler/session/predictor.h"
#include "profiler/session/run_requests.h"

namespace tidemark::session {

bool HoldsWithEase(const phantom::Card& card, int64_t reserved_bytes) {
  return reserved_bytes <= HeldWithEase(card);
}

int64_t UsableBytes(const phantom::Card& card) {
  return SaturatingDifference(card.memory_bytes, card.context_bytes);
}

const char* WhereContextIsFrom(const phantom::Card& card) {
  return card.context_is_measured ? "as measured on such a card; outside of PyTorch's figures"
                                  : "an estimate; outside of PyTorch's figures";
}

int64_t HeldWithEase(const phantom::Card& card) {
  const int64_t context_bytes = (card.context_is_measured ? 1 : 2) * card.context_bytes;
  return SaturatingDifference(card.memory_bytes, context_bytes);
}

HeldPeak HeldPeakOf(int64_t reserved_bytes, int64_t allocated_bytes) {
  return reserved_bytes > 0 ? HeldPeak{reserved_bytes, false}
                            : HeldPeak{allocated_bytes, allocated_bytes > 0};
}

HeldPeak HeldPeakOf(const Prediction& peaks) {
  return HeldPeakOf(peaks.reserved_peak_bytes, peaks.allocated_peak_bytes);
}

CardFit FitOf(const phantom::Card& card, const std::vector<phantom::Card>& known, const HeldPeak& held,
              const std::optional<ReservedBand>& band) {
  CardFit fit{card, held.bytes, held.bytes, {}, false, held.is_at_least};
  if (band) fit.most_reserved_bytes = std::max(held.bytes, band->bytes.most_bytes);
  if (held.is_at_least) return fit;
  const auto smallest = std::ranges::find_if(known, [&](const phantom::Card& candidate) {
    return HoldsWithEase(candidate, fit.most_reserved_bytes);
  });
  if (smallest == known.end()) return fit;
  fit.smallest = *smallest;
  fit.none_is_smaller = smallest->memory_bytes == known.front().memory_bytes;
  return fit;
}

std::string CardSize(int64_t bytes) {
  static constexpr std::array<int64_t, 25> kSold = {2,  3,  4,  6,  8,  10,  11,  12,  16,  20,  24,  32, 40,
                                                    48, 64, 80, 94, 96, 120, 141, 144, 180, 192, 256, 288};
  constexpr double kMostKept = 1.1;  // of a T4's 16 GiB 14.57 are there
  constexpr int64_t kGibibyte = int64_t{1} << 30;
  const double gibibytes = static_cast<double>(bytes) / static_cast<double>(kGibibyte);
  const auto* const sold =
      std::ranges::find_if(kSold, [=](int64_t size) { return static_cast<double>(size) >= gibibytes; });
  const bool is_sold = sold != kSold.end() && static_cast<double>(*sold) <= kMostKept * gibibytes;
  return FormatNumber(is_sold ? *sold : std::llround(gibibytes)) + " GiB";
}

std::string ShareOf(const phantom::Card& card, int64_t bytes) {
  return fmt::format("{:.1f} %", 100 * static_cast<double>(bytes) / static_cast<double>(card.memory_bytes));
}

std::string ShortCardTitle(const std::string& title) {
  std::string_view name = title;
  for (const std::string_view prefix : {"NVIDIA ", "GeForce "}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return std::string(name);
}

timeline::DevicePeaks HighestOfCards(const timeline::View& view) {
  timeline::DevicePeaks highest;
  for (const timeline::DevicePeaks& card : view.devices()) {
    highest.allocated_bytes = std::max(highest.allocated_bytes, card.allocated_bytes);
    highest.requested_bytes = std::max(highest.requested_bytes, card.requested_bytes);
    highest.reserved_bytes = std::max(highest.reserved_bytes, card.reserved_bytes);
  }
  return highest;
}

HeldPeak HighestHeld(const timeline::View& view) {
  const timeline::DevicePeaks highest = HighestOfCards(view);
  return HeldPeakOf(highest.reserved_bytes, highest.allocated_bytes);
}

CardFit FitOfFullest(const timeline::View& view, const phantom::Card& card,
                     const std::vector<phantom::Card>& known, const HeldPeak& held,
                     const std::optional<ReservedBand>& band) {
  if (view.devices().size() < 2) return FitOf(card, known, held, band);
  return FitOf(card, known, HighestHeld(view), {});
}

std::optional<phantom::Card> CardOf(std::string_view told, int64_t memory_bytes,
                                    const std::vector<phantom::Card>& known) {
  const auto found = std::ranges::find_if(
      known, [&](const phantom::Card& card) { return card.title == told || card.name == told; });
  if (found == known.end()) return {};
  phantom::Card card = *found;
  if (memory_bytes > card.context_bytes) card.memory_bytes = memory_bytes;
  return card;
}

std::string Capacity::title() const { return cards == 1 ? "card" : std::to_string(cards) + " cards"; }

std::string InWords(const Capacity& capacity) {
  return capacity.cards == 1 ? "the card has" : "its " + capacity.title() + " have";
}

Capacity CapacityOf(const events::RunDescription& description, const timeline::View& view) {
  Capacity capacity;
  capacity.cards = std::max<size_t>(view.devices().size(), 1);
  if (description.device == "cpu") return capacity;
  capacity.bytes = SaturatingProduct(description.device_bytes, static_cast<int64_t>(capacity.cards));
  return capacity;
}

namespace {

int64_t MemoryAt(const timeline::OutOfMemory& failure, const phantom::Card& card) {
  return SaturatingSum(SaturatingSum(failure.reserved_bytes, failure.free_bytes), card.context_bytes);
}

}  // namespace

Need NeedOf(const timeline::View& view) {
  const timeline::SeriesValues peak =
      view.PeakIn(timeline::Series::kAllocated, view.first(), view.end()).values;
  const int64_t workspaces_bytes = ValueOf(peak, timeline::SeriesOf(events::Category::kWorkspace));
  const int64_t beside_bytes = ValueOf(peak, timeline::Series::kAllocated) - workspaces_bytes;
  const auto cards = std::max<int64_t>(1, std::ssize(view.devices()));
  const timeline::DevicePeaks highest = HighestOfCards(view);
  return {std::max(highest.allocated_bytes - workspaces_bytes, beside_bytes / cards),
          HeldPeakOf(highest.reserved_bytes, highest.allocated_bytes).bytes};
}

HeldOfCard HeldBy(const phantom::Replayed& replayed) {
  return {replayed.fullest_reserved_bytes, replayed.retries > 0};
}

HeldOfCard HeldBy(const timeline::View& view, const phantom::Card& card) {
  return {HighestHeld(view).bytes, EmptiesCacheForRoom(view, UsableBytes(card))};
}

bool HasRoomToSpare(const phantom::Card& card, const HeldOfCard& held) {
  return !held.empties_cache && HoldsWithEase(card, held.reserved_bytes);
}

bool IsLimited(const phantom::Card& card, const std::vector<phantom::Card>& known) {
  const phantom::Card* const whole = phantom::CardNamed(known, card.name);
  return whole != nullptr && card.memory_bytes < whole->memory_bytes;
}

bool IsLimited(const events::RunDescription& description, const std::vector<phantom::Card>& known) {
  const auto card = CardOf(description.device_name, description.device_bytes, known);
  return description.device == "phantom" && card && IsLimited(*card, known);
}

Result<phantom::Card> CardOr(const std::string& fallback, const events::RunDescription& description,
                             const timeline::View* view, const std::vector<phantom::Card>& known) {
  if (const auto card = CardOf(description.device_name, description.device_bytes, known)) return *card;
  if (auto card = CardOf(fallback, description.device_bytes, known)) {
    const bool is_told = description.device_bytes > card->context_bytes;
    if (!is_told && view != nullptr && !view->out_of_memory().empty()) {
      card->memory_bytes = MemoryAt(view->out_of_memory().back(), *card);
    }
    return *card;
  }
  return Error{"There is no card " + fallback + " among the known ones; install again."};
}

}  // namespace tidemark::session
