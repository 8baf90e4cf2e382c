#include "profiler/phantom/device/driver_faults.h"

#include <chrono>
#include <string>
#include <thread>

#include "profiler/phantom/device/doubts.h"

namespace tidemark::phantom::device {

void DriverFaults::Delay() const {
  if (faults_.request_delay_ns > 0) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(faults_.request_delay_ns));
  }
}

bool DriverFaults::Fails(size_t bytes) {
  ++requests_;
  if (faults_.request_delay_ns > 0) Tell(kSlowDriverFault, bytes);
  if (faults_.largest_piece_bytes > 0 && bytes > static_cast<size_t>(faults_.largest_piece_bytes)) {
    Tell(kFragmentationFault, bytes);
    return true;
  }
  if (faults_.failing_request == 0) return false;
  const bool fails = faults_.later_ones_fail_too ? requests_ >= faults_.failing_request
                                                 : requests_ == faults_.failing_request;
  if (fails) Tell(kOutOfMemoryFault, bytes);
  return fails;
}

void DriverFaults::Tell(std::string_view kind, size_t bytes) {
  for (const std::string_view told : told_) {
    if (told == kind) return;
  }
  told_.push_back(kind);
  DoubtOrSay(FaultStruck(kind) + "first at request " + std::to_string(requests_) + " to the driver, for " +
             std::to_string(bytes) + " bytes.");
}

size_t DriverFaults::TakenByAnother() {
  if (taken_ || faults_.taken_bytes == 0 || requests_ < faults_.taken_after) return 0;
  taken_ = true;
  DoubtOrSay(FaultStruck(kOtherProcessFault) + "it took memory before the program's request " +
             std::to_string(requests_ + 1) + ".");
  return static_cast<size_t>(faults_.taken_bytes);
}

}  // namespace tidemark::phantom::device
