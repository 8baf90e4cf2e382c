#include "profiler/phantom/values/computed_operators.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <unordered_map>

#include "profiler/phantom/values/card_numbers.h"
#include "profiler/phantom/values/known_memory.h"

namespace tidemark::phantom {
namespace {

constexpr std::string_view kLibrary = "aten::";

struct Sized {
  std::string_view name;
  size_t argument;
};
// native_functions.yaml. What is changed in place is as large as it was, too: see SizedAs.
constexpr std::array kSized = {
    Sized{"aten::gather", 2},      Sized{"aten::take", 1},           Sized{"aten::searchsorted", 1},
    Sized{"aten::bucketize", 0},   Sized{"aten::isin", 0},           Sized{"aten::scatter", 0},
    Sized{"aten::scatter_add", 0}, Sized{"aten::scatter_reduce", 0}, Sized{"aten::index_add", 0},
    Sized{"aten::index_copy", 0},  Sized{"aten::index_fill", 0},     Sized{"aten::index_put", 0},
    Sized{"aten::masked_fill", 0}, Sized{"aten::masked_scatter", 0}, Sized{kSuppression, 1}};

// Those beside the lists of an optimizer (_foreach_) and what the tag "pointwise" tells; in place, too.
constexpr std::array<std::string_view, 74> kOfFractions = {
    "fill",
    "zero",
    "copy",
    "arange",
    "linspace",
    "eye",
    "where",
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "amax",
    "amin",
    "aminmax",
    "cumsum",
    "cumprod",
    "_cummax_helper",
    "_cummin_helper",
    "argmax",
    "argmin",
    "sort",
    "topk",
    "any",
    "all",
    "equal",
    "cat",
    "index",
    "index_add",
    "index_copy",
    "index_fill",
    "index_reduce",
    "_index_put_impl",
    "index_select",
    "gather",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "take",
    "tril",
    "triu",
    "flip",
    "roll",
    "nonzero",
    "nonzero_static",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "_unique2",
    "unique_consecutive",
    "unique_dim",
    "unique_dim_consecutive",
    "searchsorted",
    "bucketize",
    "isin",
    "histc",
    "std",
    "std_mean",
    "var",
    "var_mean",
    "linalg_vector_norm",
    "renorm",
    "_softmax",
    "_softmax_backward_data",
    "_log_softmax",
    "_log_softmax_backward_data",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "max_pool3d_with_indices",
    "max_pool3d_with_indices_backward",
    "max_unpool2d",
    "max_unpool3d",
    "_amp_update_scale",
    "nms",
};

bool IsHeard(std::string_view name) { return name.starts_with(kLibrary) || name == kSuppression; }

bool IsView(const c10::Argument& result) {
  return result.alias_info() != nullptr && !result.alias_info()->isWrite();
}

// aten::cudnn_batch_norm, aten::native_batch_norm, aten::batch_norm_update_stats and their like.
bool UpdatesRunningFigures(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return has("batch_norm") && !has("_backward") && !has("no_update") && !has("no_training");
}

// cummax and cummin are made of these; both results are given to be written over, as no `out` is.
bool WritesOverTwo(std::string_view name) {
  return name == "aten::_cummax_helper" || name == "aten::_cummin_helper";
}

bool IsOneOf(const c10::OperatorHandle& handle, bool draws) {
  if (handle.hasTag(at::Tag::nondeterministic_seeded) && !draws) return false;
  const auto& returns = handle.schema().returns();
  const std::string_view name = handle.schema().name();
  if (returns.empty()) return name.starts_with("aten::_foreach_") || WritesOverTwo(name);
  return std::none_of(returns.begin(), returns.end(), IsView);
}

// Of what an operator does, whether it does that in place or not: "sum", "index_add".
std::string_view KindOf(std::string_view name) {
  name.remove_prefix(name.find("::") + 2);
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

bool IsOfFractions(const c10::OperatorHandle& handle) {
  const std::string_view kind = KindOf(handle.schema().name());
  return handle.hasTag(at::Tag::pointwise) || kind.starts_with("_foreach_") ||
         std::ranges::find(kOfFractions, kind) != kOfFractions.end();
}

// Conditions, or the bits of whole numbers.
bool JoinsBits(std::string_view name) {
  constexpr std::array<std::string_view, 4> kJoining = {"bitwise_or", "bitwise_and", "logical_or",
                                                        "logical_and"};
  return std::ranges::find(kJoining, KindOf(name)) != kJoining.end();
}

// How many different values there are, or how many that are not zero.
bool IsCounted(std::string_view name) {
  constexpr std::array<std::string_view, 6> kCounted = {"aten::nonzero",
                                                        "aten::_unique2",
                                                        "aten::unique_dim",
                                                        "aten::unique_consecutive",
                                                        "aten::unique_dim_consecutive",
                                                        kSuppression};
  return std::ranges::find(kCounted, name) != kCounted.end();
}

ComputedOperator::Indexing IndexingOf(std::string_view name) {
  using Indexing = ComputedOperator::Indexing;
  constexpr std::array<std::string_view, 2> kByList = {"index", "_index_put_impl"};
  constexpr std::array<std::string_view, 6> kAlongDimension = {
      "index_select", "index_copy", "gather", "scatter", "scatter_add", "scatter_reduce"};
  constexpr std::array<std::string_view, 2> kClasses = {"nll_loss_forward", "nll_loss2d_forward"};
  const std::string_view kind = KindOf(name);
  const auto is_one_of = [kind](const auto& kinds) { return std::ranges::find(kinds, kind) != kinds.end(); };
  if (is_one_of(kByList)) return Indexing::kByList;
  if (is_one_of(kAlongDimension)) return Indexing::kAlongDimension;
  if (kind == "index_fill") return Indexing::kAlongFromEitherEnd;
  return is_one_of(kClasses) ? Indexing::kClasses : Indexing::kNone;
}

int64_t MostFractionsOfZerosOf(std::string_view name) {
  constexpr std::array<std::string_view, 11> kDeciding = {
      "aten::eq",  "aten::ne",   "aten::lt",   "aten::le",    "aten::gt",     "aten::ge",
      "aten::any", "aten::sort", "aten::topk", "aten::histc", "aten::nonzero"};
  constexpr int64_t kFew = 256;
  if (name.starts_with("aten::_foreach_")) return 0;
  return std::ranges::find(kDeciding, name) != kDeciding.end() ? kMostNumbers : kFew;
}

std::optional<size_t> SizedLike(std::string_view name) {
  for (const Sized& sized : kSized) {
    if (sized.name == name) return sized.argument;
  }
  if (name.ends_with('_') && !name.ends_with("__")) return 0;
  return std::nullopt;
}

}  // namespace

// record_stream has a kernel by name only.
bool ComputedOperator::LaunchesKernels(const c10::OperatorHandle& handle) {
  constexpr std::array<std::string_view, 3> kNone = {"aten::resize", "aten::set_", "aten::record_stream"};
  const std::string_view name = handle.schema().name();
  const auto begins = [name](std::string_view none) { return name.starts_with(none); };
  if (!IsHeard(name) || std::any_of(kNone.begin(), kNone.end(), begins)) return false;
  return handle.hasKernelForDispatchKey(at::DispatchKey::CUDA) || name == "aten::copy_" || name == kCoalesce;
}

bool ComputedOperator::IsArithmetic() const {
  constexpr std::array<std::string_view, 6> kArithmetic = {"add", "sub", "rsub", "mul", "div", "pow"};
  return std::ranges::find(kArithmetic, KindOf(name())) != kArithmetic.end();
}

bool ComputedOperator::IsZeros(const std::vector<c10::IValue>& inputs) const {
  if (name() == "aten::zero_") return true;
  return name() == "aten::fill_" && inputs[1].isScalar() && inputs[1].toScalar().equal(0);
}

ComputedOperator::ComputedOperator(const c10::OperatorHandle& handle)
    : handle_(handle),
      draws_(DrawsAsOnCard(name())),
      is_one_(IsOneOf(handle, draws_)),
      computes_fractions_(draws_ || IsOfFractions(handle)),
      overwrites_first_(name() == "aten::fill_" || name() == "aten::zero_" || name() == "aten::copy_" ||
                        draws_),
      overwrites_two_(WritesOverTwo(name())),
      makes_triangle_(name() == "aten::tril_indices" || name() == "aten::triu_indices"),
      has_count_(IsCounted(name())),
      puts_at_indices_(name() == "aten::_index_put_impl_"),
      indexing_(IndexingOf(name())),
      joins_(JoinsBits(name())),
      sized_as_(SizedLike(name())),
      most_fractions_of_zeros_(MostFractionsOfZerosOf(name())) {
  const bool updates = UpdatesRunningFigures(name());
  const std::vector<c10::Argument>& arguments = handle.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i].name();
    if (argument == "found_inf") continue;  // of gradients: all goes well
    const bool is_written = arguments[i].alias_info() != nullptr && arguments[i].alias_info()->isWrite();
    if (is_written) written_evaluating_.push_back(i);
    if (is_written || (updates && argument.starts_with("running_"))) written_.push_back(i);
    if (updates && (argument == "training" || argument == "train")) training_ = i;
  }
}

const ComputedOperator* OperatorOf(const at::RecordFunction& function) {
  // By where its schema has its name, which stays there as long as the process: PyTorch's own are never
  // taken back. What a program calls its own scopes lies elsewhere.
  thread_local std::unordered_map<const char*, std::unique_ptr<const ComputedOperator>> known;
  const char* const name = function.name();
  if (const auto found = known.find(name); found != known.end()) return found->second.get();
  if (!IsHeard(name)) return nullptr;
  const auto full_name = function.operator_name();
  const auto handle = full_name ? c10::Dispatcher::singleton().findSchema(*full_name) : std::nullopt;
  if (!handle || handle->schema().name().c_str() != name) return nullptr;
  auto& op = known[name];
  if (ComputedOperator::LaunchesKernels(*handle)) op = std::make_unique<const ComputedOperator>(*handle);
  return op.get();
}

}  // namespace tidemark::phantom
