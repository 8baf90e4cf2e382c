#include "app/cli/console/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "profiler/base/choices.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

enum class Reading { kNumber, kTooLarge, kNone };

template <typename Number>
Reading Read(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Reading::kNone;
  return error == std::errc::result_out_of_range ? Reading::kTooLarge : Reading::kNumber;
}

}  // namespace

Result<int64_t> WholeNumber(std::string_view option, std::string_view text, int64_t least, int64_t most) {
  int64_t number = 0;
  const Reading reading = Read(text, &number);
  if (reading == Reading::kNumber && number >= least && number <= most) return number;
  if (reading == Reading::kNone) {
    return Error{fmt::format("{} must be a whole number between {} and {}, not '{}'.", option, least, most,
                             Quoted(text))};
  }
  return Error{fmt::format("{} must be between {} and {}, not {}.", option, least, most, Quoted(text))};
}

Result<uint64_t> Seed(std::string_view option, std::string_view text) {
  uint64_t number = 0;
  if (Read(text, &number) == Reading::kNumber) return number;
  return Error{fmt::format("{} must be a whole number between 0 and {}, not '{}'.", option,
                           std::numeric_limits<uint64_t>::max(), Quoted(text))};
}

Result<int64_t> ByteSize(std::string_view option, std::string_view text) {
  if (const std::optional<int64_t> bytes = BytesFromText(text)) return *bytes;
  return Error{
      fmt::format("{} must be a size such as 16GiB, 24GB or 500MiB, not '{}'.", option, Quoted(text))};
}

Result<StepRange> Steps(std::string_view option, std::string_view text) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const size_t dash = text.find('-');
  const std::string_view until = dash == std::string_view::npos ? text : text.substr(dash + 1);
  const Result<int64_t> first = WholeNumber(option, text.substr(0, dash), 0, kMost);
  const Result<int64_t> last = WholeNumber(option, until, 0, kMost);
  if (first && last && *first <= *last) return StepRange{*first, *last};
  return Error{
      fmt::format("{} takes steps from one to a later one, as 3-5, or one, as 3; not {}.", option, text)};
}

Result<double> DecimalNumber(std::string_view option, std::string_view text) {
  double number = 0;
  if (Read(text, &number) == Reading::kNumber && std::isfinite(number)) return number;
  return Error{fmt::format("{} must be a number, not '{}'.", option, Quoted(text))};
}

}  // namespace tidemark::cli
