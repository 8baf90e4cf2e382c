#include "profiler/timeline/settled_state.h"

#include "tests/support/catch.h"
#include "tests/support/counting_view.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

using events::Category;

namespace {

int64_t In(const State& state, Category category) { return ValueOf(state.values, SeriesOf(category)); }

}  // namespace

TEST_CASE("What a block proves to be counts until its step ends, and between steps until the next begins") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  stream.BeginStep(0);
  const EventIndex first = stream.latest();
  stream.Allocate(0x2000, 512);
  stream.EndStep(0);
  stream.Allocate(0x3000, 512);
  stream.BeginStep(1);
  stream.Allocate(0x4000, 512);
  const auto view = stream.Publish();
  CHECK(SettledBy(*view, 0) == first);
  CHECK(SettledBy(*view, first + 1) == view->steps()[0].end);
  CHECK(SettledBy(*view, view->steps()[0].end + 1) == view->steps()[1].begin);
  CHECK(SettledBy(*view, view->end() - 1) == view->end());  // it may go on
}

TEST_CASE("What was temporary or unknown at the peak counts as what it proved to be") {
  Stream stream;
  const auto name = stream.Name("Adam state");
  stream.Allocate(0x1000, 512, Category::kActivation);
  stream.Allocate(0x2000, 1024, Category::kTemporary);
  stream.Allocate(0x3000, 2048, Category::kUnknown);
  stream.Allocate(0x4000, 4096, Category::kTemporary);
  stream.Allocate(0x5000, 8192, Category::kTemporary);
  stream.Allocate(0x6000, 16384, Category::kUnknown);
  const EventIndex peak = stream.latest();
  stream.Categorize(0x5000, Category::kActivation);
  stream.Categorize(0x6000, Category::kActivation);
  stream.Categorize(0x1000, Category::kGradient);
  stream.Categorize(0x2000, Category::kActivation);
  stream.Categorize(0x2000, Category::kOptimizerState, name);
  stream.Categorize(0x3000, Category::kParameter);
  const EventIndex settled = stream.latest() + 1;
  stream.Categorize(0x4000, Category::kGradient);
  const auto view = stream.Publish();
  const State state = SettledStateAt(*view, peak, settled);
  CHECK(In(state, Category::kActivation) == 512 + 16384);  // the first was one at the peak
  CHECK(In(state, Category::kOptimizerState) == 1024);
  CHECK(In(state, Category::kParameter) == 2048);
  CHECK(In(state, Category::kTemporary) == 4096 + 8192);  // what comes later does not count
  CHECK(In(state, Category::kUnknown) == 0);
  CHECK(ValueOf(state.values, Series::kAllocated) == 7680 + 8192 + 16384);
  REQUIRE(state.blocks.size() == 6);
  CHECK(state.blocks[1].category == Category::kOptimizerState);
  CHECK(view->name(state.blocks[1].name) == "Adam state");
  CHECK(In(SettledStateAt(*view, peak, view->end()), Category::kGradient) == 4096);
}

TEST_CASE("What comes to lie at a block's address after it tells nothing of it") {
  Stream stream;
  stream.Allocate(0x1000, 512, Category::kTemporary);
  const EventIndex peak = stream.latest();
  stream.Free(0x1000);
  stream.Allocate(0x1000, 512, Category::kTemporary);
  stream.Categorize(0x1000, Category::kParameter);
  const auto view = stream.Publish();
  CHECK(In(SettledStateAt(*view, peak, view->end()), Category::kTemporary) == 512);
  CHECK(SettledStateAt(*Stream().Publish(), 0, 0).blocks.empty());
}

TEST_CASE("What a block proves to be is found without a walk, however far away that is told") {
  Stream stream;
  for (uint64_t block = 1; block <= 10; ++block) stream.Allocate(block << 20, 512, Category::kUnknown);
  const EventIndex moment = stream.latest();
  for (uint64_t block = 1; block <= 6; ++block) stream.Categorize(block << 20, Category::kGradient);
  stream.Free(1 << 20);
  constexpr uint64_t kElsewhere = uint64_t{1} << 40;
  for (int i = 0; i < 100'000; ++i) {  // no step ends
    stream.Allocate(kElsewhere, 512);
    stream.Free(kElsewhere);
  }
  for (uint64_t block = 2; block <= 4; ++block) stream.Free(block << 20);
  const auto stored = stream.Publish();
  const CountingView view(stored);
  const State state = SettledStateAt(view, moment, SettledBy(view, moment));
  CHECK(In(state, Category::kGradient) == 6 * 512);
  CHECK(In(state, Category::kUnknown) == 4 * 512);
  CHECK(view.counts().events == 4);  // of those that are freed
  CHECK(view.counts().states == 2);
  CHECK(EffortOfSettledState(view, moment, view.end()).events < 2 * 16'384 + 20);
}

TEST_CASE("A state tells beforehand what it will look at") {
  Stream stream;
  for (uint64_t block = 1; block <= 100; ++block) stream.Allocate(block << 20, 512);
  for (int i = 0; i < 40'000; ++i) {
    stream.Allocate(1 << 10, 512);
    stream.Free(1 << 10);
  }
  const auto view = stream.Publish();
  CHECK(view->EffortOfState(99).total() == 100);
  const View::StateEffort late = view->EffortOfState(view->end() - 1);
  CHECK(late.blocks == 100);
  CHECK(late.events == view->end() - 4 * 16'384);                          // since the last chunk began
  CHECK(view->EffortOfState(view->end() + 1000).total() == late.total());  // clamped, as the state is
  CHECK(Stream().Publish()->EffortOfState(0).total() == 0);
}

}  // namespace tidemark::timeline
