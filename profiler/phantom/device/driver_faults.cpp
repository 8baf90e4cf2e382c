#include "profiler/phantom/device/driver_faults.h"

#include <chrono>
#include <thread>

namespace tidemark::phantom::device {

void DriverFaults::Delay() const {
  if (faults_.request_delay_ns > 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(faults_.request_delay_ns));
  }
}

bool DriverFaults::Fails(size_t bytes) {
  ++requests_;
  if (faults_.largest_piece_bytes > 0 && bytes > static_cast<size_t>(faults_.largest_piece_bytes))
    return true;
  if (faults_.failing_request == 0) return false;
  return faults_.later_ones_fail_too ? requests_ >= faults_.failing_request
                                     : requests_ == faults_.failing_request;
}

size_t DriverFaults::TakenByAnother() {
  if (taken_ || faults_.taken_bytes == 0 || requests_ < faults_.taken_after) return 0;
  taken_ = true;
  return static_cast<size_t>(faults_.taken_bytes);
}

}  // namespace tidemark::phantom::device
