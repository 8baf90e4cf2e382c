// A sweep over an option of a person's program: what it is of, and its points as they come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_order.h"

namespace tidemark::gui {

// Plain data; the UI thread's.
struct ProgramSweep {
  session::SweepOrder order;
  phantom::Card card;  // that the phantom is
  std::string option;  // "batch"; "" until its values are known
  std::vector<int64_t> values;
  std::vector<session::SweepPoint> points;  // of the first of them
  bool goes_on = true;
  std::vector<std::string> notes;  // what to doubt, once it has ended

  // With what CUDA itself needs.
  int64_t TakenBytes(const session::SweepPoint& point) const {
    return point.reserved_peak_bytes + card.context_bytes;
  }
  // Whether the card has what it needs, in every order of addresses; one that ran out of memory has no peaks.
  bool Fits(const session::SweepPoint& point) const {
    return point.has_peaks && point.most_reserved_bytes + card.context_bytes <= card.memory_bytes;
  }
  // None where none fits, or nobody knows yet.
  std::optional<int64_t> LargestThatFits() const;

  // Every run of it with all its figures, in bytes, and why it ended where that was early.
  std::string AsCsv() const;

  std::string Program() const;  // "train.py"
  std::string Summary() const;  // "3 of 10 runs · the largest that fits so far: 128"
  // Where every run has failed, a sentence; else "".
  std::string WhyNoCurve() const;
  // Of one that has ended, and whose values make no difference; else "".
  std::string Doubt() const;
  // The memory of the card, for a line over the curves; 0 where that is so far above all of them that they
  // would be flat beneath it.
  int64_t CardOnAxis() const;
};

// Where a sweep's thread leaves what it finds out until the UI thread takes it. Any thread.
class SweepInbox {
 public:
  void Begin(const std::string& option, const std::vector<int64_t>& values);
  void Add(const session::SweepPoint& point);
  // How many of all values are answered; 0 before they are known.
  double share() const;
  std::string Title() const;  // "Sweep over --batch: 3 of 10 runs"

  // True if there was anything new.
  bool MoveTo(ProgramSweep& sweep);

 private:
  mutable Mutex mutex_;
  std::string option_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<int64_t> values_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<session::SweepPoint> points_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::gui
