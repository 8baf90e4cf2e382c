// What was opened last, to be opened again: the latest first, kept with the window's view. UI thread only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"

namespace tidemark::gui {

inline constexpr size_t kMostRecent = 10;

// One file, or the ranks of one run, one file each; whole paths.
using Opening = std::vector<std::filesystem::path>;

// As they were named where there is no folder to be in: that which the window was started in may be gone.
Opening InWholePaths(Opening opening);

void PutFirst(Opening opening, std::vector<Opening>* recent);

// "run.tide", "run.rank0.tide and 3 more"
std::string TitleOf(const Opening& opening);
// "In /runs."
std::string WhereIs(const Opening& opening);
Command ToOpen(const Opening& opening);

}  // namespace tidemark::gui
