// How long a training step would take on a card, by the roofline (Williams, Waterman and Patterson, Roofline,
// Communications of the ACM 52(4), 2009): each kernel takes as long as the slower of its operations at the
// card's peak and its bytes at the card's bandwidth, both from the card's data sheet. An estimate to rank
// configurations by, not a measurement: real kernels reach a part of the peak, and what part differs by
// library. Convolutions in float32 run in TF32 where the card has that, as PyTorch has it by default.
// Pure functions, O(layers), of a pipeline O(stages * layers). Seconds.
//
// With N ranks whose cards are joined by links of W bytes/s each way, gradients of G bytes, parameters of P:
//   all-reduce        2 (N-1)/N G / W         (ring: Patarasuk and Yuan, Journal of Parallel and Distributed
//                                             Computing 69(2), 2009)
//   gather, scatter   (N-1)/N P / W, (N-1)/N G / W    half of it each
//   data parallel     one all-reduce, which hides behind the last backward and what that runs again
//                     (DistributedDataParallel)
//   ZeRO 1            the same, and one gather of what the ranks have updated
//   ZeRO 2            a scatter of gradients for each micro-batch, and one gather, and none hides
//   ZeRO 3            two gathers and a scatter for each micro-batch, and none hides
//                     (Rajbhandari et al., arXiv 1910.02054, section 7; for what hides,
//                     training/distributed, where each waits for its own: FSDP's prefetching of the next
//                     layer would hide a gather behind the layer before, and hold two layers whole)
// In a pipeline whose stage s takes t_s for a micro-batch, what it sends included, M of them take
// sum(t_s) + (M - 1) max(t_s): all pass the slowest stage, one after another (with equal stages the
// (M + S - 1) t of Huang et al., GPipe, arXiv 1811.06965). What a stage sends and gets hides behind nothing:
// it waits for both before it computes on (training/pipeline.h), as Schedule1F1B of
// torch.distributed.pipelining does for what it sends and receives together.
#pragma once

#include <span>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::advice {

// A step of one rank, by what takes it.
struct StepTime {
  double forward = 0;
  double again = 0;  // forward that backward runs again, for checkpointing
  double backward = 0;
  double optimizer = 0;
  double sending = 0;  // to and from other ranks, as far as it does not hide behind backward
  double waiting = 0;  // for other stages of a pipeline
  double total() const { return forward + again + backward + optimizer + sending + waiting; }
};

// Kernels of small micro-batches leave multiprocessors idle and take at least what it takes to launch one. Of
// a pipeline the first rank's; all take equally long.
StepTime EstimateStepTime(const networks::Network& network, const networks::TrainingSettings& settings,
                          const phantom::Card& card);
// Of each of a pipeline's stages; one where there is none.
std::vector<StepTime> EstimateStepTimeOfStages(const networks::Network& network,
                                               const networks::TrainingSettings& settings,
                                               const phantom::Card& card);
// The same without a pipeline, with the pieces that checkpointing cuts the network into, where they are
// planned already.
StepTime EstimateStepTime(const networks::Network& network, const networks::TrainingSettings& settings,
                          std::span<const textbook::CheckpointPiece> pieces, const phantom::Card& card);

}  // namespace tidemark::advice
