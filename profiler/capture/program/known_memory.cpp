#include "profiler/capture/program/known_memory.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

#include <cstddef>

#include "profiler/phantom/environment.h"

namespace tidemark::capture {
namespace {

// Of a training's tensors with a fraction nearly all are larger, and nobody reads back what became of them.
constexpr int64_t kMostFractions = 1024;
// Parts of a tensor's memory that are not next to each other; of more all that lies between goes with them.
constexpr int64_t kMostPieces = 1024;

struct KnownMemory {
  phantom::ReadKnownFunction read = nullptr;
  phantom::WriteComputedFunction write = nullptr;
  phantom::ExpectCountFunction expect_count = nullptr;
  int (*is_capturing)(void* stream, int* status) = nullptr;  // cudaStreamIsCapturing
};
KnownMemory device;

template <typename Function>
Function Exported(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// From the first element to the last, in elements.
int64_t SpanOf(const at::Tensor& tensor) {
  int64_t span = 1;
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.size(i) == 0) return 0;
    span += (tensor.size(i) - 1) * tensor.stride(i);
  }
  return span;
}

bool IsFraction(const at::Tensor& tensor) { return c10::isFloatingType(tensor.scalar_type()); }

// The parts of a tensor's memory that lie next to each other, in the order of its elements.
class Pieces {
 public:
  explicit Pieces(const at::Tensor& tensor)
      : tensor_(tensor), is_row_(tensor.dim() > 0 && tensor.stride(-1) == 1) {}
  int64_t length() const { return is_row_ ? tensor_.size(-1) : 1; }  // of each, in elements
  int64_t count() const { return tensor_.numel() / length(); }
  // From the tensor's first element, in elements.
  int64_t OffsetOf(int64_t piece) const {
    int64_t offset = 0;
    for (int64_t i = tensor_.dim() - (is_row_ ? 2 : 1); i >= 0; --i) {
      offset += piece % tensor_.size(i) * tensor_.stride(i);
      piece /= tensor_.size(i);
    }
    return offset;
  }

 private:
  const at::Tensor& tensor_;
  const bool is_row_;
};

// So many elements of a tensor from an offset on; `numbers` of null are not known.
void WriteTo(const at::Tensor& tensor, int64_t offset, int64_t count, const char* numbers, int certainty) {
  const auto itemsize = static_cast<int64_t>(tensor.itemsize());
  device.write(static_cast<char*>(tensor.data_ptr()) + offset * itemsize, numbers,
               static_cast<size_t>(count * itemsize), certainty);
}

}  // namespace

bool OpenKnownMemory() {
  device = {Exported<phantom::ReadKnownFunction>(phantom::kReadKnownFunction),
            Exported<phantom::WriteComputedFunction>(phantom::kWriteComputedFunction),
            Exported<phantom::ExpectCountFunction>(phantom::kExpectCountFunction),
            Exported<int (*)(void*, int*)>("cudaStreamIsCapturing")};
  return device.read != nullptr && device.write != nullptr && device.expect_count != nullptr &&
         device.is_capturing != nullptr;
}

bool IsPlainAndSmall(const at::Tensor& tensor) {
  const c10::DispatchKeySet keys = tensor.key_set();
  const bool is_other = tensor.unsafeGetTensorImpl()->is_python_dispatch() ||
                        keys.has(at::DispatchKey::FuncTorchBatched) ||
                        keys.has(at::DispatchKey::FuncTorchGradWrapper) ||
                        keys.has(at::DispatchKey::Functionalize) || keys.has(at::DispatchKey::NestedTensor);
  return !is_other && tensor.layout() == at::kStrided && tensor.numel() <= kMostNumbers &&
         SpanOf(tensor) <= kMostNumbers;
}

bool IsWhole(const at::Tensor& tensor) {
  return c10::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
}

bool MayBeKnown(const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if (impl.is_python_dispatch() || !tensor.is_cuda() || tensor.is_nested() ||
      impl.has_symbolic_sizes_strides()) {
    return false;
  }
  return IsWhole(tensor) ? tensor.numel() <= kMostNumbers
                         : IsFraction(tensor) && tensor.numel() <= kMostFractions;
}

bool IsCapturing() {
  int status = 0;  // of cudaStreamCaptureStatus: none
  return device.is_capturing(c10::cuda::getCurrentCUDAStream().stream(), &status) == 0 && status != 0;
}

int ReadKnown(const at::Tensor& tensor, const at::Tensor& copy) {
  const size_t bytes = static_cast<size_t>(SpanOf(tensor)) * tensor.itemsize();
  return device.read(tensor.const_data_ptr(), bytes, copy.mutable_data_ptr());
}

void Forget(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda() || !IsPlainAndSmall(tensor) || tensor.numel() == 0) return;
  const Pieces pieces(tensor);
  if (tensor.is_non_overlapping_and_dense() || pieces.count() > kMostPieces)
    return WriteTo(tensor, 0, SpanOf(tensor), nullptr, phantom::kNotKnown);
  for (int64_t piece = 0; piece < pieces.count(); ++piece)
    WriteTo(tensor, pieces.OffsetOf(piece), pieces.length(), nullptr, phantom::kNotKnown);
}

void Keep(const at::Tensor& tensor, const at::Tensor& result, int certainty) {
  if (!tensor.defined() || !tensor.is_cuda() || !IsPlainAndSmall(tensor) || tensor.numel() == 0) return;
  if (tensor.sizes() != result.sizes()) return Forget(tensor);
  if (tensor.is_non_overlapping_and_dense()) {
    const at::Tensor bytes =
        at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
    bytes.copy_(result);
    return WriteTo(tensor, 0, tensor.numel(), static_cast<const char*>(bytes.const_data_ptr()), certainty);
  }
  const Pieces pieces(tensor);
  if (pieces.count() > kMostPieces) return Forget(tensor);
  const at::Tensor numbers = result.to(tensor.scalar_type()).contiguous();
  const auto* const bytes = static_cast<const char*>(numbers.const_data_ptr());
  const int64_t piece_bytes = pieces.length() * static_cast<int64_t>(tensor.itemsize());
  for (int64_t piece = 0; piece < pieces.count(); ++piece)
    WriteTo(tensor, pieces.OffsetOf(piece), pieces.length(), bytes + piece * piece_bytes, certainty);
}

void ExpectCount(std::optional<int64_t> count) { device.expect_count(count.value_or(-1)); }

}  // namespace tidemark::capture
