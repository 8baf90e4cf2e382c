// Where in a Python program a call comes from, for programs that are Python.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiler/phantom/device/enclosing_loop.h"

namespace tidemark::phantom::device {

// "train.py:42": the innermost line of this thread that is not PyTorch's own; of a package's, from the
// package on, with the program's own line that led there: "transformers/generation/utils.py:2543 (called from
// train.py:40)". Nothing where this process or this thread runs no Python. Takes Python's lock for a moment;
// from a function that holds none of ours.
std::optional<std::string> PythonPlace();

// Whether the innermost line of this thread is in the file whose path ends so, and in the function of that
// name, if one is given. Otherwise as PythonPlace.
bool PythonIsIn(std::string_view file_ending, std::string_view function = {});

// The same of any line of PyTorch's own that leads from the innermost out to what is not PyTorch's.
bool PythonComesFrom(std::string_view file_ending);

// The innermost line of this thread, as its file has it; empty where there is none. Reads that file.
std::string PythonLine();

// Whether what this thread's Python runs stands in a `while`, which ends by what it computes, where a `for`
// ends by itself: in its function, or those that called it, up to the program's own file. No, too, where no
// source tells. Reads files.
bool PythonIsInWhile();

// When what is read in the innermost line of this thread ends a `for` (enclosing_loop.h); of PyTorch's own
// lines none does. Reads a file, once for each line.
LoopEnd PythonEndOfFor();

}  // namespace tidemark::phantom::device
