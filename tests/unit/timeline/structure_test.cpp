#include "profiler/timeline/steps.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

using events::Phase;

TEST_CASE("A step knows its peak, its loss and its settings") {
  Stream stream;
  const auto loss = stream.Name("loss");
  const auto scale = stream.Name("loss scale");
  const auto skipped = stream.Name("skipped");
  const auto text = stream.Name("fp16 on");
  const auto json = stream.Name("{\"amp\":\"fp16\"}");
  stream.Mark(text, json);
  stream.Allocate(0x1000, 512, events::Category::kParameter);
  stream.BeginStep(0);
  const EventIndex begin = stream.latest();
  stream.Add(events::EventKind::kSegmentAllocate, 0x1000, 1 << 20);
  stream.Allocate(0x2000, 2048);
  const EventIndex peak = stream.latest();
  stream.Free(0x2000);
  stream.Allocate(0x2000, 2048);
  stream.Free(0x2000);
  stream.EndStep(0);
  const EventIndex end = stream.latest();
  stream.Metric(loss, 1.5, 0);
  stream.Metric(scale, 1024, 0);
  stream.Metric(skipped, 1, 0);
  stream.Metric(loss, 99, 5);  // of no step that runs
  const auto view = stream.Publish();
  REQUIRE(view->steps().size() == 1);
  const Step& step = view->steps()[0];
  CHECK(step.begin == begin);
  CHECK(step.end == end);
  CHECK(step.complete);
  CHECK(step.peak == peak);
  CHECK(ValueOf(step.at_peak, Series::kAllocated) == 512 + 2048);
  CHECK(step.reserved_peak == 1 << 20);
  CHECK(step.requested_peak == 512 + 2048);
  CHECK(step.loss == 1.5);
  CHECK(step.loss_scale == 1024);
  CHECK(step.skipped);
  CHECK(step.settings == 0);
  CHECK(view->settings()[0] == "{\"amp\":\"fp16\"}");
  REQUIRE(view->markers().size() == 2);
  CHECK(view->markers()[0].text == "fp16 on");
  CHECK_FALSE(view->markers()[0].is_warning);
  CHECK(view->markers()[1].text == "step 0 skipped: its gradients overflowed; loss scale now 1024");
  CHECK(view->markers()[1].is_warning);
  CHECK(view->markers()[1].settings == -1);
}

TEST_CASE("The peak of a step lasts until memory falls, and not until it comes back") {
  Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 2048);
  stream.Categorize(0x1000, events::Category::kWorkspace);
  const EventIndex peak = stream.latest();
  stream.BeginPhase(Phase::kBackward);
  stream.Free(0x1000);
  stream.Allocate(0x2000, 2048);
  stream.EndStep(0);
  const auto view = stream.Publish();
  REQUIRE(view->steps().size() == 1);
  CHECK(view->steps()[0].peak == peak);
  CHECK(ValueOf(view->steps()[0].at_peak, SeriesOf(events::Category::kWorkspace)) == 2048);
}

TEST_CASE("A running step ends with the view, and views before keep it so") {
  Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 512);
  Builder builder;
  builder.Append(stream.events());
  const auto running = builder.Publish();
  Stream rest;
  rest.Allocate(0x2000, 512);
  rest.EndStep(0);
  rest.BeginStep(1);
  builder.Append(rest.events());
  const auto later = builder.Publish();
  CHECK_FALSE(running->steps()[0].complete);
  CHECK(running->steps()[0].end == 2);
  CHECK(ValueOf(running->steps()[0].at_peak, Series::kAllocated) == 512);
  REQUIRE(later->steps().size() == 2);
  CHECK(later->steps()[0].complete);
  CHECK(ValueOf(later->steps()[0].at_peak, Series::kAllocated) == 1024);
  CHECK(later->steps()[1].number == 1);
}

TEST_CASE("A step that is cut short is incomplete and counted") {
  Stream stream;
  stream.BeginStep(7);
  stream.BeginStep(0);
  stream.EndStep(4);
  stream.EndStep(0);
  const auto view = stream.Publish();
  REQUIRE(view->steps().size() == 2);
  CHECK_FALSE(view->steps()[0].complete);
  CHECK(view->steps()[0].end == 1);
  CHECK(view->steps()[1].complete);
  CHECK(view->health().unmatched_steps == 2);
}

TEST_CASE("Steps that turn out to have been one are one, with the highest peak of them") {
  Stream stream;
  const EventIndex begin = stream.latest() + 1;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 512);
  stream.EndStep(0);
  stream.BeginStep(1);
  stream.Allocate(0x2000, 4096);
  const EventIndex peak = stream.latest();
  stream.Free(0x2000);
  stream.EndStep(1);
  stream.BeginStep(2);
  Builder builder;
  builder.Append(stream.events());
  const auto before = builder.Publish();
  Stream rest;
  rest.EndStep(0);
  rest.BeginStep(1);
  rest.Allocate(0x3000, 512);
  rest.EndStep(1);
  builder.Append(rest.events());
  const auto later = builder.Publish();
  CHECK(before->steps().size() == 3);
  REQUIRE(later->steps().size() == 2);
  const Step& joined = later->steps()[0];
  CHECK(joined.complete);
  CHECK(joined.number == 0);
  CHECK(joined.begin == begin);
  CHECK(joined.end == stream.latest() + 1);
  CHECK(StepAt(*before, peak)->number == 1);
  CHECK(StepAt(*later, peak)->number == 0);
  CHECK(StepAt(*later, later->end() - 1)->number == 1);
  CHECK(joined.peak == peak);
  CHECK(ValueOf(joined.at_peak, Series::kAllocated) == 512 + 4096);
  CHECK(later->steps()[1].number == 1);
  CHECK(later->steps()[1].complete);
  CHECK(later->health().unmatched_steps == 0);
}

