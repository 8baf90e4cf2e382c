// A user's program, before it is started: how it is told of, and whether its recording can be kept.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::cli {

// Before minutes are spent on what cannot be kept. Leaves the file as it is; "" can be written.
Status CanBeWritten(const std::string& file);

// "python train.py --lr '1 2'": as one could type it, cut short where it goes on and on.
std::string CommandLineOf(const std::vector<std::string>& program);
// The program's file or module, without the Python before it and that one's options.
std::string TitleOf(const std::vector<std::string>& program);

}  // namespace tidemark::cli
