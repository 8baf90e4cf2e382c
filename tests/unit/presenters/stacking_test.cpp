#include "app/presenters/plot/stacking.h"

#include <map>
#include <random>

#include "app/presenters/allocations/live_tree.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using events::EventIndex;

// Whatever happens to a few addresses, frees of nothing and blocks over blocks among it.
timeline::Stream AnyStream(uint32_t seed, int length) {
  std::mt19937 random(seed);
  timeline::Stream stream;
  const events::NameId layers[] = {0, stream.Name("conv1"), stream.Name("conv2"), stream.Name("fc")};
  for (int i = 0; i < length; ++i) {
    const uint64_t address = 0x1000 * (1 + random() % 9);
    const auto category = static_cast<Category>(random() % events::kCategoryCount);
    switch (random() % 6) {
      case 0:
        stream.Free(address);
        break;
      case 1:
        stream.RequestFree(address);
        break;
      case 2:
        stream.Categorize(address, category, layers[random() % 4]);
        break;
      default: {
        events::Event& event = stream.Allocate(address, 1 + random() % 100'000, category);
        event.layer = layers[random() % 4];
        event.stream = random() % 3;
      }
    }
  }
  return stream;
}

// As the state of each moment says, block by block.
void CheckAgainstStates(const timeline::View& view, const GroupSums& sums,
                        const GroupSums::GroupOf& group_of) {
  size_t wrong = 0;
  for (EventIndex index = view.first(); index < view.end(); ++index) {
    std::vector<int64_t> expected(sums.groups());
    for (const timeline::LiveBlock& block : view.StateAt(index).blocks)
      if (!block.pending_free) expected[group_of(view, block)] += block.rounded_bytes;
    std::vector<int64_t> told(sums.groups());
    sums.At(view, index, told);
    if (told != expected) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Sums by group are those of the blocks that are alive, at every event of any stream") {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    const auto view = AnyStream(seed, 700).Publish();
    for (const StackBy by : {StackBy::kLayer, StackBy::kStream, StackBy::kOperator}) {
      const Result<Stacking> stacking = MakeStacking(*view, {by, ""});
      REQUIRE(stacking.ok());
      GroupSums sums(stacking->titles.size(), stacking->group_of);
      while (!sums.Follow(*view, 100)) {
      }
      CheckAgainstStates(*view, sums, stacking->group_of);
    }
  }
}

TEST_CASE("Blocks of one line of code are one group, whatever called it and whichever operator ran") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 8192).op =
      stream.Name("aten::mm ← linear (torch/nn/linear.py:9) ← forward (net.py:7) ← main (train.py:3)");
  stream.Allocate(0x2000, 512).op = stream.Name("aten::relu ← forward (net.py:7) ← evaluate (train.py:9)");
  stream.Allocate(0x3000, 4096).op = stream.Name("aten::mm ← step (sgd.py:9) ← main (train.py:3)");
  stream.Allocate(0x4000, 128);
  const auto view = stream.Publish();
  const Result<Stacking> lines = MakeStacking(*view, {StackBy::kLine, ""});
  REQUIRE(lines.ok());
  CHECK(lines->titles ==
        std::vector<std::string>{"forward (net.py:7)", "step (sgd.py:9)", "no line of code", "other"});
  const Result<Stacking> operators = MakeStacking(*view, {StackBy::kOperator, ""});
  REQUIRE(operators.ok());
  CHECK(operators->titles == std::vector<std::string>{"aten::mm", "aten::relu", "no operator", "other"});
  const std::vector<timeline::LiveBlock> blocks = view->StateAt(view->end() - 1).blocks;
  CHECK(Selects(FrameSelected("main (train.py:3)"), *view, blocks[2]));
  CHECK_FALSE(Selects(FrameSelected("main (train.py:3)"), *view, blocks[1]));
  CHECK(Selects(OperatorSelected("aten::relu"), *view, blocks[1]));
}

TEST_CASE("Where of nearly all memory nobody told what it holds, lines of code tell the most") {
  timeline::Stream stream;
  CHECK(MostTelling(*stream.Publish()) == StackBy::kCategory);
  const events::NameId line = stream.Name("forward (net.py:7) ← main (train.py:3)");
  stream.Allocate(0x1000, 1 << 20, Category::kUnknown);
  CHECK(MostTelling(*stream.Publish()) == StackBy::kCategory);  // no lines either
  stream.Allocate(0x200000, 1 << 20, Category::kUnknown).op = line;
  CHECK(MostTelling(*stream.Publish()) == StackBy::kLine);
  stream.Allocate(0x400000, 1 << 18, Category::kActivation).op = line;
  CHECK(MostTelling(*stream.Publish()) == StackBy::kCategory);
}

