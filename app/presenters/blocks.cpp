#include "app/presenters/blocks.h"

#include "profiler/events/stack.h"

namespace tidemark::presenters {

std::string BlockTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  std::string name(view.name(block.name));
  if (!name.empty()) return name;
  const std::string category(events::NameOf(block.category));
  const std::string op(events::InnermostFrame(view.name(block.op)));
  return op.empty() ? category : category + " of " + op;
}

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
  return block;
}

}  // namespace tidemark::presenters
