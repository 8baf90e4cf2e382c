#include "app/presenters/plot/layer_lane.h"

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;
using events::Phase;

// A step of two layers forward and back, each layer two operators; `work` events in each operator.
void Step(timeline::Stream& stream, events::NameId conv, events::NameId relu, int work) {
  const events::NameId op = conv;  // any
  const auto run = [&](events::NameId layer) {
    for (int i = 0; i < 2; ++i) {
      events::Event& begin = stream.Add(EventKind::kScopeBegin);
      begin.op = op;
      begin.layer = layer;
      for (int k = 0; k < work; ++k) stream.Add(EventKind::kSnapshot);
      stream.Add(EventKind::kScopeEnd);
    }
  };
  stream.BeginStep(0);
  stream.BeginPhase(Phase::kForward);
  run(conv);
  run(relu);
  stream.BeginPhase(Phase::kBackward);
  run(relu);
  run(conv);
  stream.BeginPhase(Phase::kOptimizer);
  run(0);
  stream.EndStep(0);
}

TimelinePlotRequest Sight(const timeline::View& view, int columns) {
  return {TimeAxis::kEvents, WholeRange(view, TimeAxis::kEvents), columns};
}

}  // namespace

TEST_CASE("A layer's operators in a row are one span of the lane, in each phase") {
  timeline::Stream stream;
  const events::NameId conv = stream.Name("conv1");
  const events::NameId relu = stream.Name("relu1");
  Step(stream, conv, relu, 1);
  const auto view = stream.Publish();
  const std::vector<LayerSpan> spans = LayersInSight(*view, Sight(*view, 800));
  REQUIRE(spans.size() == 4);
  CHECK(spans[0].layer == conv);
  CHECK(spans[1].layer == relu);
  CHECK(spans[1].phase == Phase::kForward);
  CHECK(spans[2].layer == relu);
  CHECK(spans[2].phase == Phase::kBackward);
  CHECK(spans[3].layer == conv);
  CHECK(spans[0].end - spans[0].begin == 6);  // two operators of three events
  for (size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].begin == spans[i - 1].end);

  // What began before the sight reaches into it.
  TimelinePlotRequest inside = Sight(*view, 800);
  inside.visible = {spans[1].begin + 2, spans[1].end - 1};
  const std::vector<LayerSpan> seen = LayersInSight(*view, inside);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].layer == relu);
}

TEST_CASE("The lane is empty where layers are too many to tell apart, or not told") {
  timeline::Stream stream;
  const events::NameId conv = stream.Name("conv1");
  const events::NameId relu = stream.Name("relu1");
  Step(stream, conv, relu, 1);
  CHECK(LayersInSight(*stream.Publish(), Sight(*stream.Publish(), 40)).empty());
  Step(stream, conv, relu, 1000);
  CHECK(LayersInSight(*stream.Publish(), Sight(*stream.Publish(), 800)).empty());
  timeline::Stream without;
  without.Allocate(1 << 20, 512);
  CHECK(LayersInSight(*without.Publish(), Sight(*without.Publish(), 800)).empty());
}

}  // namespace tidemark::presenters
