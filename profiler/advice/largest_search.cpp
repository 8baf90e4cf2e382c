#include "profiler/advice/largest_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::advice {

LargestSearch::LargestSearch(const Point& suits, const Point& too_many, int64_t there_is)
    : largest_(suits.number),
      too_many_(too_many.number),
      there_is_(there_is),
      below_(suits),
      above_(too_many) {
  guess_ = WhereTheLineMeets();
}

std::optional<int64_t> LargestSearch::Next() const {
  if (too_many_ - largest_ <= 1) return std::nullopt;
  return std::clamp(guess_, largest_ + 1, too_many_ - 1);
}

void LargestSearch::Take(int64_t number, bool suits, int64_t takes) {
  (suits ? largest_ : too_many_) = number;
  before_ = std::exchange(suits ? below_ : above_, Point{number, takes});
  in_a_row_ = std::exchange(latest_suits_, suits) == suits ? in_a_row_ + 1 : 1;
  guess_ = NextGuess();
}

void LargestSearch::TakeTooMany() {
  too_many_ = Next().value_or(guess_);
  above_.reset();
  guess_ = Middle();
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
