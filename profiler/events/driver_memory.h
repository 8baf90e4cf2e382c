// How the part of the driver's level is called that one library asked for: the name of a kCounter of no
// level, from Source::kDriver, for each library.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::events {

inline constexpr std::string_view kDriverMemoryOf = "driver memory of ";

inline std::string DriverMemoryCounter(std::string_view library) {
  return std::string(kDriverMemoryOf) + std::string(library);
}

// Managed memory (cudaMallocManaged), a counter likewise: it is on the host or on the card, as its pages
// move, and in none of the levels (events::Level).
inline constexpr std::string_view kManagedMemory = "managed memory";

// What CUPTI reserves of a card's memory for itself where it tells of kernels, at the least, as it says; a
// counter likewise. It is a part of the process's level, and none of the driver's, whom CUPTI does not ask by
// calls that it would tell of.
inline constexpr std::string_view kCuptiMemory = "CUPTI's own buffers, at least";

}  // namespace tidemark::events
