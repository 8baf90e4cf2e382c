// What the Findings panel tells of a run: findings, and why memory ran out. Pure, any thread; looks at a
// whole step and at everything alive, which takes long on large runs.
#pragma once

#include "app/gui/panels/findings.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// Of the card that a run was on.
struct CardMemory {
  int64_t bytes = 0;  // 0 = not known
  int64_t context_bytes = 0;

  int64_t usable_bytes() const { return bytes - context_bytes; }  // for PyTorch
  bool operator==(const CardMemory&) const = default;
};

// In `unit`; where memory ran out all of it as PyTorch counts, whose message it is read beside.
RunFindings LookForFindings(const timeline::View& view, ByteUnit unit, const CardMemory& card);

}  // namespace tidemark::gui
