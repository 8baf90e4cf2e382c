// The search for the largest whole number, of a batch's samples say, that suits where what it takes grows
// evenly with it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace tidemark::advice {

// The next guess is where the line through the two latest points meets what there is; where the line misleads
// too often, it is the middle of what is left.
class LargestSearch {
 public:
  // From 1 to `most`. `there_is`: how much, in whatever unit; `first`: where nothing is known yet.
  LargestSearch(int64_t most, int64_t there_is, int64_t first)
      : too_many_(most + 1), there_is_(there_is), guess_(first) {}

  // What is known without asking: how much that number takes.
  void Know(int64_t number, int64_t takes) { AddPoint({number, takes}); }
  // The number to be asked about; none once the largest is found.
  std::optional<int64_t> Next() const;
  // The answer, and how much it takes.
  void Take(bool suits, int64_t takes);
  // The answer where nobody has to be asked: it is too many.
  void TakeTooMany();

  int64_t largest() const { return largest_; }    // of those that suited; 0 = none
  int64_t too_many() const { return too_many_; }  // the smallest that did not, or one above all

 private:
  struct Point {
    int64_t number = 0;
    int64_t takes = 0;
  };
  void AddPoint(const Point& point);
  int64_t Middle() const { return largest_ + (too_many_ - largest_) / 2; }
  int64_t NextGuess() const;

  int64_t largest_ = 0;
  int64_t too_many_ = 0;
  int64_t there_is_ = 0;
  int64_t guess_ = 0;
  int guesses_ = 0;
  std::optional<Point> before_;
  std::optional<Point> latest_;
};

}  // namespace tidemark::advice
