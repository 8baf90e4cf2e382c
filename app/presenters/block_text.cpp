#include "app/presenters/block_text.h"

namespace tidemark::presenters {

std::string BlockTitle(const timeline::View& view, const timeline::LiveBlock& block) {
  std::string name(view.name(block.name));
  if (!name.empty()) return name;
  const std::string category(events::NameOf(block.category));
  const std::string op(view.name(block.op));
  return op.empty() ? category : category + " of " + op;
}

}  // namespace tidemark::presenters