TEST_CASE("Steps that were taken for one, and were not, are again what they were told as") {
  Stream stream;
  stream.BeginStep(0);
  stream.Allocate(0x1000, 512);
  stream.EndStep(0);
  stream.BeginStep(1);
  stream.Allocate(0x2000, 4096);
  stream.EndStep(1);
  stream.BeginStep(2);
  stream.EndStep(0);  // of a second optimizer
  stream.BeginStep(1);
  stream.Free(0x2000);
  Stream rest;
  rest.EndStep(3);  // again: it is of a second training
  rest.BeginStep(4);
  rest.EndStep(4);
  Builder builder;
  builder.Append(stream.events());
  CHECK(builder.Publish()->steps().size() == 2);
  builder.Append(rest.events());
  const auto view = builder.Publish();
  REQUIRE(view->steps().size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(view->steps()[i].number == static_cast<int64_t>(i));
    CHECK(view->steps()[i].complete);
    if (i > 0) CHECK(view->steps()[i].begin == view->steps()[i - 1].end + 1);
  }
  CHECK(ValueOf(view->steps()[0].at_peak, Series::kAllocated) == 512);
  CHECK(ValueOf(view->steps()[1].at_peak, Series::kAllocated) == 512 + 4096);
  CHECK(view->health().unmatched_steps == 0);
}

TEST_CASE("Steps that were parted are one when the first optimizer comes again") {
  Stream stream;
  const auto tell_step = [&](int64_t begin, int64_t end) {
    stream.BeginStep(begin);
    stream.Allocate(0x1000 * (stream.latest() + 1), 512);
    stream.EndStep(end);
  };
  tell_step(0, 0);
  tell_step(1, 0);  // of a second optimizer
  tell_step(1, 2);  // again: it is of a second training
  const EventIndex first_end = stream.latest();
  stream.BeginStep(3);
  const EventIndex second_begin = stream.latest();
  stream.BeginStep(1);
  stream.EndStep(1);
  stream.BeginStep(2);
  const auto view = stream.Publish();
  REQUIRE(view->steps().size() == 3);
  CHECK(view->steps()[0].number == 0);
  CHECK(view->steps()[0].complete);
  CHECK(view->steps()[0].end == first_end);
  CHECK(ValueOf(view->steps()[0].at_peak, Series::kAllocated) == 3 * 512);
  CHECK(view->steps()[1].number == 1);
  CHECK(view->steps()[1].complete);
  CHECK(view->steps()[1].begin == second_begin);
  CHECK(view->health().unmatched_steps == 0);
}

TEST_CASE("Phases follow each other without gaps, and every event has its own") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  stream.BeginPhase(Phase::kForward);
  stream.Allocate(0x2000, 512);
  stream.BeginPhase(Phase::kBackward);
  stream.Free(0x2000);
  const auto view = stream.Publish();
  REQUIRE(view->phases().size() == 2);
  CHECK(view->phases()[0].phase == Phase::kForward);
  CHECK(view->phases()[0].begin == 1);
  CHECK(view->phases()[0].end == 3);
  CHECK(view->phases()[1].end == view->end());
  CHECK(view->event(0).phase == Phase::kIdle);
  CHECK(view->event(2).phase == Phase::kForward);
  CHECK(view->StateAt(4).phase == Phase::kBackward);
}

TEST_CASE("Settings are listed once, and out of memory with its figures") {
  Stream stream;
  const auto text = stream.Name("on");
  const auto a = stream.Name("{\"a\":1}");
  const auto b = stream.Name("{\"b\":1}");
  stream.Mark(text, a);
  stream.Mark(text, b);
  stream.Mark(text);
  stream.Mark(text, a);
  stream.Add(events::EventKind::kOutOfMemory, 0, 1 << 30).rounded_bytes = 5;
  const auto view = stream.Publish();
  CHECK(view->settings().size() == 2);
  REQUIRE(view->markers().size() == 4);
  CHECK(view->markers()[1].settings == 1);
  CHECK(view->markers()[2].settings == -1);
  CHECK(view->markers()[3].settings == 0);
  REQUIRE(view->out_of_memory().size() == 1);
  CHECK(view->out_of_memory()[0].requested_bytes == 1 << 30);
  CHECK(view->out_of_memory()[0].free_bytes == 5);
}

}  // namespace tidemark::timeline
