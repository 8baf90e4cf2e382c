#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "profiler/base/paths.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom {

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

Result<Card> FindCard(std::string_view name) {
  Result<std::vector<Card>> cards = LoadCards();
  if (!cards) return cards.error();
  std::string known;
  for (Card& card : *cards) {
    if (card.name == name) return std::move(card);
    known += (known.empty() ? "" : ", ") + card.name;
  }
  return Error{"There is no graphics card called '" + std::string(name) + "'. Choose one of: " + known + "."};
}

}  // namespace tidemark::phantom
