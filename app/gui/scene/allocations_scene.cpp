#include "app/gui/scene/allocations_scene.h"

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

}  // namespace

void AllocationsScene::BeginFrame(const ViewState& state, const presenters::SelectedOwners& selected,
                                  Frame& frame) {
  allocations_.BeginFrame();
  throttle_.BeginFrame();
  events_.BeginFrame();
  events_throttle_.BeginFrame();
  frame.allocations = {};
  frame.allocations.unit = state.unit;
  frame.allocations.selected = &selected;
}

void AllocationsScene::Prepare(const std::shared_ptr<const timeline::View>& view, timeline::EventIndex moment,
                               ViewState& state, Frame& frame) {
  AllocationsState& wanted = state.allocations;
  if (!std::exchange(wanted.drawn, false)) return;
  frame.allocations.view = view.get();
  frame.allocations.moment = frame.memory_map.moment;
  frame.allocations.shown = moment;
  presenters::ReadFilter read = presenters::ReadAllocationFilter(wanted.filter.data());
  frame.allocations.filter_error = std::move(read.unreadable);
  if (wanted.listed == Listed::kEvents) return PrepareEvents({view, std::move(read.filter)}, frame);
  AllocationsAsked asked{
      view,
      {wanted.listed == Listed::kBornInSight, moment, frame.memory_map.first, frame.memory_map.last + 1,
       std::move(read.filter), wanted.only_selected ? state.selection : presenters::Selection(), wanted.sort,
       wanted.descending}};
  // A range that a person moves and a filter that they type wait as a run that streams in does.
  const bool by_hand = asked.query.only != allocations_asked_.query.only;
  if (throttle_.Takes(asked != allocations_asked_, by_hand)) allocations_asked_ = std::move(asked);
  const bool fits =
      FitsInFrame(presenters::EffortOfTable(*allocations_asked_.view, allocations_asked_.query));
  allocations_.Ask(allocations_asked_, fits, [](const AllocationsAsked& wanted_now, const auto& progress) {
    return presenters::MakeAllocationTable(*wanted_now.view, wanted_now.query, progress);
  });
  if (const auto line = allocations_.Line("Listing allocations", 300ms)) frame.jobs.push_back(*line);
  if (allocations_.answer() == nullptr) {
    frame.allocations.empty_reason = allocations_.cancelled()
                                         ? "Cancelled. Another moment or filter is looked for again."
                                         : "Looking through the run…";
    return;
  }
  frame.allocations.table = allocations_.answer();
}

// All of the run is looked through, so one that goes on is so now and then only.
void AllocationsScene::PrepareEvents(EventsAsked asked, Frame& frame) {
  if (asked.filter == presenters::AllocationFilter()) return;  // the panel takes them from the view
  const bool by_hand = asked.filter != events_asked_.filter;
  const auto rest = std::max<Throttle::Clock::duration>(100ms, 10 * events_.took());
  if (events_throttle_.Takes(asked != events_asked_, by_hand, rest)) events_asked_ = std::move(asked);
  const uint64_t looked_at = events_asked_.view->end() - events_asked_.view->first();
  events_.Ask(events_asked_, looked_at <= kMostLookedAtInAFrame,
              [](const EventsAsked& wanted, const auto& progress) {
                return presenters::EventsThatFit(*wanted.view, wanted.filter, progress);
              });
  if (const auto line = events_.Line("Looking through events", 300ms)) frame.jobs.push_back(*line);
  // Until they are there those of the same filter are listed that were there before.
  if (events_.question() && events_.question()->filter == events_asked_.filter) {
    frame.allocations.events = events_.answer();
  } else {
    frame.allocations.events_reason =
        events_.cancelled() ? "Cancelled. Another filter is looked for again." : "Looking through the run…";
  }
}

}  // namespace tidemark::gui
