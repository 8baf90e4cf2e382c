#include "app/presenters/allocations/slow_motion.h"

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using events::EventKind;
using events::NameId;
using events::Phase;

// conv makes its result with a workspace; relu keeps its own and lets go of conv's; backward makes a
// gradient, which gets its name in the next operator.
class WalkedStep : public timeline::Stream {
 public:
  WalkedStep() {
    const NameId conv = Name("conv1");
    const NameId relu = Name("relu1");
    const NameId op = Name("aten::conv2d");
    const NameId backward = Name("ConvolutionBackward0");
    const NameId accumulate = Name("AccumulateGrad");
    output_ = Name("relu1 output");
    gradient_ = Name("conv1.weight.grad");
    BeginStep(3);
    BeginPhase(Phase::kForward);
    Add(EventKind::kMicroBatchBegin);
    Add(EventKind::kScopeBegin).layer = conv;  // a layer's own scope is no operator
    Operator(conv, op, [&] {
      Of(Allocate(0x1000, 4096), conv, op);
      Of(Allocate(0x9000, 8192), conv, op);
      Categorize(0x9000, Category::kWorkspace);
      Free(0x9000);
    });
    Operator(relu, op, [&] {
      Of(Allocate(0x2000, 4096), relu, op);
      Categorize(0x2000, Category::kActivation, output_);
    });
    Free(0x1000);  // when its taker has returned
    BeginPhase(Phase::kBackward);
    Operator(conv, backward, [&] {
      Of(Allocate(0x3000, 512), conv, backward);
      Of(Allocate(0x4000, 2048), conv, backward);
    });
    Operator(conv, accumulate, [&] { Categorize(0x3000, Category::kGradient, gradient_); });
    RequestFree(0x4000);
    Free(0x4000);
    EndStep(3);
    BeginPhase(Phase::kIdle);
  }

 private:
  static void Of(events::Event& event, NameId layer, NameId op) {
    event.layer = layer;
    event.op = op;
  }
  template <typename Body>
  void Operator(NameId layer, NameId op, Body body) {
    Of(Add(EventKind::kScopeBegin), layer, op);
    body();
    Of(Add(EventKind::kScopeEnd), layer, op);
  }
  NameId output_ = 0;
  NameId gradient_ = 0;
};

struct Walked {
  std::shared_ptr<const timeline::View> view = WalkedStep().Publish();
  StepWalk walk = *WalkStep(*view, view->steps()[0]);
};

TEST_CASE("A step's stops are its operators, and reach to the next one") {
  const Walked walked;
  const auto& stops = walked.walk.stops;
  REQUIRE(stops.size() == 4);
  CHECK(walked.walk.step == 3);
  CHECK(stops[0].begin == walked.view->steps()[0].begin);
  CHECK(stops[0].micro_batch == 0);
  for (size_t i = 1; i < stops.size(); ++i) {
    CHECK(stops[i].begin == stops[i - 1].end);
    CHECK(stops[i].bytes_before == stops[i - 1].bytes_after);
  }
  CHECK(TitleOf(*walked.view, stops[1]) == "relu1 forward");
  CHECK(TitleOf(*walked.view, stops[2]) == "conv1 backward");
}

TEST_CASE("Each stop tells how high memory is before, in and after it") {
  const Walked walked;
  const auto& stops = walked.walk.stops;
  CHECK(stops[0].bytes_before == 0);
  CHECK(stops[0].bytes_highest == 12288);
  CHECK(stops[0].bytes_after == 4096);
  CHECK(stops[1].bytes_highest == 8192);
  CHECK(stops[1].bytes_after == 4096);
  CHECK(walked.walk.bytes_highest == 12288);
  for (const OperatorStop& stop : stops) {
    const auto values = walked.view->ValuesAt(stop.highest);
    CHECK(ValueOf(values, timeline::Series::kAllocated) == stop.bytes_highest);
    CHECK(StopAt(walked.walk, stop.highest) == static_cast<size_t>(&stop - stops.data()));
  }
  CHECK(StopAt(walked.walk, 0) == 0);
  CHECK(StopAt(walked.walk, walked.walk.end + 100) == 3);
}

