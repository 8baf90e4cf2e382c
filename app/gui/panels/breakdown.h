// Where the peak goes: category by category, textbook, phantom and measurement side by side.
#pragma once

#include <string>

#include "app/gui/commands.h"
#include "app/presenters/selection.h"
#include "app/presenters/tables.h"
#include "profiler/base/format.h"
#include "profiler/lessons/glossary.h"

namespace tidemark::gui {

struct BreakdownInput {
  const presenters::Breakdown* breakdown = nullptr;
  const textbook::Estimate* textbook = nullptr;
  ByteUnit unit = ByteUnit::kMegabytes;
  bool only_measured = false;  // nothing stands beside it: a program that is not ours
  const presenters::SelectedOwners* selected = nullptr;
  const lessons::Glossary* glossary = nullptr;
  std::string note;  // what the phantom does not include, under the table
};
struct BreakdownState {};

void DrawBreakdownPanel(const BreakdownInput& input, BreakdownState& state, CommandQueue& queue);

}  // namespace tidemark::gui
