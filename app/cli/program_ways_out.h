// After a program ran out of memory: what of its allocator's settings would have made room. The program's own
// settings are not ours to change. Takes parts of a second; main thread only.
#pragma once

#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "profiler/advice/what_if.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

struct Room {
  advice::AllocatorTrials tried;
  std::string of_card;      // which one is meant, where the run's is not known; else ""
  std::string fit_command;  // tells what settings of the allocator cannot do
};

// All that it asked for until it ended, with other settings. Fails with a sentence where its PyTorch is not
// known, and where none could be tried.
Result<Room> FindRoom(const session::Run& run);

// Those that have room, the one that reserves least first; the rows end with the notes.
std::string RoomRows(const Room& room);
Json RoomJson(const Room& room);
// What is to be known of them: why some were not tried, and how far the figures can be trusted.
std::vector<std::string> RoomNotes(const Room& room);

}  // namespace tidemark::cli
