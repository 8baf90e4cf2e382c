// After an out-of-memory: the largest batch that the phantom says fits, found by halving, one prediction at a
// time.
#pragma once

#include <optional>

#include "app/gui/consequences.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::gui {

class BatchSearch {
 public:
  // The batch of `failed` did not fit.
  void Begin(const networks::TrainingSettings& failed);
  // Puts the next question, if its answer is needed. Call once a frame.
  void Continue(const AskPrediction& ask);
  // Known once the search is over; half of the batch that failed when the phantom has no answer.
  std::optional<int> batch() const { return found_; }

 private:
  networks::TrainingSettings settings_;
  int fits_ = 0;
  int too_large_ = 0;
  std::optional<int> found_;
};

}  // namespace tidemark::gui
