#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <system_error>
#include <tuple>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/base/paths.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom {
namespace {

// "RTX 4090", as people write it, as "rtx-4090".
std::string AsOurs(std::string_view name) {
  std::string ours(name);
  std::ranges::transform(ours, ours.begin(), [](unsigned char letter) {
    return letter == ' ' || letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
  });
  return ours;
}

}  // namespace

Result<std::vector<Card>> LoadCards() {
  const std::filesystem::path folder = AssetsFolder() / "cards";
  std::error_code failure;
  std::vector<Card> cards;
  for (auto entry = std::filesystem::directory_iterator(folder, failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    if (entry->path().extension() != ".json") continue;
    Result<Card> card = CardFromFile(entry->path());
    if (!card) return card.error();
    cards.push_back(std::move(*card));
  }
  if (failure) {
    return Error{"The folder of graphics cards " + folder.string() + " cannot be read (" + failure.message() +
                 "). Build or install the program again."};
  }
  std::sort(cards.begin(), cards.end(), [](const Card& a, const Card& b) {
    return std::tie(a.memory_bytes, a.name) < std::tie(b.memory_bytes, b.name);
  });
  return cards;
}

Error UnknownCard(std::string_view name, const std::vector<Card>& cards) {
  const std::string given = AsOurs(name);
  std::vector<std::string> known;
  known.reserve(cards.size());
  for (const Card& card : cards) known.push_back(card.name);
  std::vector<std::string> meant;
  for (const std::string& one : known) {
    if (!given.empty() && one.starts_with(given)) meant.push_back(one);
  }
  if (meant.empty()) meant.push_back(NearestChoice(given, known));
  constexpr size_t kFewEnough = 4;
  const bool suggests = !meant.front().empty() && meant.size() <= kFewEnough;
  return {fmt::format("There is no graphics card '{}'{} tidemark cards lists them all.", Quoted(name),
                      suggests ? fmt::format("; did you mean '{}'?", fmt::join(meant, "' or '")) : ".")};
}

const Card* CardNamed(const std::vector<Card>& cards, std::string_view name) {
  const auto found = std::ranges::find(cards, name, &Card::name);
  return found == cards.end() ? nullptr : &*found;
}

Result<Card> FindCard(std::string_view name) {
  const Result<std::vector<Card>> cards = LoadCards();
  if (!cards) return cards.error();
  const Card* const found = CardNamed(*cards, name);
  if (found == nullptr) return UnknownCard(name, *cards);
  return *found;
}

}  // namespace tidemark::phantom
