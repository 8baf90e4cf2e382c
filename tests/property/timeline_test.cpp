// The store answers every question as the slow model does, at any boundary, whatever the stream.
#include "profiler/timeline/timeline.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "profiler/base/wrapping.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"
#include "tests/property/timeline_model.h"
#include "tests/support/catch.h"

namespace tidemark::timeline {
namespace {

using events::Event;

constexpr size_t kChunk = 16'384;

bool operator==(const Bucket& a, const Bucket& b) {
  return a.first == b.first && a.min == b.min && a.max == b.max && a.last == b.last;
}

// An empty range at the very beginning has no event before it that is kept.
bool Same(const View& view, const View::Peak& peak, const View::Peak& expected) {
  return peak.index == std::max(expected.index, view.first()) && peak.values == expected.values;
}

// Indices where something may go wrong: around chunks, nodes of every level, and anywhere.
class Edges {
 public:
  Edges(size_t first, size_t end, uint32_t seed) : first_(first), end_(end), random_(seed) {}
  size_t Next() {
    static constexpr std::array<size_t, 6> kUnits = {1, 64, 256, 1024, 4096, kChunk};
    const size_t unit = kUnits[random_() % kUnits.size()];
    const size_t near = first_ + random_() % (end_ - first_ + 1) / unit * unit;
    return std::clamp<size_t>(near + random_() % 3 - 1, first_, end_);
  }
  std::pair<size_t, size_t> Range() {
    const size_t a = Next();
    const size_t b = Next();
    return std::minmax(a, b);
  }
  size_t Below(size_t count) { return random_() % count; }

