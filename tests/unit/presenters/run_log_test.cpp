#include "app/presenters/run/run_log.h"

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

class Logged : public Training {
 public:
  void Skip(int64_t number) {
    BeginStep(number);
    Metric(scale_, 32'768, number);
    Metric(skipped_, 1, number);
    EndStep(number);
  }
};

std::vector<std::string> TextsOf(const RunLog& log) {
  std::vector<std::string> texts;
  for (const LogLine& line : log.lines()) texts.push_back(line.text);
  return texts;
}

}  // namespace

TEST_CASE("A loss that says nothing is not logged") {
  Logged training;
  training.Weight(1000);
  for (int step = 0; step < 2; ++step) training.Step(step, 1000, 1000);
  RunLog log(2);
  events::RunDescription on_phantom;
  on_phantom.device = "phantom";
  log.Describe(on_phantom);
  log.Update(*training.Publish());
  const std::vector<std::string> texts = TextsOf(log);
  REQUIRE(texts.size() == 1);
  CHECK(texts[0].starts_with("epoch 1 · allocated "));
}

TEST_CASE("A program that is not ours has no epochs of ours") {
  Logged training;
  training.Mark(training.Name("begins"));
  for (int step = 0; step < 4; ++step) training.Step(step, 1000, 1000);
  RunLog log(2);
  events::RunDescription program;
  program.title = "train.py";
  log.Describe(program);
  log.Update(*training.Publish());
  CHECK(TextsOf(log) == std::vector<std::string>{"begins"});
}

TEST_CASE("The log prints after each epoch what a PyTorch script would") {
  Logged training;
  training.Add(events::EventKind::kSegmentAllocate, 0x100000, 218'100'000);
  training.Weight(85'400'000);
  for (int step = 0; step < 5; ++step) training.Step(step, 90'000'000, step == 0 ? 2'300'000 : 1'000'000);
  RunLog log(2);
  log.Update(*training.Publish());
  const std::vector<std::string> texts = TextsOf(log);
  REQUIRE(texts.size() == 2);
  CHECK(texts[0] ==
        "epoch 1 · loss 1.2500 · allocated 85,400,064 B · max allocated 177,700,864 B · reserved 218,100,000 "
        "B");
  CHECK(texts[1] ==
        "epoch 2 · loss 0.6250 · allocated 85,400,064 B · max allocated 177,700,864 B · reserved 218,100,000 "
        "B");
  CHECK(log.lines()[0].level == LogLevel::kGood);
}

