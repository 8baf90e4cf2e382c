#include "app/presenters/plot/plot_blocks.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "app/presenters/allocations/blocks.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::LiveBlock;
using timeline::View;

bool EveryEventIsAColumn(const TimelinePlot& plot) {
  for (size_t k = 1; k < plot.columns.size(); ++k) {
    if (plot.columns[k].peak != plot.columns[0].peak + k) return false;
  }
  return !plot.columns.empty();
}

// The stack, event by event.
class BlockStacking {
 public:
  BlockStacking(const View& view, const PlotBlocksRequest& request) : view_(view), request_(request) {}

  void Begin(const timeline::State& state, double position) {
    for (const LiveBlock& block : timeline::CountedBlocks(state))
      BandOf(block.category).push_back({block, position});
    Restack(position);
  }

  void Apply(const Event& event, EventIndex index, double position) {
    switch (event.kind) {
      case EventKind::kAllocate:
        Remove(event.address, position, true);
        Insert(BlockBornAt(event, index), position, true);
        break;
      case EventKind::kFreeRequested:
      case EventKind::kFreeCompleted:
        Remove(event.address, position, true);
        break;
      case EventKind::kCategorize:
        if (std::optional<LiveBlock> block = Remove(event.address, position, false)) {
          block->category = event.category;
          if (event.name != 0) block->name = event.name;
          Insert(*block, position, false);
        }
        break;
      default:
        return;
    }
    Restack(position);
  }

  std::vector<PlotBlock> End(double position) {
    for (std::vector<Placed>& band : bands_) {
      for (const Placed& placed : band) Close(placed, position, false);
    }
    return std::move(blocks_);
  }

 private:
  struct Placed {
    LiveBlock block;
    double since = 0;
    int64_t bottom_bytes = 0;
    bool born = false;  // at `since`
    bool lies = false;  // its bottom is known
  };

  std::vector<Placed>& BandOf(events::Category category) { return bands_[static_cast<size_t>(category)]; }

  void Insert(const LiveBlock& block, double position, bool born) {
    std::vector<Placed>& band = BandOf(block.category);
    const auto after =
        std::upper_bound(band.begin(), band.end(), block.born,
                         [](EventIndex index, const Placed& other) { return index < other.block.born; });
    band.insert(after, {block, position, 0, born});
  }

  std::optional<LiveBlock> Remove(uint64_t address, double position, bool gone) {
    for (std::vector<Placed>& band : bands_) {
      const auto found = std::find_if(band.begin(), band.end(), [address](const Placed& placed) {
        return placed.block.address == address;
      });
      if (found == band.end()) continue;
      Close(*found, position, gone);
      const LiveBlock block = found->block;
      band.erase(found);
      return block;
    }
    return std::nullopt;
  }

  void Restack(double position) {
    int64_t bottom = 0;
    for (std::vector<Placed>& band : bands_) {
      for (Placed& placed : band) {
        if (!placed.lies) {
          placed.bottom_bytes = bottom;
        } else if (std::abs(placed.bottom_bytes - bottom) > request_.tolerance_bytes) {
          Close(placed, position, false);
          placed.since = position;
          placed.bottom_bytes = bottom;
          placed.born = false;
        }
        placed.lies = true;
        bottom = SaturatingSum(bottom, std::max<int64_t>(0, placed.block.rounded_bytes));
      }
    }
  }

  void Close(const Placed& placed, double position, bool gone) {
    const LiveBlock& block = placed.block;
    if (position <= placed.since || block.rounded_bytes < std::max<int64_t>(1, request_.smallest_bytes))
      return;
    const bool has_room = position - placed.since >= request_.title_span;
    blocks_.push_back({placed.since, position, placed.bottom_bytes,
                       SaturatingSum(placed.bottom_bytes, block.rounded_bytes), block.category, placed.born,
                       gone, block.born, has_room ? BlockTitle(view_, block) : std::string()});
  }

  const View& view_;
  const PlotBlocksRequest& request_;
  std::array<std::vector<Placed>, events::kCategoryCount> bands_;
  std::vector<PlotBlock> blocks_;
};

}  // namespace

std::vector<PlotBlock> BlocksInSight(const View& view, const TimelinePlot& plot,
                                     const PlotBlocksRequest& request) {
  if (view.empty() || !EveryEventIsAColumn(plot)) return {};
  const View::StateEffort effort = view.EffortOfState(plot.columns.front().peak);
  if (plot.columns.size() * effort.blocks + kMovesOfFinding * effort.total() > kMostBlockMoves) return {};
  const timeline::State state = view.StateAt(plot.columns.front().peak);
  BlockStacking stacking(view, request);
  stacking.Begin(state, plot.columns.front().begin);
  for (const PlotColumn& column : plot.columns) {
    if (column.peak != state.index) stacking.Apply(view.event(column.peak), column.peak, column.begin);
  }
  return stacking.End(plot.columns.back().end);
}

}  // namespace tidemark::presenters
