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

}  // namespace

bool ComputedOperator::LaunchesKernels() const {
  if (!name_.starts_with("aten::") || name_.starts_with("aten::resize") || name_.starts_with("aten::set_"))
    return false;
  return handle_.hasKernelForDispatchKey(at::DispatchKey::CUDA) || name_ == "aten::copy_";
}

bool ComputedOperator::IsOne() const {
  if (!LaunchesKernels() || (handle_.hasTag(at::Tag::nondeterministic_seeded) && !Draws())) return false;
  const auto& returns = handle_.schema().returns();
  if (returns.empty()) return name_.starts_with("aten::_foreach_");
  return std::none_of(returns.begin(), returns.end(), IsView);
}

bool ComputedOperator::ComputesFractions() const {
  if (Draws()) return false;
  const auto begins = [this](std::string_view known) { return name_.starts_with(known); };
  return handle_.hasTag(at::Tag::pointwise) || std::any_of(kOfFractions.begin(), kOfFractions.end(), begins);
}

bool ComputedOperator::ChangesFirst() const {
  const auto& arguments = handle_.schema().arguments();
  const c10::AliasInfo* alias = arguments.empty() ? nullptr : arguments[0].alias_info();
  return alias != nullptr && alias->isWrite() && LaunchesKernels();
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
