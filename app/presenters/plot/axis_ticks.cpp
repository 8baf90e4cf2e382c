#include "app/presenters/plot/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/base/format.h"

namespace tidemark::presenters {
namespace {

constexpr double kSecond = 1e9;
constexpr double kMinute = 60 * kSecond;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;

// From here on a run is told by the clock: "12:30" reads better than "750".
constexpr double kByTheClock = 2 * kMinute;
constexpr double kByTheHour = 2 * kHour;

// Round as clocks are, between seconds, which are round by tens, and days, which are again.
constexpr std::array kClockSteps = {10 * kSecond, 15 * kSecond, 30 * kSecond, kMinute,      2 * kMinute,
                                    5 * kMinute,  10 * kMinute, 15 * kMinute, 30 * kMinute, kHour,
                                    2 * kHour,    6 * kHour,    12 * kHour,   kDay};

struct TimeUnit {
  const char* name;
  double nanoseconds;
};
// A step is at least a hundredth of its unit: two decimals at most.
constexpr std::array<TimeUnit, 4> kTimeUnits = {{{"s", kSecond}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}}};
constexpr double kLeastOfUnit = 0.01;

double TimeStep(double span, int most) {
  const double decimal = RoundStep(span, most);
  if (decimal <= 5 * kSecond) return std::max(decimal, 1.0);
  for (const double step : kClockSteps) {
    if (span <= step * most) return step;
  }
  return kDay * RoundStep(span / kDay, most);
}

const TimeUnit& UnitFor(double step) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (step >= kLeastOfUnit * unit.nanoseconds * (1 - 1e-9)) return unit;
  }
  return kTimeUnits.back();
}

int DecimalsOf(double step_in_unit) {
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step_in_unit) - 1e-9)), 0, 2);
}

// "12:30", or "2:05" of hours and minutes.
std::string ClockText(double position, double large, double small) {
  const auto whole = static_cast<int64_t>(std::llround(position / small));
  const auto per_large = static_cast<int64_t>(large / small);
  return fmt::format("{}:{:02}", FormatNumber(whole / per_large), whole % per_large);
}

template <typename TextOf>
std::vector<AxisTick> Ticks(const VisibleRange& visible, double step, TextOf text_of) {
  std::vector<AxisTick> ticks;
  const double first = std::ceil(std::max(visible.begin, 0.0) / step);
  const double after_first = std::floor(visible.end / step) - first;
  // Beyond 2^53 a number and the next are the same.
  for (int i = 0; i <= after_first; ++i) {
    const double at = (first + i) * step;
    if (ticks.empty() || at > ticks.back().position) ticks.push_back({at, text_of(at)});
  }
  return ticks;
}

}  // namespace

double RoundStep(double span, int most) {
  const double rough = span / most;
  if (!(rough > 0) || !std::isfinite(rough)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= rough * (1 - 1e-9)) return times * power;
  }
  return 10 * power;
}

double RoundBytes(double span_bytes, int most, ByteUnit unit) {
  const double kilo = unit == ByteUnit::kMegabytes ? 1000 : 1024;
  double unit_bytes = 1;
  while (span_bytes / most >= kilo * unit_bytes) unit_bytes *= kilo;
  return unit_bytes * RoundStep(span_bytes / unit_bytes, most);
}

AxisTicks TicksOver(TimeAxis axis, const VisibleRange& visible, int most) {
  const double span = visible.end - visible.begin;
  if (!(span > 0)) return {};
  if (axis == TimeAxis::kEvents) {
    const double step = std::max(1.0, RoundStep(span, most));
    return {"event", Ticks(visible, step, [](double at) { return FormatDecimal(at, 0); })};
  }
  const double step = TimeStep(span, most);
  if (visible.end > kByTheHour && step >= kMinute) {
    return {"h:min", Ticks(visible, step, [](double at) { return ClockText(at, kHour, kMinute); })};
  }
  if (visible.end > kByTheClock && step >= kSecond) {
    return {"min:s", Ticks(visible, step, [](double at) { return ClockText(at, kMinute, kSecond); })};
  }
  const TimeUnit& unit = UnitFor(step);
  const int decimals = DecimalsOf(step / unit.nanoseconds);
  return {unit.name,
          Ticks(visible, step, [&](double at) { return FormatDecimal(at / unit.nanoseconds, decimals); })};
}

}  // namespace tidemark::presenters
