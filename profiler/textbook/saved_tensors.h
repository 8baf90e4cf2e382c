// What autograd keeps from forward to backward, block of memory by block of memory, from shapes and
// precisions alone. Pure functions, O(layers²) at worst under checkpointing.
//
// Rules (torch 2.11, tools/autograd/derivatives.yaml for what is saved, ATen/autocast_mode.h for precisions;
// of a GPU):
//   convolution, linear   their input and their weight, not their output. Under autocast they compute in half
//                         precision: what they save is the half input; a float32 input is first copied to
//                         half, and the copy is saved, by each of them anew. The half weights are those in
//                         autocast's cache.
//   relu, sigmoid, tanh   their result, in the precision of their input; as the next layer's input it is the
//   same
//                         memory, and counts once.
//   relu6, leaky_relu, gelu  their input. relu6 is hardtanh.
//   max_pool2d            its input, and where each maximum was: 8 B an element of its result (with_indices).
//   avg_pool2d            its input; so does an adaptive one, but to 1×1, which is a mean and saves nothing.
//   batch_norm2d          its input, and mean and inverse deviation of each channel, float32, once for a
//   batch. layer_norm            its input, and mean and inverse deviation of each token, float32. Autocast
//   runs it in
//                         float32: a half input is copied, and the copy is saved.
//   dropout               a mask of 1 B an element (native_dropout).
//   attention             queries, keys and values, its result, and the log-sum-exp of each head's rows,
//   float32
//                         (_scaled_dot_product_flash_attention; in float32 _efficient_attention_forward,
//                         which makes room for a multiple of 32 rows). Where the width of a head is no
//                         multiple of 8 in half precision (pad_last_dim in ATen/native/transformers/
//                         attention.cpp): queries, keys, values and result, padded to one, and the
//                         log-sum-exps. Where it is none of 4 in float32, so that neither takes it
//                         (check_head_dim_size_mem_efficient in ATen/native/transformers/cuda/
//                         sdp_utils.cpp): copies of queries, keys and values, and the weights that each
//                         token gives each other (_scaled_dot_product_attention_math).
//   lstm                  its input, what it gives, the states that it begins with (one hidden and one cell a
//                         layer), and cuDNN's reserve: of each layer and step four gates and a cell, of all
//                         layers but the last their result, and 256 B (cuDNN 9.19 on an H100 and an H200,
//                         profiler/phantom/calibration/rules.h; each part there is rounded up to 32 B, and
//                         masks of dropout between layers are left out). Under autocast also its weights in
//                         half precision: autocast puts them into one block for cuDNN, and caches nothing
//                         (ATen/native/cudnn/RNN.cpp, _cudnn_rnn_cast_reflatten). What it
//                         gives lies step by step, not sample by sample; a linear layer behind it saves a
//                         copy of its input.
//   flatten, first_token  are views: no memory of their own.
//   add, concat, upsample, embeddings, class_token, to_sequence  save nothing but shapes and the batch's
//   tokens.
//   operators of a TorchScript file  by networks/operators.h; one without a rule saves nothing here, and
//                         says so.
// In pure float16 everything but statistics and log-sum-exps is half. Under no_grad nobody saves anything. An
// evaluation with a graph saves as training does, but for masks and statistics: dropout passes its input on,
// batch norm uses its running means. A ReLU, leaky or not, that runs in place saves its result, which is
// its input's memory. With channels last a flatten of pictures is a copy, and to_sequence is a view.
// A stage of a pipeline (Network::Passage) keeps what it receives for its first layer, and what it sends
// until its backward. Biases, and the output of the last layer, are saved by nobody. A layer that no gradient
// needs to pass, because the batch enters it and it has no parameters, saves nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::textbook {

inline constexpr int64_t kFloat32Bytes = 4;
inline constexpr int64_t kHalfBytes = 2;
// Of a value that nobody casts: 2 in pure float16.
int64_t ValueBytes(const networks::TrainingSettings& settings);

struct SavedTensor {
  enum class What : uint8_t {
    kOutput,
    kInputCopy,
    kTurnedInput,
    kMask,
    kIndices,
    kLogSumExp,
    kStatistics,
    kStates,
    kReserve,
    kWeights,
    kReceived,
    kAttentionCopy,
    kAttentionWeights
  };
  What what = What::kOutput;
  size_t maker = 0;  // the layer that made it
  size_t owner = 0;  // the layer that the table counts it with: a ReLU's result counts with the layer before
                     // it, whose own output is not kept
  networks::SampleShape shape;  // of one sample
  bool once_for_batch = false;  // however many samples there are
  int64_t bytes_per_element = 0;
  std::vector<size_t> savers;  // layers that save it, ascending

  int64_t Bytes(int64_t batch) const {
    return (once_for_batch ? 1 : batch) * networks::ElementCount(shape) * bytes_per_element;
  }
};

struct SavedTensors {
  std::vector<SavedTensor>
      tensors;  // in the order in which forward makes them; the batch itself is not among them
  // The tensor that each layer gives, as an index into `tensors`; kBatch for the batch or a view of it.
  std::vector<size_t> outputs;
  // Of a stage of a pipeline what it receives and what it sends, kBatch where nobody is before or behind it.
  size_t received = static_cast<size_t>(-1);
  size_t sent = static_cast<size_t>(-1);
  bool backward_follows = true;  // else checkpointed pieces keep what they start from, and nothing runs again

  // The tensor in which a layer's output, or the network's input, lies.
  size_t OutputOf(size_t layer) const;
};
inline constexpr size_t kBatch = static_cast<size_t>(-1);

// There may be tensors that nobody saves (their `savers` are empty).
SavedTensors FindSavedTensors(const networks::Network& network, const networks::TrainingSettings& settings);

// Layers [first, end). It runs again in backward, or keeps what it saves.
struct CheckpointPiece {
  size_t first = 0;
  size_t end = 0;
  bool runs_again = true;
  bool operator==(const CheckpointPiece&) const = default;
};

// What is alive when backward works on the piece that needs most; without checkpointing there is one piece,
// nothing is made again, and everything that is saved is kept.
struct SavedAtWorst {
  std::vector<size_t> kept;        // indices into `tensors`: inputs of pieces up to the worst one
  std::vector<size_t> made_again;  // the worst piece's saved tensors; none of a piece that keeps them, or
                                   // where no backward follows
  size_t piece = 0;                // which is the worst, from 0
  size_t pieces = 0;               // 0 without checkpointing
  size_t first_layer = 0;          // of the worst piece
  size_t end_layer = 0;
};
SavedAtWorst FindWorstMoment(const networks::Network& network, const SavedTensors& saved,
                             const std::vector<CheckpointPiece>& pieces, int64_t batch);

// Over all pieces: what stays from forward to backward, and what backward makes again.
struct SavedOverall {
  std::vector<size_t> kept;
  std::vector<size_t> made_again;
};
SavedOverall FindKeptAndMadeAgain(const networks::Network& network, const SavedTensors& saved,
                                  const std::vector<CheckpointPiece>& pieces);

}  // namespace tidemark::textbook
