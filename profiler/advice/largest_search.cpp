#include "profiler/advice/largest_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace tidemark::advice {
namespace {

// The largest first.
std::vector<int64_t> DivisorsOf(int64_t number) {
  std::vector<int64_t> large;
  std::vector<int64_t> small;
  for (int64_t one = 1; one <= number / one; ++one) {
    if (number % one != 0) continue;
    large.push_back(number / one);
    if (one != number / one) small.push_back(one);
  }
  large.insert(large.end(), small.rbegin(), small.rend());
  return large;
}

}  // namespace

LargestSearch::LargestSearch(const Point& suits, const Point& too_many, int64_t there_is)
    : largest_(suits.number),
      too_many_(too_many.number),
      there_is_(there_is),
      below_(suits),
      above_(too_many),
      divisor_(std::gcd(suits.number, too_many.number)) {
  guess_ = WhereTheLineMeets();
}

std::optional<int64_t> LargestSearch::Next(std::span<const int64_t> refused) const {
  if (too_many_ - largest_ <= 1) return std::nullopt;
  const int64_t guess = std::clamp(guess_, largest_ + 1, too_many_ - 1);
  if (refused.empty()) return guess;
  for (const int64_t divisor : DivisorsOf(divisor_)) {
    if (std::ranges::any_of(refused, [divisor](int64_t number) { return number % divisor == 0; })) continue;
    if (const std::optional<int64_t> multiple = NearestMultiple(divisor, guess)) return multiple;
  }
  return std::nullopt;
}

void LargestSearch::Take(int64_t number, bool suits, int64_t takes) {
  (suits ? largest_ : too_many_) = number;
  divisor_ = std::gcd(divisor_, number);
  before_ = std::exchange(suits ? below_ : above_, Point{number, takes});
  in_a_row_ = std::exchange(latest_suits_, suits) == suits ? in_a_row_ + 1 : 1;
  guess_ = NextGuess();
}

void LargestSearch::TakeTooMany() {
  too_many_ = Next().value_or(guess_);
  above_.reset();
  guess_ = Middle();
}

// Of those between what suits and what is too many.
std::optional<int64_t> LargestSearch::NearestMultiple(int64_t divisor, int64_t guess) const {
  const int64_t first = (largest_ / divisor + 1) * divisor;
  const int64_t last = (too_many_ - 1) / divisor * divisor;
  if (first > last) return std::nullopt;
  return std::clamp((guess + divisor / 2) / divisor * divisor, first, last);
}

// The memory of a step grows with a power of the samples: of 3 and 1000 that is 54.
int64_t LargestSearch::Middle() const {
  if (largest_ == 0) return too_many_ / 2;
  return static_cast<int64_t>(std::sqrt(static_cast<double>(largest_) * static_cast<double>(too_many_)));
}

int64_t LargestSearch::NextGuess() {
  const bool is_between = below_ && above_;
  const int most_in_a_row = is_between ? 2 : 6;  // beyond what is known the line may go far
  if (in_a_row_ < most_in_a_row) return WhereTheLineMeets();
  latest_suits_.reset();
  return Middle();
}

int64_t LargestSearch::WhereTheLineMeets() const {
  const std::optional<Point>& from = below_ ? below_ : above_;
  const std::optional<Point>& to = below_ && above_ ? above_ : before_;
  if (!to) return below_ ? 2 * largest_ : Middle();
  const double slope =
      static_cast<double>(to->takes - from->takes) / static_cast<double>(to->number - from->number);
  if (slope <= 0) return Middle();
  const double meets =
      static_cast<double>(from->number) + static_cast<double>(there_is_ - from->takes) / slope;
  if (meets >= static_cast<double>(too_many_)) return too_many_ - 1;
  return meets <= static_cast<double>(largest_) ? largest_ + 1 : static_cast<int64_t>(meets);
}

}  // namespace tidemark::advice
