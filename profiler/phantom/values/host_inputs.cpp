#include "profiler/phantom/values/host_inputs.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "profiler/phantom/environment.h"
#include "profiler/phantom/values/known_memory.h"
#include "profiler/phantom/values/large_effort.h"

namespace tidemark::phantom {
namespace {

// That all that goes in, broadcast to more than there is of anything, may make; or of fractions, or zeros.
constexpr int64_t kMostBroadcast = 8 * kMostNumbers;

// No less than one, and no more than what is too many.
int64_t Product(int64_t one, int64_t other) {
  constexpr int64_t kTooMany = kMostIndices + 1;
  return std::min(std::min(one, kTooMany) * std::clamp<int64_t>(other, 1, kTooMany), kTooMany);
}

}  // namespace

bool HostInputs::Take(c10::ArrayRef<const c10::IValue> inputs) {
  const std::vector<c10::Argument>& arguments = op_.handle().schema().arguments();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (op_.Draws() && arguments[i].name() == "generator") {
      if (!inputs[i].isNone()) generator_ = inputs[i].toGenerator();
    }
    const c10::AliasInfo* alias = arguments[i].alias_info();
    is_read_ = !arguments[i].is_out() && !op_.Overwrites(i);
    is_written_ = alias != nullptr && alias->isWrite();
    makes_fractions_ = makes_fractions_ || MakesFractions(inputs[i], arguments[i]);
    if (!TakeValue(inputs[i])) return false;
  }
  return is_of_card_ && MayTakeEffort();
}

// Where whole numbers go in.
bool HostInputs::MakesFractions(const c10::IValue& value, const c10::Argument& argument) const {
  if (argument.name() == "dtype" && value.isInt())
    return c10::isFloatingType(static_cast<at::ScalarType>(value.toInt()));
  const bool is_fraction =
      value.isDouble() || (value.isTensor() && value.toTensor().defined() && value.toTensor().dim() == 0 &&
                           value.toTensor().is_floating_point());
  return op_.Divides() || (op_.IsArithmetic() && is_fraction);
}

bool HostInputs::TakeValue(const c10::IValue& value) {
  if (value.isTensor()) {
    const std::optional<at::Tensor> copy = Copied(value.toTensor());
    if (!copy) return false;
    if (copy->defined()) Count(*copy);
    stack_.emplace_back(*copy);
    return true;
  }
  if (value.isIntList()) {
    for (const int64_t number : value.toIntVector()) factor_ = Product(factor_, std::abs(number));
  }
  if (value.isTensorList() || value.isOptionalTensorList()) return TakeList(value);
  if (value.isDevice()) {
    is_of_card_ = is_of_card_ || value.toDevice().is_cuda();
    stack_.emplace_back(at::Device(at::kCPU));
  } else {
    stack_.push_back(value);
  }
  return true;
}

bool HostInputs::TakeList(const c10::IValue& value) {
  const bool is_optional = value.isOptionalTensorList();
  c10::List<at::Tensor> tensors;
  c10::List<std::optional<at::Tensor>> optional_tensors;
  for (const c10::IValue& item : value.toListRef()) {
    const std::optional<at::Tensor> copy = item.isNone() ? at::Tensor() : CopiedOfList(item.toTensor());
    if (!copy) return false;
    if (copy->defined()) sum_ += copy->numel();
    if (copy->defined()) largest_ = std::max(largest_, copy->numel());
    if (is_optional) {
      optional_tensors.push_back(item.isNone() ? std::nullopt : copy);
    } else {
      tensors.push_back(*copy);
    }
  }
  if (is_optional) {
    stack_.emplace_back(std::move(optional_tensors));
  } else {
    stack_.emplace_back(std::move(tensors));
  }
  return true;
}

// An index may lie on the host: the operator itself sends it to the card.
std::optional<at::Tensor> HostInputs::CopiedOfList(const at::Tensor& tensor) {
  const bool is_sent = tensor.defined() && tensor.is_cpu() && IsPlainAndSmall(tensor) && !is_written_;
  return is_sent ? tensor : Copied(tensor);
}

std::optional<at::Tensor> HostInputs::Copied(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (tensor.unsafeGetTensorImpl()->is_python_dispatch()) return std::nullopt;
  if (tensor.is_cpu() && tensor.dim() == 0) return tensor;  // a number
  if (!tensor.is_cuda() || !IsPlainAndSmall(tensor)) return std::nullopt;
  if (is_read_ && !MayBeKnown(tensor)) return std::nullopt;
  if (!IsWhole(tensor) && !op_.ComputesFractions()) return std::nullopt;
  if (is_read_ && AreTooManyNotKnown(tensor)) return std::nullopt;
  is_of_card_ = true;
  has_fractions_ = has_fractions_ || !IsWhole(tensor);
  at::Tensor copy = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
  if (is_written_) written_.push_back({tensor, copy});
  if (!is_read_ || tensor.numel() == 0) return copy;
  const int certainty = ReadKnown(tensor, copy);
  const bool is_known = certainty < kOfZeros;
  if (!is_known && !IsWhole(tensor) && tensor.numel() > op_.MostFractionsOfZeros()) return std::nullopt;
  if (is_known || guess_ == NotKnownAs::kZeros) {
    worst_certainty_ = std::max(worst_certainty_, std::min(certainty, kOfZeros));
    return copy;
  }
  const bool is_set = guess_ == NotKnownAs::kAllSet;
  return copy.scalar_type() == at::kBool ? copy.fill_(is_set) : copy.fill_(is_set ? -1 : 0);
}

