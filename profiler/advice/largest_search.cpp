#include "profiler/advice/largest_search.h"

#include <algorithm>

namespace tidemark::advice {

std::optional<int64_t> LargestSearch::Next() const {
  if (too_many_ - largest_ <= 1) return std::nullopt;
  return std::clamp(guess_, largest_ + 1, too_many_ - 1);
}

void LargestSearch::Take(bool suits, int64_t takes) {
  const int64_t number = Next().value_or(guess_);
  (suits ? largest_ : too_many_) = number;
  ++guesses_;
  AddPoint({number, takes});
}

void LargestSearch::TakeTooMany() {
  too_many_ = Next().value_or(guess_);
  guess_ = Middle();
}

void LargestSearch::AddPoint(const Point& point) {
  before_ = std::exchange(latest_, point);
  guess_ = NextGuess();
}

int64_t LargestSearch::NextGuess() const {
  constexpr int kMostByLine = 6;
  if (guesses_ > kMostByLine) return Middle();
  if (!before_) return latest_->number == largest_ ? 2 * largest_ : Middle();
  const double slope = static_cast<double>(latest_->takes - before_->takes) /
                       static_cast<double>(latest_->number - before_->number);
  if (slope <= 0) return Middle();
  const double meets =
      static_cast<double>(latest_->number) + static_cast<double>(there_is_ - latest_->takes) / slope;
  if (meets >= static_cast<double>(too_many_)) return too_many_ - 1;
  return meets <= static_cast<double>(largest_) ? largest_ + 1 : static_cast<int64_t>(meets);
}

}  // namespace tidemark::advice
