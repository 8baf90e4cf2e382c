// The PyTorch that a user's program will import: found by asking the program's own Python, without importing
// it. Any thread; takes as long as starting Python.
#pragma once

#include <filesystem>
#include <functional>
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

// The Python that a command line starts: the program itself, or the interpreter that a script's first line
// names (torchrun and accelerate are such scripts).
Result<std::filesystem::path> PythonOf(const std::vector<std::string>& command);

// Fails with a sentence where there is no torch, or one that was built without CUDA. `goes_on`, if any, is
// asked five times a second while Python answers, and where it says no, that is ended and is the error.
Result<TorchInstallation> FindTorch(const std::filesystem::path& python,
                                    const std::function<bool()>& goes_on = {});

// The build id that the linker left in an ELF file, in hexadecimal.
Result<std::string> BuildIdOf(const std::filesystem::path& file);

}  // namespace tidemark::phantom
