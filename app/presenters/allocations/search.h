// Everything that can be found in a run by typing: steps, events, markers, where memory ran out, bookmarks,
// replays of CUDA graphs, categories, layers, operators and allocations. Pure functions. O(events + names ·
// their length).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/presenters/allocations/selection.h"
#include "profiler/base/format.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct NamedMoment {
  events::EventIndex index = 0;
  std::string text;

  bool operator==(const NamedMoment&) const = default;
};

struct SearchHit {
  enum class Kind : uint8_t {
    kBookmark,
    kStep,
    kEvent,
    kMarker,
    kReplay,
    kCategory,
    kLayer,
    kOperator,
    kAllocation
  };
  Kind kind = Kind::kEvent;
  std::string title;                         // "step 42", "conv1 output"
  std::string detail;                        // "layer · allocates 25.7 MB at its peak"
  std::optional<events::EventIndex> moment;  // to go to
  Selection selection;                       // to light up
};

inline constexpr size_t kMostHitsOfAKind = 12;

// Without words the bookmarks alone. What is typed is looked for in names, whatever its case (HoldsWord); a
// number is a step or an event; "0x7f00" an address; and what an AllocationFilter understands (">1MB",
// "born:100..200") is asked of allocations, the newest of which are told. Nothing if `progress` said that
// nobody waits.
std::optional<std::vector<SearchHit>> Search(const timeline::View& view, std::string_view query,
                                             const std::vector<NamedMoment>& bookmarks, ByteUnit unit,
                                             const Progress& progress);

}  // namespace tidemark::presenters
