// The search for the largest whole number, of a batch's samples say, that suits where what it takes grows
// with it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tidemark::advice {

// The next guess is where the line meets what there is: through what is known on both sides of the answer, or
// else through the two latest. Where the line misleads, it is the middle of what is left, by ratio.
class LargestSearch {
 public:
  struct Point {
    int64_t number = 0;
    int64_t takes = 0;
  };

  // From 1 to `most`. `there_is`: how much, in whatever unit; `first`: the first guess.
  LargestSearch(int64_t most, int64_t there_is, int64_t first)
      : too_many_(most + 1), there_is_(there_is), guess_(first) {}
  // Between two that are known without asking: one that suits, and one that is too many.
  LargestSearch(const Point& suits, const Point& too_many, int64_t there_is);

  // The number to be asked about; none once the largest is found. `refused`: asked about, and nobody
  // answered. What takes some numbers only takes as a rule the multiples of one that divides all that have an
  // answer, and none of those: the largest such divisor with a multiple in between says what is asked about
  // next; none is left where there is no such divisor. O(refused + root of the smallest answer).
  std::optional<int64_t> Next(std::span<const int64_t> refused = {}) const;
  // The answer for a number, the next or another that is not known yet, and how much it takes.
  void Take(int64_t number, bool suits, int64_t takes);
  // The answer for the next where nobody has to be asked: it is too many.
  void TakeTooMany();

  int64_t largest() const { return largest_; }    // of those that suited; 0 = none
  int64_t too_many() const { return too_many_; }  // the smallest that did not, or one above all

 private:
  int64_t Middle() const;
  int64_t NextGuess();
  std::optional<int64_t> NearestMultiple(int64_t divisor, int64_t guess) const;
  int64_t WhereTheLineMeets() const;

  int64_t largest_ = 0;
  int64_t too_many_ = 0;
  int64_t there_is_ = 0;
  int64_t guess_ = 0;
  std::optional<Point> below_;   // what is known of the largest
  std::optional<Point> above_;   // and of the smallest that is too many
  std::optional<Point> before_;  // the one before the latest, on its side
  std::optional<bool> latest_suits_;
  int64_t divisor_ = 0;  // the greatest that all numbers with an answer have in common; 0 = there are none
  int in_a_row_ = 0;     // guesses by the line on the same side as the latest
};

}  // namespace tidemark::advice
