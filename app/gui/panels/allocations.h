// The table of allocations: those alive at the moment that the map shows, or those born in what the timeline
// shows; or the stream itself, event by event (event_rows.h). All filtered by what the person types. UI
// thread only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "app/gui/commands/commands.h"
#include "app/gui/panels/event_rows.h"
#include "app/presenters/allocations/allocations.h"
#include "app/presenters/allocations/event_filter.h"
#include "app/presenters/allocations/selection.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct AllocationsInput {
  const timeline::View* view = nullptr;  // for names; none = nothing to show yet
  const presenters::AllocationTable* table = nullptr;
  const presenters::EventSet* events = nullptr;  // that fit the filter; none = all
  std::string events_reason;                     // why none are listed; "" = they are
  std::string moment;                            // "at event 1,234 of step 5"
  events::EventIndex shown = 0;                  // that moment
  const presenters::SelectedOwners* selected = nullptr;
  std::string filter_error;
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
};

enum class Listed : uint8_t { kAlive, kBornInSight, kEvents };

// What a person types ends with the first 0; behind that lies what was typed before.
struct FilterText : std::array<char, 200> {
  bool operator==(const FilterText& other) const { return std::string_view(data()) == other.data(); }
};

// Which allocations, and in which order: what is gone back to (view/view_history.h).
struct ListedAllocations {
  Listed listed = Listed::kAlive;
  bool only_selected = false;  // where anything is
  FilterText filter{};
  presenters::AllocationColumn sort = presenters::AllocationColumn::kBytes;
  bool descending = true;

  bool operator==(const ListedAllocations&) const = default;
};

struct AllocationsState : ListedAllocations {
  bool drawn = false;  // in this frame: a hidden tab is not prepared
  EventRowsState events;
};

void DrawAllocationsPanel(const AllocationsInput& input, AllocationsState& state, CommandQueue& queue);

}  // namespace tidemark::gui
