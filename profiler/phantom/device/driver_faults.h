// Lets the driver's memory fail on purpose (profiler/phantom/faults.h). Not thread safe, but for Delay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/phantom/faults.h"

namespace tidemark::phantom::device {

class DriverFaults {
 public:
  explicit DriverFaults(const Faults& faults) : faults_(faults) {}

  // What one request takes longer.
  void Delay() const;
  // Whether this request, the next one to be counted, fails.
  bool Fails(size_t bytes);
  // What another process takes before this request; 0 at all but one.
  size_t TakenByAnother();

 private:
  const Faults faults_;
  int64_t requests_ = 0;
  bool taken_ = false;
};

}  // namespace tidemark::phantom::device
