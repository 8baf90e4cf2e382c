#include "app/presenters/comparison/alignment.h"

#include <random>

#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

using Values = std::vector<int64_t>;
using Gaps = std::vector<AlignmentGap>;

constexpr size_t kRun = 4;

Values RandomValues(std::mt19937& random, size_t most, int64_t kinds) {
  Values values(random() % (most + 1));
  for (int64_t& value : values) value = static_cast<int64_t>(random() % static_cast<uint64_t>(kinds));
  return values;
}

Gaps Mirrored(Gaps gaps) {
  for (AlignmentGap& gap : gaps) {
    std::swap(gap.a, gap.b);
    std::swap(gap.only_a, gap.only_b);
  }
  return gaps;
}

bool RunsAgree(const Values& a, size_t i, const Values& b, size_t j) {
  for (size_t k = 0; k < kRun; ++k) {
    const bool in_a = i + k < a.size();
    if (in_a != (j + k < b.size())) return false;
    if (in_a && a[i + k] != b[j + k]) return false;
  }
  return true;
}

// The least number of values to pass over from a place until runs agree, by trying all.
size_t NearestMeeting(const Values& a, size_t from_a, const Values& b, size_t from_b) {
  size_t best = a.size() - from_a + b.size() - from_b;
  for (size_t i = from_a; i < a.size(); ++i) {
    for (size_t j = from_b; j < b.size(); ++j) {
      if (RunsAgree(a, i, b, j)) best = std::min(best, i - from_a + j - from_b);
    }
  }
  return best;
}

}  // namespace

TEST_CASE("Equal sequences agree throughout, and empty ones have nothing to differ in") {
  const Values values = {1, 2, 3, 2, 1};
  CHECK(Align(values, values, kRun).agreed == 5);
  CHECK(Align(values, values, kRun).gaps.empty());
  CHECK(Align({}, {}, kRun).gaps.empty());
}

TEST_CASE("What one lacks is a gap on its side") {
  const Values whole = {1, 2, 3, 4, 5, 6, 7, 8};
  const Values part = {1, 2, 5, 6, 7, 8};
  CHECK(Align(whole, part, kRun).agreed == 6);
  CHECK(Align(whole, part, kRun).gaps == Gaps{{2, 2, 2, 0}});
  CHECK(Align(part, whole, kRun).gaps == Gaps{{2, 2, 0, 2}});
  CHECK(Align(whole, {}, kRun).gaps == Gaps{{0, 0, 8, 0}});
  CHECK(Align({}, whole, kRun).gaps == Gaps{{0, 0, 0, 8}});
}

TEST_CASE("What has another size is a gap on both sides, and a shorter sequence ends in one") {
  CHECK(Align(Values{1, 2, 3, 4, 5, 6}, Values{1, 9, 3, 4, 5, 6}, kRun).gaps == Gaps{{1, 1, 1, 1}});
  CHECK(Align(Values{1, 2, 3}, Values{1, 2}, kRun).gaps == Gaps{{2, 2, 1, 0}});
}

TEST_CASE("Fewer than a run agree again only where both end with them") {
  CHECK(Align(Values{1, 2, 3, 4}, Values{9, 3, 4}, kRun).gaps == Gaps{{0, 0, 2, 1}});
  CHECK(Align(Values{1, 3, 4, 5}, Values{9, 3, 4, 6}, kRun).gaps == Gaps{{0, 0, 4, 4}});
}

TEST_CASE("A gap may be of any length") {
  Values long_gap(100'000, 7);
  const Values tail = {1, 2, 3, 4, 5};
  long_gap.insert(long_gap.end(), tail.begin(), tail.end());
  const Alignment alignment = Align(long_gap, tail, kRun);
  CHECK(alignment.agreed == 5);
  CHECK(alignment.gaps == Gaps{{0, 0, 100'000, 0}});
}

TEST_CASE("On random sequences an alignment covers both, takes the nearest meeting, and mirrors") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const int64_t kinds = 2 + static_cast<int64_t>(random() % 5);
    const Values a = RandomValues(random, 30, kinds);
    const Values b = RandomValues(random, 30, kinds);
    const Alignment alignment = Align(a, b, kRun);
    CHECK(Align(b, a, kRun).gaps == Mirrored(alignment.gaps));
    size_t i = 0;
    size_t j = 0;
    size_t agreed = 0;
    for (const AlignmentGap& gap : alignment.gaps) {
      for (; i < gap.a; ++i, ++j, ++agreed) REQUIRE(a[i] == b[j]);
      REQUIRE(j == gap.b);
      CHECK(gap.only_a + gap.only_b == NearestMeeting(a, i, b, j));
      i += gap.only_a;
      j += gap.only_b;
    }
    for (; i < a.size(); ++i, ++j, ++agreed) REQUIRE(a[i] == b[j]);
    CHECK(j == b.size());
    CHECK(agreed == alignment.agreed);
  }
}

}  // namespace tidemark::presenters
