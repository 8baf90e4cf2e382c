// The PyTorch that a user's program will import: found by asking the program's own Python, without importing
// it. Any thread; takes as long as starting Python.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

struct TorchInstallation {
  std::filesystem::path python;  // the interpreter that was asked
  std::filesystem::path site;    // the folder that holds torch/
  std::string version;           // "2.6.0+cu124"
  std::string cuda;              // "12.4"
  std::string build_id;          // of libtorch_cuda.so: two builds of one version differ in it
};

// The file that a command line's first word starts, as execvp looks for it; none = there is no such program.
std::optional<std::filesystem::path> InPath(const std::string& name);

// How a command line starts Python: the words up to Python's own, and where in the line that is named. What
// stands before it (env, timeout, nice, uv run) is among them, for it may decide which Python that is. Of a
// script that Python runs (torchrun and accelerate are such), it is the interpreter of its first line.
struct PythonStart {
  std::vector<std::string> words;
  size_t place = 0;
};
Result<PythonStart> PythonOf(const std::vector<std::string>& command);

// Asks the Python that these words start. Fails with a sentence where there is no torch, or one that was
// built without CUDA, and where what starts it takes our environment away. `goes_on`, if any, is asked five
// times a second while Python answers, and where it says no, that is ended and is the error.
Result<TorchInstallation> FindTorch(const std::vector<std::string>& start,
                                    const std::function<bool()>& goes_on = {});

// The build id that the linker left in an ELF file, in hexadecimal.
Result<std::string> BuildIdOf(const std::filesystem::path& file);

}  // namespace tidemark::phantom