TEST_CASE("Blocks come, pass, become and go, by the name that they have or get") {
  const Walked walked;
  const auto at = [&](size_t stop) { return ChangesAt(*walked.view, walked.walk, stop); };
  const auto convolution = at(0);
  REQUIRE(convolution.size() == 2);
  CHECK(convolution[0].change == Change::kComes);
  CHECK(convolution[0].title == "result of conv1");
  CHECK(convolution[1].change == Change::kPasses);
  CHECK(convolution[1].role == "a library's scratch memory");
  const auto relu = at(1);
  REQUIRE(relu.size() == 2);
  CHECK(relu[0].title == "relu1 output");
  CHECK(relu[0].role == "kept for backward");
  CHECK(relu[1].change == Change::kGoes);
  CHECK(relu[1].title == "result of conv1");
  CHECK(relu[1].bytes == 4096);
  const auto backward = at(2);
  REQUIRE(backward.size() == 2);
  CHECK(backward[0].title == "conv1.weight.grad");
  CHECK(backward[0].category == Category::kGradient);  // before it is accumulated
  CHECK(backward[0].role == "a parameter's gradient");
  CHECK(backward[1].category != Category::kGradient);
  CHECK(backward[1].title == "gradient from conv1's backward");
  const auto accumulate = at(3);
  REQUIRE(accumulate.size() == 2);
  CHECK(accumulate[0].change == Change::kBecomes);
  CHECK(accumulate[0].role == "a parameter's gradient");
  CHECK(accumulate[1].change == Change::kGoes);  // once, though it is requested and completed
}

TEST_CASE("What a program's blocks hold is told as it turns out later in the step") {
  timeline::Stream stream;
  const NameId op = stream.Name("aten::addmm");
  const auto run = [&](auto body) {
    stream.Add(EventKind::kScopeBegin).op = op;
    body();
    stream.Add(EventKind::kScopeEnd).op = op;
  };
  stream.BeginStep(0);
  run([&] {
    stream.Allocate(0x1000, 512, Category::kUnknown).op = op;
    stream.Allocate(0x2000, 512, Category::kUnknown).op = op;
    stream.Allocate(0x3000, 512, Category::kUnknown).op = op;
    stream.Categorize(0x1000, Category::kActivation);
  });
  run([&] { stream.Categorize(0x2000, Category::kActivation); });
  stream.EndStep(0);
  const auto view = stream.Publish();
  const std::vector<BlockChange> changes = ChangesAt(*view, *WalkStep(*view, view->steps()[0]), 0);
  REQUIRE(changes.size() == 3);
  for (const size_t known : {0, 1}) {
    CHECK(changes[known].title == "activation of aten::addmm");
    CHECK(changes[known].role == "kept for backward");
    CHECK(changes[known].category == Category::kActivation);
  }
  CHECK(changes[2].title == "unknown of aten::addmm");
}

TEST_CASE("What a step lets go of before its first operator is a stop of its own") {
  timeline::Stream stream;
  const NameId op = stream.Name("aten::copy_");
  stream.Allocate(0x1000, 512);
  stream.BeginStep(1);
  stream.Free(0x1000);
  stream.Add(EventKind::kMicroBatchBegin);
  stream.Add(EventKind::kScopeBegin).op = op;
  stream.Allocate(0x2000, 1024);
  stream.Add(EventKind::kScopeEnd).op = op;
  stream.EndStep(1);
  const auto view = stream.Publish();
  const StepWalk walk = *WalkStep(*view, view->steps()[0]);
  REQUIRE(walk.stops.size() == 2);
  CHECK(TitleOf(*view, walk.stops[0]) == "gradients are let go");
  CHECK(walk.stops[0].micro_batch == -1);
  REQUIRE(ChangesAt(*view, walk, 0).size() == 1);
  CHECK(ChangesAt(*view, walk, 0)[0].change == Change::kGoes);
  REQUIRE(ChangesAt(*view, walk, 1).size() == 1);
  CHECK(ChangesAt(*view, walk, 1)[0].change == Change::kComes);
}

