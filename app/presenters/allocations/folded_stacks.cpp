#include "app/presenters/allocations/folded_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/allocations/layer_names.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::presenters {
namespace {

using timeline::LiveBlock;
using timeline::View;

using BytesByStack = std::map<std::string, int64_t>;

void AddFrame(std::string_view frame, std::string& stack) {
  if (frame.empty()) return;
  if (!stack.empty()) stack += ';';
  const size_t begin = stack.size();
  stack += frame;
  for (size_t i = begin; i < stack.size(); ++i) {
    const auto letter = static_cast<unsigned char>(stack[i]);
    if (letter == ';') stack[i] = ',';
    if (letter < ' ' || letter == 0x7F) stack[i] = ' ';
  }
}

// "layer3", "layer3.0", "layer3.0.conv1".
void AddLayer(std::string_view layer, std::string& stack) {
  std::string_view module;
  for (size_t level = 1; module.size() < layer.size(); ++level) {
    module = ModuleOf(layer, level);
    AddFrame(module.size() < layer.size() ? module.substr(0, module.size() - 1) : module, stack);
  }
}

// An operator alone, of which no line is told, is no stack.
bool IsStack(const std::vector<std::string_view>& frames) {
  return frames.size() > 1 || (frames.size() == 1 && !events::FileOfFrame(frames.front()).empty());
}

class StackFolder {
 public:
  explicit StackFolder(const View& view) : view_(view) {}

  void Add(const LiveBlock& block) {
    std::string stack = CallsOf(block);
    if (stack.empty()) stack = BirthOf(block);
    AddFrame(events::NameOf(block.category), stack);
    int64_t& bytes = bytes_[std::move(stack)];
    bytes = SaturatingSum(bytes, std::max<int64_t>(0, block.rounded_bytes));
  }

  BytesByStack Take() && {
    std::erase_if(bytes_, [](const auto& stack) { return stack.second == 0; });
    return std::move(bytes_);
  }

 private:
  // "" where none were recorded.
  const std::string& CallsOf(const LiveBlock& block) {
    const auto [known, is_fresh] = calls_.try_emplace(block.op);
    if (!is_fresh) return known->second;
    std::vector<std::string_view> frames = events::FramesOf(view_.name(block.op));
    if (!IsStack(frames)) return known->second;
    std::reverse(frames.begin(), frames.end());
    for (const std::string_view frame : frames) AddFrame(frame, known->second);
    return known->second;
  }

  std::string BirthOf(const LiveBlock& block) const {
    std::string stack;
    if (block.born >= view_.first()) AddFrame(PhaseTitle(view_, block), stack);
    AddLayer(timeline::LayerOf(view_, block), stack);
    AddFrame(view_.name(block.op), stack);
    return stack;
  }

  const View& view_;
  std::map<events::NameId, std::string> calls_;  // of each stack, once
  BytesByStack bytes_;
};

// Nothing if `progress` said so.
std::optional<BytesByStack> Fold(const View& view, const timeline::State& state, const Progress& progress) {
  constexpr size_t kOften = 4096;  // for a Cancel to be heard within milliseconds
  StackFolder folder(view);
  size_t folded = 0;
  for (const LiveBlock& block : timeline::CountedBlocks(state)) {
    folder.Add(block);
    if (++folded % kOften != 0 || !progress) continue;
    if (!progress(static_cast<double>(folded) / static_cast<double>(state.blocks.size())))
      return std::nullopt;
  }
  return std::move(folder).Take();
}

}  // namespace

std::optional<std::string> FoldedStacksOf(const View& view, const timeline::State& state,
                                          const Progress& progress) {
  const std::optional<BytesByStack> stacks = Fold(view, state, progress);
  if (!stacks) return std::nullopt;
  std::string text;
  for (const auto& [stack, bytes] : *stacks) text += fmt::format("{} {}\n", stack, bytes);
  return text;
}

std::optional<std::string> FoldedDifferenceOf(const View& view_a, const timeline::State& a,
                                              const View& view_b, const timeline::State& b,
                                              const Progress& progress) {
  const std::optional<BytesByStack> of_a = Fold(view_a, a, progress);
  if (!of_a) return std::nullopt;
  const std::optional<BytesByStack> of_b = Fold(view_b, b, progress);
  if (!of_b) return std::nullopt;
  std::map<std::string_view, std::pair<int64_t, int64_t>> both;
  for (const auto& [stack, bytes] : *of_a) both[stack].first = bytes;
  for (const auto& [stack, bytes] : *of_b) both[stack].second = bytes;
  std::string text;
  for (const auto& [stack, bytes] : both) text += fmt::format("{} {} {}\n", stack, bytes.first, bytes.second);
  return text;
}

}  // namespace tidemark::presenters
