#include "app/cli/programs/program_cards.h"

#include <fmt/format.h>

namespace tidemark::cli {

bool ShareRuns(const phantom::Card& one, const phantom::Card& other) {
  const auto kind_of = [](const phantom::Card& card) {
    return std::vector<int64_t>{card.compute_capability, card.compiled_architecture, card.multiprocessors,
                                card.threads_per_multiprocessor, card.blocks_per_multiprocessor,
                                card.shared_bytes_per_block, card.shared_bytes_per_block_optin,
                                card.shared_bytes_per_multiprocessor, card.l2_bytes, card.clock_khz,
                                // cuDNN's plans go by it there, too (device_properties.h).
                                card.compute_capability == 90 ? card.memory_clock_khz : 0};
  };
  return kind_of(one) == kind_of(other);
}

Status RunOnCards(ProgramTrials& program, const CardsToRun& next, const CardsWatch& watch) {
  std::vector<ProgramTrial> trials;
  trials.reserve(next.cards.size());
  for (const phantom::Card& card : next.cards)
    trials.push_back({"on the " + card.title, card, next.with_own_memory});
  const auto ran = [&](size_t trial, const TrialRun& run) {
    watch.ran({run, next.cards[trial], next.with_own_memory});
  };
  return program.Run(trials, {ran, watch.progress, watch.goes_on});
}

}  // namespace tidemark::cli
