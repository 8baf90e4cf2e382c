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

}  // namespace tidemark::events
