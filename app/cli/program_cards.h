// A user's program on cards other than the one that it ran on: what its requests depend on beside the program
// (cuBLAS's and cuDNN's workspaces, what goes by the number of multiprocessors) is then each card's own.
// Main thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/program_launch.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// What the program did on the phantom of one card.
struct CardRun {
  phantom::Card card;
  std::shared_ptr<const timeline::View> view;  // null where nothing of it was heard
  std::string failure;                         // why there is no answer; "" if there is
};

// Whether a run on one stands for a run on the other: all that the stand-ins answer, and cuDNN is told of, is
// the same, but for names, the memory and its clock. Pure function.
bool ShareRuns(const phantom::Card& one, const phantom::Card& other);

// Runs it on each of these cards, with all else as `launch` has it, and tells of each run as soon as it has
// ended; its words go nowhere. Ctrl-C ends that early, with the runs that there are. Errors: the program is
// none that Python runs itself, ...
Status RunOnCards(const std::vector<std::string>& program, const ProgramLaunch& launch,
                  const std::vector<phantom::Card>& cards, const std::function<void(const CardRun&)>& ran);

}  // namespace tidemark::cli
