#include "profiler/networks/operators.h"

#include <algorithm>
#include <array>

namespace tidemark::networks {

const OperatorRule* FindOperatorRule(std::string_view name) {
  using enum OperatorRule::Saves;
  using enum OperatorRule::Precision;
  static constexpr std::array kRules = {
      OperatorRule{"unread"},  // parameters that no operator reads
      OperatorRule{"gt"},
      OperatorRule{"lt"},
      OperatorRule{"ge"},
      OperatorRule{"le"},
      OperatorRule{"eq"},
      OperatorRule{"ne"},
      OperatorRule{"add"},
      OperatorRule{"sub"},
      OperatorRule{"rsub"},
      OperatorRule{"neg"},
      OperatorRule{"cat"},
      OperatorRule{"stack"},
      OperatorRule{"clone"},
      OperatorRule{"contiguous"},
      OperatorRule{"reshape"},
      OperatorRule{"flatten"},
      OperatorRule{"repeat"},
      OperatorRule{"roll"},
      OperatorRule{"mean"},
      OperatorRule{"pad"},
      OperatorRule{"constant_pad_nd"},
      OperatorRule{"pixel_shuffle"},
      OperatorRule{"upsample_nearest2d", kNothing, kFull},
      OperatorRule{"upsample_bilinear2d", kNothing, kFull},
      OperatorRule{"sum", kNothing, kFull},
      OperatorRule{"mul", kOtherInputs},
      OperatorRule{"div", kOtherInputs},
      OperatorRule{"matmul", kOtherInputs, kLow},
      OperatorRule{"mm", kOtherInputs, kLow},
      OperatorRule{"bmm", kOtherInputs, kLow},
      OperatorRule{"addmm", kOtherInputs, kLow},
      OperatorRule{"baddbmm", kOtherInputs, kLow},
      OperatorRule{"silu", kInputs},
      OperatorRule{"hardswish", kInputs},
      OperatorRule{"hardsigmoid", kInputs},
      OperatorRule{"hardtanh", kInputs},
      OperatorRule{"mish", kInputs},
      OperatorRule{"elu", kInputs},
      OperatorRule{"abs", kInputs},
      OperatorRule{"clamp", kInputs},
      OperatorRule{"batch_norm", kInputs},  // with its running means
      OperatorRule{"softplus", kInputs, kFull},
      OperatorRule{"pow", kInputs, kFull},
      OperatorRule{"log", kInputs, kFull},
      OperatorRule{"exp", kResult, kFull},
      OperatorRule{"rsqrt", kResult, kFull},
      OperatorRule{"sqrt", kResult},
      OperatorRule{"softmax", kResult, kFull},
      OperatorRule{"log_softmax", kResult, kFull},
  };
  const auto* found = std::ranges::find(kRules, name, &OperatorRule::name);
  return found == kRules.end() ? nullptr : found;
}

bool LacksRule(const Layer& layer) {
  return layer.kind == LayerKind::kOperator && FindOperatorRule(layer.op) == nullptr;
}

}  // namespace tidemark::networks
