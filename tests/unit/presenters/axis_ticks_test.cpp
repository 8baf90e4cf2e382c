#include "app/presenters/plot/axis_ticks.h"

#include <algorithm>
#include <functional>
#include <string>

#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

constexpr double kSecond = 1e9;

std::string Texts(const AxisTicks& ticks) {
  std::string texts;
  for (const AxisTick& tick : ticks.ticks) texts += (texts.empty() ? "" : " ") + tick.text;
  return texts;
}

std::string OfTime(double begin, double end, int most = 5) {
  const AxisTicks ticks = TicksOver(TimeAxis::kWallClock, {begin, end}, most);
  return Texts(ticks) + " " + ticks.unit;
}

TEST_CASE("A step is round, and the least that is not too many") {
  CHECK(RoundStep(100, 10) == 10);
  CHECK(RoundStep(101, 10) == 20);
  CHECK(RoundStep(240, 5) == 50);
  CHECK(RoundStep(7e9, 6) == 2e9);
  CHECK(RoundStep(1, 5) == Approx(0.2));
  CHECK(RoundStep(1, 3) == Approx(0.5));
  CHECK(RoundStep(9, 1) == 10);
  CHECK(RoundStep(0, 5) == 1);
}

TEST_CASE("A step of sizes is round in their unit") {
  CHECK(RoundBytes(200e6, 4, ByteUnit::kMegabytes) == 50e6);
  CHECK(RoundBytes(200e6, 4, ByteUnit::kMebibytes) == 50.0 * (1 << 20));
  CHECK(RoundBytes(9e9, 4, ByteUnit::kMebibytes) == 5.0 * (1LL << 30));
  CHECK(RoundBytes(900, 4, ByteUnit::kMebibytes) == 500);
}

TEST_CASE("Events are counted in whole numbers") {
  const AxisTicks ticks = TicksOver(TimeAxis::kEvents, {11'950, 21'100}, 6);
  CHECK(ticks.unit == "event");
  CHECK(Texts(ticks) == "12,000 14,000 16,000 18,000 20,000");
  CHECK(ticks.ticks[1].position == 14'000);
  CHECK(Texts(TicksOver(TimeAxis::kEvents, {3.2, 6.9}, 20)) == "4 5 6");  // no halves of an event
  CHECK(Texts(TicksOver(TimeAxis::kEvents, {-40, 2000}, 5)) == "0 500 1,000 1,500 2,000");  // not before it
  CHECK(TicksOver(TimeAxis::kEvents, {5, 5}, 5).ticks.empty());
}

TEST_CASE("So far out that a number and the next are the same, figures are few, and ascend") {
  constexpr double kFar = 1.7e18;
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    for (const double span : {256.0, 1000.0, 1e6}) {
      const AxisTicks far = TicksOver(axis, {kFar, kFar + span}, 40);
      CHECK(far.ticks.size() <= 41);
      CHECK(std::ranges::is_sorted(far.ticks, std::ranges::less_equal(), &AxisTick::position));
    }
  }
}

TEST_CASE("Time is in the unit that its steps are readable in") {
  CHECK(OfTime(0, 10) == "0 2 4 6 8 10 ns");
  CHECK(OfTime(0, 900) == "0.0 0.2 0.4 0.6 0.8 µs");
  CHECK(OfTime(0, 30'000) == "0.00 0.01 0.02 0.03 ms");
  CHECK(OfTime(0, 2e6) == "0.0 0.5 1.0 1.5 2.0 ms");
  CHECK(OfTime(3.2 * kSecond, 3.3 * kSecond) == "3.20 3.22 3.24 3.26 3.28 3.30 s");
  CHECK(OfTime(3.2 * kSecond, 3.201 * kSecond) == "3,200.0 3,200.2 3,200.4 3,200.6 3,200.8 3,201.0 ms");
  CHECK(OfTime(0, 4.5 * kSecond) == "0 1 2 3 4 s");
}

TEST_CASE("A long run is told by the clock") {
  CHECK(OfTime(0, 60 * kSecond) == "0 15 30 45 60 s");
  CHECK(OfTime(0, 300 * kSecond) == "0:00 1:00 2:00 3:00 4:00 5:00 min:s");
  CHECK(OfTime(3600 * kSecond, 3640 * kSecond) == "60:00 60:10 60:20 60:30 60:40 min:s");
  CHECK(OfTime(0, 4 * 3600 * kSecond) == "0:00 1:00 2:00 3:00 4:00 h:min");
  CHECK(OfTime(0, 80 * 3600 * kSecond, 4) == "0:00 24:00 48:00 72:00 h:min");
  CHECK(OfTime(0, 2400 * 3600 * kSecond, 5) == "0:00 480:00 960:00 1,440:00 1,920:00 2,400:00 h:min");
}

TEST_CASE("There are never more than asked for, but for both ends, and the same is never told twice") {
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    for (double span = 10; span < 1e17; span *= 1.37) {
      for (const int most : {1, 4, 9}) {
        const AxisTicks ticks = TicksOver(axis, {0.31 * span, 1.31 * span}, most);
        CHECK(static_cast<int>(ticks.ticks.size()) <= most + 1);
        for (size_t i = 1; i < ticks.ticks.size(); ++i) CHECK(ticks.ticks[i].text != ticks.ticks[i - 1].text);
      }
    }
  }
}

}  // namespace
}  // namespace tidemark::presenters
