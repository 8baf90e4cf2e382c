#include "app/presenters/comparison/alignment.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::presenters {
namespace {

using Values = std::span<const int64_t>;

Values RunAt(Values values, size_t begin, size_t length) {
  return values.subspan(begin, std::min(length, values.size() - begin));
}

uint64_t HashOf(Values run) {
  uint64_t hash = run.size();
  for (const int64_t value : run) {
    hash = (hash ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;  // 2^64 / golden ratio: Knuth
    hash ^= hash >> 32;
  }
  return hash;
}

// Where the runs of a sequence begin.
class RunIndex {
 public:
  RunIndex(Values values, size_t length, ProgressOfMany& progress) : values_(values), length_(length) {
    places_.reserve(values.size());
    for (size_t place = 0; place < values.size() && progress.AfterOneMore(); ++place)
      places_.emplace_back(HashOf(RunAt(values, place, length)), place);
    Sort(progress);
  }

  std::optional<size_t> FirstFrom(size_t least, Values run) const {
    const uint64_t hash = HashOf(run);
    auto found = std::lower_bound(places_.begin(), places_.end(), std::pair(hash, least));
    for (; found != places_.end() && found->first == hash; ++found) {
      if (std::ranges::equal(RunAt(values_, found->second, length_), run)) return found->second;
    }
    return std::nullopt;
  }

 private:
  // Piece by piece, for a Cancel to be heard meanwhile.
  void Sort(ProgressOfMany& progress) {
    constexpr size_t kPiece = 1 << 16;  // some 5 ms
    const auto at = [this](size_t place) {
      return places_.begin() + static_cast<std::ptrdiff_t>(std::min(place, places_.size()));
    };
    for (size_t begin = 0; begin < places_.size() && progress.AfterMore(kPiece); begin += kPiece)
      std::sort(at(begin), at(begin + kPiece));
    for (size_t sorted = kPiece; sorted < places_.size(); sorted *= 2) {
      for (size_t begin = 0; begin < places_.size() && progress.AfterMore(sorted); begin += 2 * sorted)
        std::inplace_merge(at(begin), at(begin + sorted), at(begin + 2 * sorted));
    }
  }

  Values values_;
  size_t length_;
  std::vector<std::pair<uint64_t, size_t>> places_;
};

class Aligner {
 public:
  Aligner(Values a, Values b, size_t run_length, const Progress& progress)
      : a_(a), b_(b), run_length_(run_length), progress_(progress, a.size() + b.size()) {}

  Alignment Run() {
    Alignment alignment;
    Place at;
    while (at.a < a_.size() && at.b < b_.size() && progress_.AfterOneMore()) {
      if (a_[at.a] == b_[at.b]) {
        at = {at.a + 1, at.b + 1};
        ++alignment.agreed;
        continue;
      }
      const Place next = NextMeeting(at);
      alignment.gaps.push_back({at.a, at.b, next.a - at.a, next.b - at.b});
      at = next;
    }
    if (at.a < a_.size() || at.b < b_.size())
      alignment.gaps.push_back({at.a, at.b, a_.size() - at.a, b_.size() - at.b});
    return alignment;
  }

 private:
  struct Place {
    size_t a = 0;
    size_t b = 0;
  };

  // Of several meetings equally near the one whose run comes first in the order of its values, so that no
  // side is preferred; no two have the same run, for then a nearer one would mix them.
  Place NextMeeting(Place from) {
    if (!index_) index_.emplace(b_, run_length_, progress_);
    Place best{a_.size(), b_.size()};
    size_t best_passed = (a_.size() - from.a) + (b_.size() - from.b);
    for (size_t passed_a = 0;
         passed_a <= best_passed && from.a + passed_a < a_.size() && progress_.AfterOneMore(); ++passed_a) {
      const Values run = RunAt(a_, from.a + passed_a, run_length_);
      const std::optional<size_t> found = index_->FirstFrom(from.b, run);
      if (!found) continue;
      const size_t passed = passed_a + (*found - from.b);
      const bool nearer = passed < best_passed || (passed == best_passed && ComesBefore(run, best));
      if (!nearer) continue;
      best = {from.a + passed_a, *found};
      best_passed = passed;
    }
    return best;
  }

  bool ComesBefore(Values run, Place best) const {
    return std::ranges::lexicographical_compare(run, RunAt(a_, best.a, run_length_));
  }

  Values a_;
  Values b_;
  size_t run_length_;
  ProgressOfMany progress_;
  std::optional<RunIndex> index_;  // of b_; made at the first gap
};

}  // namespace

Alignment Align(std::span<const int64_t> a, std::span<const int64_t> b, size_t same_after_gap,
                const Progress& progress) {
  return Aligner(a, b, same_after_gap, progress).Run();
}

}  // namespace tidemark::presenters
