// Events on their way from an importer to whoever takes them: in batches, each name defined once, before its
// first use. Not thread safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::trace {

using AcceptEvents = std::function<void(std::span<const events::Event>)>;

class EventWriter {
 public:
  explicit EventWriter(const AcceptEvents& accept) : accept_(accept) { batch_.reserve(kBatch); }

  void Add(const events::Event& event) {
    batch_.push_back(event);
    ++events_;
    if (batch_.size() >= kBatch) Flush();
  }
  // The id of a name; 0 for "" and, once 2^24 names are taken, for every new one.
  events::NameId Name(std::string_view text, int64_t time_ns) {
    if (text.empty()) return 0;
    const auto next = static_cast<events::NameId>(names_.size() + 1);
    if (next >= kMostNames) return 0;
    const auto [found, is_new] = names_.try_emplace(std::string(text), next);
    if (!is_new) return found->second;
    const events::Event piece{.time_ns = time_ns, .kind = events::EventKind::kName};
    events::CutName(piece, next, text, [this](const events::Event& event) { Add(event); });
    return next;
  }
  void Flush() {
    if (!batch_.empty()) accept_(batch_);
    batch_.clear();
  }
  uint64_t events() const { return events_; }

 private:
  static constexpr size_t kBatch = 4096;
  static constexpr events::NameId kMostNames = 1 << 24;  // as many as a timeline keeps

  const AcceptEvents& accept_;
  std::vector<events::Event> batch_;
  std::unordered_map<std::string, events::NameId> names_;
  uint64_t events_ = 0;
};

}  // namespace tidemark::trace
