// The ranks of one run that go on here, of each run anew: which of them is shown, and when their peaks are to
// be read again. Reading takes some 2 ms a rank, so somebody else does it, beside the window. UI thread only.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/session/ranks.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

class LiveRanks {
 public:
  using Clock = std::chrono::steady_clock;
  struct Reading {
    std::vector<session::RankSoFar> ranks;
    bool with_curves = false;
  };

  // The strip tells of the ranks as they are now; others may come before it is made anew.
  void List(const session::Run& run) { listed_ = run.ranks(); }
  // By its place in the strip. False where that one is shown already, and where there is no such rank.
  bool Show(const session::Run& run, size_t place);
  // The one that is shown, the first until another is asked for; a run that is one alone is its own.
  const session::Run& ShownOf(const session::Run& run) const;
  size_t PlaceOfShown(const session::Run& run) const { return PlaceIn(run.ranks()); }

  // What is to be read now: a few times a second what has changed, and at once where curves are wanted that
  // were not read. Nothing while one reading goes on: EndReading() ends it.
  std::optional<Reading> BeginReading(const session::Run& run, bool with_curves, Clock::time_point now);
  void EndReading() { reads_ = false; }

 private:
  // Of the one that is shown, among as many ranks as there are now: more may come at any time.
  size_t PlaceIn(const std::vector<const session::Run*>& ranks) const;

  const session::Run* chosen_ = nullptr;
  std::vector<const session::Run*> listed_;
  bool reads_ = false;
  Clock::time_point read_at_{};
  std::vector<std::shared_ptr<const timeline::View>> read_;  // what was read then
  bool with_curves_ = false;
};

}  // namespace tidemark::gui
