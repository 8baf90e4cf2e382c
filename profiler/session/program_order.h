// What a person asks for who starts a program of theirs from the window.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/run.h"

namespace tidemark::session {

struct ProgramOrder {
  std::string command;              // "python train.py --batch 64", as one would type it
  std::optional<std::string> card;  // on the phantom of this card; none = as it is, on this machine
  std::string recording;            // .tide file to write; "" = none
  std::vector<std::string> stacks;  // of these languages (events/stack_languages.h) are told
  bool kernels = false;             // and memory copies and memsets, are told
  bool operators = false;           // PyTorch's are told; on a phantom they are anyway
};

// Who waits for a start. Either may be left out.
struct StartWatch {
  std::function<void(std::string_view line)> told = {};  // what is being done, and how far
  std::function<bool()> goes_on = {};                    // asked several times a second; false ends the start
};

// Starts it; its run ends it when it goes, and then waits for it: for no thread of a window. May take a
// minute where a phantom's stand-ins have to be built. Any thread. Errors: what is wrong with the order, or
// missing, or ended by `watch`.
using StartProgram =
    std::function<Result<std::shared_ptr<Run>>(const ProgramOrder& order, const StartWatch& watch)>;

}  // namespace tidemark::session
