// What PyTorch's operators keep for backward, and in which precision autocast runs them, for networks whose
// layers are operators (script_files.h). Pure functions; O(rows).
//
// Sources (torch 2.11): tools/autograd/derivatives.yaml for what is saved, ATen/autocast_mode.h for
// precisions (AT_FORALL_LOWER_PRECISION_FP, AT_FORALL_FP32 and AT_FORALL_FP32_SET_OPT_DTYPE).
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/networks/layer.h"

namespace tidemark::networks {

struct OperatorRule {
  enum class Saves : uint8_t {
    kNothing,
    kInputs,       // each, as it comes: silu
    kOtherInputs,  // each where another, or a weight, needs a gradient: a product's factors
    kResult,       // softmax
  };
  enum class Precision : uint8_t { kWidest, kLow, kFull };  // of its inputs; half or float32 under autocast
  std::string_view name;                                    // "silu": without aten:: and a last _
  Saves saves = Saves::kNothing;
  Precision precision = Precision::kWidest;
};

// Null where there is no rule: what it saves is then not known.
const OperatorRule* FindOperatorRule(std::string_view name);
// Whether a layer is such an operator.
bool LacksRule(const Layer& layer);

}  // namespace tidemark::networks
