#include "profiler/capture/program/computed_operators.h"

#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>

namespace tidemark::capture {
namespace {

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
    Sized{"aten::masked_fill", 0}, Sized{"aten::embedding", 1},      Sized{"aten::masked_scatter", 0}};

// Those beside what the tag "pointwise" tells. Their names also begin those of their kinds: sum, sum_out.
constexpr std::array<std::string_view, 36> kOfFractions = {"aten::fill_",
                                                           "aten::zero_",
                                                           "aten::copy_",
                                                           "aten::arange",
                                                           "aten::linspace",
                                                           "aten::eye",
                                                           "aten::where",
                                                           "aten::sum",
                                                           "aten::mean",
                                                           "aten::prod",
                                                           "aten::max",
                                                           "aten::min",
                                                           "aten::amax",
                                                           "aten::amin",
                                                           "aten::cumsum",
                                                           "aten::cumprod",
                                                           "aten::argmax",
                                                           "aten::argmin",
                                                           "aten::sort",
                                                           "aten::topk",
                                                           "aten::any",
                                                           "aten::all",
                                                           "aten::cat",
                                                           "aten::index",
                                                           "aten::gather",
                                                           "aten::scatter",
                                                           "aten::take",
                                                           "aten::tril",
                                                           "aten::triu",
                                                           "aten::flip",
                                                           "aten::roll",
                                                           "aten::nonzero",
                                                           "aten::_foreach_",
                                                           "aten::masked_",
                                                           "aten::linalg_vector_norm",
                                                           "aten::_amp_update_scale_"};

bool IsView(const c10::Argument& result) {
  return result.alias_info() != nullptr && !result.alias_info()->isWrite();
}

// aten::cudnn_batch_norm, aten::native_batch_norm, aten::batch_norm_update_stats and their like.
bool UpdatesRunningFigures(std::string_view name, const c10::FunctionSchema& schema,
                           c10::ArrayRef<const c10::IValue> inputs) {
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!has("batch_norm") || has("_backward") || has("no_update") || has("no_training")) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& argument = schema.arguments()[i].name();
    if ((argument == "training" || argument == "train") && inputs[i].isBool()) return inputs[i].toBool();
  }
  return true;
}

}  // namespace

// record_stream has a kernel by name only.
bool ComputedOperator::LaunchesKernels() const {
  constexpr std::array<std::string_view, 3> kNone = {"aten::resize", "aten::set_", "aten::record_stream"};
  const auto begins = [this](std::string_view none) { return name_.starts_with(none); };
  if (!name_.starts_with("aten::") || std::any_of(kNone.begin(), kNone.end(), begins)) return false;
  return handle_.hasKernelForDispatchKey(at::DispatchKey::CUDA) || name_ == "aten::copy_";
}

bool ComputedOperator::IsOne() const {
  if (handle_.hasTag(at::Tag::nondeterministic_seeded) && !Draws()) return false;
  const auto& returns = handle_.schema().returns();
  if (returns.empty()) return name_.starts_with("aten::_foreach_");
  return std::none_of(returns.begin(), returns.end(), IsView);
}

bool ComputedOperator::ComputesFractions() const {
  if (Draws()) return false;
  const auto begins = [this](std::string_view known) { return name_.starts_with(known); };
  return handle_.hasTag(at::Tag::pointwise) || std::any_of(kOfFractions.begin(), kOfFractions.end(), begins);
}

bool ComputedOperator::Writes(size_t argument, c10::ArrayRef<const c10::IValue> inputs) const {
  const c10::Argument& written = handle_.schema().arguments()[argument];
  if (written.name() == "found_inf") return false;  // of gradients: all goes well
  if (written.alias_info() != nullptr && written.alias_info()->isWrite()) return true;
  return written.name().starts_with("running_") && UpdatesRunningFigures(name_, handle_.schema(), inputs);
}

bool ComputedOperator::OverwritesFirst() const {
  return IsFill() || name_ == "aten::copy_" || name_ == "aten::random_";
}

bool ComputedOperator::IsFill() const { return name_ == "aten::fill_" || name_ == "aten::zero_"; }

bool ComputedOperator::Draws() const { return name_ == "aten::random_" || name_ == "aten::randperm"; }

std::optional<size_t> ComputedOperator::SizedAs() const {
  for (const Sized& sized : kSized) {
    if (sized.name == name_) return sized.argument;
  }
  if (name_.ends_with('_') && !name_.ends_with("__")) return 0;
  return std::nullopt;
}

}  // namespace tidemark::capture
