// Tests and the real cuDNN. Figures that a test states are those without cuDNN's workspaces, in every
// installation: each test program (and each golden case outside of golden/cudnn) runs with
// TIDEMARK_CUDNN=none. Tests that mean the figures with them say so by WithCudnn.
#pragma once

#include <optional>
#include <string>

namespace tidemark::tests {

// The folder of the installed cuDNN. Where there is none, or TIDEMARK_CUDNN=none came from outside, nothing,
// and a sentence on standard output by which CTest counts the test as skipped.
std::optional<std::string> InstalledCudnn();

// While it lives, programs that this one starts ask the installed cuDNN, with a fresh cache in `cache` (""
// for the one that all tests share).
class WithCudnn {
 public:
  explicit WithCudnn(const std::string& folder, const std::string& cache = "");
  ~WithCudnn();
  WithCudnn(const WithCudnn&) = delete;
  WithCudnn& operator=(const WithCudnn&) = delete;
};

}  // namespace tidemark::tests
