#include "profiler/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tidemark {

const char* UnitName(ByteUnit unit) { return unit == ByteUnit::kMegabytes ? "MB" : "MiB"; }

double InUnit(int64_t bytes, ByteUnit unit) {
  return static_cast<double>(bytes) / (unit == ByteUnit::kMegabytes ? 1e6 : 1024.0 * 1024.0);
}

namespace {

// A comma before every third digit from the point, or from the end where there is none.
std::string WithSeparators(std::string number) {
  const size_t first = number.starts_with('-') ? 1 : 0;
  for (size_t position = std::min(number.find('.'), number.size()); position > first + 3;) {
    position -= 3;
    number.insert(position, ",");
  }
  return number;
}

}  // namespace

std::string FormatNumber(int64_t number) { return WithSeparators(fmt::format("{}", number)); }

std::string FormatDecimal(double number, int decimals) {
  return WithSeparators(fmt::format("{:.{}f}", number, decimals));
}

std::string FormatExactBytes(int64_t bytes) { return FormatNumber(bytes) + " B"; }

std::string FormatInUnit(int64_t bytes, ByteUnit unit) {
  constexpr double kLeastShown = 0.01;
  if (bytes != 0 && std::abs(InUnit(bytes, unit)) < kLeastShown) return FormatBytes(bytes, unit);
  return FormatDecimal(InUnit(bytes, unit), 2);
}

std::string FormatBytes(int64_t bytes, ByteUnit unit) {
  const bool decimal = unit == ByteUnit::kMegabytes;
  const double step = decimal ? 1000.0 : 1024.0;
  const double size = std::abs(static_cast<double>(bytes));
  const double number = static_cast<double>(bytes);
  if (size < step) return FormatExactBytes(bytes);
  const auto in = [](double value, int decimals, const char* name) {
    return FormatDecimal(value, decimals) + " " + name;
  };
  if (size < step * step) return in(number / step, 1, decimal ? "kB" : "KiB");
  if (size < step * step * step) return in(number / step / step, 1, decimal ? "MB" : "MiB");
  return in(number / step / step / step, 2, decimal ? "GB" : "GiB");
}

std::string FormatRange(int64_t least_bytes, int64_t most_bytes, ByteUnit unit) {
  const std::string least = FormatBytes(least_bytes, unit);
  const std::string most = FormatBytes(most_bytes, unit);
  if (least != most) return least + " to " + most;
  return least + " (" + FormatExactBytes(least_bytes) + " to " + FormatExactBytes(most_bytes) + ")";
}

std::string FormatDuration(int64_t nanoseconds) {
  const double time = static_cast<double>(nanoseconds);
  if (std::abs(time) < 1e3) return fmt::format("{} ns", nanoseconds);
  if (std::abs(time) < 1e6) return fmt::format("{:.2f} µs", time / 1e3);
  if (std::abs(time) < 1e9) return fmt::format("{:.2f} ms", time / 1e6);
  return fmt::format("{:.2f} s", time / 1e9);
}

namespace {

// "1,023.5" as "1023.5"; none where commas are not before three digits each, so that "1,5" is no 15.
std::optional<std::string> WithoutSeparators(std::string_view number) {
  const size_t point = std::min(number.find('.'), number.size());
  std::string digits;
  for (size_t i = 0; i < number.size(); ++i) {
    if (number[i] != ',') {
      digits += number[i];
    } else if (i == 0 || i > point || (point - i) % 4 != 0) {
      return {};
    }
  }
  return digits;
}

}  // namespace

std::optional<int64_t> BytesFromText(std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"", 1},
      {"b", 1},
      {"kb", 1000},
      {"mb", 1'000'000},
      {"gb", 1'000'000'000},
      {"tb", 1'000'000'000'000},
      {"k", int64_t{1} << 10},
      {"kib", int64_t{1} << 10},
      {"m", int64_t{1} << 20},
      {"mib", int64_t{1} << 20},
      {"g", int64_t{1} << 30},
      {"gib", int64_t{1} << 30},
      {"t", int64_t{1} << 40},
      {"tib", int64_t{1} << 40},
  };
  constexpr double kMostBytes = 1e15;
  text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  const size_t digits = std::min(text.find_first_not_of("0123456789.,"), text.size());
  const size_t unit = std::min(text.find_first_not_of(' ', digits), text.size());
  const std::optional<std::string> plain = WithoutSeparators(text.substr(0, digits));
  if (!plain) return {};
  double number = 0;
  const auto [end, error] = std::from_chars(plain->data(), plain->data() + plain->size(), number);
  if (error != std::errc() || end != plain->data() + plain->size()) return {};
  std::string written(text.substr(unit));
  std::ranges::transform(written, written.begin(), [](unsigned char letter) { return std::tolower(letter); });
  for (const auto& [name, bytes] : kUnits) {
    const double size = number * static_cast<double>(bytes);
    if (written == name && size >= 1 && size <= kMostBytes) return static_cast<int64_t>(size);
  }
  return {};
}

}  // namespace tidemark
