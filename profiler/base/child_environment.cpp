#include "profiler/base/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace tidemark {
namespace {

std::string_view NameOfEntry(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

ChildEnvironment::ChildEnvironment(const std::vector<std::string>& changes) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const bool is_changed = std::any_of(changes.begin(), changes.end(), [&](const std::string& change) {
      return NameOfEntry(change) == NameOfEntry(*entry);
    });
    if (!is_changed) texts_.emplace_back(*entry);
  }
  for (const std::string& change : changes) {
    if (change.find('=') != std::string::npos) texts_.push_back(change);
  }
  pointers_.reserve(texts_.size() + 1);
  for (std::string& text : texts_) pointers_.push_back(text.data());
  pointers_.push_back(nullptr);
}

}  // namespace tidemark