 private:
  size_t first_;
  size_t end_;
  std::mt19937_64 random_;
};

Series AnySeries(Edges& edges) { return static_cast<Series>(edges.Below(kSeriesCount)); }

void CheckRanges(const View& view, const Model& model, uint32_t seed) {
  Edges edges(view.first(), view.end(), seed);
  size_t wrong = 0;
  for (int round = 0; round < 120; ++round) {
    const auto [begin, end] = edges.Range();
    const Series series = AnySeries(edges);
    std::vector<Bucket> buckets(1 + edges.Below(60));
    view.Envelope(series, begin, end, buckets);
    for (size_t k = 0; k < buckets.size(); ++k) {
      const size_t from = begin + (end - begin) * k / buckets.size();
      const size_t to = begin + (end - begin) * (k + 1) / buckets.size();
      if (!(buckets[k] == model.BucketOf(series, from, to))) ++wrong;
    }
    const View::Peak peak = view.PeakIn(series, begin, end);
    const View::Peak expected = model.PeakIn(series, begin, end);
    if (!Same(view, peak, expected)) ++wrong;
    const size_t index = std::min<size_t>(edges.Next(), view.end() - 1);
    if (view.ValuesAt(index) != model.After(index)) ++wrong;
    if (view.TimeOf(index) != model.TimeOf(index)) ++wrong;
    const auto in_view = [&view](std::optional<EventIndex> told) {
      return told && *told < view.end() ? told : std::nullopt;
    };
    if (view.FreedAt(index) != in_view(model.FreedAt(index))) ++wrong;
    if (view.StopsCountingAt(index) != in_view(model.StopsCountingAt(index))) ++wrong;
    const auto shaped = in_view(model.ShapedAt(index));
    if (view.ShapeOf(index) != (shaped ? view.event(*shaped).name : 0)) ++wrong;
  }
  CHECK(wrong == 0);
}

int64_t SumOf(const SeriesValues& values, CategorySet categories) {
  int64_t sum = 0;
  for (size_t category = 0; category < events::kCategoryCount; ++category) {
    if (Contains(categories, category)) AddTo(sum, values[category]);
  }
  return sum;
}

// What the model says of [begin, end), or of the event before it.
View::Column ColumnOf(const Model& model, CategorySet categories, size_t begin, size_t end) {
  View::Column column{{begin == 0 ? 0 : begin - 1, model.Before(begin)},
                      SumOf(model.Before(begin), categories),
                      ValueOf(model.Before(begin), Series::kReserved)};
  for (size_t index = begin; index < end; ++index) {
    const SeriesValues& values = model.After(index);
    const int64_t sum = SumOf(values, categories);
    const bool is_first = index == begin;
    if (is_first || sum > SumOf(column.peak.values, categories)) column.peak = {index, values};
    column.lowest = is_first ? sum : std::min(column.lowest, sum);
    const int64_t reserved = ValueOf(values, Series::kReserved);
    column.reserved_max = is_first ? reserved : std::max(column.reserved_max, reserved);
  }
  return column;
}

void CheckColumns(const View& view, const Model& model, uint32_t seed) {
  Edges edges(view.first(), view.end(), seed);
  std::vector<EventIndex> cuts;
  for (int k = 0; k < 200; ++k) cuts.push_back(edges.Next());
  std::sort(cuts.begin(), cuts.end());
  std::vector<View::Column> columns(cuts.size() - 1);
  const CategorySet some = static_cast<CategorySet>(edges.Below(kAllCategories));
  size_t wrong = 0;
  for (const CategorySet categories : {kAllCategories, kAllCategories & ~CategorySet{4}, some}) {
    view.Columns(cuts, categories, columns);
    for (size_t k = 0; k < columns.size(); ++k) {
      const View::Column expected = ColumnOf(model, categories, cuts[k], cuts[k + 1]);
      if (!Same(view, columns[k].peak, expected.peak)) ++wrong;
      if (columns[k].lowest != expected.lowest || columns[k].reserved_max != expected.reserved_max) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

void CheckTimes(const View& view, const Model& model, uint32_t seed) {
  Edges edges(view.first(), view.end() - 1, seed);
  size_t wrong = 0;
  for (int round = 0; round < 20; ++round) {
    const auto [a, b] = edges.Range();
    const int64_t begin = view.TimeOf(a) - static_cast<int64_t>(edges.Below(3)) + 1;
    const int64_t end = view.TimeOf(b) + static_cast<int64_t>(edges.Below(100'000));
    const auto index_at = [&](int64_t time) {
      return std::clamp<size_t>(model.IndexAt(time), view.first(), view.end());
    };
    if (view.IndexAt(begin) != index_at(begin)) ++wrong;
    const auto tolerance = static_cast<int64_t>(edges.Below(3) * edges.Below(5'000'000));
    const View::Cut cut = view.CutNear(begin, tolerance);
    if (cut.time_ns > begin || cut.time_ns < begin - tolerance) ++wrong;
    if (cut.index > view.first() && model.TimeOf(cut.index - 1) > cut.time_ns) ++wrong;
    if (cut.index < view.end() && model.TimeOf(cut.index) < cut.time_ns) ++wrong;
    const Series series = AnySeries(edges);
    std::vector<Bucket> buckets(1 + edges.Below(40));
    view.EnvelopeInTime(series, begin, end, buckets);
    const auto count = static_cast<int64_t>(buckets.size());
    const int64_t span = std::max<int64_t>(0, end - begin);
    for (int64_t k = 0; k < count; ++k) {
      const Bucket expected = model.BucketOf(series, index_at(begin + span * k / count),
                                             index_at(begin + span * (k + 1) / count));
      if (!(buckets[static_cast<size_t>(k)] == expected)) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

bool Same(const LiveBlock& a, const LiveBlock& b) {
  return a.address == b.address && a.bytes == b.bytes && a.rounded_bytes == b.rounded_bytes &&
         a.category == b.category && a.name == b.name && a.layer == b.layer && a.op == b.op &&
         a.stream == b.stream && a.born == b.born && a.pending_free == b.pending_free &&
         a.device == b.device && a.shape == b.shape;
}

void CheckState(const View& view, const Model& model, size_t index) {
  const State state = view.StateAt(index);
  const Model::Moment moment = model.MomentAt(index);
  CHECK(state.index == index);
  CHECK(state.values == moment.values);
  if (const Step* step = LatestStepAt(view, index))
    CHECK(step->number == moment.step);
  else
    CHECK((moment.step < 0 || view.first() > 0));
  CHECK(state.phase == moment.phase);
  CHECK(state.time_ns == model.TimeOf(index));
  REQUIRE(state.blocks.size() == moment.blocks.size());
  size_t wrong = 0;
  for (const LiveBlock& block : state.blocks) {
    if (!Same(block, moment.blocks.at(block.address))) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(std::is_sorted(state.blocks.begin(), state.blocks.end(),
                       [](const LiveBlock& a, const LiveBlock& b) { return a.born < b.born; }));
  std::set<uint64_t> pages;
  for (const Segment& segment : state.segments) {
    for (int64_t n = 0; n < segment.bytes / kPageBytes; ++n) {
      CHECK(pages.insert(segment.address / kPageBytes + static_cast<uint64_t>(n)).second);
    }
  }
  CHECK(pages == moment.pages);
}

void CheckStates(const View& view, const Model& model, uint32_t seed) {
  Edges edges(view.first(), view.end() - 1, seed);
  for (int round = 0; round < 12; ++round) CheckState(view, model, edges.Next());
}

// What a loose block is when it is freed or the event comes, found by walking there.
struct Proved {
  events::Category category = events::Category::kUnknown;
  bool known = true;  // else another was put over it: its own end is not told
};
Proved Walk(const View& view, const LiveBlock& block, size_t index, size_t until) {
  Proved proved{block.category};
  for (size_t at = index + 1; at < until; ++at) {
    const Event event = view.event(at);
    if (event.address != block.address) continue;
    if (event.kind == events::EventKind::kAllocate) return {block.category, false};
    if (event.kind == events::EventKind::kFreeCompleted) break;
    if (event.kind == events::EventKind::kCategorize) proved.category = event.category;
  }
  return proved;
}

void CheckSettled(const View& view, uint32_t seed) {
  Edges edges(view.first(), view.end() - 1, seed);
  size_t wrong = 0;
  size_t settled = 0;
  for (int round = 0; round < 300; ++round) {
    const auto [index, far] = edges.Range();
    const size_t until = round % 20 == 0 ? far : std::min(far, index + edges.Below(4'000));
    const State before = view.StateAt(index);
    const State after = SettledStateAt(view, index, until);
    REQUIRE(after.blocks.size() == before.blocks.size());
    SeriesValues values = before.values;
    for (size_t i = 0; i < before.blocks.size(); ++i) {
      LiveBlock expected = before.blocks[i];
      const bool unknown = expected.category == events::Category::kUnknown;
      if ((unknown || expected.category == events::Category::kTemporary) && !expected.pending_free) {
        const Proved proved = Walk(view, expected, index, until);
        if (proved.known && (unknown || proved.category != events::Category::kActivation))
          expected.category = proved.category;
      }
      if (expected.born < view.first() && after.blocks[i].category != expected.category) continue;
      if (after.blocks[i].category != expected.category) ++wrong;
      if (expected.category == before.blocks[i].category) continue;
      ++settled;
      SubtractFrom(values[static_cast<size_t>(before.blocks[i].category)], expected.rounded_bytes);
      AddTo(values[static_cast<size_t>(expected.category)], expected.rounded_bytes);
    }
    if (view.first() == 0 && after.values != values) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(settled > 0);
}

bool SameAllocated(const SeriesValues& a, const SeriesValues& b) {
  return ValueOf(a, Series::kAllocated) == ValueOf(b, Series::kAllocated);
}

void CheckSteps(const View& view, const Model& model) {
  CHECK(view.steps().size() > 100);
  size_t wrong = 0;
  for (const Step& step : view.steps()) {
    const bool runs = !step.complete && step.end == view.end();
    const size_t end = step.complete ? step.end + 1 : step.end;
    const size_t seen = runs ? view.end() : end;
    const View::Peak peak = model.PeakIn(Series::kAllocated, step.begin, seen);
    size_t last = peak.index;  // before kAllocated falls
    while (last + 1 < seen && SameAllocated(model.After(last + 1), peak.values)) ++last;
    if (step.peak < peak.index || step.peak > last || step.at_peak != model.After(last)) ++wrong;
    if (step.reserved_peak != model.BucketOf(Series::kReserved, step.begin, end).max) ++wrong;
    if (step.requested_peak != model.BucketOf(Series::kRequested, step.begin, end).max) ++wrong;
  }
  CHECK(wrong == 0);
}

void CheckAll(const View& view, const Model& model, uint32_t seed) {
  CheckRanges(view, model, seed);
  CheckColumns(view, model, seed + 1);
  CheckTimes(view, model, seed + 2);
  CheckStates(view, model, seed + 3);
  CheckSteps(view, model);
  CheckSettled(view, seed + 4);
}

}  // namespace

TEST_CASE("The store answers as the model does, whatever the stream") {
  const auto seed = static_cast<uint32_t>(GENERATE(1, 2, 3));
  const size_t count = GENERATE(3 * kChunk, 2 * kChunk + 77, 9'000);
  const std::vector<Event> events = RandomStream(count, seed);
  const Model model(events);
  Builder builder;
  builder.Append(events);
  CheckAll(*builder.Publish(), model, seed);
}

TEST_CASE("What is left after letting go answers as before") {
  const std::vector<Event> events = RandomStream(9 * kChunk + 100, 7);
  const Model model(events);
  Builder builder(4 * kChunk);
  builder.Append(events);
  const auto view = builder.Publish();
  CHECK(view->health().let_go >= 6 * kChunk);  // more where the events take more than their budget
  CHECK(view->first() == view->health().let_go);
  CHECK(view->end() - view->first() > kChunk);
  CheckAll(*view, model, 8);
}

TEST_CASE("Views stay as they were while the builder goes on") {
  const std::vector<Event> events = RandomStream(2 * kChunk + 500, 11);
  const Model model(events);
  Builder builder;
  std::vector<std::shared_ptr<const View>> views;
  size_t done = 0;
  for (const size_t until :
       {kChunk - 30, kChunk - 29, kChunk, kChunk + 1, kChunk + 64, kChunk + 300, events.size()}) {
    builder.Append(std::span(events).subspan(done, until - done));
    done = until;
    views.push_back(builder.Publish());
    CHECK(views.back()->end() == until);
  }
  for (size_t k = 0; k < views.size(); ++k) CheckAll(*views[k], model, static_cast<uint32_t>(100 + k));
}

TEST_CASE("Events that the store has completed tell the same story again") {
  const std::vector<Event> events = RandomStream(kChunk + 5'000, 13);
  Builder builder;
  builder.Append(events);
  const auto view = builder.Publish();
  std::vector<Event> completed;
  for (EventIndex index = 0; index < view->end(); ++index) completed.push_back(view->event(index));
  Builder again;
  again.Append(completed);
  const auto same = again.Publish();
  size_t wrong = 0;
  for (EventIndex index = 0; index < view->end(); ++index) {
    if (!(same->event(index) == view->event(index)) || same->ValuesAt(index) != view->ValuesAt(index))
      ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace tidemark::timeline
