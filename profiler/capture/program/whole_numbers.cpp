#include "profiler/capture/program/whole_numbers.h"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/phantom/environment.h"

namespace tidemark::capture {
namespace {

// In what goes in, and in all that several of them, broadcast, may make.
constexpr int64_t kMostNumbers = 32'768;
constexpr int64_t kMostResults = 8 * kMostNumbers;

struct KnownMemory {
  phantom::ReadKnownFunction read = nullptr;
  phantom::WriteComputedFunction write = nullptr;
  phantom::ExpectCountFunction expect_count = nullptr;
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

// One of memory, and small; not those of Python, of functorch, ...
bool IsPlain(const at::Tensor& tensor) {
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

// What of an operator is peculiar.
struct Operator {
  explicit Operator(const c10::OperatorHandle& of) : handle(of), name(of.schema().name()) {}
  bool OverwritesFirst() const {
    return name == "aten::fill_" || name == "aten::zero_" || name == "aten::copy_";
  }
  // What its kernels counted is read back, to know how large the first result is.
  bool HasCount() const { return name == "aten::nonzero" || name == "aten::_unique2"; }
  // One of two conditions may decide.
  bool Joins() const {
    return name == "aten::bitwise_or" || name == "aten::logical_or" || name == "aten::bitwise_and" ||
           name == "aten::logical_and";
  }

  const c10::OperatorHandle& handle;
  const std::string_view name;
};

// What goes into an operator, on the CPU. A condition that is not known is `guess`, where the operator joins
// conditions.
class HostInputs {
 public:
  HostInputs(const Operator& op, bool guess) : op_(op), guess_(guess) {}

  // False where something is not known, or nothing is of the device.
  bool Take(c10::ArrayRef<const c10::IValue> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_written =
          op_.handle.schema().arguments()[i].is_out() || (i == 0 && op_.OverwritesFirst());
      if (!TakeValue(inputs[i], is_written)) return false;
    }
    return has_tensors_ && AreFew();
  }
  torch::jit::Stack& stack() { return stack_; }
  int worst_certainty() const { return worst_certainty_; }
  bool has_guessed() const { return has_guessed_; }

 private:
  bool TakeValue(const c10::IValue& value, bool is_written) {
    if (value.isTensor()) {
      const std::optional<at::Tensor> copy = Copied(value.toTensor(), is_written);
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
      stack_.emplace_back(at::Device(at::kCPU));
    } else {
      stack_.push_back(value);
    }
    return true;
  }

  bool TakeList(const c10::IValue& value) {
    const bool is_optional = value.isOptionalTensorList();
    c10::List<at::Tensor> tensors;
    c10::List<std::optional<at::Tensor>> optional_tensors;
    for (const c10::IValue& item : value.toListRef()) {
      const std::optional<at::Tensor> copy = item.isNone() ? at::Tensor() : Copied(item.toTensor(), false);
      if (!copy) return false;
      if (copy->defined()) sum_ += copy->numel();
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

  std::optional<at::Tensor> Copied(const at::Tensor& tensor, bool is_written) {
    if (!tensor.defined()) return tensor;
    if (tensor.unsafeGetTensorImpl()->is_python_dispatch()) return std::nullopt;
    if (tensor.is_cpu() && tensor.dim() == 0) return tensor;  // a number
    if (!tensor.is_cuda() || !IsPlain(tensor)) return std::nullopt;
    if (!is_written && !IsWhole(tensor)) return std::nullopt;
    has_tensors_ = true;
    at::Tensor copy = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
    if (is_written || tensor.numel() == 0) return copy;
    const size_t bytes = static_cast<size_t>(SpanOf(tensor)) * tensor.itemsize();
    const int certainty = device.read(tensor.const_data_ptr(), bytes, copy.mutable_data_ptr());
    if (certainty == phantom::kNotKnown) return Guessed(std::move(copy));
    worst_certainty_ = std::max(worst_certainty_, certainty);
    return copy;
  }

  // No less than one, and no more than what is too many.
  static int64_t Product(int64_t one, int64_t other) {
    constexpr int64_t kTooMany = kMostResults + 1;
    return std::min(std::min(one, kTooMany) * std::clamp<int64_t>(other, 1, kTooMany), kTooMany);
  }

  // Tensors that go together are broadcast; of others each result may be of all of each.
  void Count(const at::Tensor& tensor) {
    if (at::are_expandable(shape_, tensor.sizes())) {
      shape_ = at::infer_size_dimvector(shape_, tensor.sizes());
    } else {
      factor_ = Product(factor_, tensor.numel());
    }
  }

  // Of tensor[indices]: as many as the indices, broadcast, name, of all that they do not index.
  int64_t MostIndexed() const {
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

  // Of index_select: for each index all but the dimension that is indexed, however the two shapes go
  // together.
  int64_t MostSelected() const {
    const at::Tensor& tensor = stack_.at(0).toTensor();
    const int64_t index = stack_.at(2).toTensor().numel();
    if (tensor.dim() == 0 || tensor.numel() == 0) return index;
    return Product(tensor.numel() / tensor.size(stack_.at(1).toInt()), index);
  }

  // Whether the results are, at the most: by the shapes that go in, numbers that may be sizes, and, where
  // values decide, by those.
  bool AreFew() {
    const auto first = [this] { return stack_.at(0).toTensor(); };
    int64_t most = factor_;
    if (!op_.name.starts_with("aten::new_")) {
      for (const int64_t size : shape_) most = Product(most, size);
    }
    if (stack_.size() > 1 && stack_[1].isOptionalTensorList()) most = std::max(most, MostIndexed());
    if (op_.name == "aten::index_select") most = MostSelected();
    if (op_.name == "aten::bincount") {
      most = first().numel() == 0 ? 0 : first().max().item<int64_t>();
      most = std::max(most, stack_.at(2).toInt());
    }
    if (op_.name == "aten::repeat_interleave") {
      // Of whole numbers the sum might begin anew at less than none.
      if (first().sum(at::kDouble).item<double>() > kMostResults) return false;
    }
    return std::max(most, sum_) <= kMostResults;
  }

  std::optional<at::Tensor> Guessed(at::Tensor copy) {
    if (!op_.Joins() || copy.scalar_type() != at::kBool) return std::nullopt;
    has_guessed_ = true;
    return copy.fill_(guess_);
  }

  const Operator& op_;
  const bool guess_;
  torch::jit::Stack stack_;
  bool has_tensors_ = false;
  bool has_guessed_ = false;
  int worst_certainty_ = 0;
  at::DimVector shape_;  // that all are broadcast to
  int64_t factor_ = 1;   // of what is not
  int64_t sum_ = 0;      // in lists
};

struct HostResults final : at::ObserverContext {
  torch::jit::Stack values;
  int certainty = 0;
  std::optional<int64_t> count;  // that is read of the kernels
};

// Of conditions, torch.unique reads how many hold (UniqueCub.cu), and so many are not zero; of all else it
// and nonzero read how large the result is.
int64_t CountOf(const at::Tensor& input, const at::Tensor& result) {
  return input.scalar_type() == at::kBool ? at::count_nonzero(input).item<int64_t>() : result.size(0);
}

// Null where it is not known. Throws what the operator throws.
std::unique_ptr<HostResults> ResultsOf(const Operator& op, c10::ArrayRef<const c10::IValue> inputs) {
  auto results = std::make_unique<HostResults>();
  for (const bool guess : {false, true}) {
    HostInputs taken(op, guess);
    if (!taken.Take(inputs)) return nullptr;
    const at::Tensor counted = op.HasCount() ? taken.stack().at(0).toTensor() : at::Tensor();
    op.handle.redispatchBoxed(c10::DispatchKeySet(at::DispatchKey::CPU), &taken.stack());
    if (guess && !taken.stack().at(0).toTensor().equal(results->values.at(0).toTensor())) return nullptr;
    results->values = std::move(taken.stack());
    results->certainty = taken.worst_certainty();
    if (op.HasCount()) results->count = CountOf(counted, results->values.at(0).toTensor());
    if (!taken.has_guessed()) break;
  }
  return results;
}

// The operators that launch kernels: of those that are made of others, the others are heard, too. Not other
// libraries' (c10d's would wait for other ranks), and none that leaves something as it happens to be.
bool IsComputed(const c10::OperatorHandle& op) {
  const c10::FunctionSchema& schema = op.schema();
  const std::string_view name = schema.name();
  if (!name.starts_with("aten::") || name.starts_with("aten::resize") || name.starts_with("aten::set_"))
    return false;
  const auto is_view = [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  };
  const bool has_kernels = op.hasKernelForDispatchKey(at::DispatchKey::CUDA) || name == "aten::copy_";
  return has_kernels && !op.hasTag(at::Tag::nondeterministic_seeded) && !schema.returns().empty() &&
         std::none_of(schema.returns().begin(), schema.returns().end(), is_view);
}

// A first look: whether the first tensor is one of whole numbers, or there is only one to write to.
bool MayBeComputed(c10::ArrayRef<const c10::IValue> inputs) {
  for (const c10::IValue& input : inputs) {
    if (input.isTensor()) {
      const at::Tensor& tensor = input.toTensor();
      return tensor.defined() && !tensor.unsafeGetTensorImpl()->is_python_dispatch() && tensor.is_cuda() &&
             IsWhole(tensor) && tensor.numel() <= kMostNumbers;
    }
    if (input.isTensorList()) return !input.toListRef().empty();
  }
  return false;
}

std::unique_ptr<at::ObserverContext> ComputeOnHost(const at::RecordFunction& function) {
  if (c10::impl::TorchDispatchModeTLS::any_modes_set()) return nullptr;
  try {
    const auto inputs = function.inputs();
    if (!MayBeComputed(inputs)) return nullptr;
    const auto name = function.operator_name();
    const auto op = name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
    if (!op || op->schema().arguments().size() != inputs.size() || !IsComputed(*op)) return nullptr;
    const at::DisableRecordFunctionGuard unheard;
    std::unique_ptr<HostResults> results = ResultsOf(Operator(*op), inputs);
    if (results != nullptr && results->count) device.expect_count(*results->count);
    return results;
  } catch (const std::exception&) {
    return nullptr;  // the operator itself says what is wrong, or the CPU has none
  }
}

void KeepResults(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto& results = *static_cast<HostResults*>(context);
  if (results.count) device.expect_count(-1);
  const std::vector<c10::IValue>& outputs = function.outputs();
  const at::DisableRecordFunctionGuard unheard;
  for (size_t i = 0; i < std::min(outputs.size(), results.values.size()); ++i) {
    if (!outputs[i].isTensor() || !results.values[i].isTensor()) continue;
    const at::Tensor& output = outputs[i].toTensor();
    const at::Tensor& result = results.values[i].toTensor();
    if (!output.defined() || !output.is_cuda() || !IsPlain(output) || output.numel() == 0) continue;
    if (output.sizes() != result.sizes() || !output.is_non_overlapping_and_dense()) continue;
    const at::Tensor bytes =
        at::empty_strided(output.sizes(), output.strides(), output.options().device(at::kCPU));
    bytes.copy_(result);
    device.write(output.data_ptr(), bytes.data_ptr(), bytes.nbytes(), results.certainty);
  }
}

}  // namespace

void ComputeWholeNumbers() {
  device = {Exported<phantom::ReadKnownFunction>(phantom::kReadKnownFunction),
            Exported<phantom::WriteComputedFunction>(phantom::kWriteComputedFunction),
            Exported<phantom::ExpectCountFunction>(phantom::kExpectCountFunction)};
  if (device.read == nullptr || device.write == nullptr || device.expect_count == nullptr) return;
  at::addGlobalCallback(at::RecordFunctionCallback(ComputeOnHost, KeepResults)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace tidemark::capture
