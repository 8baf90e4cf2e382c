// The clock that events and logs are stamped with. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace tidemark {

// CLOCK_REALTIME.
inline int64_t RealtimeNs() {
  return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace tidemark
