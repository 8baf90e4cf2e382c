// The stream itself, event by event, in its order: what each says, in words. Pure; O(1) for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/format.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct EventRow {
  events::EventIndex index = 0;
  int64_t since_ns = 0;  // from the first event that the view holds
  events::EventKind kind = events::EventKind::kAllocate;
  std::string what;                          // the tensor, the step's number, a marker's text, ...
  std::optional<events::Category> category;  // of a block
  std::optional<int64_t> bytes;              // as requested, of what has a size
  std::optional<uint64_t> address;           // of what has one
  std::string_view layer;                    // names live as long as the view
  std::string_view op;                       // with its stack, where that is told
};

// In which unit a column tells EventRow::since_ns of a run: events lie microseconds apart, however long it
// is.
struct EventTimes {
  bool in_seconds = false;  // of a run that lasts for one; else milliseconds

  std::string_view unit() const { return in_seconds ? "s" : "ms"; }
  std::string Text(int64_t since_ns) const;  // "909.200461"
};
EventTimes TimesOf(const timeline::View& view);

// `index` lies in the view.
EventRow EventRowOf(const timeline::View& view, events::EventIndex index, ByteUnit unit);

}  // namespace tidemark::presenters
