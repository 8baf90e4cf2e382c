// What the Findings panel tells of a run: findings, and why memory ran out. Pure, any thread; looks at a
// whole step and at everything alive, which takes long on large runs.
#pragma once

#include "app/gui/panels/findings.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// In `unit`; where memory ran out all of it as PyTorch counts, whose message it is read beside.
// `usable_bytes`: of the card, for PyTorch; 0 = not known.
RunFindings LookForFindings(const timeline::View& view, ByteUnit unit, int64_t usable_bytes);

}  // namespace tidemark::gui
