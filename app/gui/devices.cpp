#include "app/gui/devices.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tidemark::gui {

std::vector<std::string> FindCudaDevices() {
  std::error_code failure;
  std::vector<std::filesystem::path> folders;
  for (std::filesystem::directory_iterator it("/proc/driver/nvidia/gpus", failure), end;
       !failure && it != end; it.increment(failure)) {
    folders.push_back(it->path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<std::string> names;
  for (const std::filesystem::path& folder : folders) {
    std::ifstream file(folder / "information");
    std::string name = "NVIDIA GPU";
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("Model:", 0) != 0) continue;
      const size_t begin = line.find_first_not_of(" \t", 6);
      if (begin != std::string::npos) name = line.substr(begin);
    }
    names.push_back(name);
  }
  // A container may have a device and hide the driver's folder.
  for (int i = 0; names.empty() && i < 16; ++i) {
    if (std::filesystem::exists("/dev/nvidia" + std::to_string(i), failure)) names.emplace_back("NVIDIA GPU");
  }
  return names;
}

}  // namespace tidemark::gui
