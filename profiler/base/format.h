// How Tidemark writes sizes, counts and times, everywhere. Megabytes are decimal (MB, 10^6), mebibytes binary
// (MiB, 2^20); the two are never mixed without their unit beside them. Thread safe: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

enum class ByteUnit { kMegabytes, kMebibytes };

const char* UnitName(ByteUnit unit);                     // "MB" or "MiB"
double InUnit(int64_t bytes, ByteUnit unit);             // 25690112 -> 25.690112 (MB)
std::string FormatNumber(int64_t number);                // 25690112 -> "25,690,112"
std::string FormatDecimal(double number, int decimals);  // 12345.678, 2 -> "12,345.68"
std::string FormatExactBytes(int64_t bytes);             // 25690112 -> "25,690,112 B"
// 25690112 -> "25.69"; no unit: for columns with a header. What would read as nothing keeps its own: "5.1
// kB".
std::string FormatInUnit(int64_t bytes, ByteUnit unit);
std::string FormatBytes(int64_t bytes, ByteUnit unit);  // 25690112 -> "25.7 MB"; small values keep B or kB
// "25.7 MB to 25.9 MB"; to the byte, too, where the two would read the same.
std::string FormatRange(int64_t least_bytes, int64_t most_bytes, ByteUnit unit);
std::string FormatDuration(int64_t nanoseconds);  // 1900000 -> "1.90 ms"
// The other way, as people write it: "16GiB", "16g", "24 GB", "500,000,000" (bytes, with or without
// separators of thousands), a size above 0. A letter alone is binary, as in most tools; large and small
// letters are the same. Nothing if it is none.
std::optional<int64_t> BytesFromText(std::string_view text);

}  // namespace tidemark
