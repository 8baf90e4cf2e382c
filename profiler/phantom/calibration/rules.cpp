#include "profiler/phantom/calibration/rules.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "profiler/phantom/calibration/convolution.h"

namespace tidemark::phantom::calibration {
namespace {

// cudnnBatchNormMode_t, cudnnRNNMode_t, cudnnRNNAlgo_t.
constexpr int kSpatial = 1;
constexpr int kSpatialPersistent = 2;
constexpr int kLstmCell = 2;
constexpr int kGruCell = 3;
constexpr int kStandardAlgorithm = 0;
constexpr int kSmallHiddenAlgorithm = 3;

constexpr int64_t DividedUp(int64_t number, int64_t by) { return (number + by - 1) / by; }

// A tensor that lies with its channels innermost. The stride of a dimension of one element says nothing.
bool IsChannelsLast(const TensorShape& tensor) {
  constexpr std::array<size_t, 4> kFromInnermost = {1, 3, 2, 0};
  int64_t stride = 1;
  for (const size_t dimension : kFromInnermost) {
    if (tensor.sizes[dimension] != 1 && tensor.strides[dimension] != stride) return false;
    stride *= tensor.sizes[dimension];
  }
  return true;
}

// The persistent kernels of channels-last tensors keep partial sums: for each block of channels and each tile
// of positions two floats a channel, with a counter forward, and a counter for each block.
int64_t PersistentNormBytes(bool forward, const TensorShape& input) {
  const int64_t channels = input.sizes[1];
  const int64_t positions = int64_t{input.sizes[0]} * input.sizes[2] * input.sizes[3];
  const bool vectorised = channels % 4 == 0;
  const int64_t block = vectorised ? 64 : 4;
  const int64_t tile_of_block = forward ? (input.element == kFloat32 ? 64 : 160) : 96;
  const int64_t tiles = DividedUp(positions, vectorised ? tile_of_block : 4 * tile_of_block);
  const int64_t bytes_of_tile = 8 * block + (forward ? 4 : 0);
  return (forward ? 1072 : 1056) + DividedUp(channels, block) * (4 + bytes_of_tile * tiles);
}

// Every buffer of a recurrent layer's space begins at a multiple of this.
int64_t Aligned(int64_t bytes) { return DividedUp(bytes, 32) * 32; }

// A shape in the quantities that its buffers are made of.
struct RnnMeasure {
  explicit RnnMeasure(const RnnShape& shape)
      : gates(shape.cell == kLstmCell  ? 4
              : shape.cell == kGruCell ? 3
                                       : 1),
        directions(shape.direction == 0 ? 1 : 2),
        layers(shape.layers),
        batch(shape.batch),
        longest(shape.longest),
        input(shape.input_size),
        hidden(shape.hidden_size),
        projection(shape.projection_size),
        is_lstm(shape.cell == kLstmCell),
        is_projected(shape.projection_size < shape.hidden_size),
        element_bytes(shape.element == kFloat32 ? 4 : 2),
        step_bytes(element_bytes *
                   (shape.packed_steps > 0 ? shape.packed_steps : int64_t{shape.batch} * shape.longest)),
        state_bytes(element_bytes * batch * layers * directions) {}

