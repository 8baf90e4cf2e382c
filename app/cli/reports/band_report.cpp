#include "app/cli/reports/band_report.h"

#include <fmt/format.h>

#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

// How the rows above those of a band tell sizes.
struct SizeWords {
  std::string (*size)(int64_t bytes) = nullptr;
  std::string (*range)(int64_t least_bytes, int64_t most_bytes) = nullptr;
};

std::string ExactSize(int64_t bytes) {
  return fmt::format("{} ({})", FormatExactBytes(bytes), FormatBytes(bytes, ByteUnit::kMebibytes));
}

std::string ExactSizeRange(int64_t least_bytes, int64_t most_bytes) {
  const std::string least = FormatBytes(least_bytes, ByteUnit::kMebibytes);
  const std::string most = FormatBytes(most_bytes, ByteUnit::kMebibytes);
  return fmt::format("{} to {} ({})", FormatExactBytes(least_bytes), FormatExactBytes(most_bytes),
                     least == most ? least : least + " to " + most);
}

std::string MegabytesOf(int64_t bytes) { return FormatInUnit(bytes, ByteUnit::kMegabytes); }

std::string MegabytesRange(int64_t least_bytes, int64_t most_bytes) {
  const std::string least = MegabytesOf(least_bytes);
  const std::string most = MegabytesOf(most_bytes);
  return least == most ? FormatExactBytes(least_bytes) + " to " + FormatExactBytes(most_bytes)
                       : least + " to " + most;
}

std::string BandRowsIn(const session::ReservedBand& band, const SizeWords& words) {
  std::string rows;
  const auto row = [&](const char* of, const auto& moved) {
    if (!moved.is_moved()) return;
    rows += fmt::format("    {}from {}, by the order of the driver's addresses\n", of,
                        words.range(moved.least_bytes, moved.most_bytes));
  };
  row("", band.bytes);
  row("and allocated ", band.bytes.allocated);
  if (band.late_frees_bytes) {
    const bool is_more = *band.late_frees_bytes > band.bytes.most_bytes;
    rows += fmt::format("    {} if what other streams used comes back with the end of its step only\n",
                        is_more ? "up to " + words.size(*band.late_frees_bytes) : "no more");
  }
  if (band.at_the_cliff) {
    rows +=
        "  The card is nearly full: with one more segment PyTorch frees what it has cached and tries again, "
        "and what it reserves jumps.\n";
  }
  return rows;
}

}  // namespace

std::string BandRows(const session::ReservedBand& band) {
  return BandRowsIn(band, {ExactSize, ExactSizeRange});
}

std::string BandRowsOfTable(const session::ReservedBand& band) {
  return BandRowsIn(band, {MegabytesOf, MegabytesRange});
}

void AddBandJson(const session::ReservedBand& band, Json& json) {
  json["reserved_peak_band"] = {{"least_bytes", band.bytes.least_bytes},
                                {"most_bytes", band.bytes.most_bytes},
                                {"at_the_cliff", band.at_the_cliff}};
  json["allocated_peak_band"] = {{"least_bytes", band.bytes.allocated.least_bytes},
                                 {"most_bytes", band.bytes.allocated.most_bytes}};
  if (band.late_frees_bytes) json["reserved_peak_with_late_frees_bytes"] = *band.late_frees_bytes;
}

}  // namespace tidemark::cli
