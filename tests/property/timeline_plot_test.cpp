// At full zoom-out over ten million events every column is what a walk over its events finds, and a spike and
// a dip of one event each are there, to the byte.
#include "app/presenters/plot/timeline_plot.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::CategorySet;

constexpr size_t kEvents = 10'000'000;
constexpr size_t kSpike = 6'543'211;
constexpr size_t kDip = 3'210'987;
constexpr uint64_t kBase = 0x10000000;
constexpr uint64_t kSpikeAddress = 0x20000000;
constexpr int64_t kBaseBytes = 3'000'000'000;
constexpr int64_t kSpikeBytes = 7'777'777'777'664;
constexpr CategorySet kSome = 0b0010110011;

// Blocks that come and go at random over one that stays, but for one event.
class Run {
 public:
  Run() {
    std::vector<Event> batch;
    for (size_t index = 0; index < kEvents; ++index) {
      batch.push_back(Next(index));
      batch.back().time_ns = static_cast<int64_t>(index * 700 + random_() % 600);
      all_.push_back(allocated_);
      some_.push_back(some_allocated_);
      if (batch.size() < 65'536) continue;
      builder_.Append(batch);
      batch.clear();
    }
    builder_.Append(batch);
    view_ = builder_.Publish();
  }

  const timeline::View& view() const { return *view_; }
  // After every event.
  const std::vector<int64_t>& SumsOf(CategorySet categories) const {
    return categories == kSome ? some_ : all_;
  }

 private:
  struct Block {
    int64_t bytes = 0;  // 0 = none lies there
    events::Category category = events::Category::kUnknown;
  };

  Event Allocate(uint64_t address, Block& block, int64_t bytes, events::Category category) {
    block = {bytes, category};
    Count(block, 1);
    Event event;
    event.kind = EventKind::kAllocate;
    event.address = address;
    event.bytes = event.rounded_bytes = bytes;
    event.category = category;
    return event;
  }
  Event Free(uint64_t address, Block& block) {
    Count(block, -1);
    block = {};
    Event event;
    event.kind = EventKind::kFreeCompleted;
    event.address = address;
    return event;
  }
  void Count(const Block& block, int64_t sign) {
    allocated_ += sign * block.bytes;
    if (timeline::Contains(kSome, static_cast<size_t>(block.category))) some_allocated_ += sign * block.bytes;
  }
  Event Next(size_t index) {
    constexpr auto kBaseCategory = events::Category::kParameter;
    if (index == 0 || index == kDip + 1) return Allocate(kBase, base_, kBaseBytes, kBaseCategory);
    if (index == kDip) return Free(kBase, base_);
    if (index == kSpike) return Allocate(kSpikeAddress, spike_, kSpikeBytes, kBaseCategory);
    if (index == kSpike + 1) return Free(kSpikeAddress, spike_);
    const size_t place = random_() % blocks_.size();
    const uint64_t address = 0x1000 * (place + 1);
    Block& block = blocks_[place];
    if (block.bytes > 0) return Free(address, block);
    return Allocate(address, block, static_cast<int64_t>(1 + random_() % 4000) * 512,
                    static_cast<events::Category>(random_() % events::kCategoryCount));
  }

  std::mt19937_64 random_{42};
  std::array<Block, 400> blocks_;
  Block base_;
  Block spike_;
  int64_t allocated_ = 0;
  int64_t some_allocated_ = 0;
  std::vector<int64_t> all_;
  std::vector<int64_t> some_;
  timeline::Builder builder_;
  std::shared_ptr<const timeline::View> view_;
};

const Run& TheRun() {
  static const Run run;
  return run;
}

TimelinePlot WholePlot(const timeline::View& view, TimeAxis axis, CategorySet categories) {
  return MakeTimelinePlot(view, {}, {axis, WholeRange(view, axis), 1900, ByteUnit::kMegabytes, categories});
}

std::string TextOf(const PlotColumn& column, CategorySet categories) {
  std::string text;
  for (const std::string& line : DescribeColumn(column, categories)) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("Every column of ten million events is what a walk over them finds") {
  const Run& run = TheRun();
  REQUIRE(run.view().end() == kEvents);
  for (const CategorySet categories : {timeline::kAllCategories, kSome}) {
    const std::vector<int64_t>& sums = run.SumsOf(categories);
    const TimelinePlot plot = WholePlot(run.view(), TimeAxis::kEvents, categories);
    REQUIRE(plot.columns.size() > 1500);
    size_t wrong = 0;
    for (const PlotColumn& column : plot.columns) {
      const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(column.begin);
      const auto end = sums.begin() + static_cast<std::ptrdiff_t>(column.end);
      const auto peak = std::max_element(begin, end);
      if (column.peak != static_cast<EventIndex>(peak - sums.begin())) ++wrong;
      if (ShownBytes(column, categories) != *peak || column.lowest != *std::min_element(begin, end)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("A spike and a dip of one event among ten million are there at full zoom-out, to the byte") {
  const Run& run = TheRun();
  for (const TimeAxis axis : {TimeAxis::kEvents, TimeAxis::kWallClock}) {
    for (const CategorySet categories : {timeline::kAllCategories, kSome}) {
      const TimelinePlot plot = WholePlot(run.view(), axis, categories);
      const auto is_spike = [&](const PlotColumn& column) {
        return ShownBytes(column, categories) > kSpikeBytes;
      };
      const auto is_dip = [](const PlotColumn& column) { return column.lowest < kBaseBytes / 2; };
      REQUIRE(std::ranges::count_if(plot.columns, is_spike) == 1);
      // The run begins with nothing but the base: its first column holds more than half of it.
      REQUIRE(std::ranges::count_if(plot.columns, is_dip) == 1);
      const std::vector<int64_t>& sums = run.SumsOf(categories);
      const PlotColumn& spike = *ColumnAt(plot, PositionOf(run.view(), axis, kSpike));
      CHECK(spike.peak == kSpike);
      CHECK(ShownBytes(spike, categories) == sums[kSpike]);
      const int64_t allocated = run.SumsOf(timeline::kAllCategories)[kSpike];
      CHECK(TextOf(spike, categories)
                .starts_with("highest of this column: event 6,543,211 · allocated " +
                             FormatExactBytes(allocated)));
      const PlotColumn& dip = *ColumnAt(plot, PositionOf(run.view(), axis, kDip));
      CHECK(dip.lowest == sums[kDip]);
      CHECK(
          TextOf(dip, categories).ends_with("lowest of this column " + FormatExactBytes(sums[kDip]) + "\n"));
    }
  }
}

}  // namespace tidemark::presenters
