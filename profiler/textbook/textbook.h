// How much memory training takes, as a person would compute it on paper: layer by layer, from shapes alone.
// Closed formulas, no allocator, no library workspaces, no temporaries: those are what the bridge adds. Every
// number carries its formula. Pure functions, microseconds, O(layers).
//
// With P parameters and a micro-batch of B samples:
//
// - parameters, P · 4 B: always float32, autocast does not touch them;
// - gradients, P · 4 B: float32 too, made once and added to by each micro-batch of an accumulated step;
// - optimizer, k · P · 4 B: k = 0 SGD, 1 with momentum, Adagrad (sum) and RMSprop (square_avg), 2 Adam and
//   AdamW (torch/optim: exp_avg, exp_avg_sq);
// - input, B · sample · 4 B: one micro-batch; its labels (8 B a sample) are left out, as the classic table
//   does;
// - activations: what autograd saves for backward; saved_tensors.h gives the rules;
// - autocast, P · 2 B: half copies of the weights and biases of convolutions and linear layers, cached during
//   forward (ATen/autocast_mode.cpp);
// - buffers: what batch norm keeps between steps.
//
// Of two networks against each other most is there in the generator's turn, whose graph goes through both,
// and input is real samples or noise, whichever is more: they are never there at once. In pure float16
// (model.half()) each 4 B above is 2 B. An evaluation has neither gradients nor optimizer state, and under
// no_grad no activations. Left out, as in the classic table: what the loss saves of samples with one label
// (log-probabilities, B · classes · 4 B; with a label for each token or pixel they are counted), gradients of
// activations, gradient clipping and loss scaling (some scalars).
//
// What an optimizer's step needs for a moment, when the activations are gone, is told beside the total: going
// from parameter to parameter, the roots of one tensor's squares (Adam's twice); by foreach, those of all
// parameters at once, P · 4 B, with Adagrad the scaled gradients, too (torch/optim, _multi_tensor_*); fused,
// and SGD, nothing.
//
// With checkpointing (Chen et al., Training Deep Nets with Sublinear Memory Cost, arXiv 1604.06174, 2016) the
// network is cut into pieces (checkpoint_plan.h). Forward keeps each piece's input only;
// backward takes the pieces from the last to the first and makes a piece's saved tensors again when it comes
// to it, while the inputs of the pieces before are still kept. So: activations = max over pieces p of (inputs
// of pieces up to p + saved tensors made again in p). An input that is the batch itself is in `input`
// already.
//
// Of a pipeline all of it is of one rank, a stage (pipeline.h), with the activations of as many micro-batches
// as are in flight, and the larger of the gradients that come and go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::textbook {

struct CheckpointPlan;

struct LayerEstimate {
  std::string name;
  std::string output;      // "64×64×30×30", batch first
  int64_t parameters = 0;  // elements
  int64_t parameters_bytes = 0;
  int64_t activations_bytes =
      0;                         // kept from forward to backward, with checkpointing as set; of a convolution
                                 // or linear layer with the ReLU behind it, since the ReLU's result is kept
  int64_t recomputed_bytes = 0;  // made again in backward; 0 without checkpointing
  std::string formula;           // how activations_bytes came about, in numbers
  std::string counts_with;  // the layer whose activations_bytes hold what this one allocates and keeps; "" if
                            // its own do
};

// One line of the total: a category, its bytes, and why.
struct Term {
  events::Category category = events::Category::kUnknown;
  std::string title;  // "Optimizer state (Adam)"
  int64_t bytes = 0;
  std::string words;    // "two moments per parameter, 4 bytes each"
  std::string symbols;  // "2 · P · 4 B = 2 · 1,079,178 · 4 B"
};

struct Estimate {
  int64_t parameters_bytes = 0;           // kept; where ranks share them, this rank's
  int64_t gathered_parameters_bytes = 0;  // of other ranks, too, whole while a layer runs: the most at once
  int64_t buffers_bytes = 0;              // of batch norm
  int64_t gradients_bytes = 0;            // kept; where ranks share them, this rank's
  int64_t whole_gradients_bytes =
      0;  // what a layer's gradients, not reduced yet, add to the most that there is at once
  int64_t optimizer_bytes = 0;
  int64_t optimizer_step_bytes =
      0;  // temporaries of its step; not in the total, for activations are gone then
  int64_t activations_bytes = 0;
  int64_t least_budget_bytes = 0;  // of a checkpointing budget that is too small: what any plan needs; else 0
  int64_t loss_bytes = 0;          // what the loss saves, where a sample has a label for each token or pixel
  int64_t input_bytes = 0;
  int64_t autocast_cache_bytes = 0;     // half copies of weights under autocast
  int64_t communication_bytes = 0;      // in which gradients go to other ranks, or come from them
  int64_t total_bytes = 0;              // of all above
  int64_t passing_bytes = 0;            // of those, gradients from stage to stage of a pipeline
  int64_t halved_everything_bytes = 0;  // kHalvedEverythingTitle: the total without AMP, divided by two
  std::vector<LayerEstimate> layers;
  std::vector<Term> terms;  // sum to total_bytes
};

// How the line of `halved_everything_bytes` is to be marked.
inline constexpr const char* kHalvedEverythingTitle = "“FP16 halves everything”";
inline constexpr const char* kHalvedEverythingWords =
    "a common saying, not what happens: autocast keeps weights, gradients and optimizer state in float32, "
    "adds half copies of the weights, and halves activations only";

// `settings` must be valid for `network` (networks::Validate). `rank`: of those that share the optimizer's
// state, whose tensors in the first stage of ZeRO are not of one size, or of a pipeline's stages.
Estimate EstimateMemory(const networks::Network& network, const networks::TrainingSettings& settings,
                        int rank = 0);
// The same of the rank's own layers (of a pipeline's stage, StageOf, else of the network) with the plan that
// PlanCheckpoints gives for them: for a budget, planning takes nearly all the time.
Estimate EstimateOwnLayers(const networks::Network& own, const networks::TrainingSettings& settings,
                           const CheckpointPlan& plan, int rank = 0);

// The settings with what the textbook does not look at as it is by default: where these are the same, so is
// the estimate.
networks::TrainingSettings WhatCounts(networks::TrainingSettings settings);

// The estimate's bytes in one of the timeline's categories (0 where the textbook has none).
int64_t BytesOf(const Estimate& estimate, events::Category category);

}  // namespace tidemark::textbook
