#include "profiler/base/nvidia_gpus.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace tidemark {
namespace {

constexpr int kMostGpus = 16;
constexpr const char* kUnnamed = "NVIDIA GPU";

// "Model: 		 NVIDIA H200" in the driver's file about a GPU.
std::string NameIn(const std::filesystem::path& information) {
  std::ifstream file(information);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("Model:")) continue;
    const size_t begin = line.find_first_not_of(" \t", 6);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return kUnnamed;
}

}  // namespace

std::vector<std::string> FindNvidiaGpus(const std::filesystem::path& root) {
  std::error_code failure;
  std::vector<std::filesystem::path> folders;
  for (std::filesystem::directory_iterator it(root / "proc/driver/nvidia/gpus", failure), end;
       !failure && it != end; it.increment(failure)) {
    folders.push_back(it->path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<std::string> names;
  names.reserve(folders.size());
  for (const std::filesystem::path& folder : folders) names.push_back(NameIn(folder / "information"));
  // A container may have a device and hide the driver's folder.
  for (int i = 0; names.empty() && i < kMostGpus; ++i) {
    if (std::filesystem::exists(root / ("dev/nvidia" + std::to_string(i)), failure)) {
      names.emplace_back(kUnnamed);
    }
  }
  // Windows shares its GPU with Linux by this device, and tells no name.
  if (names.empty() && std::filesystem::exists(root / "dev/dxg", failure)) names.emplace_back(kUnnamed);
  return names;
}

}  // namespace tidemark
