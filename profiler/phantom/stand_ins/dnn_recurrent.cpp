// cuDNN's recurrent layers and their dropout: descriptors, where each weight lies, and what space a layer
// asks for. The weights lie side by side, so their space is a sum; all other sizes are measured or follow
// rules that were derived from measured ones (profiler/phantom/calibration).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "profiler/phantom/calibration/operations.h"
#include "profiler/phantom/calibration/rules.h"
#include "profiler/phantom/device/library_streams.h"
#include "profiler/phantom/stand_ins/calibrated.h"
#include "profiler/phantom/stand_ins/dnn_types.h"
#include "tidemark_library_versions.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::dnn;
using calibration::RnnShape;
using calibration::RnnSize;
using calibration::TensorShape;

namespace {

struct DropoutDescriptor {};

struct RnnDescriptor {
  RnnShape shape;
  int bias_mode = 0;
};

struct SequenceDescriptor {
  int longest = 0;
  int batch = 0;
  int64_t packed_steps = 0;  // of all sequences together, where they are packed; else 0
};

// cudnnRNNMode_t, cudnnRNNBiasMode_t, cudnnDirectionMode_t, cudnnForwardMode_t; cudnnDataType_t.
constexpr int kLstm = 2;
constexpr int kGru = 3;
constexpr int kNoBias = 0;
constexpr int kDoubleBias = 2;
constexpr int kBidirectional = 1;
constexpr int kTraining = 1;
// cudnnRNNDataLayout_t
constexpr int kPackedLayout = 1;
constexpr int kDouble = 1;
constexpr int kHalf = 2;
constexpr int kBfloat16 = 9;

size_t BytesOf(int element) {
  return element == kDouble ? 8 : element == kHalf || element == kBfloat16 ? 2 : 4;
}

int GatesOf(const RnnShape& shape) { return shape.cell == kLstm ? 4 : shape.cell == kGru ? 3 : 1; }
int DirectionsOf(const RnnShape& shape) { return shape.direction == kBidirectional ? 2 : 1; }
bool IsProjected(const RnnShape& shape) { return shape.projection_size < shape.hidden_size; }
int BiasesOf(int mode) { return mode == kNoBias ? 0 : mode == kDoubleBias ? 2 : 1; }

struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t count() const { return rows * columns; }
};

// Of a layer in one direction, by cuDNN's number: first those of the input, then those of the state, one for
// each gate, and last the projection.
Matrix MatrixOf(const RnnShape& shape, int layer, int number) {
  const int gates = GatesOf(shape);
  if (number == 2 * gates) return {shape.projection_size, shape.hidden_size};
  if (number >= gates) return {shape.hidden_size, shape.projection_size};
  const int below =
      layer < DirectionsOf(shape) ? shape.input_size : shape.projection_size * DirectionsOf(shape);
  return {shape.hidden_size, below};
}

int MatricesOf(const RnnShape& shape) { return 2 * GatesOf(shape) + (IsProjected(shape) ? 1 : 0); }
int PseudoLayersOf(const RnnShape& shape) { return shape.layers * DirectionsOf(shape); }

// How many elements lie before a matrix: those of the layers below, and those before it in its own.
int64_t MatrixOffset(const RnnShape& shape, int layer, int number) {
  int64_t offset = 0;
  for (int below = 0; below <= layer; ++below) {
    const int end = below < layer ? MatricesOf(shape) : number;
    for (int i = 0; i < end; ++i) offset += MatrixOf(shape, below, i).count();
  }
  return offset;
}

int64_t BiasesOfLayer(const RnnDescriptor& rnn) {
  return int64_t{BiasesOf(rnn.bias_mode)} * GatesOf(rnn.shape) * rnn.shape.hidden_size;
}

// The biases of all layers lie behind the matrices of all layers.
int64_t BiasOffset(const RnnDescriptor& rnn, int layer, int number) {
  return MatrixOffset(rnn.shape, PseudoLayersOf(rnn.shape), 0) + layer * BiasesOfLayer(rnn) +
         int64_t{number} * rnn.shape.hidden_size;
}

size_t WeightBytes(const RnnDescriptor& rnn) {
  const int layers = PseudoLayersOf(rnn.shape);
  return static_cast<size_t>(BiasOffset(rnn, layers, 0)) * BytesOf(rnn.shape.element);
}

void Describe(TensorShape& descriptor, int element, Matrix matrix) {
  const int rows = static_cast<int>(matrix.rows);
  const int columns = static_cast<int>(matrix.columns);
  descriptor = {element, {1, rows, columns}, {rows * columns, columns, 1}};
}

// cudnnRNNMode_t and cudnnDataType_t, in torch's words.
std::string NameOf(const RnnShape& shape) {
  constexpr std::array kCells = {"RNN", "RNN", "LSTM", "GRU"};
  constexpr std::array<std::pair<int, const char*>, 4> kTypes = {
      {{0, "float32"}, {1, "float64"}, {2, "float16"}, {9, "bfloat16"}}};
  const auto type =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.first == shape.element; });
  return std::string(kCells.at(static_cast<size_t>(shape.cell))) + " in " +
         (type == kTypes.end() ? "type " + std::to_string(shape.element) : type->second);
}

