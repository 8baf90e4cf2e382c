#include "profiler/timeline/steps.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

TEST_CASE("An event lies in the step whose begin and end are around it, both included") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  const EventIndex before = stream.latest();
  stream.BeginStep(4);
  const EventIndex begin = stream.latest();
  stream.EndStep(4);
  const EventIndex end = stream.latest();
  stream.Allocate(0x2000, 512);
  const EventIndex between = stream.latest();
  stream.BeginStep(5);
  stream.Allocate(0x3000, 512);
  const auto view = stream.Publish();

  CHECK(StepAt(*view, before) == nullptr);
  CHECK(LatestStepAt(*view, before) == nullptr);
  CHECK(FirstStepAfter(*view, before)->number == 4);
  for (const EventIndex within : {begin, end}) {
    REQUIRE(StepAt(*view, within) != nullptr);
    CHECK(StepAt(*view, within)->number == 4);
    CHECK(FirstStepAfter(*view, within)->number == 5);
  }
  CHECK(StepAt(*view, between) == nullptr);
  CHECK(LatestStepAt(*view, between)->number == 4);
  CHECK(StepAt(*view, view->end() - 1)->number == 5);
  CHECK(FirstStepAfter(*view, view->end() - 1) == view->steps().end());
}

TEST_CASE("The highest moment is the peak of the latest step that goes as high") {
  Stream stream;
  std::vector<EventIndex> highest;
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginStep(step);
    stream.Allocate(0x1000, step == 3 ? 512 : 1024);
    stream.Allocate(0x2000, 512);
    highest.push_back(stream.latest());
    stream.Free(0x1000);
    stream.Free(0x2000);
    stream.EndStep(step);
  }
  const auto of_steps = stream.Publish();
  CHECK(HighestMoment(*of_steps, 0, of_steps->end()) == highest[2]);
  CHECK(HighestMoment(*of_steps, 0, of_steps->steps()[2].begin) == highest[1]);
  CHECK(HighestMoment(*of_steps, of_steps->steps()[3].begin, of_steps->end()) == highest[3]);
  stream.Allocate(0x3000, 4096);
  const EventIndex after = stream.latest();
  stream.Free(0x3000);
  const auto view = stream.Publish();
  CHECK(HighestMoment(*view, 0, view->end()) == after);
}

TEST_CASE("Settings that come back into force are the latest, and each step has those that it ran with") {
  Stream stream;
  const events::NameId first = stream.Name(R"({"batch":64})");
  const events::NameId second = stream.Name(R"({"batch":128})");
  stream.BeginStep(0);
  const EventIndex untold = stream.latest();
  stream.EndStep(0);
  CHECK(LatestSettings(*stream.Publish()) == nullptr);
  std::vector<EventIndex> within;
  for (const events::NameId settings : {first, second, first}) {
    stream.Mark(0, settings);
    stream.BeginStep(static_cast<int64_t>(within.size()) + 1);
    within.push_back(stream.latest());
    stream.EndStep(static_cast<int64_t>(within.size()));
  }
  stream.Mark(stream.Name("a marker that tells none"));
  const auto view = stream.Publish();
  CHECK(SettingsAt(*view, untold) == nullptr);
  CHECK(*SettingsAt(*view, within[0]) == R"({"batch":64})");
  CHECK(*SettingsAt(*view, within[1]) == R"({"batch":128})");
  CHECK(*SettingsAt(*view, within[2]) == R"({"batch":64})");
  CHECK(SettingsAt(*view, view->end() - 1) == nullptr);  // between steps
  CHECK(*LatestSettings(*view) == R"({"batch":64})");
}

TEST_CASE("Settings stay in force when the events that told them are let go") {
  Stream stream;
  stream.Mark(0, stream.Name(R"({"batch":64})"));
  for (int64_t step = 0; step < 40; ++step) {
    stream.BeginStep(step);
    for (int i = 0; i < 1000; ++i) {
      stream.Allocate(0x1000, 512);
      stream.Free(0x1000);
    }
    stream.EndStep(step);
  }
  const auto view = stream.Publish(/*budget_events=*/20'000);
  REQUIRE(view->first() > 1);
  REQUIRE(view->markers().empty());
  REQUIRE(LatestSettings(*view) != nullptr);
  CHECK(*LatestSettings(*view) == R"({"batch":64})");
}

TEST_CASE(
    "The steps with the last settings begin after those with others, and one that is not over has no say") {
  Stream stream;
  const events::NameId settings[] = {stream.Name(R"({"batch":64})"), stream.Name(R"({"batch":128})")};
  CHECK(FirstWithLastSettings(*stream.Publish()) == nullptr);
  int64_t number = 0;
  for (const int which : {0, 1, 0, 0}) {
    stream.Mark(0, settings[which]);
    stream.BeginStep(number);
    stream.EndStep(number++);
  }
  const auto four = stream.Publish();
  CHECK(FirstWithLastSettings(*four)->number == 2);
  std::vector<int64_t> firsts;
  for (const Step& step : four->steps()) {
    if (IsFirstWithItsSettings(*four, step)) firsts.push_back(step.number);
  }
  CHECK(firsts == std::vector<int64_t>{0, 1, 2});
  stream.Mark(0, settings[1]);
  stream.BeginStep(number);
  CHECK(FirstWithLastSettings(*stream.Publish())->number == 2);
  stream.EndStep(number);
  CHECK(FirstWithLastSettings(*stream.Publish())->number == 4);
}

TEST_CASE("A run that begins anew counts its steps from 0, and lost steps are no new beginning") {
  Stream stream;
  const auto add = [&stream](int64_t number) {
    stream.BeginStep(number);
    stream.EndStep(number);
    return stream.latest();
  };
  const EventIndex first = add(0);
  add(1);
  const EventIndex third = add(5);  // 2 to 4 were lost
  CHECK_FALSE(HasBegunAnewSince(*stream.Publish(), first));
  add(0);
  const EventIndex last = add(1);
  const auto view = stream.Publish();
  CHECK(HasBegunAnewSince(*view, third));
  CHECK_FALSE(HasBegunAnewSince(*view, last));
}

TEST_CASE("Without steps there is none at any event") {
  Stream stream;
  stream.Allocate(0x1000, 512);
  const auto view = stream.Publish();
  CHECK(LatestStepAt(*view, 0) == nullptr);
  CHECK(StepAt(*view, 0) == nullptr);
  CHECK(FirstStepAfter(*view, 0) == view->steps().end());
}

}  // namespace tidemark::timeline
