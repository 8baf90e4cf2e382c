// How long a training step would take on a card, by the roofline (Williams, Waterman and Patterson, Roofline,
// Communications of the ACM 52(4), 2009): each kernel takes as long as the slower of its operations at the
// card's peak and its bytes at the card's bandwidth, both from the card's data sheet. An estimate to rank
// configurations by, not a measurement: real kernels reach a part of the peak, and what part differs by
// library. Pure function, O(layers).
#pragma once

#include <span>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::advice {

// Forward, what checkpointing runs again, backward, once for each micro-batch, and the optimizer's step.
// Kernels of small micro-batches leave multiprocessors idle and take at least what it takes to launch one.
double EstimateStepSeconds(const networks::Network& network, const networks::TrainingSettings& settings,
                           const phantom::Card& card);
// The same with the pieces that checkpointing cuts the network into, where they are planned already.
double EstimateStepSeconds(const networks::Network& network, const networks::TrainingSettings& settings,
                           std::span<const textbook::CheckpointPiece> pieces, const phantom::Card& card);

}  // namespace tidemark::advice