TEST_CASE("The log takes what is new, in order, however often it is asked") {
  Logged training;
  RunLog whole(2);
  RunLog piecewise(2);
  for (int step = 0; step < 9; ++step) {
    if (step % 3 == 0) training.Mark(training.Name("marker " + std::to_string(step)));
    training.Step(step, 1000, 1000);
    piecewise.Update(*training.Publish());
    training.BeginStep(1000);  // cut short by the next
    piecewise.Update(*training.Publish());
  }
  training.Skip(9);
  training.Add(events::EventKind::kOutOfMemory, 0, 2'000'000'000).rounded_bytes = 120'000'000;
  piecewise.Update(*training.Publish());
  whole.Update(*training.Publish());
  CHECK(TextsOf(whole) == TextsOf(piecewise));
  const std::vector<std::string> texts = TextsOf(whole);
  REQUIRE(texts.size() == 3 + 4 + 2 + 1);
  CHECK(texts[0] == "marker 0");
  CHECK(texts[1].starts_with("epoch 1 · loss 1.2500 · allocated 0 B · max allocated 2,048 B"));
  CHECK(texts[1].find("reserved") == std::string::npos);
  CHECK(texts[2] == "marker 3");
  CHECK(texts[7] == "step 9 skipped: its gradients overflowed; loss scale now 32768");
  CHECK(whole.lines()[7].level == LogLevel::kWarning);
  CHECK(texts[8].starts_with("epoch 5"));
  CHECK(texts[9] == "out of memory: 2,000,000,000 B asked for, 120,000,000 B free on the device");
  CHECK(whole.lines()[9].level == LogLevel::kError);
}

TEST_CASE("The most that a line tells is of its own settings, and it says so where others were before") {
  Logged training;
  const events::NameId before = training.Name(R"({"batch":64})");
  training.Mark(before, before);
  for (int step = 0; step < 3; ++step) training.Step(step, 1'000'000, 1000);
  const events::NameId after = training.Name(R"({"batch":1})");
  training.Mark(after, after);
  for (int step = 3; step < 6; ++step) training.Step(step, 10'000, 1000);
  RunLog log(2);
  log.Update(*training.Publish());
  std::vector<std::string> epochs;
  for (const std::string& text : TextsOf(log)) {
    if (text.starts_with("epoch")) epochs.push_back(text);
  }
  REQUIRE(epochs.size() == 3);
  CHECK(epochs[0].ends_with("max allocated 1,001,472 B"));
  CHECK(epochs[1].ends_with("max allocated 11,264 B with these settings"));
  CHECK(epochs[2].ends_with("max allocated 11,264 B with these settings"));
}

TEST_CASE("A restart counts its epochs and its maximum afresh") {
  Logged training;
  for (int step = 0; step < 2; ++step) training.Step(step, 1'000'000, 1000);
  for (int step = 0; step < 2; ++step) training.Step(step, 10'000, 1000);
  RunLog log(2);
  log.Update(*training.Publish());
  REQUIRE(log.lines().size() == 2);
  CHECK(log.lines()[0].text.find("max allocated 1,001,472 B") != std::string::npos);
  CHECK(log.lines()[1].text.starts_with("epoch 1 "));
  CHECK(log.lines()[1].text.find("max allocated 11,264 B") != std::string::npos);
}

TEST_CASE("The log does not grow without end") {
  RunLog log(1);
  for (int n = 0; n < 30'000; ++n) log.Add({0, LogLevel::kInfo, std::to_string(n)});
  CHECK(log.lines().size() <= 10'000);
  CHECK(log.lines().size() >= 5'000);
  CHECK(log.lines().back().text == "29999");
}

TEST_CASE("The log tells of the first replay of a CUDA graph, and at the run's end of all") {
  Logged training;
  RunLog log(100);
  const events::NameId replay = training.Name("CUDAGraph::replay");
  for (int step = 0; step < 3; ++step) {
    training.BeginStep(step);
    for (int i = 0; i < step; ++i) {
      training.Add(events::EventKind::kScopeBegin).op = replay;
      training.Add(events::EventKind::kScopeEnd).op = replay;
    }
    training.EndStep(step);
    log.Update(*training.Publish());
  }
  const auto view = training.Publish();
  CHECK(TextsOf(log).size() == 1);
  CHECK(log.lines().front().time_ns == view->TimeOf(view->graph_replays()[0]));
  for (int i = 0; i < 2; ++i) log.Finish(*view, timeline::GraphReplaysIn(*view));
  REQUIRE(TextsOf(log).size() == 2);
  CHECK(TextsOf(log).back() == "replays of CUDA graphs: 3, in 2 of 3 steps, up to 2 in one");
  // What has stood still goes on, and ends again.
  training.BeginStep(3);
  training.Add(events::EventKind::kScopeBegin).op = replay;
  training.Add(events::EventKind::kScopeEnd).op = replay;
  training.EndStep(3);
  const auto later = training.Publish();
  log.Update(*later);
  log.Finish(*later, timeline::GraphReplaysIn(*later));
  REQUIRE(TextsOf(log).size() == 2);
  CHECK(TextsOf(log).back() == "replays of CUDA graphs: 4, in 3 of 4 steps, up to 2 in one");
  RunLog without(100);
  without.Finish(*Logged().Publish(), {});
  CHECK(without.lines().empty());
}

TEST_CASE("The first replay of a CUDA graph stands in the log among markers, in the order of events") {
  Logged training;
  const events::NameId replay = training.Name("CUDAGraph::replay");
  training.Mark(training.Name("before"));
  training.Add(events::EventKind::kScopeBegin).op = replay;
  training.Add(events::EventKind::kScopeEnd).op = replay;
  training.Mark(training.Name("after"));
  RunLog log(100);
  log.Update(*training.Publish());
  const std::vector<std::string> texts = TextsOf(log);
  REQUIRE(texts.size() == 3);
  CHECK(texts[0] == "before");
  CHECK(texts[1].starts_with("the first replay of a CUDA graph"));
  CHECK(texts[2] == "after");
}

}  // namespace tidemark::presenters
