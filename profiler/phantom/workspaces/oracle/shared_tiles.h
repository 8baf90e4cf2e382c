// What convolutions of cuDNN's kernels for Hopper take as workspace on a card, where the device-less mode
// tells something else. Such a kernel computes its product tile by tile, a wave of tiles at a time, and the
// tiles of a last wave that would leave most multiprocessors idle are shared: several compute a part of the
// inner dimension each, and leave it in the workspace to be added up ("stream-K": Osama et al. 2023, and
// CUTLASS 3, tile_scheduler_params.h). How many take part depends on how many clusters of thread blocks the
// card holds at once, which cuDNN asks the driver (cuOccupancyMaxActiveClusters) and cannot without one: it
// then plans as if there were few.
//
// The rules are those of what cuDNN 9.19 planned with the handle of an H200
// (tests/gpu/fixtures/h200/plans.tsv, November 2026): of 964 plans that they speak of 914 take just that, to
// the byte; the device-less mode told that of 194. The others are mostly gradients of weights in 32 bits,
// which have fewer parts there. For other versions of cuDNN and other cards with as many multiprocessors
// (H100, GH200) they are derived: chips even of one kind may differ in the room for clusters, for each has
// other multiprocessors switched off.
//
// Values only. O(size of the tree).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/phantom/workspaces/question.h"

namespace tidemark::phantom::workspaces {

// Whether the room for clusters is known of the card that cuDNN is told of in this JSON.
bool KnowsClusters(const std::string& device_properties);

// The workspace of a plan with these knobs; nothing where what the device-less mode tells holds: the
// operation is another than one convolution without groups, or no such kernel computes it.
std::optional<int64_t> WorkspaceOfSharedTiles(const DescriptorTree& tree,
                                              const std::vector<KnobChoice>& knobs);

}  // namespace tidemark::phantom::workspaces
