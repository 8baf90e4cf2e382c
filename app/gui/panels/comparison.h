// Two runs side by side, or one at two moments: by level, category and layer, and the allocations of which
// one has more. UI thread only.
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/comparison/comparison_text.h"
#include "app/presenters/comparison/side_by_side.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

struct ComparisonInput {
  const presenters::SideBySide* comparison = nullptr;  // none: see empty_reason
  bool second_run = false;
  ByteUnit unit = ByteUnit::kMegabytes;
  std::string empty_reason;
  const presenters::SelectedOwners* selected = nullptr;
  const presenters::StreamsSummary* streams = nullptr;  // of two runs, once it is known
  std::string settings;                                 // the second run's, as far as they are others
  std::vector<std::string> notes = {};                  // on either of two runs, that the other lacks
};
struct ComparisonState {
  bool drawn = false;  // in the last frame: only then it is made
};

// Beside the names; of a narrow panel first A goes, then B. The difference, for which one looks here, stays.
struct ComparedColumns {
  bool a = true;
  bool b = true;

  bool operator==(const ComparedColumns&) const = default;
};
// In pixels. Of names as much as tells them apart.
struct ComparedWidths {
  float names = 0;
  float a = 0;
  float b = 0;
  float difference = 0;
};
// `padding`: of each column, and of one more at the end.
ComparedColumns ComparedColumnsFor(const ComparedWidths& widths, float padding, float room);

void DrawComparisonPanel(const ComparisonInput& input, ComparisonState& state, CommandQueue& queue);

}  // namespace tidemark::gui
