// The errors of the driver and the runtime in their own words: both count alike (cuda.h and driver_types.h),
// and say the same of each but for its name.
#pragma once

namespace tidemark::phantom {

struct ErrorText {
  int error;
  const char* driver_name;  // null: of the runtime alone
  const char* runtime_name;
  const char* text;
};

// Those that the stand-ins give, and those that programs ask about most. Null for another.
const ErrorText* ErrorTextOf(int error);

}  // namespace tidemark::phantom
