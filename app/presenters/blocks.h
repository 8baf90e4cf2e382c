// An allocation wherever one is shown: as its event tells of it, and how it is called. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// As it was born; `event` is its kAllocate.
timeline::LiveBlock BlockBornAt(const events::Event& event, events::EventIndex index);

// Its tensor's name; where it has none, what it holds and who made it: "temporary of aten::relu".
std::string BlockTitle(const timeline::View& view, const timeline::LiveBlock& block);

// A stack's frames, a line each, from the frame `first` outwards; some 14 of them.
std::string StackLines(std::string_view stack, size_t first = 0);
// Those of an operator's name that is a stack; "" where it is the operator alone.
std::string StackIn(std::string_view op);

}  // namespace tidemark::presenters
