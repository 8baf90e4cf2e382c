#include "app/gui/background/program_sweep.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/gui/panels/program_sweep.h"
#include "app/gui/searches/sweep_runner.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

ProgramSweep SweepWith(int64_t reserved_bytes) {
  ProgramSweep sweep;
  sweep.order.program.command = "python nets/mlp.py --epochs 1";
  sweep.option = "batch";
  sweep.card.memory_bytes = 100'000'000'000;
  sweep.card.context_bytes = 500'000'000;
  sweep.values = {1, 2};
  for (const int64_t value : sweep.values) {
    session::SweepPoint point;
    point.value = value;
    point.has_peaks = true;
    point.allocated_peak_bytes = point.reserved_peak_bytes = point.most_reserved_bytes =
        value * reserved_bytes;
    sweep.points.push_back(point);
  }
  return sweep;
}

}  // namespace

TEST_CASE("A sweep that has ended knows the largest value that fits, not only so far") {
  ProgramSweep sweep = SweepWith(1'000'000);
  CHECK(sweep.Summary() == "2 of 2 runs · the largest that fits so far: 2");
  sweep.goes_on = false;
  CHECK(sweep.Summary() == "2 of 2 runs · all fit, up to 2");
  sweep.points.back().most_reserved_bytes = sweep.card.memory_bytes;
  CHECK(sweep.Summary() == "2 of 2 runs · the largest that fits: 1");
  CHECK(sweep.Program() == "mlp.py");
  CHECK(sweep.WhyNoCurve().empty());
}

TEST_CASE("What a sweep has found is told as CSV, to the byte, with what ended a run early") {
  ProgramSweep sweep = SweepWith(1'000'000);
  sweep.points[1] = {.value = 2, .out_of_memory = true, .sentence = "Memory ran out, in step 3."};
  CHECK(sweep.AsCsv() ==
        "batch,allocated_peak_bytes,reserved_peak_bytes,least_reserved_bytes,most_reserved_bytes,taken_bytes,"
        "fits,out_of_memory,ended_by\n"
        "1,1000000,1000000,0,1000000,501000000,true,false,\n"
        "2,,,,,,false,true,\"Memory ran out, in step 3.\"\n");
}

TEST_CASE("What there is to doubt of a sweep stands beside its points, and is no error") {
  const std::string note = "cnn.py:26 read a result that no kernel had computed: it was zero.";
  BackgroundJobs jobs;
  SweepRunner runner(&jobs, [&](const session::SweepOrder&, const session::SweepListener& listener,
                                const session::StartWatch&) {
    listener.begun("batch", {1});
    listener.answered({});
    return Result<std::vector<std::string>>(std::vector<std::string>{note});
  });
  std::optional<SweepRunner::End> end;
  REQUIRE(runner.Begin({}, {}, [&](const SweepRunner::End& told) { end = told; }));
  REQUIRE(runner.shown() != nullptr);
  for (int i = 0; i < 10'000 && !end; ++i) {
    jobs.Poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(end);
  CHECK(end->error.empty());
  CHECK(runner.shown()->notes == std::vector<std::string>{note});
  CHECK_FALSE(runner.shown()->goes_on);
  runner.Close();
  CHECK(runner.shown() == nullptr);
}

TEST_CASE("A sweep over an option that changes nothing is doubted once it has ended") {
  ProgramSweep sweep = SweepWith(1'000'000);
  sweep.goes_on = false;
  CHECK(sweep.Doubt().empty());
  sweep.points[1].allocated_peak_bytes = sweep.points[0].allocated_peak_bytes;
  CHECK(sweep.Doubt() ==
        "Every value of --batch takes just as much memory: the program may not make use of it.");
  sweep.goes_on = true;
  CHECK(sweep.Doubt().empty());
  sweep.goes_on = false;
  sweep.points.push_back(sweep.points.back());
  sweep.points.back().has_peaks = false;  // that one made a difference
  CHECK(sweep.Doubt().empty());
  sweep.points.resize(1);  // one alone has none to be like
  CHECK(sweep.Doubt().empty());
}

TEST_CASE("A sweep whose runs all fail says so, with the first one's reason") {
  ProgramSweep sweep = SweepWith(1'000'000);
  for (session::SweepPoint& point : sweep.points) {
    point.has_peaks = false;
    point.sentence = "unrecognized arguments: --batch";
  }
  CHECK(sweep.WhyNoCurve().empty());  // it goes on
  sweep.goes_on = false;
  CHECK(sweep.WhyNoCurve() ==
        "Every run failed, so there is no curve. With --batch 1: unrecognized arguments: --batch");
  sweep.points.back().out_of_memory = true;  // that one is on the chart
  CHECK(sweep.WhyNoCurve().empty());
}

TEST_CASE("A card's line far above small curves does not flatten them") {
  CHECK(SweepWith(1'000'000).CardOnAxis() == 0);
  CHECK(SweepWith(20'000'000'000).CardOnAxis() == 100'000'000'000);
  ProgramSweep none = SweepWith(1'000'000);
  none.points.back().out_of_memory = true;
  CHECK(none.CardOnAxis() == 100'000'000'000);
  none.points.clear();
  CHECK(none.CardOnAxis() == 100'000'000'000);
}

TEST_CASE_METHOD(Measured,
                 "What there is to doubt of a sweep is read as a whole where the panel has the room") {
  ProgramSweep sweep = SweepWith(1'000'000);
  sweep.notes = {
      "cnn.py:26 read a result that no kernel had computed: it was zero, and what it decided there "
      "may differ on a card, as may all that comes after it."};
  const bool has_room = GENERATE(true, false);
  CommandQueue queue;
  const std::string drawn = WordsIn({420, has_room ? 420.0F : 220.0F}, [&] {
    DrawProgramSweepPanel({&sweep, ByteUnit::kMegabytes}, queue);
  });
  CHECK(drawn.find(sweep.Summary()) != std::string::npos);  // beside the buttons it has no room
  CHECK(drawn.find("What to doubt: cnn.py:26") != std::string::npos);
  CHECK((drawn.find("comes after it.") != std::string::npos) == has_room);
}

}  // namespace tidemark::gui
