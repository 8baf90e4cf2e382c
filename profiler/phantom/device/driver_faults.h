// Lets the driver's memory fail on purpose (profiler/phantom/faults.h), and tells as a doubt when it did. Not
// thread safe, but for Delay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

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
  // That a fault has struck: a doubt, the first time.
  void Tell(std::string_view kind, size_t bytes);

  const Faults faults_;
  int64_t requests_ = 0;
  bool taken_ = false;
  std::vector<std::string_view> told_;
};

}  // namespace tidemark::phantom::device
