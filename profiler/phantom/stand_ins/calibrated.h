// Sizes that no library tells without a GPU, as the tables have them (profiler/phantom/calibration).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "profiler/phantom/calibration/rules.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom {

// Of a library's operation on this process's card: what a table has, else what a rule derives. A rule's size
// that was not measured on such a card with this version, or that has a doubt, is said; what has neither
// counts as 0, and that is said; once for each `kind` ("the workspaces of cuDNN's batch normalisation").
// Thread safe.
size_t CalibratedBytes(const std::string& library, const std::string& version, const std::string& operation,
                       const std::string& kind, const std::optional<calibration::DerivedSize>& derived);

// This process's card; ends the process with a sentence where it has none.
const Card& CardOfProcess();

// Where the tables and the cards' own descriptions lie: beside the folder of this process's card.
std::filesystem::path CalibrationFolder();

// "9.19.0" for 91900.
std::string VersionText(int number);

}  // namespace tidemark::phantom
