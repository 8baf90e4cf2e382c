// A user's program, before it is started: how it is told of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::cli {

// What we exit with where it could not be started, with a recording in this file ("" = none).
int ExitOfFailedStart(const std::vector<std::string>& program, const std::string& recording);

// "python train.py --lr '1 2'": as one could type it, cut short where it goes on and on.
std::string CommandLineOf(const std::vector<std::string>& program);
// The program's file or module, without the Python or the launcher before it and that one's options.
std::string TitleOf(const std::vector<std::string>& program);
// The processes that a launcher is told to start here, each of which wants a card of its own: torchrun
// --nproc-per-node 4, accelerate launch --num_processes 4, deepspeed --num_gpus 4. Without a number 1, and
// without a launcher none.
std::optional<int> ProcessesOfLauncher(const std::vector<std::string>& program);

}  // namespace tidemark::cli
