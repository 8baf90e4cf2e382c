#include "app/presenters/plot/plot_blocks.h"

#include <map>
#include <random>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/counting_view.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using events::EventIndex;

TimelinePlot EveryEvent(const timeline::View& view) {
  return MakeTimelinePlot(view, {}, {TimeAxis::kEvents, WholeRange(view, TimeAxis::kEvents), 100'000});
}

TEST_CASE("A block moves down when an older one below it goes") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 1024);
  stream.Allocate(0x2000, 512);
  stream.Free(0x1000);
  stream.Add(events::EventKind::kStepEnd);
  const auto view = stream.Publish();
  const std::vector<PlotBlock> blocks = BlocksInSight(*view, EveryEvent(*view), {});
  REQUIRE(blocks.size() == 3);
  const auto moved = std::count_if(blocks.begin(), blocks.end(), [](const PlotBlock& block) {
    return block.top_bytes - block.bottom_bytes == 512;
  });
  CHECK(moved == 2);
  for (const PlotBlock& block : blocks) {
    if (block.top_bytes == 1536) {
      CHECK(block.bottom_bytes == 1024);
      CHECK(block.begin == 1);
      CHECK(block.end == 2);
      CHECK(block.born);
      CHECK_FALSE(block.gone);
    }
  }
}

TEST_CASE("A block that moves less than can be seen stays where it is") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  stream.Allocate(0x2000, 1 << 20);
  stream.Free(0x1000);
  stream.Free(0x2000);
  const auto view = stream.Publish();
  const std::vector<PlotBlock> blocks = BlocksInSight(*view, EveryEvent(*view), {1024, 512, 0});
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].begin == 1);
  CHECK(blocks[0].end == 3);
  CHECK(blocks[0].gone);
}

TEST_CASE("A block that is called something else neither ends nor begins") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 4096);
  stream.Categorize(0x1000, Category::kParameter);
  stream.Free(0x1000);
  const auto view = stream.Publish();
  const std::vector<PlotBlock> blocks = BlocksInSight(*view, EveryEvent(*view), {});
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].category == Category::kTemporary);
  CHECK_FALSE(blocks[0].gone);
  CHECK(blocks[1].category == Category::kParameter);
  CHECK_FALSE(blocks[1].born);
  CHECK(blocks[1].gone);
}

TEST_CASE("Small blocks are not listed, and titles only where there is room") {
  Training training;
  training.Weight(100);
  training.Step(0, 5000, 7000);
  const auto view = training.Publish();
  for (const PlotBlock& block : BlocksInSight(*view, EveryEvent(*view), {1024, 0, 1e9})) {
    CHECK(block.top_bytes - block.bottom_bytes >= 1024);
    CHECK(block.title.empty());
  }
  bool named = false;
  for (const PlotBlock& block : BlocksInSight(*view, EveryEvent(*view), {}))
    named = named || block.title == "conv1.weight";
  CHECK(named);
}

// Whatever the stream: at every column the listed blocks fill the stack of the plot without gap or overlap.
TEST_CASE("The blocks of any stream fill the plot's stack") {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    timeline::Stream stream;
    for (int i = 0; i < 300; ++i) {
      const uint64_t address = 0x1000 * (1 + random() % 40);
      const auto category = static_cast<Category>(random() % events::kCategoryCount);
      switch (random() % 5) {
        case 0:
        case 1:
          stream.Allocate(address, static_cast<int64_t>(1 + random() % 9000), category);
          break;
        case 2:
          stream.Free(address);
          break;
        case 3:
          stream.RequestFree(address);
          break;
        default:
          stream.Categorize(address, category);
      }
    }
    const auto view = stream.Publish();
    const TimelinePlot plot = EveryEvent(*view);
    const std::vector<PlotBlock> blocks = BlocksInSight(*view, plot, {});
    for (const PlotColumn& column : plot.columns) {
      std::map<int64_t, const PlotBlock*> here;
      for (const PlotBlock& block : blocks) {
        if (block.begin <= column.begin && column.begin < block.end) here[block.bottom_bytes] = &block;
      }
      int64_t reached = 0;
      std::array<int64_t, events::kCategoryCount> sums{};
      for (const auto& [bottom, block] : here) {
        CHECK(bottom == reached);
        reached = block->top_bytes;
        sums[static_cast<size_t>(block->category)] += block->top_bytes - block->bottom_bytes;
      }
      for (size_t category = 0; category < sums.size(); ++category)
        CHECK(sums[category] == column.at_peak[category]);
    }
  }
}

TEST_CASE("Where a column holds many events there are no single blocks") {
  Training training;
  for (int step = 0; step < 200; ++step) training.Step(step, 5000, 7000);
  const auto view = training.Publish();
  const TimelinePlot plot =
      MakeTimelinePlot(*view, {}, {TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents), 100});
  CHECK(BlocksInSight(*view, plot, {}).empty());
  CHECK(BlocksInSight(*timeline::Stream().Publish(), {}, {}).empty());
}

TEST_CASE("Where too many blocks are alive to be followed, none are looked for") {
  timeline::Stream stream;
  const auto of_last_events = [&stream] {
    const auto stored = stream.Publish();
    const timeline::CountingView view(stored);
    const auto end = static_cast<double>(view.end());
    const TimelinePlot plot = MakeTimelinePlot(view, {}, {TimeAxis::kEvents, {end - 8, end}, 100});
    const bool are_any = !BlocksInSight(view, plot, {}).empty();
    return std::pair(are_any, view.counts().states);
  };
  for (uint64_t block = 1; block <= 1000; ++block) stream.Allocate(block << 20, 512);
  CHECK(of_last_events() == std::pair(true, uint64_t{1}));
  for (uint64_t block = 1; block <= kMostBlockMoves / kMovesOfFinding + 20'000; ++block)
    stream.Allocate((1001 + block) << 20, 512);
  CHECK(of_last_events() == std::pair(false, uint64_t{0}));
}

}  // namespace
}  // namespace tidemark::presenters
