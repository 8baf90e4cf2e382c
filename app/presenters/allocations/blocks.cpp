#include "app/presenters/allocations/blocks.h"

#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"

namespace tidemark::presenters {
namespace {

std::string Named(std::string_view name, std::string_view nameless) {
  return std::string(name.empty() ? nameless : name);
}

}  // namespace

std::string LayerTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  return Named(LayerOf(view, block), kNoLayer);
}

std::string OperatorTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  return Named(events::InnermostFrame(view.name(block.op)), kNoOperator);
}

std::string LineTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  return Named(events::InnermostLine(view.name(block.op)), kNoLine);
}

std::string PhaseTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  if (block.born < view.first()) return std::string(kBornBefore);
  return std::string(events::NameOf(view.event(block.born).phase));
}

std::string StreamTitle(uint64_t stream) {
  return stream == 0 ? "default stream" : "stream " + std::to_string(stream);
}

std::string BlockTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  std::string name(view.name(block.name));
  if (!name.empty()) return name;
  const std::string category(events::NameOf(block.category));
  const std::string op(events::InnermostFrame(view.name(block.op)));
  return op.empty() ? category : category + " of " + op;
}

std::string StackLines(std::string_view stack, size_t first) {
  constexpr size_t kMostLines = 14;
  const std::vector<std::string_view> frames = events::FramesOf(stack);
  std::string lines;
  for (size_t i = first; i < frames.size(); ++i) {
    if (i == first + kMostLines) return lines + "\n…";
    lines += (lines.empty() ? "" : "\n") + std::string(frames[i]);
  }
  return lines;
}

std::string StackIn(std::string_view op) { return events::FramesOf(op).size() < 2 ? "" : StackLines(op); }

timeline::LiveBlock BlockBornAt(const events::Event& event, events::EventIndex index) {
  timeline::LiveBlock block;
  block.address = event.address;
  block.bytes = event.bytes;
  block.rounded_bytes = event.rounded_bytes;
  block.category = event.category;
  block.name = event.name;
  block.layer = event.layer;
  block.op = event.op;
  block.stream = event.stream;
  block.born = index;
  block.device = event.device;
  return block;
}

}  // namespace tidemark::presenters
