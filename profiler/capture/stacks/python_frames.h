// The Python frames of the calling thread, for processes that are Python's. They are read where CPython 3.9
// to 3.13 keeps them, without its lock: memory is handed out under LibTorch's locks and after it let go of
// Python's, so asking for that one here could wait for ever, and CPython's own functions need it. A thread's
// frames do not change while it is in here, and keep alive what is read of them. No object of Python's is
// made, kept or counted.
//
// Any thread. Never fails: of a thread that runs no Python, or in a Python that is laid out otherwise, there
// are no frames. O(frames).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::capture {

struct PythonFrame {
  const void* code = nullptr;  // the code object; lives at least as long as the frame runs
  const void* file = nullptr;  // its names, which tell code objects apart that follow each other at one place
  const void* function = nullptr;
  int instruction = 0;  // offset of the one that runs, in bytes
  int first_line = 0;   // of the code
};

// The innermost first; how many there are, up to out.size().
size_t ReadPythonFrames(std::span<PythonFrame> out);

// "forward (model.py:12)", "forward (torch/nn/modules/linear.py:134)" of a package, "run
// (python3.11/threading.py:982)" of Python's own. While the frame runs. O(letters + lines of the function).
std::string TextOf(const PythonFrame& frame);

// What a function of this thread got first, which takes all of its arguments as *args: the innermost of that
// name in a file of that name. Null if none runs. Only its address is worth something.
const void* FirstArgumentOf(std::string_view function, std::string_view file);

// Why there are none in this process: a sentence. "" if there can be some, or if it has no Python.
std::string WhyNoPythonFrames();

}  // namespace tidemark::capture
