#include "profiler/timeline/names.h"

#include "profiler/base/utf8.h"

namespace tidemark::timeline {

NameTable::~NameTable() {
  for (const auto& page : pages_) delete page.load(std::memory_order_relaxed);
}

bool NameTable::Add(events::NameId id, std::string text) {
  if (id == 0 || id >= kIdLimit) return false;
  std::atomic<Page*>& slot = pages_[id / kPageSize];
  Page* page = slot.load(std::memory_order_relaxed);
  if (page == nullptr) {
    page = new Page{};
    slot.store(page, std::memory_order_release);
  }
  std::atomic<const Name*>& entry = (*page)[id % kPageSize];
  text = ValidUtf8(std::move(text));
  const Name* before = entry.load(std::memory_order_relaxed);
  if (before != nullptr && before->text == text) return true;
  names_.push_back({std::move(text), names_.size(), before});
  entry.store(&names_.back(), std::memory_order_release);
  return true;
}

const NameTable::Name* NameTable::Visible(const Name* name, uint64_t limit) const {
  while (name != nullptr && name->ordinal >= limit) name = name->before;
  return name;
}

std::string_view NameTable::Find(events::NameId id, uint64_t limit) const {
  if (id >= kIdLimit) return {};
  const Page* page = pages_[id / kPageSize].load(std::memory_order_acquire);
  if (page == nullptr) return {};
  const Name* name = Visible((*page)[id % kPageSize].load(std::memory_order_acquire), limit);
  return name == nullptr ? std::string_view{} : std::string_view(name->text);
}

std::vector<std::pair<events::NameId, std::string>> NameTable::All(uint64_t limit) const {
  std::vector<std::pair<events::NameId, std::string>> all;
  for (size_t number = 0; number < kPageCount; ++number) {
    const Page* page = pages_[number].load(std::memory_order_acquire);
    if (page == nullptr) continue;
    for (size_t entry = 0; entry < kPageSize; ++entry) {
      const Name* name = Visible((*page)[entry].load(std::memory_order_acquire), limit);
      if (name != nullptr)
        all.emplace_back(static_cast<events::NameId>(number * kPageSize + entry), name->text);
    }
  }
  return all;
}

bool NameAssembler::Append(const events::Event& event) {
  const std::string_view piece = events::NamePiece(event);
  const uint64_t key = (uint64_t{event.thread} << 32) | event.name;
  const auto found = unfinished_.find(key);
  const size_t so_far = found == unfinished_.end() ? 0 : found->second.size();
  if (event.layer == 0 && piece.size() == event.op) {  // most names are one piece
    if (found != unfinished_.end()) unfinished_.erase(found);
    return table_.Add(event.name, std::string(piece));
  }
  if (piece.empty() || (event.layer != 0 && event.layer != so_far)) {
    unfinished_.erase(key);
    return false;
  }
  std::string& text = unfinished_[key];
  if (event.layer == 0) text.clear();
  text.append(piece);
  if (text.size() < event.op) return true;
  std::string whole = std::move(text);
  unfinished_.erase(key);
  return table_.Add(event.name, std::move(whole));
}

}  // namespace tidemark::timeline
