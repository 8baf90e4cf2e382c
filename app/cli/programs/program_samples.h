// With how many samples at once a user's program has room on a card: it runs with fewer, one run after the
// other, on a phantom with room for all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/program_trials.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/techniques.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {

struct SamplesToFind {
  std::string argument;       // of the program, as BatchSweepOf has it
  int64_t asked = 0;          // what the program has there, for which there is no room, or none to spare
  bool has_to_spare = false;  // room: with as many it fits, if only just
  phantom::Card card;
  // With as many: what its parameters and optimizers hold, which fewer samples make no smaller, and all of
  // it.
  int64_t state_bytes = 0;
  session::Need needed;
  phantom::Techniques techniques = {};  // which it has in all runs
};

struct FewerSamples {
  std::string argument;
  int64_t asked = 0;
  int64_t most = 0;  // with which it has room to spare, or else just fits; 0 = none is known
  int64_t allocated_bytes = 0;
  session::HeldOfCard held = {};
  // The fewest for which the same is not so, of those that it ran with.
  std::optional<int64_t> too_many = {};
  std::string failure = {};  // why no more is known, as a sentence; "" if all is, or the runs were used up

  bool is_the_most() const { return too_many.value_or(asked) == most + 1; }
};

struct SamplesWatch {
  std::function<void(std::string_view line)> progress = {};  // several times a second, if there is any
  std::function<bool()> goes_on = {};                        // asked as often; false ends it early
};

// The runs that it takes at the most; where what it takes grows evenly with the samples, they are two or
// three.
inline constexpr int kMostSamplesRuns = 8;

// `program`: with room for all. Errors: as ProgramTrials'.
Result<FewerSamples> FindFewerSamples(ProgramTrials& program, const SamplesToFind& wanted,
                                      const SamplesWatch& watch);

}  // namespace tidemark::cli
