// Which card is behind a number of CUDA's: CUDA_VISIBLE_DEVICES hides cards and changes their order, and NVML
// knows nothing of it. Asks the CUDA driver that the process has loaded, which needs no context for that. Any
// thread, inside of the allocator too.
#pragma once

#include <string>

namespace tidemark::capture {

// "GPU-00112233-4455-...", as NVML names the card with these 16 bytes (cudaDeviceProp::uuid).
std::string CardUuid(const char* bytes);

// Of the device of that number; of a slice of a card (MIG) the slice's. "" where nobody tells.
std::string UuidOfCudaDevice(int number);

// "NVIDIA H200"; "" where nobody tells.
std::string NameOfCudaDevice(int number);

}  // namespace tidemark::capture
