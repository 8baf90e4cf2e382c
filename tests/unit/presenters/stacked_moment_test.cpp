#include "app/presenters/plot/stacked_moment.h"

#include <memory>
#include <random>

#include "profiler/timeline/counted_blocks.h"
#include "tests/support/catch.h"
#include "tests/support/counting_view.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {

using events::Category;
using events::EventIndex;
using timeline::LiveBlock;

namespace {

// By looking at each block from the bottom.
const LiveBlock* Searched(const timeline::State& state, int64_t bytes) {
  for (size_t category = 0; category < events::kCategoryCount; ++category) {
    for (const LiveBlock& block : state.blocks) {
      if (static_cast<size_t>(block.category) != category || !timeline::Counts(block)) continue;
      if (bytes < block.rounded_bytes) return &block;
      bytes -= block.rounded_bytes;
    }
  }
  return nullptr;
}

// Blocks of all categories that come, change and go in any order.
std::shared_ptr<const timeline::View> AnyRun(int events, uint32_t seed) {
  std::mt19937 random(seed);
  timeline::Stream stream;
  for (int i = 0; i < events; ++i) {
    const uint64_t address = (1 + random() % 40) << 20;
    const auto category = static_cast<Category>(random() % events::kCategoryCount);
    switch (random() % 8) {
      case 0:
        stream.Categorize(address, category);
        break;
      case 1:
        stream.RequestFree(address);
        break;
      case 2:
      case 3:
        stream.Free(address);
        break;
      default:
        stream.Allocate(address, static_cast<int64_t>(1 + random() % 100'000), category);
    }
  }
  return stream.Publish();
}

// A run with so many blocks that are always alive, and 10 that come and go for so many events.
std::shared_ptr<const timeline::View> LongRun(uint64_t live, uint64_t events) {
  timeline::Builder builder(40'000'000);
  timeline::Stream first;
  for (uint64_t block = 1; block <= live; ++block) first.Allocate(block << 20, 512, Category::kParameter);
  builder.Append(first.events());
  timeline::Stream steps;
  for (int i = 0; i < 5000; ++i) {
    for (uint64_t block = 1; block <= 10; ++block)
      steps.Allocate((live + block) << 20, 1024, Category::kActivation);
    for (uint64_t block = 1; block <= 10; ++block) steps.Free((live + block) << 20);
  }
  for (uint64_t done = live; done < events; done += steps.events().size()) builder.Append(steps.events());
  return builder.Publish();
}

}  // namespace

TEST_CASE("The block under a point is found as the plot stacks: categories in order, blocks by birth") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto view = training.Publish();
  const StackedMoment stack(*view, training.peak());
  CHECK(view->name(stack.BlockAt(0)->name) == "conv1.weight");
  CHECK(view->name(stack.BlockAt(1024)->name) == "conv1 output");
  CHECK(stack.BlockAt(1024 + 2047) == stack.BlockAt(1024));
  CHECK(stack.BlockAt(1024 + 2048)->category == Category::kTemporary);
  CHECK(stack.BlockAt(1024 + 2048 + 3071) != nullptr);
  CHECK(stack.BlockAt(1024 + 2048 + 3072) == nullptr);
  CHECK(stack.BlockAt(-1) == nullptr);
  CHECK(stack.BornAt(stack.BlockAt(1024)->born) == stack.BlockAt(1024));
  CHECK(stack.BornAt(1) == nullptr);
  CHECK(StackedMoment(*timeline::Builder().Publish(), 0).BlockAt(0) == nullptr);
}

TEST_CASE("A block that waits to be freed is not in the stack") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  stream.Allocate(0x2000, 512);
  stream.RequestFree(0x1000);
  const StackedMoment stack(*stream.Publish(), 2);
  CHECK(stack.BlockAt(100)->born == 1);
  CHECK(stack.BlockAt(600) == nullptr);
}

