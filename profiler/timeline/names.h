// The names that a stream defined. One thread adds; any thread looks up, without a lock, and through a limit
// sees exactly what was defined when the limit was taken. O(1) both ways.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::timeline {

class NameTable {
 public:
  // Ids above would make the table large for nothing: producers count from 1. Bounds the table itself to 128
  // MiB.
  static constexpr events::NameId kIdLimit = 1U << 24;

  NameTable() = default;
  ~NameTable();
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;

  // The adding thread. What is no UTF-8 in a name is replaced (ValidUtf8): whoever takes one, to draw it or
  // to write it into another format, can rely on that. An id may be defined again; who took a limit before
  // still sees the old text.
  bool Add(events::NameId id, std::string text);  // false: the id is out of bounds
  uint64_t limit() const { return names_.size(); }

  // "" if it was not defined below the limit.
  std::string_view Find(events::NameId id, uint64_t limit) const;
  std::vector<std::pair<events::NameId, std::string>> All(uint64_t limit) const;

 private:
  struct Name {
    std::string text;
    uint64_t ordinal = 0;
    const Name* before = nullptr;  // what the id stood for until then
  };
  static constexpr size_t kPageSize = 4096;
  using Page = std::array<std::atomic<const Name*>, kPageSize>;
  static constexpr size_t kPageCount = kIdLimit / kPageSize;

  const Name* Visible(const Name* name, uint64_t limit) const;

  std::array<std::atomic<Page*>, kPageCount> pages_{};
  std::deque<Name> names_;  // never moves its elements
};

// Puts names together from their pieces.
class NameAssembler {
 public:
  explicit NameAssembler(NameTable& table) : table_(table) {}
  // False if the piece fits nowhere.
  bool Append(const events::Event& event);

 private:
  NameTable& table_;
  std::unordered_map<uint64_t, std::string> unfinished_;  // by thread and id
};

}  // namespace tidemark::timeline
