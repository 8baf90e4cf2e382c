#include "app/cli/card_option.h"

#include <string>
#include <utility>
#include <vector>

#include "profiler/networks/choices.h"

namespace tidemark::cli {

Result<phantom::Card> CardNamed(std::string_view name) {
  Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  std::vector<std::string> known;
  for (phantom::Card& card : *cards) {
    if (card.name == name) return std::move(card);
    known.push_back(card.name);
  }
  return Error{networks::UnknownChoice("graphics card", name, known)};
}

}  // namespace tidemark::cli