TEST_CASE("Every point of any stack is its block's, and what is older lies below it over its whole life") {
  const auto view = AnyRun(3000, GENERATE(1U, 2U, 3U));
  std::mt19937 random(7);
  size_t wrong = 0;
  size_t compared = 0;
  for (int round = 0; round < 60; ++round) {
    const EventIndex moment = random() % view->end();
    const StackedMoment stack(*view, moment);
    const timeline::State state = view->StateAt(moment);
    const int64_t height = timeline::ValueOf(state.values, timeline::Series::kAllocated);
    const auto bytes = static_cast<int64_t>(random() % static_cast<uint64_t>(height + 1000));
    const LiveBlock* block = stack.BlockAt(bytes);
    const LiveBlock* expected = Searched(state, bytes);
    if ((block == nullptr) != (expected == nullptr) || (block != nullptr && block->born != expected->born))
      ++wrong;
    if (block == nullptr) continue;
    const OlderBlocks older(*view, stack, *block);
    const EventIndex end = view->FreedAt(block->born).value_or(view->end());
    for (EventIndex at = block->born; at < end; ++at) {
      int64_t below = 0;
      bool counts = true;  // some are of another category there than where the block is seen
      for (const LiveBlock& other : view->StateAt(at).blocks) {
        if (other.born >= block->born) break;
        const LiveBlock* seen = stack.BornAt(other.born);
        counts = counts && seen != nullptr && seen->category == other.category;
        if (timeline::Counts(other) && other.category == block->category) below += other.rounded_bytes;
      }
      if (!counts) continue;
      ++compared;
      if (older.AliveAfter(at) != below) ++wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(compared > 100);
}

TEST_CASE("What was below a block and had gone when it is seen is known, too") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512, Category::kGradient);
  stream.Allocate(0x2000, 1024, Category::kTemporary);
  stream.Allocate(0x3000, 2048, Category::kGradient);
  const EventIndex born = stream.latest();
  stream.Categorize(0x2000, Category::kGradient);
  stream.Free(0x2000);
  stream.Free(0x1000);
  const auto view = stream.Publish();
  const StackedMoment seen(*view, view->end() - 1);
  const OlderBlocks older(*view, seen, *seen.BornAt(born));
  CHECK(older.AliveAfter(born) == 512 + 1024);  // as it ended
  CHECK(older.AliveAfter(born + 2) == 512);
  CHECK(older.AliveAfter(born + 3) == 0);
  CHECK(older.all_ended());
  const StackedMoment before(*view, born + 1);
  CHECK(OlderBlocks(*view, before, *before.BornAt(born)).AliveAfter(born + 2) == 512);
}

TEST_CASE("What was below a block is there no more while it waits to be freed") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 5120);
  stream.Allocate(0x2000, 512);
  stream.RequestFree(0x1000);
  const EventIndex requested = stream.latest();
  stream.Allocate(0x3000, 512, Category::kInput);
  stream.Free(0x1000);
  const auto view = stream.Publish();
  for (const EventIndex moment : {requested - 1, requested, view->end() - 1}) {
    const StackedMoment seen(*view, moment);
    const OlderBlocks older(*view, seen, *seen.BornAt(1));
    CHECK(older.AliveAfter(requested - 1) == 5120);
    CHECK(older.AliveAfter(requested) == 0);
    CHECK(older.AliveAfter(view->end() - 1) == 0);
    CHECK(older.all_ended());
  }
}

TEST_CASE("However long the run and however many blocks are alive, a point and a column cost no more") {
  const auto [live, events] = GENERATE(
      std::pair<uint64_t, uint64_t>(100, 100'000), std::pair<uint64_t, uint64_t>(100, 1'000'000),
      std::pair<uint64_t, uint64_t>(10'000, 200'000), std::pair<uint64_t, uint64_t>(100'000, 1'000'000));
  const timeline::CountingView view(LongRun(live, events));
  const EventIndex moment = view.end() - 7;
  const StackedMoment stack(view, moment);
  CHECK(view.counts().states == 1);
  CHECK(view.counts().events == 0);
  const LiveBlock* block = stack.BlockAt(static_cast<int64_t>(live) * 512 + 100);
  REQUIRE(block != nullptr);
  CHECK(block->category == Category::kActivation);
  const OlderBlocks older(view, stack, *block);
  CHECK(view.counts().states == 2);
  view.Forget();
  for (EventIndex column = 0; column < 1000; ++column) {
    stack.BlockAt(static_cast<int64_t>(column));
    older.AliveAfter(block->born + column);
  }
  CHECK(view.counts().events + view.counts().states + view.counts().ends == 0);
  // And to look into the moment costs what is alive and a piece of the run, however long the run is.
  const timeline::View::StateEffort effort = view.EffortOfState(moment);
  CHECK(effort.blocks <= live + 10);
  CHECK(effort.events <= std::max<uint64_t>(16'384, 8 * (live + 10)) + 16'384);
}

}  // namespace tidemark::presenters
