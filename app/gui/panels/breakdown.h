// Where the peak goes: category by category, textbook, phantom and measurement side by side.
#pragma once

#include <set>
#include <string>

#include "app/gui/commands/commands.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/moment/breakdown.h"
#include "profiler/base/format.h"
#include "profiler/lessons/glossary.h"

namespace tidemark::gui {

struct BreakdownInput {
  const presenters::Breakdown* breakdown = nullptr;
  const textbook::Estimate* textbook = nullptr;
  ByteUnit unit = ByteUnit::kMegabytes;
  bool at_peak = true;         // else at a moment that a person has pinned, or where memory ran out
  bool ran_out = false;        // memory did, at this moment; what is predicted is of the peak
  bool only_measured = false;  // nothing stands beside it: a program that is not ours
  bool was_changed = false;    // the run has had other settings before
  bool is_first_step = false;  // with its settings, of the moment; what is predicted is of a later one
  bool on_phantom = false;     // the run is: its figures are predicted, too
  const presenters::SelectedOwners* selected = nullptr;
  const presenters::BytesByCategory* selected_bytes = nullptr;  // of what is selected, at this moment
  const lessons::Glossary* glossary = nullptr;
  std::string empty_reason;          // without rows
  std::string note;                  // what the phantom does not include, under the table
  std::set<events::Category> asked;  // a lesson asks for these: their figures, and the sums, are not told
};
struct BreakdownState {};

// Of a row under the mouse: what its word means, and its bytes with the textbook's formula, unless a lesson
// asks for these.
std::string ToldOf(const presenters::BreakdownRow& row, const BreakdownInput& input);

// Why a row is other than what is predicted of a run that begins with these settings, in one of its later
// steps; "" where nothing is known to be the reason.
std::string WhyOther(const presenters::BreakdownRow& row, const BreakdownInput& input);

void DrawBreakdownPanel(const BreakdownInput& input, BreakdownState& state, CommandQueue& queue);

}  // namespace tidemark::gui
