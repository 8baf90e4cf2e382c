// What each control does to memory and to a step's time, as the short lines under the controls: from the
// textbook, from the phantom's predictions of this configuration and its neighbours, and by roofline
// (advice/step_time.h). Pure functions; a figure
// that is not there yet reads "…".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::presenters {

struct Consequences {
  std::string network;
  std::string optimizer;
  std::string learning_rate;
  std::string batch;
  std::string accumulate;
  std::string precision;
  std::string checkpoint;
  std::string clip;
  std::string seed;
  std::string fit;  // how much of the card the prediction takes
  bool fits = true;
  int64_t unchecked_bytes = 0;                // of activations without checkpointing
  std::vector<std::string> precision_hints;   // tooltips, one per choice
  std::vector<std::string> checkpoint_hints;  // as CheckpointChoices
  std::vector<std::string> techniques;        // as networks::Techniques(): what those in use do
};

using AskPrediction = std::function<std::optional<session::Prediction>(const networks::TrainingSettings&)>;
// None = not known yet.
using AskEstimate = std::function<const textbook::Estimate*(const networks::TrainingSettings&, int rank)>;

struct ConsequenceQuestion {
  networks::TrainingSettings settings;
  const networks::Network* network = nullptr;
  const phantom::Card* card = nullptr;  // null: it runs on none that is known
  std::string allocator;                // PYTORCH_CUDA_ALLOC_CONF that it runs with
  std::string why_unpredicted;          // without a card
  ByteUnit unit = ByteUnit::kMegabytes;
  std::optional<double> loss_scale;  // of the last step
  int64_t skipped_steps = 0;
  std::optional<double> vanished_gradients;  // of the last step, 0 to 1
  bool operator==(const ConsequenceQuestion&) const = default;
};
// Of a step, by roofline; none = not known.
using AskStepSeconds = std::function<std::optional<double>(const networks::TrainingSettings&)>;
struct ConsequenceSources {
  AskPrediction phantom;
  AskEstimate textbook;
  AskStepSeconds step_seconds;
};
Consequences DescribeConsequences(const ConsequenceQuestion& question, const ConsequenceSources& sources);

// What the window offers, each with sizes that fit the network: none, √N, by layer, K segments, every K,
// budget. Where `now` is of a kind, it is that choice itself.
// `unchecked_bytes`: of activations without checkpointing.
std::vector<networks::Checkpointing> CheckpointChoices(const networks::Network& network,
                                                       const networks::TrainingSettings& now,
                                                       int64_t unchecked_bytes);

// The settings with another network: √N segments are √N of that one. `now` null = not known.
networks::TrainingSettings WithNetwork(networks::TrainingSettings settings, const networks::Network* now,
                                       const networks::Network& chosen);

}  // namespace tidemark::presenters
