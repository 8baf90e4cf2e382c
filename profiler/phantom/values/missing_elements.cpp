#include "profiler/phantom/values/missing_elements.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "profiler/phantom/environment.h"
#include "profiler/phantom/values/known_memory.h"

namespace tidemark::phantom {
namespace {

// And has sizes that are numbers.
bool IsOfCard(const at::Tensor& tensor) {
  return tensor.is_cuda() && tensor.layout() == at::kStrided && !tensor.is_nested() &&
         !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

// The whole numbers of an index; not defined where they are not known for certain.
at::Tensor NumbersOf(const at::Tensor& index) {
  if (!index.defined() || !IsWhole(index) || index.numel() == 0 || index.numel() > kMostNumbers) return {};
  if (index.is_cpu()) return IsPlainAndSmall(index) ? index : at::Tensor();  // the operator sends it
  int certainty = 0;
  const at::Tensor numbers = KnownCopy(index, certainty);
  return certainty < kOfZeros ? numbers : at::Tensor();
}

// False if there is one that is less than `first`, or not less than `count`; that is told.
bool AreThere(const at::Tensor& numbers, int64_t first, int64_t count) {
  if (!numbers.defined() || numbers.numel() == 0) return true;
  const auto [least, most] = at::aminmax(numbers);
  const auto lowest = least.item<int64_t>();
  const auto highest = most.item<int64_t>();
  if (lowest >= first && highest < count) return true;
  NoteMissingElement(lowest < first ? lowest : highest, count);
  return false;
}

// tensor[indices], where a negative one counts from the end. Masks are no numbers, and say what they index by
// their shape, which the operator looks at itself.
void LookAtIndices(const at::Tensor& tensor, c10::ArrayRef<c10::IValue> indices) {
  int64_t dimension = 0;
  for (const c10::IValue& item : indices) {
    const at::Tensor index = item.isTensor() ? item.toTensor() : at::Tensor();
    const bool is_mask =
        index.defined() && (index.scalar_type() == at::kBool || index.scalar_type() == at::kByte);
    if (index.defined() && !is_mask && dimension < tensor.dim()) {
      const int64_t count = tensor.size(dimension);
      if (!AreThere(NumbersOf(index), -count, count)) return;
    }
    dimension += is_mask ? index.dim() : 1;
  }
}

// index_select, gather, scatter: (tensor, dim, index, ...).
void LookAlongDimension(c10::ArrayRef<const c10::IValue> inputs, bool counts_from_end) {
  const at::Tensor& tensor = inputs[0].toTensor();
  const int64_t count = tensor.dim() == 0 ? 1 : tensor.size(inputs[1].toInt());
  AreThere(NumbersOf(inputs[2].toTensor()), counts_from_end ? -count : 0, count);
}

// nll_loss: (scores, target, weight, reduction, ignore_index).
void LookAtClasses(c10::ArrayRef<const c10::IValue> inputs) {
  const at::Tensor& scores = inputs[0].toTensor();
  const at::Tensor classes = NumbersOf(inputs[1].toTensor());
  if (!classes.defined() || scores.dim() == 0) return;
  const at::Tensor used = classes.masked_select(classes != inputs[4].toInt());
  AreThere(used, 0, scores.size(scores.dim() == 1 ? 0 : 1));
}

}  // namespace

void TellOfMissingElements(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  using Indexing = ComputedOperator::Indexing;
  if (op.indexing() == Indexing::kNone || !IsOfCard(inputs[0].toTensor())) return;
  const at::DisableRecordFunctionGuard unheard;
  if (op.indexing() == Indexing::kAlongDimension) return LookAlongDimension(inputs, false);
  if (op.indexing() == Indexing::kAlongFromEitherEnd) return LookAlongDimension(inputs, true);
  if (op.indexing() == Indexing::kClasses) return LookAtClasses(inputs);
  // What is added up, PyTorch looks at itself.
  const bool adds_up = op.PutsAtIndices() && inputs[3].toBool();
  if (!adds_up) LookAtIndices(inputs[0].toTensor(), inputs[1].toListRef());
}

}  // namespace tidemark::phantom
