#include "app/gui/panels/bridge_steps.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tidemark::gui {
namespace {

using events::Category;
using presenters::BreakdownRow;

std::optional<int64_t> ActualOf(const BreakdownRow& row) { return row.measured_bytes ? row.measured_bytes : row.phantom_bytes; }

const BreakdownRow* TotalNamed(const presenters::Breakdown& breakdown, std::string_view name) {
  for (const BreakdownRow& row : breakdown.totals) {
    if (row.title == name) return &row;
  }
  return nullptr;
}

struct StepText {
  const char* label;
  const char* help;
};
// What the difference between theory and the program is called, category by category.
StepText TextFor(Category category, bool more) {
  switch (category) {
    case Category::kParameter:
      return {"parameters, rounded", "The allocator rounds every block up to a multiple of 512 bytes."};
    case Category::kOptimizerState:
      return {"optimizer state, rounded", "Rounded blocks, and a step counter for each parameter where the optimizer has one."};
    case Category::kGradient:
      return more ? StepText{"gradients, rounded", "The allocator rounds every block up to a multiple of 512 bytes."}
                  : StepText{"gradients not there yet", "At the peak backward has not yet made all gradients of parameters."};
    case Category::kInput:
      return {"input and labels", "The labels are on the device too, and blocks are rounded up."};
    case Category::kActivation:
      return more ? StepText{"kept by autograd", "What operators save for backward beyond the outputs of layers."}
                  : StepText{"activations let go", "Backward has already let go of some of them at the peak."};
    case Category::kTemporary:
      return {"temporaries", "Gradients of activations while backward runs, and what operators need for a moment."};
    case Category::kWorkspace:
      return {"library workspaces", "Scratch memory that cuBLAS keeps for matrix products, one for each thread that runs them."};
    case Category::kAutocastCache:
      return {"autocast's copies", "Half-precision copies of the weights, which autocast keeps until the step ends."};
    case Category::kUnknown:
      break;
  }
  return {"unknown", "Blocks whose purpose nobody reported."};
}

// The two largest reasons, in sentences.
std::string AnswerFrom(const std::vector<BridgeStep>& steps, ByteUnit unit) {
  std::vector<const BridgeStep*> reasons;
  for (const BridgeStep& step : steps) {
    if (!step.subtotal && step.category && step.bytes > 0) reasons.push_back(&step);
  }
  std::sort(reasons.begin(), reasons.end(), [](const BridgeStep* a, const BridgeStep* b) { return a->bytes > b->bytes; });
  std::string answer;
  for (size_t i = 0; i < std::min<size_t>(2, reasons.size()); ++i) {
    const std::string bytes = FormatBytes(reasons[i]->bytes, unit);
    if (!answer.empty()) answer += " ";
    switch (*reasons[i]->category) {
      case Category::kTemporary:
        answer += "While backward runs, the gradient of each activation is alive beside it: " + bytes + " that no table lists.";
        break;
      case Category::kWorkspace:
        answer += "The first matrix product on each thread makes cuBLAS keep a workspace: " + bytes + " in all.";
        break;
      case Category::kActivation:
        answer += "Autograd keeps " + bytes + " more than the outputs of the layers.";
        break;
      case Category::kAutocastCache:
        answer += "Autocast keeps half copies of the weights beside the full ones: " + bytes + ".";
        break;
      default:
        answer += "The rest is rounding: " + bytes + ".";
    }
  }
  return answer;
}

std::string QuestionFor(int64_t textbook, int64_t allocated) {
  const double ratio = static_cast<double>(allocated) / static_cast<double>(std::max<int64_t>(1, textbook));
  if (ratio < 1.1) return "";
  static constexpr std::array kWords = {"", "", "twice", "three times", "four times", "five times", "six times"};
  const int whole = static_cast<int>(ratio + 0.5);
  if (std::abs(ratio - whole) < 0.15 && whole >= 2 && whole < static_cast<int>(kWords.size())) {
    return std::string("Why is the peak ") + kWords[static_cast<size_t>(whole)] + " the textbook's figure?";
  }
  char text[80];
  std::snprintf(text, sizeof text, "Why is the peak %.1f times the textbook's figure?", ratio);
  return text;
}

}  // namespace

Bridge MakeBridge(const presenters::Breakdown& breakdown, ByteUnit unit) {
  Bridge bridge;
  const BreakdownRow* allocated = TotalNamed(breakdown, "allocated");
  if (allocated == nullptr || !ActualOf(*allocated) || !allocated->textbook_bytes) return bridge;
  const int64_t textbook = *allocated->textbook_bytes;
  bridge.steps.push_back({"textbook", 0, textbook, true, std::nullopt, "Parameters, gradients, optimizer state, activations, input."});
  int64_t at = textbook;
  for (const BreakdownRow& row : breakdown.rows) {
    if (!row.category || !ActualOf(row)) continue;
    const int64_t step = *ActualOf(row) - row.textbook_bytes.value_or(0);
    if (step == 0) continue;
    if (std::abs(step) < textbook / 500) continue;  // comes together in the last step
    const StepText text = TextFor(*row.category, step > 0);
    bridge.steps.push_back({text.label, at, step, false, row.category, text.help});
    at += step;
  }
  // What is left makes the sum exact, whatever the rows said.
  const int64_t rest = *ActualOf(*allocated) - at;
  if (rest != 0) bridge.steps.push_back({"rounding, small change", at, rest, false, std::nullopt,
                                         "Every block is rounded up to a multiple of 512 bytes; labels, counters and the loss are small."});
  bridge.steps.push_back({"allocated", 0, *ActualOf(*allocated), true, std::nullopt, "Live blocks: PyTorch's memory_allocated()."});
  const BreakdownRow* reserved = TotalNamed(breakdown, "reserved");
  if (reserved != nullptr && ActualOf(*reserved).value_or(0) > 0) {
    const int64_t whole = *ActualOf(*reserved);
    bridge.steps.push_back({"cached, free", *ActualOf(*allocated), whole - *ActualOf(*allocated), false, std::nullopt,
                            "Segments that the allocator keeps for the next time, and gaps between blocks."});
    bridge.steps.push_back({"reserved", 0, whole, true, std::nullopt, "Segments from the driver: PyTorch's memory_reserved()."});
  }
  bridge.question = QuestionFor(textbook, *ActualOf(*allocated));
  if (!bridge.question.empty()) bridge.answer = AnswerFrom(bridge.steps, unit);
  return bridge;
}

}  // namespace tidemark::gui
