// What theory says of every batch size: the textbook at once, the phantom as its answers come, one question a
// frame, those nearest to the batch that is looked at first. What is larger than a batch that does not fit
// does not either, and is not asked: running out of memory ends a trainer, and the next takes half a second.
// UI thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/advice/consequences.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/predictor.h"

namespace tidemark::presenters {

struct BatchPoint {
  int batch = 0;
  int64_t bytes = 0;
  bool out_of_memory = false;  // of a phantom: as far as it came
};

// Bytes by the textbook; nothing for a network that is not known here, and for what is planned elsewhere yet.
using AskTextbook = std::function<std::optional<int64_t>(const networks::TrainingSettings&)>;

class BatchCurve {
 public:
  struct Question {
    networks::TrainingSettings settings;  // its batch is the one that is looked at
    session::PhantomSetup setup;
    uint64_t edition = 0;  // Estimates::edition()
  };
  // Call once a frame while it is shown.
  void Continue(const Question& question, const AskTextbook& textbook, const AskPrediction& phantom);

  const std::vector<BatchPoint>& textbook() const { return textbook_; }  // by batch
  const std::vector<BatchPoint>& phantom() const {
    return phantom_;
  }  // those that are known, up to the first that does not fit
  std::optional<BatchPoint> textbook_here() const { return textbook_here_; }
  std::optional<BatchPoint> phantom_here() const { return phantom_here_; }
  bool complete() const { return complete_; }  // every answer is there

 private:
  std::optional<Question> made_for_;
  std::vector<BatchPoint> textbook_;
  std::vector<BatchPoint> phantom_;
  std::optional<BatchPoint> textbook_here_;
  std::optional<BatchPoint> phantom_here_;
  std::optional<BatchPoint> too_large_;  // the smallest that is known not to fit
  bool textbook_complete_ = false;
  bool complete_ = false;
};

// The batches that the phantom is asked for: powers of two.
std::vector<int> BatchesAsked();

}  // namespace tidemark::presenters
