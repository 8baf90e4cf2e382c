// Sizes that no library tells without a GPU, as the tables have them (profiler/phantom/calibration).
#pragma once

#include <cstddef>
#include <string>

namespace tidemark::phantom {

// Of a library's operation on this process's card. What is in no table counts as 0, and the process says so,
// once for each `kind` ("batch normalisation"). Thread safe.
size_t CalibratedBytes(const std::string& library, const std::string& version, const std::string& operation,
                       const std::string& kind);

// "9.19.0" for 91900.
std::string VersionText(int number);

}  // namespace tidemark::phantom
