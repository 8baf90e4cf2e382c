#include "profiler/advice/largest_search.h"

#include <functional>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::advice {
namespace {

// What it asks about, until it knows.
std::vector<int64_t> Asked(LargestSearch& search, int64_t there_is,
                           const std::function<int64_t(int64_t)>& takes) {
  std::vector<int64_t> asked;
  while (const std::optional<int64_t> number = search.Next()) {
    asked.push_back(*number);
    search.Take(*number, takes(*number) <= there_is, takes(*number));
  }
  return asked;
}

}  // namespace

TEST_CASE("What grows evenly takes two answers: the largest that suits, and that one more is too many") {
  LargestSearch search({0, 500}, {64, 500 + 64 * 50}, 2000);
  const std::vector<int64_t> asked = Asked(search, 2000, [](int64_t number) { return 500 + number * 50; });
  CHECK(asked == std::vector<int64_t>{30, 31});
  CHECK(search.largest() == 30);
  CHECK(search.too_many() == 31);
}

TEST_CASE("With nothing known it begins where it is told, and doubles") {
  LargestSearch search(1000, 2000, 8);
  const std::vector<int64_t> asked = Asked(search, 2000, [](int64_t number) { return number * 20; });
  CHECK(asked == std::vector<int64_t>{8, 16, 100, 101});
  CHECK(search.largest() == 100);
}

TEST_CASE("Where the line misleads the middle is asked about") {
  LargestSearch search({0, 0}, {1001, 1'000'000}, 2000);
  const auto cubed = [](int64_t number) { return number * number * number; };
  const std::vector<int64_t> asked = Asked(search, 2000, cubed);
  CHECK(search.largest() == 12);
  CHECK(asked.size() < 20);
}

TEST_CASE("What grows with the square takes few answers, too") {
  const auto takes = [](int64_t number) { return 10 + number * number / 4; };
  LargestSearch search({0, 0}, {1000, takes(1000)}, 766);
  const std::vector<int64_t> asked = Asked(search, 766, takes);
  CHECK(search.largest() == 55);
  CHECK(asked.size() <= 10);
}

TEST_CASE("An answer for another number than the next narrows it, too") {
  LargestSearch search({0, 0}, {64, 64 * 20}, 800);
  CHECK(search.Next() == 40);
  search.Take(32, true, 32 * 20);
  CHECK(search.largest() == 32);
  CHECK(search.Next() == 40);
}

TEST_CASE("Where some numbers are refused multiples of what the others share are asked about") {
  const auto asked_of = [](int64_t known, int64_t there_is, const std::function<bool(int64_t)>& answers) {
    LargestSearch search({0, 0}, {known, known * 20}, there_is);
    std::vector<int64_t> refused;
    std::vector<int64_t> asked;
    while (const std::optional<int64_t> number = search.Next(refused)) {
      asked.push_back(*number);
      if (!answers(*number)) {
        refused.push_back(*number);
      } else {
        search.Take(*number, *number * 20 <= there_is, *number * 20);
      }
    }
    return std::pair(search.largest(), asked);
  };
  const auto of_48 = asked_of(384, 5100, [](int64_t number) { return number % 48 == 0; });
  CHECK(of_48.first == 240);
  CHECK(of_48.second.size() <= 8);
  const auto powers = [](int64_t number) { return (number & (number - 1)) == 0; };
  CHECK(asked_of(256, 1500, powers).first == 64);
  CHECK(asked_of(100, 700, [](int64_t) { return false; }).first == 0);
  CHECK(asked_of(97, 700, [](int64_t) { return false; }).second == std::vector<int64_t>{35});
}

TEST_CASE("Where not one suits none is the largest; what is known to be too many is not asked about") {
  LargestSearch none(100, 10, 50);
  Asked(none, 10, [](int64_t number) { return 100 + number; });
  CHECK(none.largest() == 0);
  CHECK(none.too_many() == 1);
  LargestSearch search(100, 10, 80);
  search.TakeTooMany();
  CHECK(search.Next() == 40);
  CHECK(search.too_many() == 80);
}

}  // namespace tidemark::advice
