// The ranks of a distributed run beside each other: each one's peak, over the whole recording or in one step,
// and which of them is the largest, the smallest and the odd one out. Pure, any thread. Bytes. O(ranks ·
// (log ranks + log steps)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/session/ranks.h"

namespace tidemark::presenters {

struct RankBar {
  int64_t rank = 0;
  std::string name;   // "rank 3", or of a process or a file that is none
  size_t place = 0;   // in the row of bars, where a rank without a recording leaves its own free
  bool known = true;  // its recording has the step that was asked for
  int64_t allocated = 0;
  int64_t reserved = 0;
  bool out_of_memory = false;  // its recording ends with that
  int64_t times_survived = 0;  // memory ran out, and the rank went on
  std::string warning;         // what its file lacks, which the peak may be in; "" = nothing
};

// "memory ran out 2 times, and the run went on"; "" of none.
std::string SurvivedText(int64_t times);

struct RankStrip {
  std::optional<int64_t> step;  // that the peaks are of; none = of the whole recordings
  std::vector<RankBar> bars;    // as many as there are ranks, in their order
  size_t places = 0;            // one more than the last bar's
  // Indices into `bars`, by allocated, of those that are known; the first of equals.
  std::optional<size_t> largest;
  std::optional<size_t> smallest;
  std::optional<size_t> odd;  // none: they are all alike, or spread without one that stands out
  int64_t median = 0;         // allocated; the lower one of two in the middle
  int64_t top = 0;            // the highest bar, reserved included: what the strip is drawn against
};

// The odd one out is the rank farthest from the median, if that is more than 3.5 times as far as the usual
// spread (the modified z-score of Iglewicz and Hoaglin, 1993: the median of the distances from the median,
// times 1.4826 to be comparable to a standard deviation), and more than 1 % of the median: where the ranks
// agree to the byte, any difference would stand out. Two ranks have none.
RankStrip MakeRankStrip(const session::Ranks& ranks, std::optional<int64_t> step);

// How much more or less one of the strip's bars has allocated: "12.50 % above the median", "the median"; of
// two ranks, which have no middle, "12.50 % above rank 0"; "" where there is nothing to hold it against.
std::string AgainstOthers(const RankStrip& strip, const RankBar& bar);

// The numbers of the steps that any rank has, ascending.
std::vector<int64_t> StepsOf(const session::Ranks& ranks);

}  // namespace tidemark::presenters
