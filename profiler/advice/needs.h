// What configurations need of a card, and whether they fit, of a pipeline's stages, each on a card of its
// own, the fullest: each is run on a phantom of the card that has room for all of them, so that none ends it,
// and where that leaves a doubt its requests, its last step's again and again, are put to PyTorch's allocator
// on one as large as the card is. What finds no room there is run on a phantom with the card's own memory,
// where PyTorch may go on: a convolution whose workspace finds no room takes another plan.
// Some warm trainers answer side by side, and each stage of a pipeline keeps one, up to kMostWarmStages (90
// MB of memory each, twice that once there was a doubt); the first answer takes half a second, each further
// one milliseconds. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/base/rank_place.h"
#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/predictor.h"

namespace tidemark::advice {

// The memory of a phantom on which nothing that is asked about runs out: networks and batches are bounded.
inline constexpr int64_t kRoomForAllBytes = int64_t{1} << 44;
// Trainers that answer side by side: as many as are not in the way of a run that goes on.
inline constexpr size_t kTrainers = 2;
// A pipeline of more stages starts a trainer for each one's questions and lets it go after them.
inline constexpr size_t kMostWarmStages = 8;

struct Configuration {
  networks::TrainingSettings settings;
  std::string allocator;  // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own
  bool operator==(const Configuration&) const = default;
};

struct Need {
  int64_t allocated_peak_bytes = 0;  // of a steady step, as session::Prediction tells it
  int64_t reserved_peak_bytes = 0;   // the most of the whole run, its first step among it
  bool fits = false;
  int stage = 0;  // of a pipeline: one that does not fit, else the fullest, whose figures these are
  bool empties_cache = false;      // it fits, but only since PyTorch gives its cache back in between
  int64_t times_survived = 0;      // it fits, but memory ran out in its first steps, and they went on
  std::string without_workspaces;  // as of session::Prediction, and so are these
  std::vector<std::string> unknown_sizes;
};

class Needs {
 public:
  // `card` with the memory that it shall have; `allocator`, as Configuration has it, what most questions ask
  // for: others are replayed. `goes_on` is asked while a phantom is, side by side; false ends that, which is
  // an error.
  Needs(phantom::Card card, std::string allocator, std::function<bool()> goes_on = {});

  // In the order of the questions. Fails with a sentence where one has no answer.
  Result<std::vector<Need>> Ask(std::span<const Configuration> configurations);

 private:
  Result<std::vector<Need>> AskStages(std::span<const Configuration> configurations);
  // Of one worker, or one stage; each null until it is asked.
  struct Phantoms {
    std::optional<RankPlace> place;
    std::unique_ptr<session::Predictor> with_room;  // for all
    std::unique_ptr<session::Predictor> of_card;    // with its own memory
  };
  std::unique_ptr<session::Predictor> MakePredictor(const Phantoms& phantoms, int64_t memory_bytes) const;
  Result<Need> AskOne(Phantoms& phantoms, const Configuration& configuration);
  Status AskOnCard(Phantoms& phantoms, const Configuration& configuration, Need& need);

  const phantom::Card card_;
  const std::string allocator_;
  const std::function<bool()> goes_on_;
  std::vector<Phantoms> workers_;
  std::vector<Phantoms> stages_;  // of a pipeline, by rank
};

}  // namespace tidemark::advice
