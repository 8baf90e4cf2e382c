// Which NVIDIA GPUs this machine has, without loading any CUDA library. Thread safe; a few files are looked
// at.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tidemark {

// Their names, in the order of their numbers, as the kernel driver lists them; empty where there is none.
// `root`: where /proc and /dev lie, for tests.
std::vector<std::string> FindNvidiaGpus(const std::filesystem::path& root = "/");

}  // namespace tidemark
