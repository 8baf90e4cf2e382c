#include "app/presenters/moment/untold_blocks.h"

#include <algorithm>
#include <cctype>

namespace tidemark::presenters {

using timeline::SourceState;
using timeline::View;

std::string WhyUntold(const View& view) {
  if (view.tells_blocks()) return "";
  const std::string unknown = "What is allocated is not known. ";
  const auto said = std::ranges::find(view.sources(), events::Source::kAllocator, &SourceState::source);
  if (said == view.sources().end() || said->text.empty()) return unknown + "Nobody told of a block.";
  // "blocked: PyTorch's ... allocator tells": after its word for readers.
  const size_t colon = said->text.find(": ");
  std::string reason =
      colon == std::string::npos ? "The allocator is " + said->text : said->text.substr(colon + 2);
  if (!reason.empty())
    reason.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(reason.front())));
  return unknown + reason + (reason.ends_with('.') ? "" : ".");
}

}  // namespace tidemark::presenters
