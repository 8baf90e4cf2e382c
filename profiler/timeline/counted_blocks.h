// The blocks of a state that count in its values: those whose free was not requested yet (timeline.h tells
// when a block counts). Pure.
#pragma once

#include <ranges>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

inline bool Counts(const LiveBlock& block) { return !block.pending_free; }

// By birth, as in the state, which must outlive them.
inline auto CountedBlocks(const State& state) { return std::views::filter(state.blocks, Counts); }

}  // namespace tidemark::timeline
