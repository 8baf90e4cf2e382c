// Sizes that no library tells without a GPU, as the tables have them (profiler/phantom/calibration).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tidemark::phantom {

// Of a library's operation on this process's card. What is in no table counts as 0, and the process says so,
// once for each `kind` ("batch normalisation"). Thread safe.
size_t CalibratedBytes(const std::string& library, const std::string& version, const std::string& operation,
                       const std::string& kind);

// Where the tables and the cards' own descriptions lie: beside the folder of this process's card. Ends the
// process with a sentence where it has no card.
std::filesystem::path CalibrationFolder();

// "9.19.0" for 91900.
std::string VersionText(int number);

}  // namespace tidemark::phantom
