#include "app/cli/program_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "profiler/base/format.h"
#include "profiler/session/reserved_band.h"

namespace tidemark::cli {
namespace {

std::string InWords(const CardVerdict& verdict) {
  if (!verdict.fits) return "does not fit";
  return verdict.empties_cache ? "fits, but nearly full: PyTorch empties its cache" : "fits";
}

}  // namespace

Result<std::vector<CardVerdict>> VerdictsOf(const timeline::View& view, const phantom::Card& asked,
                                            const std::string& settings,
                                            const session::AllocatorOf& allocator) {
  Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  const Result<std::vector<phantom::Request>> requests =
      session::RequestsOf(view, std::numeric_limits<int64_t>::max());
  if (!requests) return requests.error();
  const auto peak = [&](timeline::Series series) {
    return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
  };
  std::vector<CardVerdict> verdicts;
  std::ranges::replace_if(
      *cards, [&](const phantom::Card& one) { return one.name == asked.name; }, asked);
  std::ranges::stable_sort(*cards, {}, &phantom::Card::memory_bytes);
  for (const phantom::Card& card : *cards) {
    const int64_t usable_bytes = card.memory_bytes - card.context_bytes;
    CardVerdict verdict{card};
    if (peak(timeline::Series::kReserved) <= usable_bytes) {
      verdict.fits = true;
      verdict.reserved_bytes = peak(timeline::Series::kReserved);
    } else if (peak(timeline::Series::kAllocated) <= usable_bytes) {
      const Result<phantom::Replayed> tried = session::TryAllocator(*requests, card, settings, allocator);
      if (!tried) return tried.error();
      verdict.fits = tried->failures == 0;
      verdict.empties_cache = verdict.fits && tried->retries > 0;
      verdict.reserved_bytes = verdict.fits ? tried->reserved_peak_bytes : 0;
    }
    verdicts.push_back(verdict);
  }
  return verdicts;
}

std::string VerdictsText(const std::vector<CardVerdict>& verdicts, const phantom::Card& asked,
                         const std::string& title) {
  constexpr const char* kRow = "  {:<26}{:>12}{:>12}  {}\n";
  std::string text = fmt::format(kRow, "card", "memory", "taken", "");
  const CardVerdict* least = nullptr;
  for (const CardVerdict& verdict : verdicts) {
    if (verdict.fits && least == nullptr) least = &verdict;
    const std::string taken =
        verdict.fits ? FormatBytes(verdict.reserved_bytes + verdict.card.context_bytes, ByteUnit::kMebibytes)
                     : "–";
    text +=
        fmt::format(kRow, verdict.card.title, FormatBytes(verdict.card.memory_bytes, ByteUnit::kMebibytes),
                    taken, InWords(verdict));
  }
  const auto own =
      std::ranges::find(verdicts, asked.name, [](const CardVerdict& one) { return one.card.name; });
  if (own != verdicts.end()) text += fmt::format("{} on the {}: {}.\n", title, asked.title, InWords(*own));
  text += least == nullptr
              ? "None of the known cards has room for it.\n"
              : fmt::format("The smallest known card with room for it is the {}.\n", least->card.title);
  return text +
         fmt::format(
             "Its requests are those that it has on a {}; other cards' workspaces differ a little: tidemark "
             "phantom --card NAME tells them.\n",
             asked.title);
}

Json VerdictsJson(const std::vector<CardVerdict>& verdicts, const phantom::Card& asked,
                  const std::string& title) {
  Json cards = Json::array();
  for (const CardVerdict& verdict : verdicts) {
    const int64_t reserved_bytes = verdict.reserved_bytes;
    cards.push_back({{"name", verdict.card.name},
                     {"memory_bytes", verdict.card.memory_bytes},
                     {"estimated_context_bytes", verdict.card.context_bytes},
                     {"fits", verdict.fits},
                     {"empties_cache", verdict.empties_cache},
                     {"reserved_peak_bytes", verdict.fits ? Json(reserved_bytes) : Json(nullptr)}});
  }
  const auto least = std::ranges::find_if(verdicts, &CardVerdict::fits);
  return {{"program", title},
          {"card", asked.name},
          {"cards", cards},
          {"smallest", least == verdicts.end() ? Json(nullptr) : Json(least->card.name)}};
}

}  // namespace tidemark::cli
