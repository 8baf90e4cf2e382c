#include "profiler/phantom/calibration/recorder/sizes.h"

#include <dlfcn.h>

#include <array>
#include <cstdint>

namespace tidemark::phantom::calibration {

// cudnn_ops.h and cudnn_adv.h of cuDNN 9; statuses and enumerations are ints, 0 is success.
struct HandledCudnn::Functions {
  int (*create)(void**) = nullptr;
  int (*create_tensor)(void**) = nullptr;
  int (*destroy_tensor)(void*) = nullptr;
  int (*set_tensor)(void*, int element, int dimensions, const int* sizes, const int* strides) = nullptr;
  int (*derive_norm)(void* derived, void* input, int mode) = nullptr;
  int (*forward_bytes)(void* handle, int mode, int ops, void* x, void* z, void* y, void* scale,
                       void* activation, size_t* bytes) = nullptr;
  int (*backward_bytes)(void* handle, int mode, int ops, void* x, void* y, void* dy, void* dz, void* dx,
                        void* scale, void* activation, size_t* bytes) = nullptr;
  int (*reserve_bytes)(void* handle, int mode, int ops, void* activation, void* x, size_t* bytes) = nullptr;
  int (*dropout_bytes)(void* handle, size_t* bytes) = nullptr;
  int (*create_dropout)(void**) = nullptr;
  int (*set_dropout)(void*, void* handle, float rate, void* states, size_t bytes,
                     unsigned long long seed) = nullptr;
  int (*create_rnn)(void**) = nullptr;
  int (*destroy_rnn)(void*) = nullptr;
  int (*set_rnn)(void*, int algorithm, int cell, int bias, int direction, int input_mode, int element,
                 int precision, int math, int32_t input, int32_t hidden, int32_t projection, int32_t layers,
                 void* dropout, uint32_t flags) = nullptr;
  int (*create_sequence)(void**) = nullptr;
  int (*destroy_sequence)(void*) = nullptr;
  int (*set_sequence)(void*, int element, int layout, int longest, int batch, int vector, const int* lengths,
                      void* padding) = nullptr;
  int (*rnn_bytes)(void* handle, void* rnn, int mode, void* sequence, size_t* workspace,
                   size_t* reserve) = nullptr;
};

namespace {

// cudnnDataType_t, cudnnRNNMode_t, cudnnBatchNormMode_t.
constexpr int kFloat = 0;
constexpr int kHalf = 2;
constexpr int kLstm = 2;
constexpr int kGru = 3;
constexpr int kSpatial = 1;
constexpr int kSpatialPersistent = 2;
// cudnnMathType_t.
constexpr int kDefaultMath = 0;
constexpr int kTensorOpMath = 1;
constexpr int kFmaMath = 3;
// Two bias vectors, linear input, padded sequences: what PyTorch asks for.
constexpr int kDoubleBias = 2;
constexpr int kLinearInput = 0;
constexpr int kPadded = 1;
constexpr int kSequenceMajor = 0;

// A descriptor, destroyed with it.
class Descriptor {
 public:
  Descriptor(int (*create)(void**), int (*destroy)(void*)) : destroy_(destroy) {
    if (create(&pointer_) != 0) pointer_ = nullptr;
  }
  ~Descriptor() {
    if (pointer_ != nullptr) destroy_(pointer_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void* get() const { return pointer_; }

 private:
  int (*destroy_)(void*);
  void* pointer_ = nullptr;
};

TensorShape ShapeOf(int element, const std::vector<int>& sizes, bool channels_last) {
  const int samples = sizes[1] * sizes[2] * sizes[3];
  TensorShape shape{element, sizes, {samples, sizes[2] * sizes[3], sizes[3], 1}};
  if (channels_last) shape.strides = {samples, 1, sizes[3] * sizes[1], sizes[1]};
  return shape;
}

// Of networks for images of 224 and of 32 pixels.
std::vector<TensorShape> BatchNormInputs() {
  std::vector<TensorShape> inputs;
  for (const int batch : {1, 8, 32, 64, 128, 256}) {
    for (const auto& [channels, edge] : {std::pair{64, 112},
                                         {64, 56},
                                         {128, 28},
                                         {256, 14},
                                         {512, 7},
                                         {256, 56},
                                         {512, 28},
                                         {1024, 14},
                                         {2048, 7},
                                         {64, 32},
                                         {128, 16},
                                         {256, 8}}) {
      for (const int element : {kFloat, kHalf}) {
        for (const bool last : {false, true}) {
          inputs.push_back(ShapeOf(element, {batch, channels, edge, edge}, last));
        }
      }
    }
  }
  return inputs;
}

// What PyTorch computes in: of 16-bit numbers in 32 bits, and with or without the tensor cores as
// torch.backends.cudnn.allow_tf32 says (aten/src/ATen/cudnn/Descriptors.h, RNNDescriptor).
struct Arithmetic {
  int element = 0;
  int math = 0;
};
constexpr std::array kArithmetics = {Arithmetic{kFloat, kDefaultMath}, Arithmetic{kFloat, kFmaMath},
                                     Arithmetic{kHalf, kDefaultMath}, Arithmetic{kHalf, kTensorOpMath},
                                     Arithmetic{kHalf, kFmaMath}};

std::vector<RnnShape> RnnShapes() {
  std::vector<RnnShape> shapes;
  for (const int cell : {kLstm, kGru}) {
    for (const int direction : {0, 1}) {
      for (const auto& [element, math] : kArithmetics) {
        for (const int size : {128, 256, 512, 1024}) {
          for (const int layers : {1, 2}) {
            for (const int batch : {16, 32, 64}) {
              for (const bool training : {false, true}) {
                shapes.push_back(
                    {cell, direction, element, kFloat, math, size, size, size, layers, batch, 64, training});
              }
            }
          }
        }
      }
    }
  }
  return shapes;
}

Size SizeFrom(std::optional<int64_t> bytes, const std::string& source) {
  return {bytes, bytes ? Provenance::kMeasured : Provenance::kUnknown,
          bytes ? source : source + "; cuDNN refused it"};
}

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<HandledCudnn> HandledCudnn::Open(const std::filesystem::path& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return Error{"cuDNN cannot be loaded: " + std::string(dlerror()) + "."};
  auto functions = std::make_shared<Functions>();
  Functions& f = *functions;
  const bool found =
      Find(library, "cudnnCreate", f.create) &&
      Find(library, "cudnnCreateTensorDescriptor", f.create_tensor) &&
      Find(library, "cudnnDestroyTensorDescriptor", f.destroy_tensor) &&
      Find(library, "cudnnSetTensorNdDescriptor", f.set_tensor) &&
      Find(library, "cudnnDeriveBNTensorDescriptor", f.derive_norm) &&
      Find(library, "cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize", f.forward_bytes) &&
      Find(library, "cudnnGetBatchNormalizationBackwardExWorkspaceSize", f.backward_bytes) &&
      Find(library, "cudnnGetBatchNormalizationTrainingExReserveSpaceSize", f.reserve_bytes) &&
      Find(library, "cudnnDropoutGetStatesSize", f.dropout_bytes) &&
      Find(library, "cudnnCreateDropoutDescriptor", f.create_dropout) &&
      Find(library, "cudnnSetDropoutDescriptor", f.set_dropout) &&
      Find(library, "cudnnCreateRNNDescriptor", f.create_rnn) &&
      Find(library, "cudnnDestroyRNNDescriptor", f.destroy_rnn) &&
      Find(library, "cudnnSetRNNDescriptor_v8", f.set_rnn) &&
      Find(library, "cudnnCreateRNNDataDescriptor", f.create_sequence) &&
      Find(library, "cudnnDestroyRNNDataDescriptor", f.destroy_sequence) &&
      Find(library, "cudnnSetRNNDataDescriptor", f.set_sequence) &&
      Find(library, "cudnnGetRNNTempSpaceSizes", f.rnn_bytes);
  if (!found) return Error{file.string() + " lacks functions of cuDNN 9. Reinstall it (./run --with-cudnn)."};
  HandledCudnn cudnn;
  cudnn.functions_ = functions;
  if (const int status = f.create(&cudnn.handle_); status != 0) {
    return Error{"cuDNN makes no handle on this GPU (status " + std::to_string(status) +
                 "). Check that the driver is new enough for it."};
  }
  return cudnn;
}

std::vector<Row> HandledCudnn::Measure(const std::string& card, const std::string& version,
                                       const std::string& source) const {
  std::vector<Row> rows;
  const auto add = [&](const std::string& operation, std::optional<int64_t> bytes) {
    rows.push_back({card, "cudnn", version, operation, SizeFrom(bytes, source)});
  };
  add(kDropoutStates, Dropout());
  for (const TensorShape& input : BatchNormInputs()) {
    for (const int mode : {kSpatial, kSpatialPersistent}) {
      for (const BatchNormSize size :
           {BatchNormSize::kForwardWorkspace, BatchNormSize::kBackwardWorkspace, BatchNormSize::kReserve}) {
        add(TextOf(size, mode, 0, input), BatchNorm(size, mode, 0, input));
      }
    }
  }
  for (const RnnShape& shape : RnnShapes()) {
    for (const RnnSize size : {RnnSize::kWorkspace, RnnSize::kReserve}) {
      add(TextOf(size, shape), Rnn(size, shape));
    }
  }
  return rows;
}

std::optional<int64_t> HandledCudnn::Dropout() const {
  size_t bytes = 0;
  if (functions_->dropout_bytes(handle_, &bytes) != 0) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

std::optional<int64_t> HandledCudnn::BatchNorm(BatchNormSize size, int mode, int ops,
                                               const TensorShape& input) const {
  const Functions& f = *functions_;
  const Descriptor x(f.create_tensor, f.destroy_tensor);
  const Descriptor scale(f.create_tensor, f.destroy_tensor);
  const auto dimensions = static_cast<int>(input.sizes.size());
  if (f.set_tensor(x.get(), input.element, dimensions, input.sizes.data(), input.strides.data()) != 0 ||
      f.derive_norm(scale.get(), x.get(), mode) != 0) {
    return std::nullopt;
  }
  size_t bytes = 0;
  int status = 0;
  switch (size) {
    case BatchNormSize::kForwardWorkspace:
      status = f.forward_bytes(handle_, mode, ops, x.get(), nullptr, x.get(), scale.get(), nullptr, &bytes);
      break;
    case BatchNormSize::kBackwardWorkspace:
      status = f.backward_bytes(handle_, mode, ops, x.get(), nullptr, x.get(), nullptr, x.get(), scale.get(),
                                nullptr, &bytes);
      break;
    case BatchNormSize::kReserve:
      status = f.reserve_bytes(handle_, mode, ops, nullptr, x.get(), &bytes);
      break;
  }
  if (status != 0) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

std::optional<int64_t> HandledCudnn::Rnn(RnnSize size, const RnnShape& shape) const {
  const Functions& f = *functions_;
  // No dropout between the layers: without a rate cuDNN keeps no state, and PyTorch's own default is none.
  static void* const dropout = [&f, this] {
    void* made = nullptr;
    f.create_dropout(&made);
    f.set_dropout(made, handle_, 0, nullptr, 0, 0);
    return made;
  }();
  const Descriptor rnn(f.create_rnn, f.destroy_rnn);
  const Descriptor sequence(f.create_sequence, f.destroy_sequence);
  const std::vector<int> lengths(static_cast<size_t>(shape.batch), shape.longest);
  // The last element of a padded sequence, of any type; its bits are zero.
  double padding = 0;
  if (f.set_rnn(rnn.get(), shape.algorithm, shape.cell, kDoubleBias, shape.direction, kLinearInput,
                shape.element, shape.precision, shape.math, shape.input_size, shape.hidden_size,
                shape.projection_size, shape.layers, dropout, kPadded) != 0 ||
      f.set_sequence(sequence.get(), shape.element, kSequenceMajor, shape.longest, shape.batch,
                     shape.input_size, lengths.data(), &padding) != 0) {
    return std::nullopt;
  }
  size_t workspace = 0;
  size_t reserve = 0;
  if (f.rnn_bytes(handle_, rnn.get(), shape.training ? 1 : 0, sequence.get(), &workspace, &reserve) != 0) {
    return std::nullopt;
  }
  return static_cast<int64_t>(size == RnnSize::kWorkspace ? workspace : reserve);
}

}  // namespace tidemark::phantom::calibration
