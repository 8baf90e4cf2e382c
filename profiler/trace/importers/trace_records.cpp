#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {

TraceTexts::Id TraceTexts::Add(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<Id>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

}  // namespace tidemark::trace
