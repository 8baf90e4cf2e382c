// How an allocation is called wherever it is shown. Pure functions.
#pragma once

#include <string>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// Its tensor's name; where it has none, what it holds and who made it: "temporary of aten::relu".
std::string BlockTitle(const timeline::View& view, const timeline::LiveBlock& block);

}  // namespace tidemark::presenters
