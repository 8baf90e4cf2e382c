#include "profiler/base/nvidia_gpus.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

// A folder to stand for a machine; gone with it.
class Machine {
 public:
  Machine() : root_(fs::temp_directory_path() / ("tidemark-machine-" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void Has(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("GPUs are known by the driver's files, by their devices, or by what Windows shares") {
  const Machine without;
  CHECK(FindNvidiaGpus(without.root()).empty());
  {
    const Machine windows;
    windows.Has("dev/dxg", "");
    CHECK(FindNvidiaGpus(windows.root()) == Names{"NVIDIA GPU"});
  }
  {
    const Machine container;
    container.Has("dev/nvidia1", "");
    CHECK(FindNvidiaGpus(container.root()) == Names{"NVIDIA GPU"});
  }
  const Machine machine;
  machine.Has("dev/nvidia0", "");
  machine.Has("proc/driver/nvidia/gpus/0000:02:00.0/information", "IRQ: 1\nModel: \t\t NVIDIA T4\n");
  machine.Has("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: \t\t NVIDIA H200\nIRQ: 2\n");
  CHECK(FindNvidiaGpus(machine.root()) == Names{"NVIDIA H200", "NVIDIA T4"});
}

}  // namespace tidemark
