#include "profiler/phantom/values/known_memory.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>

#include "profiler/phantom/environment.h"

namespace tidemark::phantom {
namespace {

// Parts of a tensor's memory that are not next to each other; of more all that lies between goes with them.
constexpr int64_t kMostPieces = 1024;

struct KnownMemory {
  ReadKnownFunction read = nullptr;
  WriteComputedFunction write = nullptr;
  ExpectCountFunction expect_count = nullptr;
  ElementIsMissingFunction element_is_missing = nullptr;
  CaptureLastsFunction capture_lasts = nullptr;
  ForgetOnLaunchFunction forget_on_launch = nullptr;
  StepBeginsFunction step_begins = nullptr;
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

int64_t MostKnown(const at::Tensor& tensor) { return IsOfIndices(tensor) ? kMostIndices : kMostNumbers; }

bool IsFraction(const at::Tensor& tensor) { return c10::isFloatingType(tensor.scalar_type()); }

// One of memory; not those of Python, of functorch, ...
bool IsPlain(const at::Tensor& tensor) {
  const c10::DispatchKeySet keys = tensor.key_set();
  const bool is_other = tensor.unsafeGetTensorImpl()->is_python_dispatch() ||
                        keys.has(at::DispatchKey::FuncTorchBatched) ||
                        keys.has(at::DispatchKey::FuncTorchGradWrapper) ||
                        keys.has(at::DispatchKey::Functionalize) || keys.has(at::DispatchKey::NestedTensor);
  return !is_other && tensor.layout() == at::kStrided;
}

// The parts of a tensor's memory that lie next to each other, in the order of its elements.
class Pieces {
 public:
  explicit Pieces(const at::Tensor& tensor) : tensor_(tensor), outer_(tensor.dim()) {
    while (outer_ > 0 && tensor.stride(outer_ - 1) == length_) length_ *= tensor.size(--outer_);
  }
  int64_t length() const { return length_; }  // of each, in elements
  int64_t count() const { return tensor_.numel() / length_; }
  // From the tensor's first element, in elements.
  int64_t OffsetOf(int64_t piece) const {
    int64_t offset = 0;
    for (int64_t i = outer_ - 1; i >= 0; --i) {
      offset += piece % tensor_.size(i) * tensor_.stride(i);
      piece /= tensor_.size(i);
    }
    return offset;
  }