TEST_CASE("What is selected is summed by category, whatever it is called later") {
  const auto view = AnyStream(7, 700).Publish();
  const Selection selection = LayerSelected("conv1");
  GroupSums sums = SumsOfSelected(selection);
  REQUIRE(sums.Follow(*view, 1'000'000));
  CheckAgainstStates(*view, sums, [&](const timeline::View& now, const timeline::LiveBlock& block) {
    return Selects(selection, now, block) ? static_cast<size_t>(block.category)
                                          : static_cast<size_t>(events::kCategoryCount);
  });
}

TEST_CASE("The sums go on where a view has let its oldest events go") {
  const timeline::Stream stream = AnyStream(5, 40'000);
  const auto view = stream.Publish(20'000);
  REQUIRE(view->first() > 0);
  const Result<Stacking> stacking = MakeStacking(*view, {StackBy::kLayer, ""});
  GroupSums sums(stacking->titles.size(), stacking->group_of);
  REQUIRE(sums.Follow(*view, 1'000'000));
  std::vector<int64_t> told(sums.groups());
  for (const EventIndex index : {view->first(), view->first() + 777, view->end() - 1}) {
    sums.At(*view, index, told);
    int64_t all = 0;
    for (const int64_t bytes : told) all += bytes;
    CHECK(all == ValueOf(view->ValuesAt(index), timeline::Series::kAllocated));
  }
}

TEST_CASE("A plot's columns are split by layer, and sum to what is allocated") {
  Training run;
  run.Weight(4096);
  for (int64_t step = 0; step < 30; ++step) run.Step(step, 1 << 20, 1 << 19);
  const auto view = run.Publish();
  TimelinePlot plot =
      MakeTimelinePlot(*view, {}, {TimeAxis::kEvents, WholeRange(*view, TimeAxis::kEvents), 40});
  const Result<Stacking> stacking = MakeStacking(*view, {StackBy::kLayer, ""});
  REQUIRE(stacking.ok());
  CHECK(stacking->titles == std::vector<std::string>{"conv1", "other"});
  GroupSums sums(stacking->titles.size(), stacking->group_of);
  sums.Follow(*view, 10);
  AddGroups(*view, sums, stacking->titles, plot);
  CHECK(plot.groups.empty());  // not all of it has been taken in
  while (!sums.Follow(*view, 10)) {
  }
  AddGroups(*view, sums, stacking->titles, plot);
  REQUIRE(plot.grouped.size() == plot.columns.size() * 2);
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const int64_t allocated = ValueOf(plot.columns[k].at_peak, timeline::Series::kAllocated);
    CHECK(plot.grouped[2 * k] + plot.grouped[2 * k + 1] == allocated);
  }
}

TEST_CASE("An expression makes a group of each thing that it finds") {
  timeline::Stream stream;
  const events::NameId first = stream.Name("block1.conv");
  const events::NameId second = stream.Name("block2.conv");
  stream.Allocate(0x1000, 4096).layer = first;
  stream.Allocate(0x2000, 8192).layer = second;
  stream.Allocate(0x3000, 512);
  const auto view = stream.Publish();
  const Result<Stacking> stacking = MakeStacking(*view, {StackBy::kExpression, "block([0-9])"});
  REQUIRE(stacking.ok());
  CHECK(stacking->titles == std::vector<std::string>{"2", "1", "no match", "other"});
}

TEST_CASE("An expression that cannot be used is a sentence, and a hostile one ends") {
  const auto view = AnyStream(1, 20).Publish();
  for (const char* bad : {"(", "[a", "*", "(a)\\1", "((a{900}){900}){900}"}) {
    const Result<Stacking> stacking = MakeStacking(*view, {StackBy::kExpression, bad});
    INFO(bad);
    REQUIRE_FALSE(stacking.ok());
    CHECK(stacking.error().message.find("Try for example") != std::string::npos);
  }
  timeline::Stream long_names;
  long_names.Allocate(0x1000, 512).layer = long_names.Name(std::string(5000, 'a') + "!");
  CHECK(MakeStacking(*long_names.Publish(), {StackBy::kExpression, "(a+)+$"}).ok());
}

TEST_CASE("An allocation that is picked lights up its category, layer and operator") {
  Training run;
  run.Step(0, 1 << 20, 1 << 19);
  const auto view = run.Publish();
  const timeline::State state = view->StateAt(run.peak());
  const timeline::LiveBlock& activation = state.blocks.front();
  const SelectedOwners owners = OwnersOf(AllocationSelected(activation.born), *view);
  CHECK(owners.title == "conv1 output");
  CHECK(owners.category == Category::kActivation);
  CHECK(owners.layer == "conv1");
  CHECK(owners.op == "aten::relu");
  CHECK(Selects(owners.selection, *view, activation));
  CHECK_FALSE(Selects(owners.selection, *view, state.blocks.back()));
  CHECK_FALSE(OwnersOf(AllocationSelected(1'000'000), *view).selection.any());
  CHECK(OwnersOf(CategorySelected(Category::kInput), *view).title == "input");
}

}  // namespace
}  // namespace tidemark::presenters
