// Which devices this machine has, without loading any CUDA library. Thread safe.
#pragma once

#include <string>
#include <vector>

namespace tidemark::gui {

// Names of the NVIDIA GPUs, in the order of their numbers, as the kernel driver lists them; empty where there
// is none.
std::vector<std::string> FindCudaDevices();

}  // namespace tidemark::gui