 private:
  const at::Tensor& tensor_;
  int64_t outer_;  // dimensions that the pieces are counted in
  int64_t length_ = 1;
};

// Whatever lies between the pieces.
bool GoesAsOne(const at::Tensor& tensor, const Pieces& pieces) {
  return tensor.is_non_overlapping_and_dense() || pieces.count() > kMostPieces;
}

// Zeros that nobody knows need not be kept; but what a condition is, a kernel's name would be asked else.
bool ReadsSo(const at::Tensor& of_zeros) {
  return of_zeros.scalar_type() != at::kBool && !of_zeros.any().item<bool>();
}

char* AddressIn(const at::Tensor& tensor, int64_t offset) {
  // Not by data_ptr(), which tells PyTorch that somebody writes.
  char* const begin = static_cast<char*>(const_cast<void*>(tensor.const_data_ptr()));
  return begin + offset * static_cast<int64_t>(tensor.itemsize());
}

// So many elements of a tensor from an offset on.
struct Part {
  int64_t offset = 0;
  int64_t count = 0;
};

void WriteTo(const at::Tensor& tensor, const Part& part, const void* numbers, int certainty) {
  device.write(AddressIn(tensor, part.offset), numbers, static_cast<size_t>(part.count) * tensor.itemsize(),
               certainty);
}

void ForgetPart(const at::Tensor& tensor, const Part& part) {
  if (!IsCapturing()) return WriteTo(tensor, part, nullptr, kNotKnown);
  device.forget_on_launch(c10::cuda::getCurrentCUDAStream().stream(), AddressIn(tensor, part.offset),
                          static_cast<size_t>(part.count) * tensor.itemsize());
}

// Of what `read` says of each piece.
template <typename Read>
int WorstOfPieces(const at::Tensor& tensor, Read read) {
  const Pieces pieces(tensor);
  if (GoesAsOne(tensor, pieces)) return read(Part{0, SpanOf(tensor)});
  int worst = 0;
  for (int64_t piece = 0; piece < pieces.count(); ++piece)
    worst = std::max(worst, read(Part{pieces.OffsetOf(piece), pieces.length()}));
  return worst;
}

}  // namespace

bool OpenKnownMemory() {
  device = {Exported<ReadKnownFunction>(kReadKnownFunction),
            Exported<WriteComputedFunction>(kWriteComputedFunction),
            Exported<ExpectCountFunction>(kExpectCountFunction),
            Exported<ElementIsMissingFunction>(kElementIsMissingFunction),
            Exported<CaptureLastsFunction>(kCaptureLastsFunction),
            Exported<ForgetOnLaunchFunction>(kForgetOnLaunchFunction),
            Exported<StepBeginsFunction>(kStepBeginsFunction),
            Exported<int (*)(void*, int*)>("cudaStreamIsCapturing")};
  // The device's library has all of its own, or none.
  return device.read != nullptr && device.is_capturing != nullptr;
}

bool IsPlainAndSmall(const at::Tensor& tensor) {
  const bool is_as_stored = !tensor.is_neg();  // torch._neg_view, the imaginary part of a conj()
  const int64_t most = MostKnown(tensor);
  return IsPlain(tensor) && is_as_stored && tensor.numel() <= most && SpanOf(tensor) <= most;
}

bool IsOfIndices(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  return type == at::kLong || type == at::kInt || type == at::kBool;
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
  return tensor.numel() <= MostKnown(tensor) && (IsWhole(tensor) || IsFraction(tensor));
}

bool IsCapturing() {
  if (!device.capture_lasts()) return false;
  int status = 0;  // of cudaStreamCaptureStatus: none
  return device.is_capturing(c10::cuda::getCurrentCUDAStream().stream(), &status) == 0 && status != 0;
}

int ReadKnown(const at::Tensor& tensor, const at::Tensor& copy) {
  return WorstOfPieces(tensor, [&](const Part& part) {
    return device.read(AddressIn(tensor, part.offset), static_cast<size_t>(part.count) * tensor.itemsize(),
                       AddressIn(copy, part.offset));
  });
}

bool AreTooManyNotKnown(const at::Tensor& tensor) {
  if (tensor.numel() <= kMostNumbers) return false;
  return kOfZeros <= WorstOfPieces(tensor, [&](const Part& part) {
           return device.read(AddressIn(tensor, part.offset),
                              static_cast<size_t>(part.count) * tensor.itemsize(), nullptr);
         });
}

at::Tensor KnownCopy(const at::Tensor& tensor, int& worst_certainty) {
  if (!MayBeKnown(tensor) || !IsPlainAndSmall(tensor) || AreTooManyNotKnown(tensor)) return {};
  at::Tensor copy = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
  const int certainty = tensor.numel() == 0 ? 0 : ReadKnown(tensor, copy);
  if (certainty == kNotKnown) return {};
  worst_certainty = std::max(worst_certainty, certainty);
  return copy;
}

void Forget(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda() || !IsPlain(tensor) || tensor.numel() == 0) return;
  const Pieces pieces(tensor);
  if (GoesAsOne(tensor, pieces)) return ForgetPart(tensor, {0, SpanOf(tensor)});
  for (int64_t piece = 0; piece < pieces.count(); ++piece)
    ForgetPart(tensor, {pieces.OffsetOf(piece), pieces.length()});
}

void Keep(const at::Tensor& tensor, const at::Tensor& result, int certainty) {
  if (!tensor.defined() || !tensor.is_cuda() || !IsPlainAndSmall(tensor) || tensor.numel() == 0) return;
  if (tensor.sizes() != result.sizes() || (certainty >= kOfZeros && ReadsSo(result))) return Forget(tensor);
  if (tensor.is_non_overlapping_and_dense()) {
    const at::Tensor numbers =
        at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
    numbers.copy_(result);
    return WriteTo(tensor, {0, tensor.numel()}, numbers.const_data_ptr(), certainty);
  }
  const Pieces pieces(tensor);
  if (pieces.count() > kMostPieces) return Forget(tensor);
  const at::Tensor numbers = result.to(tensor.scalar_type()).contiguous();
  for (int64_t piece = 0; piece < pieces.count(); ++piece) {
    const Part part = {pieces.OffsetOf(piece), pieces.length()};
    WriteTo(tensor, part, AddressIn(numbers, piece * pieces.length()), certainty);
  }
}

void ExpectCount(int64_t count, int certainty) { device.expect_count(count, certainty); }

void ExpectNoCount() { device.expect_count(kCountNotExpected, 0); }

void NoteMissingElement(int64_t element, int64_t count) { device.element_is_missing(element, count); }

void NoteStepOfOptimizer() { device.step_begins(); }

}  // namespace tidemark::phantom
