#include "app/presenters/allocations/folded_stacks.h"

#include <random>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;

std::string FoldedAt(const timeline::View& view, timeline::EventIndex index) {
  return *FoldedStacksOf(view, view.StateAt(index), {});
}

std::string FoldedAtEnd(timeline::Stream& stream) {
  const auto view = stream.Publish();
  return FoldedAt(*view, view->end() - 1);
}

int64_t SumOf(const std::string& folded) {
  std::istringstream lines(folded);
  int64_t sum = 0;
  for (std::string line; std::getline(lines, line);) sum += std::stoll(line.substr(line.rfind(' ') + 1));
  return sum;
}

TEST_CASE("Blocks of one call stack are a line, from the outermost frame to what they hold") {
  timeline::Stream stream;
  const events::NameId conv =
      stream.Name("aten::conv2d \u2190 forward (model.py:12) \u2190 step (train.py:40)");
  const events::NameId alone = stream.Name("load (data.py:7)");
  const events::NameId layer = stream.Name("conv1");
  for (const uint64_t address : {0x10000U, 0x20000U}) {
    events::Event& block = stream.Allocate(address, 1000, Category::kActivation);
    block.rounded_bytes = 1024;
    block.op = conv;
    block.layer = layer;
  }
  stream.Allocate(0x30000, 512, Category::kGradient).op = conv;
  stream.Allocate(0x40000, 2048, Category::kInput).op = alone;
  CHECK(FoldedAtEnd(stream) ==
        "load (data.py:7);input 2048\n"
        "step (train.py:40);forward (model.py:12);aten::conv2d;activation 2048\n"
        "step (train.py:40);forward (model.py:12);aten::conv2d;gradient 512\n");
}

TEST_CASE("Where no stack was recorded the frames are phase, layer and operator, as far as they are told") {
  timeline::Stream stream;
  const events::NameId layer = stream.Name("layer3.0.conv1");
  const events::NameId op = stream.Name("aten::conv2d");
  stream.BeginPhase(events::Phase::kForward);
  events::Event& block = stream.Allocate(0x10000, 1024, Category::kActivation);
  block.layer = layer;
  block.op = op;
  stream.Allocate(0x20000, 512, Category::kTemporary);
  CHECK(FoldedAtEnd(stream) ==
        "forward;layer3;layer3.0;layer3.0.conv1;aten::conv2d;activation 1024\n"
        "forward;temporary 512\n");
}

TEST_CASE("Of two moments each stack is a line with the bytes of both") {
  timeline::Stream before;
  before.BeginPhase(events::Phase::kForward);
  before.Allocate(0x10000, 1024, Category::kActivation).layer = before.Name("conv1");
  before.Allocate(0x20000, 512, Category::kTemporary);
  timeline::Stream after;
  after.BeginPhase(events::Phase::kForward);
  after.Allocate(0x10000, 4096, Category::kActivation).layer = after.Name("conv1");
  after.Allocate(0x20000, 512, Category::kInput);
  const auto a = before.Publish();
  const auto b = after.Publish();
  const timeline::State state_a = a->StateAt(a->end() - 1);
  const timeline::State state_b = b->StateAt(b->end() - 1);
  CHECK(*FoldedDifferenceOf(*a, state_a, *b, state_b, {}) ==
        "forward;conv1;activation 1024 4096\n"
        "forward;input 0 512\n"
        "forward;temporary 512 0\n");
}

TEST_CASE("No name ends a frame or a line") {
  timeline::Stream stream;
  const events::NameId op = stream.Name("a;b\n (x.py:1) \u2190 main (x.py:9)");
  stream.Allocate(0x10000, 512, Category::kInput).op = op;
  CHECK(FoldedAtEnd(stream) == "main (x.py:9);a,b  (x.py:1);input 512\n");
}

TEST_CASE("At each moment the lines add up to what is allocated") {
  timeline::Stream stream;
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same each time
  std::vector<events::NameId> names = {0};
  for (const char* const name : {"aten::relu", "f (a.py:1)", "g (a.py:2) \u2190 f (a.py:1)", "g (a.py:2)"})
    names.push_back(stream.Name(name));
  std::vector<uint64_t> alive;
  for (uint64_t i = 1; i < 500; ++i) {
    if (!alive.empty() && random() % 3 == 0) {
      const size_t one = random() % alive.size();
      stream.RequestFree(alive[one]);
      if (random() % 2 == 0) stream.Free(alive[one]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(one));
    }
    const auto category = static_cast<Category>(random() % events::kCategoryCount);
    events::Event& block = stream.Allocate(i << 20, static_cast<int64_t>(1 + random() % 5000), category);
    block.rounded_bytes = (block.bytes + 511) / 512 * 512;
    block.op = names[random() % names.size()];
    block.layer = names[random() % 2];
    alive.push_back(i << 20);
  }
  const auto view = stream.Publish();
  for (timeline::EventIndex index = view->first(); index < view->end(); index += 37) {
    CAPTURE(index);
    CHECK(SumOf(FoldedAt(*view, index)) == ValueOf(view->ValuesAt(index), timeline::Series::kAllocated));
  }
}

TEST_CASE("Folding that is no longer wanted ends") {
  timeline::Stream stream;
  for (uint64_t i = 1; i < 5000; ++i) stream.Allocate(i << 20, 512);
  const auto view = stream.Publish();
  const timeline::State state = view->StateAt(view->end() - 1);
  CHECK_FALSE(FoldedStacksOf(*view, state, [](double) { return false; }));
  CHECK(*FoldedStacksOf(*view, state, [](double share) { return share <= 1; }) == "idle;temporary 2559488\n");
}

}  // namespace
}  // namespace tidemark::presenters
