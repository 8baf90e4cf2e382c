#include "profiler/capture/course/course.h"

#include <array>
#include <string>

#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

using events::EventKind;

transport::RingReader& Ring() {
  static transport::RingReader ring = [] {
    Result<transport::RingReader> created = transport::RingReader::Create(1024);
    REQUIRE(created);
    OpenEventStream(transport::RingWriter::Beside(*created), 0);
    return std::move(*created);
  }();
  return ring;
}

// "forward", "step 0 begins", ...: what was told since the last call.
std::string Told() {
  std::string text;
  std::array<events::Event, 256> batch;
  const size_t count = Ring().Pop(batch, true);
  for (size_t i = 0; i < count; ++i) {
    const events::Event& event = batch[i];
    if (!text.empty()) text += ", ";
    if (event.kind == EventKind::kPhase) {
      text += NameOf(event.phase);
    } else {
      text +=
          "step " + std::to_string(event.bytes) + (event.kind == EventKind::kStepBegin ? " begins" : " ends");
    }
  }
  return text;
}

// For two parameters.
void PassWithGradients(Course& course) {
  course.RecordForward();
  course.BeginBackward();
  course.GiveGradientTo(0x100);
  course.GiveGradientTo(0x200);
  course.EndBackward();
}

}  // namespace

TEST_CASE("An evaluation is a phase where nothing else runs, and no step") {
  Ring();
  Course course;
  course.BeginEvaluation();
  course.BeginEvaluation();  // of another thread
  course.EndEvaluation();
  CHECK(Told() == "evaluation");
  course.EndEvaluation();
  CHECK(Told() == "idle");
}

TEST_CASE(
    "An evaluation within a forward, as a teacher's, or beside a backward or an optimizer changes nothing") {
  Ring();
  Course course;
  const auto evaluate = [&] {
    course.BeginEvaluation();
    course.EndEvaluation();
  };
  course.RecordForward();
  evaluate();
  course.BeginBackward();
  evaluate();
  course.EndBackward();
  course.BeginOptimizer();
  evaluate();
  course.EndOptimizer(nullptr);
  CHECK(Told() == "step 0 begins, forward, backward, idle, optimizer, step 0 ends, idle");
}

TEST_CASE(
    "What records for backward within an evaluation is a forward, and the evaluation goes on after it") {
  Ring();
  Course course;
  course.BeginEvaluation();
  course.RecordForward();
  course.BeginBackward();
  course.EndBackward();
  course.EndEvaluation();
  CHECK(Told() == "evaluation, step 0 begins, forward, backward, evaluation, idle");
  course.BeginEvaluation();
  course.RecordForward();
  course.EndEvaluation();
  CHECK(Told() == "evaluation, forward");
}

TEST_CASE("Without an optimizer a step ends once each parameter with a gradient has been written to") {
  Ring();
  Course course;
  const auto pass = [&] { PassWithGradients(course); };
  course.WriteTo(0x100);  // as it is set up
  pass();
  pass();  // gradients are accumulated
  course.WriteTo(0x100);
  course.WriteTo(0x300);  // has no gradient
  CHECK(Told() == "step 0 begins, forward, backward, idle, forward, backward, idle");
  course.WriteTo(0x200);
  course.WriteTo(0x100);  // once more: it belongs to no step
  CHECK(Told() == "step 0 ends");
  pass();
  CHECK(Told() == "step 1 begins, forward, backward, idle");
}

TEST_CASE(
    "Without an optimizer a step ends as the next pass begins where some parameters are not written to") {
  Ring();
  Course course;
  const auto pass = [&] {
    PassWithGradients(course);
    course.WriteTo(0x100);
  };
  pass();
  CHECK(Told() == "step 0 begins, forward, backward, idle");
  course.BeginEvaluation();
  CHECK(Told() == "step 0 ends, evaluation");
  course.EndEvaluation();
  pass();  // to as many as before
  course.EndUpdateThatIsOver();
  CHECK(Told() == "idle, step 1 begins, forward, backward, idle, step 1 ends");
}

TEST_CASE("Without an optimizer a step that is over ends once what its update made for itself is gone") {
  Ring();
  Course course;
  PassWithGradients(course);
  CHECK(course.IsUpdatedByHand());
  CHECK_FALSE(course.WasUpdatedByHand());
  course.WriteTo(0x100);
  course.EndUpdateThatIsOver();  // before the next operator
  course.WriteTo(0x200);
  CHECK(course.IsUpdatedByHand());
  CHECK(Told() == "step 0 begins, forward, backward, idle");
  course.EndUpdateThatIsOver();
  course.EndUpdateThatIsOver();
  CHECK(Told() == "step 0 ends");
  CHECK_FALSE(course.IsUpdatedByHand());
  CHECK(course.WasUpdatedByHand());
  PassWithGradients(course);
  course.WriteTo(0x100);
  course.WriteTo(0x200);
  course.BeginOptimizer();
  CHECK(Told() == "step 1 begins, forward, backward, idle, step 1 ends, step 2 begins, optimizer");
}

TEST_CASE(
    "A parameter that is written to twice a step, as by weight decay, is so before the next step ends") {
  Ring();
  Course course;
  const auto decay_and_step = [&](uint64_t parameter) {
    course.WriteTo(parameter);
    course.EndUpdateThatIsOver();  // the next operator begins
    course.WriteTo(parameter);
  };
  for (int step = 0; step < 2; ++step) {
    PassWithGradients(course);
    decay_and_step(0x100);
    course.WriteTo(0x200);
    course.EndUpdateThatIsOver();
    CHECK(course.IsUpdatedByHand() == (step == 1));  // in the first step nobody knows of the second time
    course.WriteTo(0x200);
    course.EndUpdateThatIsOver();
    CHECK_FALSE(course.IsUpdatedByHand());
  }
  CHECK(Told() ==
        "step 0 begins, forward, backward, idle, step 0 ends, "
        "step 1 begins, forward, backward, idle, step 1 ends");
}

TEST_CASE("What is written to before an optimizer that was made has stepped ends no step") {
  Ring();
  Course course;
  TheGates().optimizer_was_made = true;
  course.RecordForward();
  course.BeginBackward();
  course.GiveGradientTo(0x100);
  course.EndBackward();
  course.WriteTo(0x100);  // as SAM's first half does
  course.RecordForward();
  TheGates().optimizer_was_made = false;
  CHECK(Told() == "step 0 begins, forward, backward, idle, forward");
}

TEST_CASE("What is written to beside an optimizer ends no step") {
  Ring();
  Course course;
  const auto step = [&] {
    course.RecordForward();
    course.BeginBackward();
    course.GiveGradientTo(0x100);
    course.EndBackward();
    course.BeginOptimizer();
    course.EndOptimizer(&course);
    course.WriteTo(0x100);
  };
  step();
  step();
  CHECK(Told() ==
        "step 0 begins, forward, backward, idle, optimizer, step 0 ends, idle, "
        "step 1 begins, forward, backward, idle, optimizer, step 1 ends, idle");
}

}  // namespace tidemark::capture