  int64_t gates, directions, layers, batch, longest, input, hidden, projection;
  bool is_lstm, is_projected;
  int64_t element_bytes;
  int64_t step_bytes;   // one number for each step of each sequence
  int64_t state_bytes;  // one number for each sequence in each layer and direction
};

int64_t MatrixBytes(const RnnMeasure& rnn) {
  const int64_t below = rnn.input + (rnn.layers - 1) * rnn.directions * rnn.projection;
  int64_t numbers = rnn.directions * rnn.gates * rnn.hidden * (below + rnn.layers * rnn.projection);
  if (rnn.is_projected) numbers += rnn.directions * rnn.layers * rnn.projection * rnn.hidden;
  return numbers * rnn.element_bytes;
}

// What both passes need: 8 MiB for the matrix products of each layer and direction, a copy of the matrices,
// and two numbers for each sequence.
int64_t SharedBytes(const RnnMeasure& rnn) {
  constexpr int64_t kProductsBytes = int64_t{8} << 20;
  constexpr int64_t kHeadBytes = 256;
  return kProductsBytes * rnn.layers * rnn.directions + kHeadBytes + Aligned(8 * rnn.batch) +
         Aligned(MatrixBytes(rnn));
}

int64_t ForwardBytes(const RnnMeasure& rnn) {
  const int64_t steps = rnn.step_bytes;
  const int64_t states = rnn.state_bytes * rnn.hidden;
  int64_t bytes = SharedBytes(rnn);
  bytes += Aligned(steps * rnn.input) + Aligned(steps * rnn.directions * rnn.gates * rnn.hidden) +
           Aligned(steps * rnn.directions * rnn.hidden);
  if (rnn.is_projected) bytes += Aligned(steps * rnn.directions * rnn.projection);
  bytes += Aligned(states * rnn.gates) + 2 * Aligned(rnn.state_bytes * rnn.projection);
  if (rnn.is_lstm) bytes += Aligned(2 * states) + 2 * Aligned(states);
  if (rnn.directions == 2) bytes += Aligned(4 * steps * rnn.hidden) + Aligned(2 * states);
  return bytes;
}

// A network of several layers in one direction is trained some steps at a time, layer after layer: fewer the
// larger the batch is.
int64_t StepsAtATime(const RnnMeasure& rnn) {
  if (rnn.layers == 1) return rnn.longest;
  int64_t chunk = 2;
  if (rnn.batch <= 1) {
    chunk = 32;
  } else if (rnn.batch <= 8) {
    chunk = 16;
  } else if (rnn.batch <= 16 || rnn.longest >= 128) {
    chunk = 8;
  } else if (rnn.batch <= 64) {
    chunk = 4;
  }
  return std::min(rnn.longest, chunk * rnn.layers + std::max<int64_t>(chunk, 8));
}

int64_t BackwardBytes(const RnnMeasure& rnn) {
  const int64_t steps = rnn.step_bytes;
  const int64_t outputs = steps * rnn.directions;
  const int64_t states = rnn.state_bytes * rnn.hidden;
  int64_t bytes = SharedBytes(rnn) + 2 * Aligned(steps * rnn.input);
  bytes += rnn.is_projected ? Aligned(outputs * rnn.hidden) + 2 * Aligned(outputs * rnn.projection)
                            : 2 * Aligned(outputs * rnn.hidden);
  bytes += Aligned(outputs * rnn.directions * std::max(rnn.input, rnn.hidden));
  if (rnn.directions == 1) {
    const int64_t chunk = StepsAtATime(rnn) * rnn.batch * rnn.element_bytes;
    bytes += Aligned((rnn.layers == 1 ? steps : chunk) * rnn.hidden);
  } else {
    bytes += Aligned((rnn.layers == 1 ? 2 : 4) * steps * rnn.hidden) + Aligned(2 * states);
  }
  bytes += 5 * Aligned(states);
  if (rnn.is_lstm) bytes += 4 * Aligned(rnn.state_bytes * rnn.projection) + Aligned(2 * states);
  return bytes;
}

// What the forward pass leaves for the backward one: gates and cells of every step, and what goes from layer
// to layer.
int64_t ReserveBytes(const RnnMeasure& rnn) {
  constexpr int64_t kHeadBytes = 256;
  const int64_t outputs = rnn.step_bytes * rnn.directions * rnn.hidden;
  const int64_t all = outputs * rnn.layers;
  int64_t bytes = kHeadBytes + Aligned(outputs * (rnn.layers - 1));
  bytes += rnn.is_lstm ? Aligned(4 * all) + Aligned(all) : Aligned(rnn.gates == 3 ? 6 * all : all);
  if (rnn.is_projected) {
    bytes += Aligned(all) + Aligned(rnn.step_bytes * rnn.directions * rnn.layers * rnn.projection);
  }
  return bytes;
}

const char* DoubtAbout(const RnnShape& shape) {
  if (shape.algorithm != kStandardAlgorithm) {
    return "by the standard algorithm where PyTorch takes the one for small hidden sizes, which takes up to "
           "7 % more";
  }
  if (shape.packed_steps > 0) return "by the rule of sequences of one length for packed ones";
  return "";
}

}  // namespace

std::optional<DerivedSize> BatchNormBytes(BatchNormSize size, int mode, int ops, const TensorShape& input) {
  const bool measured_type =
      input.element == kFloat32 || input.element == kFloat16 || input.element == kBfloat16;
  const bool measured_mode = mode == kSpatial || mode == kSpatialPersistent;
  if (!measured_type || !measured_mode || ops != 0 || input.sizes.size() != 4) return std::nullopt;
  if (size == BatchNormSize::kReserve || mode == kSpatial || !IsChannelsLast(input)) return DerivedSize{};
  if (input.sizes[1] > 4 && input.sizes[1] % 4 != 0) return std::nullopt;
  return DerivedSize{PersistentNormBytes(size == BatchNormSize::kForwardWorkspace, input)};
}

std::optional<DerivedSize> RnnBytes(RnnSize size, const RnnShape& shape) {
  const bool known_type =
      (shape.element == kFloat32 || shape.element == kFloat16) && shape.precision == kFloat32;
  const bool known_algorithm =
      shape.algorithm == kStandardAlgorithm || shape.algorithm == kSmallHiddenAlgorithm;
  if (!known_type || !known_algorithm || shape.batch <= 0 || shape.layers <= 0) return std::nullopt;
  const RnnMeasure rnn(shape);
  if (size == RnnSize::kReserve) return DerivedSize{shape.training ? ReserveBytes(rnn) : 0};
  const int64_t forward = ForwardBytes(rnn);
  return DerivedSize{shape.training ? std::max(forward, BackwardBytes(rnn)) : forward, DoubtAbout(shape)};
}

DerivedSize DropoutStatesBytes(int multiprocessors) { return {int64_t{49'152} * multiprocessors}; }

}  // namespace tidemark::phantom::calibration
