// Programs of a person's that the window starts.
#pragma once

#include <string>
#include <vector>

#include "app/cli/programs/phantom_order.h"
#include "profiler/base/result.h"
#include "profiler/session/program_order.h"

namespace tidemark::cli {

// The words of a command as a shell reads them, variables and ~ included; no command in it is run. Errors: an
// open quote, a | or another sign that takes a shell.
Result<std::vector<std::string>> WordsOf(const std::string& command);

// The error, and `watch` is told what it is about.
Error Blame(const session::StartWatch& watch, session::ProgramField field, Error error);

// What an order says of a phantom.
PhantomOptions OptionsOf(const session::ProgramOrder& order);

// session::StartProgram. One program at a time: the next one begins when the one before has ended.
Result<std::shared_ptr<session::Run>> StartProgram(const session::ProgramOrder& order,
                                                   const session::StartWatch& watch = {});

}  // namespace tidemark::cli
