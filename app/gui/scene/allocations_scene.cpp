#include "app/gui/scene/allocations_scene.h"

#include <utility>

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

}  // namespace

void AllocationsScene::BeginFrame(const ViewState& state, const presenters::SelectedOwners& selected,
                                  Frame& frame) {
  allocations_.BeginFrame();
  throttle_.BeginFrame();
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
  if (wanted.listed == Listed::kEvents) return;  // the panel takes them from the view
  presenters::ReadFilter read = presenters::ReadAllocationFilter(wanted.filter.data());
  frame.allocations.filter_error = std::move(read.unreadable);
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

}  // namespace tidemark::gui