// Tensors that go together are broadcast; of others each result may be of all of each.
void HostInputs::Count(const at::Tensor& tensor) {
  largest_ = std::max(largest_, tensor.numel());
  numbers_ += tensor.numel();
  if (at::are_expandable(shape_, tensor.sizes())) {
    shape_ = at::infer_size_dimvector(shape_, tensor.sizes());
  } else {
    factor_ = Product(factor_, tensor.numel());
  }
}

// Of tensor[indices]: as many as the indices, broadcast, name, of all that they do not index.
int64_t HostInputs::MostIndexed() const {
  const at::Tensor& tensor = stack_.at(0).toTensor();
  int64_t dimension = 0;
  int64_t most = std::max<int64_t>(tensor.numel(), 1);
  at::DimVector named;
  for (const std::optional<at::Tensor>& index : stack_.at(1).toOptionalTensorVector()) {
    const bool indexes = index && index->defined();
    const bool is_mask = indexes && index->scalar_type() == at::kBool;
    for (int64_t i = is_mask ? index->dim() : 1; i > 0 && dimension < tensor.dim(); --i, ++dimension) {
      if (indexes) most /= std::max<int64_t>(tensor.size(dimension), 1);
    }
    if (!indexes) continue;
    const at::DimVector sizes = is_mask ? at::DimVector({index->numel()}) : at::DimVector(index->sizes());
    if (at::are_expandable(named, sizes)) {
      named = at::infer_size_dimvector(named, sizes);
    } else {
      most = Product(most, index->numel());
    }
  }
  for (const int64_t size : named) most = Product(most, size);
  return most;
}

// Of index_select and embedding: for each index all but the dimension that is indexed, however the two shapes
// go together.
int64_t HostInputs::MostSelected() const {
  const at::Tensor& tensor = stack_.at(0).toTensor();
  const bool is_embedding = stack_.at(1).isTensor();
  const int64_t index = stack_.at(is_embedding ? 1 : 2).toTensor().numel();
  if (tensor.dim() == 0 || tensor.numel() == 0) return index;
  return Product(tensor.numel() / tensor.size(is_embedding ? 0 : stack_.at(1).toInt()), index);
}

// Of operators that make their numbers of nothing but a few others, such as arange and randperm, into a
// tensor that is still empty: the product of those, or how many steps lie between the first two.
int64_t HostInputs::MostMade() const {
  std::vector<double> numbers;
  for (const c10::IValue& value : stack_) {
    if (value.isInt() || value.isDouble()) numbers.push_back(value.toScalar().toDouble());
  }
  if (op_.MakesTriangle()) numbers.resize(2);  // rows and columns
  double most = 1;
  if (op_.name() == "aten::arange" && numbers.size() == 3) {
    most = (numbers[1] - numbers[0]) / numbers[2];
  } else {
    for (const double number : numbers) most *= std::max(1.0, std::abs(number));
  }
  return most <= static_cast<double>(kMostIndices) ? static_cast<int64_t>(most) : kMostIndices + 1;
}

// How many the results have at the most: by the shapes that go in, numbers that may be sizes, and, where
// values decide, by those.
int64_t HostInputs::MostResults() const {
  if (op_.name() == "aten::index_select" || op_.name() == "aten::embedding") return MostSelected();
  const auto first = [this] { return stack_.at(0).toTensor(); };
  int64_t most = factor_;
  const bool is_made = !written_.empty() && written_[0].on_device.numel() == 0;
  if (is_made || op_.MakesTriangle()) most = std::max(most, MostMade());
  if (!op_.name().starts_with("aten::new_")) {
    int64_t broadcast = 1;
    for (const int64_t size : shape_) broadcast = Product(broadcast, size);
    if (broadcast > std::max(largest_, kMostBroadcast)) return kMostIndices + 1;
    most = Product(most, broadcast);
  }
  if (stack_.size() > 1 && stack_[1].isOptionalTensorList()) most = std::max(most, MostIndexed());
  if (op_.name() == "aten::bincount") {
    most = first().numel() == 0 ? 0 : first().max().item<int64_t>();
    most = std::max(most, stack_.at(2).toInt());
  }
  if (op_.name() == "aten::histc") most = std::max(most, stack_.at(1).toInt());  // bins
  if (op_.name() == "aten::repeat_interleave") {
    // Of whole numbers the sum might begin anew at less than none.
    const double sum = first().sum(at::kDouble).item<double>();
    most = std::max(most,
                    sum <= static_cast<double>(kMostIndices) ? static_cast<int64_t>(sum) : kMostIndices + 1);
  }
  return std::max(most, sum_);
}

// Zeros of int32 are what a card's cache is cleared by where kernels are measured, thousands of times
// (torch._inductor, triton.testing): not those.
bool HostInputs::MayTakeEffort() const {
  const std::optional<size_t> sized_as = op_.SizedAs();
  const bool is_sized = sized_as && stack_.at(*sized_as).isTensor();
  const int64_t most = is_sized ? stack_.at(*sized_as).toTensor().numel() : MostResults();
  if (has_fractions_ || worst_certainty_ >= kOfZeros) return most <= kMostBroadcast;
  if (most > kMostIndices) return false;
  if (std::max(most, largest_) <= kMostNumbers) return true;
  const bool clears = op_.IsZeros(stack_) && stack_.at(0).toTensor().scalar_type() == at::kInt;
  return !makes_fractions_ && !clears && the_large_effort.Spend(numbers_ + sum_ + most);
}

}  // namespace tidemark::phantom
