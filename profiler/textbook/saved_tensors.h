// What autograd keeps from forward to backward, tensor by tensor, from shapes and precisions alone. Pure
// functions, O(layers²) at worst under checkpointing.
//
// Rules (torch 2.11, tools/autograd/derivatives.yaml and ATen/autocast_mode.cpp):
//   convolution, linear  save their input and their weight, not their output. Under autocast they compute in
//   half
//                        precision: what they save is the half input; a float32 input is first copied to
//                        half, and the copy is saved. The half weights are the ones in autocast's cache.
//   relu                 saves its result, in the precision of its input; as the next layer's input it is the
//   same
//                        memory, and counts once.
//   flatten              is a view: no memory of its own.
// Biases, and the output of the last layer, are saved by nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::textbook {

inline constexpr int64_t kFloat32Bytes = 4;
inline constexpr int64_t kHalfBytes = 2;

struct SavedTensor {
  size_t maker = 0;  // the layer whose output it is; of a half copy, the layer whose input was copied
  size_t owner = 0;  // the layer that the table counts it with: a ReLU's result counts with the layer before
                     // it, whose own output is not kept
  int64_t elements = 0;  // of one sample
  int64_t bytes_per_element = 0;
  bool is_half_copy = false;   // of a float32 input
  std::vector<size_t> savers;  // layers that save it, ascending
};

struct SavedTensors {
  std::vector<SavedTensor>
      tensors;  // in the order in which forward makes them; the batch itself is not among them
  // The tensor that enters each layer, as an index into `tensors`; kBatch for the batch or a view of it.
  std::vector<size_t> inputs;
};
inline constexpr size_t kBatch = static_cast<size_t>(-1);

// `inputs` may name tensors that nobody saves (their `savers` are empty).
SavedTensors FindSavedTensors(const networks::Network& network, networks::Precision amp);

// What is alive when backward works on the piece that needs most; without checkpointing there is one piece,
// nothing is made again, and everything that is saved is kept.
struct SavedAtWorst {
  std::vector<size_t> kept;        // indices into `tensors`: inputs of pieces up to the worst one
  std::vector<size_t> made_again;  // the worst piece's saved tensors
  size_t piece = 0;                // which is the worst, from 0
  size_t pieces = 0;               // 0 without checkpointing
  size_t first_layer = 0;          // of the worst piece
  size_t end_layer = 0;
};
SavedAtWorst FindWorstMoment(const networks::Network& network, const SavedTensors& saved,
                             const networks::Checkpointing& checkpointing);

// Over all pieces: what stays from forward to backward, and what backward makes again.
struct SavedOverall {
  std::vector<size_t> kept;
  std::vector<size_t> made_again;
};
SavedOverall FindKeptAndMadeAgain(const networks::Network& network, const SavedTensors& saved,
                                  const networks::Checkpointing& checkpointing);

}  // namespace tidemark::textbook
