// Which cuDNN is asked: the one that a program's own LibTorch would load, and no other.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom::workspaces {

struct Library {
  std::filesystem::path file;                  // .../nvidia/cudnn/lib/libcudnn.so.9
  std::vector<std::filesystem::path> folders;  // where it finds the libraries that it loads by name
  std::string identity;                        // of its contents and of what stands beside it
};

// The environment variable that says otherwise: "none", or the folder of another libcudnn.so.9.
inline constexpr const char* kLibraryVariable = "TIDEMARK_CUDNN";

// What this process's libtorch_cuda.so has beside it (site-packages/nvidia/cudnn/lib), as the packages for
// Python lay it out. Reads the library's small front file once: 0.1 ms. Errors say why there is none, to go
// on after "cuDNN's workspaces are not included: ".
Result<Library> FindLibrary();
// The same for the LibTorch of this file.
Result<Library> FindLibraryBeside(const std::filesystem::path& libtorch_cuda);

}  // namespace tidemark::phantom::workspaces
