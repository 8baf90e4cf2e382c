// A user's program on cards other than the one that it ran on: what its requests depend on beside the program
// (cuBLAS's and cuDNN's workspaces, what goes by the number of multiprocessors) is then each card's own.
// Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/program_trials.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

// What the program did on the phantom of one card.
struct CardRun : TrialRun {
  phantom::Card card;
  bool had_own_memory = false;  // the card's; else as much as `launch` says
};

// What is to be run, one after the other.
struct CardsToRun {
  std::vector<phantom::Card> cards;
  bool with_own_memory = false;  // each; else with what `launch` says
};

// Whether a run on one stands for a run on the other: all that the stand-ins answer, and cuDNN is told of, is
// the same, but for names, the memory and its clock. Pure function.
bool ShareRuns(const phantom::Card& one, const phantom::Card& other);

struct CardsWatch {
  std::function<void(const CardRun&)> ran;                   // told of each run as soon as it has ended
  std::function<void(std::string_view line)> progress = {};  // several times a second, if there is any
  std::function<bool()> goes_on = {};                        // asked as often; false ends it early
};

// Runs it on each of these cards. Errors: as ProgramTrials'.
Status RunOnCards(ProgramTrials& program, const CardsToRun& next, const CardsWatch& watch);

}  // namespace tidemark::cli
