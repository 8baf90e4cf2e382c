#include "profiler/phantom/values/known_values.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/events/torch_ranges.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/values/card_numbers.h"
#include "profiler/phantom/values/computed_operators.h"
#include "profiler/phantom/values/host_inputs.h"
#include "profiler/phantom/values/known_memory.h"
#include "profiler/phantom/values/large_effort.h"
#include "profiler/phantom/values/missing_elements.h"
#include "profiler/phantom/values/one_thread.h"

namespace tidemark::phantom {
namespace {

// While such an operator runs on a thread, nothing follows from zeros there: it would refuse them.
thread_local int checking_operators = 0;
// And what those do that it runs itself is passed over: kernels of its own come in between.
thread_local int suppressing_operators = 0;

class Running {
 public:
  explicit Running(int& operators) : operators_(operators) { ++operators_; }
  ~Running() { --operators_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  int& operators_;
};

// What a condition is, and how certain that is.
struct Answer {
  bool is_true = true;
  int certainty = kOfZeros;
};

// Of torch.equal, while it runs on a thread: whether all is so is asked below it.
thread_local std::optional<Answer> compared;

class Comparing {
 public:
  explicit Comparing(const Answer& answer) { compared = answer; }
  ~Comparing() { compared.reset(); }
  Comparing(const Comparing&) = delete;
  Comparing& operator=(const Comparing&) = delete;
};

struct HostResults final : at::ObserverContext {
  // No results are known, whatever those operators leave there that it runs itself: a graph will write them
  // when it is launched, or they are made of nothing.
  bool are_unknown = false;
  torch::jit::Stack values;
  std::vector<Written> written;  // and if there are any, these are all
  bool is_sparse = false;        // the values are the result's indices, and its values where these are known
  std::optional<Answer> told;    // where the result is one condition
  std::optional<Running> running;
  std::optional<Comparing> comparing;
  // What is written to, where that was refused on the host: it is as it was if the operator refuses it, too.
  std::vector<at::Tensor> refused;
  const int exceptions_before = std::uncaught_exceptions();
  int certainty = 0;
  std::optional<int64_t> count;  // that is read of the kernels
};

// Of conditions, torch.unique reads how many hold (UniqueCub.cu), and so many are not zero; of all else it,
// its like and nonzero read how large the result is, in the dimension that they were given.
int64_t CountOf(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs,
                const at::Tensor& counted, const at::Tensor& result) {
  const bool counts_true = op.name() == "aten::_unique2" && counted.scalar_type() == at::kBool;
  if (counts_true) return at::count_nonzero(counted).item<int64_t>();
  const std::vector<c10::Argument>& arguments = op.handle().schema().arguments();
  const auto dimension = std::ranges::find(arguments, "dim", &c10::Argument::name) - arguments.begin();
  const bool has_dimension = dimension < std::ssize(inputs) && inputs[dimension].isInt();
  return result.size(has_dimension ? inputs[dimension].toInt() : 0);
}

// Whether one of them is empty, as what masks of values that are not known choose here.
bool TakeNothing(c10::ArrayRef<const c10::IValue> inputs) {
  return std::ranges::any_of(inputs, [](const c10::IValue& input) {
    return input.isTensor() && input.toTensor().defined() && MayBeKnown(input.toTensor()) &&
           input.toTensor().numel() == 0;
  });
}

// A mask of values that are not known chooses nothing here, and that is told; so does an empty index.
bool ChoosesNothing(const at::Tensor& index) {
  if (!MayBeKnown(index)) return false;
  const bool is_mask = index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
  int certainty = 0;
  return index.numel() == 0 || (is_mask && !KnownCopy(index, certainty).defined());
}

// Then it leaves what it was to write over as that was.
bool PutsNothing(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  if (!op.PutsAtIndices()) return false;
  const auto indices = inputs[1].toListRef();
  return std::ranges::any_of(indices, [](const c10::IValue& index) {
    return index.isTensor() && index.toTensor().defined() && ChoosesNothing(index.toTensor());
  });
}

// Such as a mean of nothing, and, of what follows from zeros, what is divided by one.
bool IsNoNumber(const at::Tensor& tensor, bool is_of_zeros) {
  if (!tensor.defined() || !tensor.is_floating_point()) return false;
  if (!is_of_zeros) return tensor.isnan().any().item<bool>();
  return !std::isfinite(tensor.sum(at::kDouble).item<double>());  // the cheapest way to look at each
}

// Of a tensor, or of each of a list of them.
template <typename Visit>
void ForEachTensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor()) visit(value.toTensor());
  if (!value.isTensorList()) return;
  for (const c10::IValue& item : value.toListRef()) visit(item.toTensor());
}

bool HasNoNumber(const HostResults& results) {
  bool is_none = false;
  const auto look_at = [&](const at::Tensor& tensor) {
    is_none = is_none || IsNoNumber(tensor, results.certainty == kOfZeros);
  };
  for (const c10::IValue& value : results.values) ForEachTensor(value, look_at);
  for (const Written& one : results.written) look_at(one.on_host);
  return is_none;
}

// By the generator that it is given, or else by its card's own.
bool Draw(const ComputedOperator& op, HostInputs& taken) {
  Written& drawn = taken.written().at(0);
  const std::optional<at::Generator>& given = taken.generator();
  const at::Device card = drawn.on_device.device();
  const at::Generator& generator = given ? *given : at::globalContext().defaultGenerator(card);
  return DrawAsOnCard(op, taken.stack(), {generator.current_seed(), generator.get_offset()}, card,
                      drawn.on_host);
}

// Null where it is not known. Throws what the operator throws.
std::unique_ptr<HostResults> ResultsWith(NotKnownAs guess, const ComputedOperator& op,
                                         c10::ArrayRef<const c10::IValue> inputs) {
  HostInputs taken(op, guess);
  if (!taken.Take(inputs)) return nullptr;
  const bool is_of_zeros = taken.worst_certainty() == kOfZeros;
  if (is_of_zeros && checking_operators > 0) return nullptr;
  const at::Tensor counted = op.HasCount() ? taken.stack().at(0).toTensor() : at::Tensor();
  const OnOneThread alone;
  if (!op.Draws()) {
    op.handle().redispatchBoxed(c10::DispatchKeySet(at::DispatchKey::CPU), &taken.stack());
  } else if (!Draw(op, taken)) {
    return nullptr;
  }
  auto results = std::make_unique<HostResults>();
  results->values = std::move(taken.stack());
  results->written = std::move(taken.written());
  results->certainty = taken.worst_certainty();
  // The last digit may be another one than on a card.
  if (taken.has_fractions()) results->certainty = std::max(results->certainty, kAsWritten);
  results->are_unknown = (is_of_zeros || TakeNothing(inputs)) && HasNoNumber(*results);
  if (op.HasCount() && taken.are_many()) the_large_effort.Renew();
  if (op.HasCount()) results->count = CountOf(op, inputs, counted, results->values.at(0).toTensor());
  return results;
}

// The same.
std::unique_ptr<HostResults> ResultsOf(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  std::unique_ptr<HostResults> results = ResultsWith(NotKnownAs::kZeros, op, inputs);
  if (results == nullptr || results->certainty < kOfZeros || !op.Joins()) return results;
  // Each bit of a result depends on its own bits only, so if neither all clear nor all set change it, nothing
  // does.
  std::unique_ptr<HostResults> clear = ResultsWith(NotKnownAs::kAllClear, op, inputs);
  const std::unique_ptr<HostResults> set = ResultsWith(NotKnownAs::kAllSet, op, inputs);
  const auto first = [](const auto& of) { return of->values.at(0).toTensor(); };
  const bool is_known = clear != nullptr && set != nullptr && first(clear).equal(first(set));
  return is_known ? std::move(clear) : std::move(results);
}

// How many elements of a sparse tensor remain its indices decide, whatever its values are.
std::unique_ptr<HostResults> Coalesced(const at::Tensor& sparse) {
  auto results = std::make_unique<HostResults>();
  const OnOneThread alone;
  const at::Tensor indices = KnownCopy(sparse._indices(), results->certainty);
  if (!indices.defined()) return nullptr;
  int certainty = kAsWritten;  // sums may differ in the last digit
  at::Tensor values = KnownCopy(sparse._values(), certainty);
  const bool has_values = values.defined();
  if (!has_values) values = at::zeros({indices.size(1)});
  const auto sizes = sparse.sizes().slice(0, has_values ? sparse.dim() : sparse.sparse_dim());
  const at::Tensor whole = at::_sparse_coo_tensor_unsafe(indices, values, sizes).coalesce();
  results->is_sparse = true;
  results->count = whole._nnz();
  if (indices.numel() > kMostNumbers) the_large_effort.Renew();
  results->values = {whole._indices()};
  if (has_values) {
    results->values.emplace_back(whole._values());
    results->certainty = std::max(results->certainty, certainty);
  }
  return results;
}

// As the program's 1 in 1 - x reaches the operator.
bool IsNumberOfHost(const at::Tensor& tensor) {
  return tensor.defined() && tensor.is_cpu() && tensor.dim() == 0;
}

// A first look, at all tensors that are none, and at the first of a list.
bool MayBeComputed(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  bool may_be = op.MakesTriangle();
  for (const c10::IValue& input : inputs) {
    const bool is_list = input.isTensorList() && !input.toListRef().empty();
    if (!is_list && !input.isTensor()) continue;
    const at::Tensor& tensor = is_list ? input.toListRef().front().toTensor() : input.toTensor();
    if (!tensor.defined() || IsNumberOfHost(tensor)) continue;
    if (!MayBeKnown(tensor)) return false;
    may_be = true;
  }
  return may_be;
}

std::vector<at::Tensor> WrittenBy(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  std::vector<at::Tensor> written;
  for (const size_t argument : op.Written(inputs))
    ForEachTensor(inputs[argument], [&](const at::Tensor& tensor) { written.push_back(tensor); });
  return written;
}

void ForgetWritten(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  for (const size_t argument : op.Written(inputs)) ForEachTensor(inputs[argument], Forget);
}

// Those of its own, and not what it was given to write to.
void ForgetResults(const at::RecordFunction& function) {
  const auto& returns = OperatorOf(function)->handle().schema().returns();
  const std::vector<c10::IValue>& outputs = function.outputs();
  for (size_t i = 0; i < std::min(outputs.size(), returns.size()); ++i) {
    if (returns[i].alias_info() == nullptr) ForEachTensor(outputs[i], Forget);
  }
}

std::unique_ptr<HostResults> ResultsIfKnown(const ComputedOperator& op,
                                            c10::ArrayRef<const c10::IValue> inputs, bool& is_refused) {
  const bool is_sparse = op.name() == kCoalesce;
  if (!is_sparse && (!op.IsOne() || !MayBeComputed(op, inputs))) return nullptr;
  const at::DisableRecordFunctionGuard unheard;
  try {
    return is_sparse ? Coalesced(inputs[0].toTensor()) : ResultsOf(op, inputs);
  } catch (const std::exception&) {
    is_refused = true;  // the operator itself says what is wrong, or the CPU has none
    return nullptr;
  }
}

// What is to be done of results that were not computed, if anything.
std::unique_ptr<HostResults> NotKnownResults(const ComputedOperator& op,
                                             c10::ArrayRef<const c10::IValue> inputs) {
  const bool is_of_nothing = TakeNothing(inputs);
  if (!is_of_nothing && !op.Chooses() && !op.Suppresses() && !op.AsksForAll() && !op.ChecksValues())
    return nullptr;
  auto results = std::make_unique<HostResults>();
  results->certainty = kNotKnown;
  results->are_unknown = is_of_nothing && !op.Chooses();
  if (op.Chooses()) results->count = 0;
  if (op.Suppresses()) results->count = inputs[1].toTensor().numel();  // at the most
  if (op.ChecksValues()) results->running.emplace(checking_operators);
  return results;
}

// On a card, too, and each byte of such a copy is as certain as the one that it was made of.
bool MovesBytes(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  if (op.name() != "aten::copy_") return false;
  const at::Tensor to = inputs[0].toTensor();
  const at::Tensor from = inputs[1].toTensor();
  return to.is_cuda() && from.is_cuda() && to.numel() <= kMostNumbers && MayBeKnown(to) && MayBeKnown(from) &&
         IsPlainAndSmall(to) && IsPlainAndSmall(from) && to.scalar_type() == from.scalar_type() &&
         to.sizes() == from.sizes() && to.strides() == from.strides() && to.is_non_overlapping_and_dense();
}

// Many whole numbers from the host, which the device does not keep by itself.
bool SendsIndices(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  if (op.name() != "aten::copy_") return false;
  const at::Tensor& to = inputs[0].toTensor();
  const at::Tensor& from = inputs[1].toTensor();
  return from.is_cpu() && to.is_cuda() && MayBeKnown(to) && to.numel() > kMostNumbers &&
         to.scalar_type() == from.scalar_type() && to.sizes() == from.sizes() && IsPlainAndSmall(to) &&
         IsPlainAndSmall(from) && the_large_effort.Spend(to.numel());
}

// torch.equal; but not as PyTorch itself asks whether a condition is true (at::is_scalar_tensor_true): what
// that is the kernels know that ask it (kernel_answers.h).
bool Compares(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs) {
  if (!op.Compares()) return false;
  const at::Tensor& first = inputs[0].toTensor();
  return first.scalar_type() != at::kBool || first.dim() != 0;
}

std::unique_ptr<at::ObserverContext> ComputeOnHost(const at::RecordFunction& function) {
  const ComputedOperator* const op = OperatorOf(function);
  if (op == nullptr || suppressing_operators > 0 || c10::impl::TorchDispatchModeTLS::any_modes_set())
    return nullptr;
  const auto inputs = function.inputs();
  if (op->handle().schema().arguments().size() != inputs.size()) return nullptr;
  if (IsCapturing()) {
    ForgetWritten(*op, inputs);
    auto results = std::make_unique<HostResults>();
    results->are_unknown = true;
    return results;
  }
  if (compared && op->AsksForAll()) {
    auto results = std::make_unique<HostResults>();
    results->told = compared;
    return results;
  }
  TellOfMissingElements(*op, inputs);
  if (SendsIndices(*op, inputs)) {
    auto results = std::make_unique<HostResults>();
    results->written.push_back({inputs[0].toTensor(), inputs[1].toTensor()});
    return results;
  }
  if (PutsNothing(*op, inputs) || MovesBytes(*op, inputs)) return nullptr;
  bool is_refused = false;
  std::unique_ptr<HostResults> results = ResultsIfKnown(*op, inputs, is_refused);
  if (!is_refused && (results == nullptr || results->are_unknown)) ForgetWritten(*op, inputs);
  if (results == nullptr) results = NotKnownResults(*op, inputs);
  if (is_refused) {
    if (results == nullptr) results = std::make_unique<HostResults>();
    results->refused = WrittenBy(*op, inputs);
  }
  // Whether all of something is true, a phantom answers with yes.
  if (results != nullptr && results->certainty >= kOfZeros && op->AsksForAll()) results->told = Answer();
  if (results != nullptr && !is_refused && results->certainty < kOfZeros && Compares(*op, inputs))
    results->comparing.emplace(Answer{results->values.at(0).toBool(), results->certainty});
  if (results != nullptr && results->count) ExpectCount(*results->count, results->certainty);
  if (results != nullptr && op->Suppresses()) results->running.emplace(suppressing_operators);
  return results;
}

bool KeepAnswer(const at::RecordFunction& function, const Answer& answer) {
  const auto& outputs = function.outputs();
  if (!outputs[0].isTensor()) return false;
  const at::Tensor condition = outputs[0].toTensor();
  if (condition.numel() != 1) return false;
  Keep(condition, at::full(condition.sizes(), answer.is_true, condition.options().device(at::kCPU)),
       answer.certainty);
  return true;
}

// A result, which may be a list.
void KeepOne(const c10::IValue& on_device, const c10::IValue& on_host, int certainty) {
  if (on_device.isTensor() && on_host.isTensor())
    return Keep(on_device.toTensor(), on_host.toTensor(), certainty);
  if (!on_device.isTensorList() || !on_host.isTensorList()) return;
  const auto to = on_device.toListRef();
  const auto from = on_host.toListRef();
  for (size_t i = 0; i < std::min(to.size(), from.size()); ++i)
    Keep(to[i].toTensor(), from[i].toTensor(), certainty);
}

void KeepResults(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto& results = *static_cast<HostResults*>(context);
  if (results.count) ExpectNoCount();
  if (std::uncaught_exceptions() > results.exceptions_before) return;  // it failed, and left nothing
  for (const at::Tensor& tensor : results.refused) Forget(tensor);
  if (results.are_unknown) return ForgetResults(function);
  const at::DisableRecordFunctionGuard unheard;
  const OnOneThread alone;
  if (results.told && KeepAnswer(function, *results.told)) return;
  for (const Written& written : results.written) Keep(written.on_device, written.on_host, results.certainty);
  if (!results.written.empty()) return;
  std::vector<c10::IValue> outputs = function.outputs();
  if (results.is_sparse) {
    const at::Tensor sparse = outputs.at(0).toTensor();
    outputs = {sparse._indices(), sparse._values()};
  }
  for (size_t i = 0; i < std::min(outputs.size(), results.values.size()); ++i)
    KeepOne(outputs[i], results.values[i], results.certainty);
}

std::unique_ptr<at::ObserverContext> NoteStep(const at::RecordFunction& function) {
  if (std::string_view(function.name()).starts_with(events::kOptimizerRangePrefix)) NoteStepOfOptimizer();
  return nullptr;
}

}  // namespace

void ComputeKnownValues() {
  if (!OpenKnownMemory()) return;
  at::addGlobalCallback(at::RecordFunctionCallback(NoteStep).scopes({at::RecordScope::USER_SCOPE}));
  at::addGlobalCallback(at::RecordFunctionCallback(ComputeOnHost, KeepResults)
                            .needsInputs(true)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace tidemark::phantom