TEST_CASE("The operator inside which a program's step begins is its first stop") {
  timeline::Stream stream;
  const NameId conv = stream.Name("conv1");
  const NameId relu = stream.Name("relu1");
  const NameId op = stream.Name("aten::conv2d");
  const auto scope = [&](EventKind kind, NameId layer) {
    events::Event& event = stream.Add(kind);
    event.layer = layer;
    event.op = op;
  };
  scope(EventKind::kScopeBegin, conv);
  stream.BeginStep(1);
  stream.BeginPhase(Phase::kForward);
  stream.Allocate(0x1000, 512);
  stream.Allocate(0x9000, 256);
  stream.Free(0x9000);  // no gradient that is let go
  scope(EventKind::kScopeEnd, conv);
  scope(EventKind::kScopeBegin, relu);
  stream.Allocate(0x2000, 1024);
  scope(EventKind::kScopeEnd, relu);
  stream.EndStep(1);
  const auto view = stream.Publish();
  const StepWalk walk = *WalkStep(*view, view->steps()[0]);
  REQUIRE(walk.stops.size() == 2);
  CHECK(TitleOf(*view, walk.stops[0]) == "conv1 forward");
  CHECK(walk.stops[0].begin == walk.begin);
  CHECK(ChangesAt(*view, walk, 0).size() == 2);
  CHECK(TitleOf(*view, walk.stops[1]) == "relu1 forward");
  CHECK(ChangesAt(*view, walk, 1).size() == 1);
}

TEST_CASE("The lines that led to a stop are those of what it allocates first") {
  timeline::Stream stream;
  const NameId told = stream.Name("aten::add ← forward (model.py:12) ← main (train.py:3)");
  const NameId untold = stream.Name("aten::relu");
  stream.BeginStep(1);
  for (const NameId op : {told, untold}) {
    stream.Add(EventKind::kScopeBegin).op = op;
    stream.Allocate(0x1000 * op, 512).op = op;
    stream.Add(EventKind::kScopeEnd).op = op;
  }
  stream.EndStep(1);
  const auto view = stream.Publish();
  const StepWalk walk = *WalkStep(*view, view->steps()[0]);
  REQUIRE(walk.stops.size() == 2);
  CHECK(StackOf(*view, walk.stops[0]) == "aten::add\nforward (model.py:12)\nmain (train.py:3)");
  CHECK(StackOf(*view, walk.stops[1]).empty());
}

TEST_CASE("Where nobody tells of operators there is nowhere to stop") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 512);
  stream.EndStep(0);
  const auto view = stream.Publish();
  CHECK(WalkStep(*view, view->steps()[0])->stops.empty());
  CHECK_FALSE(WalkStep(*view, view->steps()[0], [](double) { return false; }));  // nobody waits for it
}

}  // namespace
TEST_CASE(
    "However many operators a step has, as many columns are drawn as there is room for, peaks and all") {
  std::vector<OperatorStop> stops(10'001);
  for (size_t i = 0; i < stops.size(); ++i) {
    stops[i].phase = events::Phase::kForward;
    stops[i].bytes_highest = 10;
    stops[i].bytes_after = static_cast<int64_t>(i);
  }
  stops[7'000].bytes_highest = 900;  // for one operator only
  stops[7'000].phase = events::Phase::kBackward;
  const std::vector<StopColumn> columns = ColumnsOf(stops, 100);
  REQUIRE(columns.size() == 100);
  size_t next = 0;
  for (const StopColumn& column : columns) {
    CHECK(column.first == next);
    CHECK(column.bytes_after == static_cast<int64_t>(column.end) - 1);
    const bool has_peak = column.first <= 7'000 && 7'000 < column.end;
    CHECK(column.bytes_highest == (has_peak ? 900 : 10));
    CHECK(column.phase == (has_peak ? events::Phase::kBackward : events::Phase::kForward));
    next = column.end;
  }
  CHECK(next == stops.size());
  CHECK(ColumnsOf({stops.begin(), stops.begin() + 3}, 100).size() == 3);
  CHECK(ColumnsOf({}, 100).empty());
}

}  // namespace tidemark::presenters
