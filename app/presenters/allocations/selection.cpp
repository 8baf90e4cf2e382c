#include "app/presenters/allocations/selection.h"

#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/allocations/layer_names.h"
#include "profiler/base/wrapping.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::presenters {
namespace {

using timeline::LiveBlock;
using timeline::View;
using Owner = Selection::Kind;

// An allocation's last event before its end.
std::optional<events::EventIndex> LastMoment(const View& view, events::EventIndex born) {
  if (view.empty() || born < view.first() || born >= view.end()) return std::nullopt;
  return view.FreedAt(born).value_or(view.end()) - 1;
}

// As it was then: what it turned out to hold.
std::optional<LiveBlock> LastOf(const View& view, events::EventIndex born) {
  const std::optional<events::EventIndex> moment = LastMoment(view, born);
  if (!moment) return std::nullopt;
  for (const LiveBlock& block : view.StateAt(*moment).blocks) {
    if (block.born == born) return block;
  }
  return std::nullopt;
}

SelectedOwners OwnersOfAllocation(const Selection& selection, const View& view) {
  SelectedOwners owners;
  owners.block = LastOf(view, selection.born);
  if (!owners.block) return owners;
  owners.selection = selection;
  owners.title = BlockTitle(view, *owners.block);
  owners.category = owners.block->category;
  owners.layer = LayerOf(view, *owners.block);
  owners.op = events::InnermostFrame(view.name(owners.block->op));
  owners.line = events::InnermostLine(view.name(owners.block->op));
  return owners;
}

}  // namespace

Selection AllocationSelected(events::EventIndex born) { return {Owner::kAllocation, born, {}, {}}; }
Selection CategorySelected(events::Category category) { return {Owner::kCategory, 0, category, {}}; }
Selection LayerSelected(std::string name) { return {Owner::kLayer, 0, {}, std::move(name)}; }
Selection OperatorSelected(std::string name) { return {Owner::kOperator, 0, {}, std::move(name)}; }
Selection FrameSelected(std::string name) { return {Owner::kFrame, 0, {}, std::move(name)}; }

bool Selects(const Selection& selection, const View& view, const LiveBlock& block) {
  switch (selection.kind) {
    case Owner::kNothing:
      return false;
    case Owner::kAllocation:
      return block.born == selection.born;
    case Owner::kCategory:
      return block.category == selection.category;
    case Owner::kLayer:
      return IsOneOf(selection.name, LayerOf(view, block));
    case Owner::kOperator:
      return events::InnermostFrame(view.name(block.op)) == selection.name;
    case Owner::kFrame:
      return events::HasFrame(view.name(block.op), selection.name);
  }
  return false;
}

SelectedBlocks SelectedIn(const Selection& selection, const View& view, const timeline::State& state) {
  SelectedBlocks selected;
  selected.lit.reserve(state.blocks.size());
  for (const LiveBlock& block : state.blocks) {
    const bool lit = Selects(selection, view, block);
    selected.lit.push_back(lit);
    if (lit && timeline::Counts(block))
      AddTo(selected.bytes[static_cast<size_t>(block.category)], block.rounded_bytes);
  }
  return selected;
}

SelectedOwners OwnersOf(const Selection& selection, const View& view) {
  if (selection.kind == Owner::kAllocation) return OwnersOfAllocation(selection, view);
  SelectedOwners owners;
  owners.selection = selection;
  if (selection.kind == Owner::kCategory) {
    owners.category = selection.category;
    owners.title = events::NameOf(selection.category);
  } else if (selection.kind == Owner::kLayer) {
    owners.layer = selection.name;
    owners.title = "layer " + selection.name;
  } else if (selection.kind == Owner::kOperator) {
    owners.op = selection.name;
    owners.title = selection.name;
  } else if (selection.kind == Owner::kFrame) {
    owners.line = selection.name;
    owners.title = selection.name;
  }
  return owners;
}

View::StateEffort EffortOfOwners(const Selection& selection, const View& view) {
  if (selection.kind != Owner::kAllocation) return {};
  const std::optional<events::EventIndex> moment = LastMoment(view, selection.born);
  return moment ? view.EffortOfState(*moment) : View::StateEffort();
}

}  // namespace tidemark::presenters