size_t BytesFor(RnnSize size, const RnnShape& shape) {
  return CalibratedBytes("cudnn", VersionText(TIDEMARK_CUDNN_VERSION), calibration::TextOf(size, shape),
                         "the workspaces of cuDNN's recurrent layers (" + NameOf(shape) + ")",
                         calibration::RnnBytes(size, shape));
}

}  // namespace

extern "C" {

Status cudnnCreateDropoutDescriptor(DropoutDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyDropoutDescriptor(DropoutDescriptor* descriptor) { return Destroy(descriptor); }

// Fills the state on the device.
Status cudnnSetDropoutDescriptor(DropoutDescriptor*, void* handle, float, void*, size_t, unsigned long long) {
  device::KernelRanWith(device::NumberOf(handle));
  return kSuccess;
}

Status cudnnDropoutGetStatesSize(void*, size_t* bytes) {
  *bytes = CalibratedBytes("cudnn", VersionText(TIDEMARK_CUDNN_VERSION), calibration::kDropoutStates,
                           "the state of cuDNN's dropout",
                           calibration::DropoutStatesBytes(CardOfProcess().multiprocessors));
  return kSuccess;
}

Status cudnnCreateRNNDataDescriptor(SequenceDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyRNNDataDescriptor(SequenceDescriptor* descriptor) { return Destroy(descriptor); }
Status cudnnSetRNNDataDescriptor(SequenceDescriptor* descriptor, int, int layout, int longest, int batch, int,
                                 const int* lengths, void*) {
  *descriptor = {longest, batch};
  if (layout == kPackedLayout)
    descriptor->packed_steps = std::accumulate(lengths, lengths + batch, int64_t{0});
  return kSuccess;
}

Status cudnnCreateRNNDescriptor(RnnDescriptor** descriptor) { return Create(descriptor); }
Status cudnnDestroyRNNDescriptor(RnnDescriptor* descriptor) { return Destroy(descriptor); }
Status cudnnSetRNNDescriptor_v8(RnnDescriptor* descriptor, int algorithm, int cell, int bias_mode,
                                int direction, int, int element, int precision, int math, int32_t input_size,
                                int32_t hidden_size, int32_t projection_size, int32_t layers,
                                DropoutDescriptor*, uint32_t) {
  RnnShape shape;
  shape.cell = cell;
  shape.direction = direction;
  shape.element = element;
  shape.precision = precision;
  shape.math = math;
  shape.input_size = input_size;
  shape.hidden_size = hidden_size;
  shape.projection_size = projection_size;
  shape.layers = layers;
  shape.algorithm = algorithm;
  *descriptor = {shape, bias_mode};
  return kSuccess;
}

Status cudnnGetRNNTempSpaceSizes(void*, const RnnDescriptor* rnn, int mode, const SequenceDescriptor* input,
                                 size_t* workspace_bytes, size_t* reserve_bytes) {
  RnnShape shape = rnn->shape;
  shape.longest = input->longest;
  shape.batch = input->batch;
  shape.packed_steps = input->packed_steps;
  shape.training = mode == kTraining;
  if (workspace_bytes != nullptr) *workspace_bytes = BytesFor(RnnSize::kWorkspace, shape);
  if (reserve_bytes != nullptr) {
    *reserve_bytes = shape.training ? BytesFor(RnnSize::kReserve, shape) : 0;
  }
  return kSuccess;
}

Status cudnnGetRNNWeightSpaceSize(void*, const RnnDescriptor* rnn, size_t* bytes) {
  *bytes = WeightBytes(*rnn);
  return kSuccess;
}

// Tells of the matrix, of the bias or of both: what is not asked for is null. So is the address of what there
// is none of.
Status cudnnGetRNNWeightParams(void*, const RnnDescriptor* rnn, int32_t layer, size_t, const void* space,
                               int32_t number, TensorShape* matrix, void** matrix_address, TensorShape* bias,
                               void** bias_address) {
  const RnnShape& shape = rnn->shape;
  if (layer < 0 || layer >= PseudoLayersOf(shape) || number < 0 || number > 2 * GatesOf(shape)) {
    return kBadParameter;
  }
  auto* first = static_cast<std::byte*>(const_cast<void*>(space));
  const auto at = [&](int64_t offset) {
    return first + static_cast<size_t>(offset) * BytesOf(shape.element);
  };
  if (matrix_address != nullptr && matrix != nullptr) {
    *matrix_address = number < MatricesOf(shape) ? at(MatrixOffset(shape, layer, number)) : nullptr;
    Describe(*matrix, shape.element, MatrixOf(shape, layer, number));
  }
  if (bias_address != nullptr && bias != nullptr) {
    const bool has_bias = number < BiasesOf(rnn->bias_mode) * GatesOf(shape);
    *bias_address = has_bias ? at(BiasOffset(*rnn, layer, number)) : nullptr;
    Describe(*bias, shape.element, {shape.hidden_size, 1});
  }
  return kSuccess;
}

// As many of the dimensions as are asked for.
Status cudnnGetTensorNdDescriptor(const TensorShape* descriptor, int room, int* element, int* dimensions,
                                  int* sizes, int* strides) {
  *element = descriptor->element;
  *dimensions = static_cast<int>(descriptor->sizes.size());
  const auto given = static_cast<size_t>(std::clamp(*dimensions, 0, room));
  std::copy_n(descriptor->sizes.begin(), given, sizes);
  std::copy_n(descriptor->strides.begin(), given, strides);
  return kSuccess;
}

}  // extern "C"
