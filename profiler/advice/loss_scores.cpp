#include "profiler/advice/loss_scores.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/advice/examined_steps.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::advice {
namespace {

using timeline::LiveBlock;
using timeline::View;

// Less of a peak than that is no reason to write a loss in another way.
constexpr int64_t kMuch = 4;  // 1/4

bool MakesLogSoftmax(std::string_view op) {
  constexpr std::array<std::string_view, 5> kMakers = {"aten::cross_entropy_loss", "aten::log_softmax",
                                                       "aten::_log_softmax", "LogSoftmaxBackward0",
                                                       "aten::_log_softmax_backward_data"};
  return std::ranges::find(kMakers, events::InnermostFrame(op)) != kMakers.end();
}

int64_t LargestLogSoftmax(const View& view, const timeline::State& state) {
  int64_t largest = 0;
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    if (block.rounded_bytes > largest && MakesLogSoftmax(view.name(block.op))) largest = block.rounded_bytes;
  }
  return largest;
}

}  // namespace

std::optional<Finding> LossScores(const View& view, const timeline::Step& step, ByteUnit unit) {
  const timeline::State state = view.StateAt(step.peak);
  const int64_t each = LargestLogSoftmax(view, state);
  if (each == 0) return {};
  std::vector<LiveBlock> alike;
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    if (block.rounded_bytes == each && block.born >= step.begin) alike.push_back(block);
  }
  const int64_t bytes = BytesOf(alike);
  const int64_t peak = AllocatedPeak(step);
  if (alike.size() < 2 || bytes < peak / kMuch || !IsWorthTelling(bytes, peak)) return {};
  return Finding{
      FindingKind::kLossScores,
      "At the peak of step " + FormatNumber(step.number) + ", " + FormatBytes(bytes, unit) + " of " +
          FormatBytes(peak, unit) + " are " + FormatNumber(static_cast<int64_t>(alike.size())) +
          " blocks of " + FormatBytes(each, unit) +
          " each, as large as the log-softmax of the loss: the model's scores, what the loss makes "
          "of them, and the gradients of both.",
      "Compute the loss for some of the tokens (or samples) at a time, the last layer with it and "
      "each part under torch.utils.checkpoint, or by a fused linear cross entropy; a smaller batch "
      "makes all of them smaller.",
      bytes,
      step.peak,
      BirthsOf(std::move(alike))};
}

}  // namespace tidemark::advice
