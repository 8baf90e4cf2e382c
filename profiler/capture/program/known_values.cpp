#include "profiler/capture/program/known_values.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/capture/program/computed_operators.h"
#include "profiler/phantom/environment.h"

namespace tidemark::capture {
namespace {

// In what goes in, and in all that several of them, broadcast, may make.
constexpr int64_t kMostNumbers = 32'768;
constexpr int64_t kMostResults = 8 * kMostNumbers;
// Of a training's tensors with a fraction nearly all are larger, and nobody reads back what became of them.
constexpr int64_t kMostFractions = 1024;
// Parts of a tensor's memory that are not next to each other; of more all that lies between goes with them.
constexpr int64_t kMostPieces = 1024;
// As device::Certainty has it.
constexpr int kAsWritten = 1;

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

bool IsFraction(const at::Tensor& tensor) { return c10::isFloatingType(tensor.scalar_type()); }

// Whether it is of a kind and size that may be known at all.
bool MayBeKnown(const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if (impl.is_python_dispatch() || !tensor.is_cuda() || tensor.is_nested() ||
      impl.has_symbolic_sizes_strides()) {
    return false;
  }
  return IsWhole(tensor) ? tensor.numel() <= kMostNumbers
                         : IsFraction(tensor) && tensor.numel() <= kMostFractions;
}

// What stands in for the card's that an operator is given, or takes where it is given none: begun by the same
// seed and by how much that has drawn, so that one seed gives the same numbers each time, as on a card.
at::Generator GeneratorBeside(const c10::IValue& given) {
  const at::Generator& of_card =
      given.isNone() ? at::globalContext().defaultGenerator(at::Device(at::kCUDA)) : given.toGenerator();
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio: near offsets, far seeds
  return at::detail::createCPUGenerator(of_card.current_seed() + of_card.get_offset() * kSpread);
}

// What a graph is made of has not run, and runs when it is launched.
bool IsCapturing() {
  int status = 0;  // of cudaStreamCaptureStatus: none
  return device.is_capturing(c10::cuda::getCurrentCUDAStream().stream(), &status) == 0 && status != 0;
}

// A tensor that an operator writes to, and its copy.
struct Written {
  at::Tensor on_device;
  at::Tensor on_host;
};

// What goes into an operator, on the CPU. A condition that is not known is `guess`, where the operator joins
// conditions.
class HostInputs {
 public:
  HostInputs(const ComputedOperator& op, bool guess) : op_(op), guess_(guess) {}

  // False where something is not known, or nothing is of the device.
  bool Take(c10::ArrayRef<const c10::IValue> inputs) {
    const std::vector<c10::Argument>& arguments = op_.handle().schema().arguments();
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (op_.Draws() && arguments[i].name() == "generator") {
        stack_.emplace_back(GeneratorBeside(inputs[i]));
        continue;
      }
      const c10::AliasInfo* alias = arguments[i].alias_info();
      is_read_ = !arguments[i].is_out() && (i != 0 || !op_.OverwritesFirst());
      is_written_ = alias != nullptr && alias->isWrite();
      if (!TakeValue(inputs[i])) return false;
    }
    return has_tensors_ && AreFew() && (!has_fractions_ || op_.ComputesFractions());
  }
  torch::jit::Stack& stack() { return stack_; }
  std::vector<Written>& written() { return written_; }
  int worst_certainty() const { return worst_certainty_; }
  bool has_fractions() const { return has_fractions_; }
  bool has_guessed() const { return has_guessed_; }

