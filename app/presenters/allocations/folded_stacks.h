// What is alive at one moment as folded stacks, the text that flamegraph.pl, inferno and speedscope read: a
// line each, "step (train.py:40);forward (model.py:12);aten::conv2d;activation 4096"; and at two, as
// difffolded.pl writes them for the flame graph of their difference: "...;activation 4096 2048". Pure
// functions, any thread.
#pragma once

#include <optional>
#include <string>

#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// The frames are, from the outermost, the call stack that asked for a block, and where none was recorded what
// else is told of its birth: the phase, the layer with the modules around it, the operator. The last frame is
// its category. The number is the blocks' size in bytes (rounded), of those alike together: all lines add up
// to what is allocated. In names a semicolon is a comma, and a control character a space. Sorted by frames.
// Nothing if `progress` said so. O(blocks · frames · log).
std::optional<std::string> FoldedStacksOf(const timeline::View& view, const timeline::State& state,
                                          const Progress& progress);

// The stacks of either state, with the bytes of `a` and of `b`, of which one may be 0. Otherwise as above.
std::optional<std::string> FoldedDifferenceOf(const timeline::View& view_a, const timeline::State& a,
                                              const timeline::View& view_b, const timeline::State& b,
                                              const Progress& progress);

}  // namespace tidemark::presenters
