// Within which figures the order of the driver's addresses moves what is reserved and what is allocated,
// under the rows that tell those, and whether the card was nearly full. Pure functions.
#pragma once

#include <string>

#include "app/cli/reports/report.h"
#include "profiler/session/reserved_band.h"

namespace tidemark::cli {

// To the byte, and the same in MiB or GiB, as PeakRows tells sizes.
std::string BandRows(const session::ReservedBand& band);
// Under PeaksTable, in its MB; to the byte where that does not tell two apart.
std::string BandRowsOfTable(const session::ReservedBand& band);
// Adds "reserved_peak_band", "allocated_peak_band" and, where it is known,
// "reserved_peak_with_late_frees_bytes".
void AddBandJson(const session::ReservedBand& band, Json& json);

}  // namespace tidemark::cli