 private:
  bool TakeValue(const c10::IValue& value) {
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
      const std::optional<at::Tensor> copy = item.isNone() ? at::Tensor() : Copied(item.toTensor());
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

  std::optional<at::Tensor> Copied(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (tensor.unsafeGetTensorImpl()->is_python_dispatch()) return std::nullopt;
    if (tensor.is_cpu() && tensor.dim() == 0) return tensor;  // a number
    if (!tensor.is_cuda() || !IsPlain(tensor)) return std::nullopt;
    if (is_read_ && !MayBeKnown(tensor)) return std::nullopt;
    has_tensors_ = true;
    has_fractions_ = has_fractions_ || !IsWhole(tensor);
    at::Tensor copy = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
    if (is_written_) written_.push_back({tensor, copy});
    if (!is_read_ || tensor.numel() == 0) return copy;
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

  // Of operators that make their numbers of nothing but a few others, such as arange and randperm, into a
  // tensor that is still empty: the product of those, or how many steps lie between the first two.
  int64_t MostMade() const {
    std::vector<double> numbers;
    for (const c10::IValue& value : stack_) {
      if (value.isInt() || value.isDouble()) numbers.push_back(value.toScalar().toDouble());
    }
    double most = 1;
    if (op_.name() == "aten::arange" && numbers.size() == 3) {
      most = (numbers[1] - numbers[0]) / numbers[2];
    } else {
      for (const double number : numbers) most *= std::max(1.0, std::abs(number));
    }
    return most <= static_cast<double>(kMostResults) ? static_cast<int64_t>(most) : kMostResults + 1;
  }

  // Whether the results are, at the most: by the shapes that go in, numbers that may be sizes, and, where
  // values decide, by those.
  bool AreFew() {
    if (const std::optional<size_t> sized_as = op_.SizedAs(); sized_as && stack_.at(*sized_as).isTensor()) {
      return stack_.at(*sized_as).toTensor().numel() <= kMostResults;
    }
    const auto first = [this] { return stack_.at(0).toTensor(); };
    int64_t most = factor_;
    if (!written_.empty() && written_[0].on_device.numel() == 0) most = std::max(most, MostMade());
    if (!op_.name().starts_with("aten::new_")) {
      for (const int64_t size : shape_) most = Product(most, size);
    }
    if (stack_.size() > 1 && stack_[1].isOptionalTensorList()) most = std::max(most, MostIndexed());
    if (op_.name() == "aten::index_select") most = MostSelected();
    if (op_.name() == "aten::bincount") {
      most = first().numel() == 0 ? 0 : first().max().item<int64_t>();
      most = std::max(most, stack_.at(2).toInt());
    }
    if (op_.name() == "aten::repeat_interleave") {
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

  const ComputedOperator& op_;
  const bool guess_;
  torch::jit::Stack stack_;
  std::vector<Written> written_;
  // Of the argument that is being taken.
  bool is_read_ = true;
  bool is_written_ = false;
  bool has_tensors_ = false;
  bool has_fractions_ = false;
  bool has_guessed_ = false;
  int worst_certainty_ = 0;
  at::DimVector shape_;  // that all are broadcast to
  int64_t factor_ = 1;   // of what is not
  int64_t sum_ = 0;      // in lists
};

struct HostResults final : at::ObserverContext {
  torch::jit::Stack values;
  std::vector<Written> written;  // and if there are any, these are all
  int certainty = 0;
  std::optional<int64_t> count;  // that is read of the kernels
};

// Of conditions, torch.unique reads how many hold (UniqueCub.cu), and so many are not zero; of all else it
// and nonzero read how large the result is.
int64_t CountOf(const at::Tensor& input, const at::Tensor& result) {
  return input.scalar_type() == at::kBool ? at::count_nonzero(input).item<int64_t>() : result.size(0);
}

// Null where it is not known. Throws what the operator throws.
std::unique_ptr<HostResults> ResultsOf(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  auto results = std::make_unique<HostResults>();
  for (const bool guess : {false, true}) {
    HostInputs taken(op, guess);
    if (!taken.Take(inputs)) return nullptr;
    const at::Tensor counted = op.HasCount() ? taken.stack().at(0).toTensor() : at::Tensor();
    op.handle().redispatchBoxed(c10::DispatchKeySet(at::DispatchKey::CPU), &taken.stack());
    if (guess && !taken.stack().at(0).toTensor().equal(results->values.at(0).toTensor())) return nullptr;
    results->values = std::move(taken.stack());
    results->written = std::move(taken.written());
    results->certainty = taken.worst_certainty();
    // The last digit may be another one than on a card.
    if (taken.has_fractions()) results->certainty = std::max(results->certainty, kAsWritten);
    if (op.HasCount()) results->count = CountOf(counted, results->values.at(0).toTensor());
    if (!taken.has_guessed()) break;
  }
  return results;
}

// A first look, at the first tensor.
bool MayBeComputed(c10::ArrayRef<const c10::IValue> inputs) {
  for (const c10::IValue& input : inputs) {
    if (input.isTensor()) return input.toTensor().defined() && MayBeKnown(input.toTensor());
    if (!input.isTensorList()) continue;
    const auto list = input.toListRef();
    return !list.empty() && list.front().toTensor().defined() && MayBeKnown(list.front().toTensor());
  }
  return false;
}

// Whether any of them may be known, and not only the first.
bool HasWhatMayBeKnown(c10::ArrayRef<const c10::IValue> inputs) {
  const auto may_be_known = [](const at::Tensor& tensor) { return tensor.defined() && MayBeKnown(tensor); };
  return std::ranges::any_of(inputs, [&](const c10::IValue& input) {
    if (input.isTensor()) return may_be_known(input.toTensor());
    if (!input.isTensorList()) return false;
    return std::ranges::any_of(input.toListRef(),
                               [&](const c10::IValue& item) { return may_be_known(item.toTensor()); });
  });
}

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

// A kernel writes there, nobody knows what.
void Forget(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda() || !IsPlain(tensor) || tensor.numel() == 0) return;
  const Pieces pieces(tensor);
  if (tensor.is_non_overlapping_and_dense() || pieces.count() > kMostPieces)
    return WriteTo(tensor, 0, SpanOf(tensor), nullptr, phantom::kNotKnown);
  for (int64_t piece = 0; piece < pieces.count(); ++piece)
    WriteTo(tensor, pieces.OffsetOf(piece), pieces.length(), nullptr, phantom::kNotKnown);
}

void ForgetWritten(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!op.Writes(i, inputs)) continue;
    if (inputs[i].isTensor()) Forget(inputs[i].toTensor());
    if (!inputs[i].isTensorList()) continue;
    for (const c10::IValue& item : inputs[i].toListRef()) Forget(item.toTensor());
  }
}

std::unique_ptr<HostResults> ResultsIfKnown(const ComputedOperator& op,
                                            c10::ArrayRef<const c10::IValue> inputs) {
  if (!MayBeComputed(inputs) || !op.IsOne() || IsCapturing()) return nullptr;
  try {
    return ResultsOf(op, inputs);
  } catch (const std::exception&) {
    return nullptr;  // the operator itself says what is wrong, or the CPU has none
  }
}

std::unique_ptr<at::ObserverContext> ComputeOnHost(const at::RecordFunction& function) {
  if (c10::impl::TorchDispatchModeTLS::any_modes_set()) return nullptr;
  const auto inputs = function.inputs();
  if (!HasWhatMayBeKnown(inputs)) return nullptr;
  const auto name = function.operator_name();
  const auto op = name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
  if (!op || op->schema().arguments().size() != inputs.size()) return nullptr;
  const ComputedOperator computed(*op);
  if (!computed.LaunchesKernels()) return nullptr;
  const at::DisableRecordFunctionGuard unheard;
  std::unique_ptr<HostResults> results = ResultsIfKnown(computed, inputs);
  if (results == nullptr) ForgetWritten(computed, inputs);
  if (results != nullptr && results->count) device.expect_count(*results->count);
  return results;
}

void Keep(const at::Tensor& output, const at::Tensor& result, int certainty) {
  if (!output.defined() || !output.is_cuda() || !IsPlain(output) || output.numel() == 0) return;
  if (output.sizes() != result.sizes()) return Forget(output);
  if (output.is_non_overlapping_and_dense()) {
    const at::Tensor bytes =
        at::empty_strided(output.sizes(), output.strides(), output.options().device(at::kCPU));
    bytes.copy_(result);
    return WriteTo(output, 0, output.numel(), static_cast<const char*>(bytes.const_data_ptr()), certainty);
  }
  const Pieces pieces(output);
  if (pieces.count() > kMostPieces) return Forget(output);
  const at::Tensor numbers = result.to(output.scalar_type()).contiguous();
  const auto* const bytes = static_cast<const char*>(numbers.const_data_ptr());
  const int64_t piece_bytes = pieces.length() * static_cast<int64_t>(output.itemsize());
  for (int64_t piece = 0; piece < pieces.count(); ++piece)
    WriteTo(output, pieces.OffsetOf(piece), pieces.length(), bytes + piece * piece_bytes, certainty);
}

void KeepResults(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto& results = *static_cast<HostResults*>(context);
  if (results.count) device.expect_count(-1);
  const at::DisableRecordFunctionGuard unheard;
  for (const Written& written : results.written) Keep(written.on_device, written.on_host, results.certainty);
  if (!results.written.empty()) return;
  const std::vector<c10::IValue>& outputs = function.outputs();
  for (size_t i = 0; i < std::min(outputs.size(), results.values.size()); ++i) {
    if (!outputs[i].isTensor() || !results.values[i].isTensor()) continue;
    Keep(outputs[i].toTensor(), results.values[i].toTensor(), results.certainty);
  }
}

}  // namespace

void ComputeKnownValues() {
  device = {Exported<phantom::ReadKnownFunction>(phantom::kReadKnownFunction),
            Exported<phantom::WriteComputedFunction>(phantom::kWriteComputedFunction),
            Exported<phantom::ExpectCountFunction>(phantom::kExpectCountFunction),
            Exported<int (*)(void*, int*)>("cudaStreamIsCapturing")};
  if (device.read == nullptr || device.write == nullptr || device.expect_count == nullptr ||
      device.is_capturing == nullptr) {
    return;
  }
  at::addGlobalCallback(at::RecordFunctionCallback(ComputeOnHost, KeepResults)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace tidemark::capture
