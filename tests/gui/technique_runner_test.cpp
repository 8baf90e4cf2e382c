#include "app/gui/searches/technique_runner.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

using session::TechniqueAnswer;
using session::TechniqueOrder;

session::ProgramOrder Order(const std::string& command, const std::string& amp = "") {
  session::ProgramOrder order;
  order.command = command;
  order.card = "l4";
  order.amp = amp;
  return order;
}

// Of a run that goes on.
const std::shared_ptr<const timeline::View> kNothingYet = timeline::Stream().Publish();

// Its own, and one other.
std::vector<TechniqueOrder> TwoOf(const session::ProgramOrder& order) {
  if (!order.card) return {};
  TechniqueOrder other{order, "other"};
  other.program.amp = order.amp.empty() ? "bf16" : "";
  return {{order, "own"}, other};
}

// It fits by a gigabyte, and something is to be doubted.
Result<std::vector<std::string>> Answer(const std::vector<TechniqueOrder>& orders,
                                        const session::TechniqueAnswered& answered,
                                        const session::StartWatch&) {
  for (size_t i = 0; i < orders.size(); ++i) answered(i, {true, false, "", 1 << 30, {1 << 30}});
  return std::vector<std::string>{"a doubt"};
}

void PollUntil(BackgroundJobs& jobs, const std::function<bool()>& reached) {
  for (int i = 0; i < 10'000 && !reached(); ++i) {
    jobs.Poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(reached());
}

}  // namespace

TEST_CASE("Techniques that were tried stand beside the run that is shown, and stay while its program is") {
  BackgroundJobs jobs;
  TechniqueRunner runner(&jobs, {TwoOf, Answer});
  const session::ProgramOrder order = Order("python train.py");
  const auto view = timeline::Stream().Publish();
  session::RunStatus ran_out;
  ran_out.state = session::RunState::kFailed;
  ran_out.out_of_memory = true;
  runner.Look(&order, view, ran_out);
  REQUIRE(runner.to_try().size() == 2);
  bool has_ended = false;
  runner.Begin({}, [&](bool is_cancelled) { has_ended = !is_cancelled; });
  runner.Look(&order, view, ran_out);
  REQUIRE(runner.shown() != nullptr);
  CHECK(runner.shown()->goes_on);
  PollUntil(jobs, [&] { return has_ended; });
  const ProgramTechniques& found = *runner.shown();
  CHECK_FALSE(found.goes_on);
  CHECK(found.error.empty());
  CHECK(found.notes == std::vector<std::string>{"a doubt"});
  REQUIRE(found.rows[0].answer);
  CHECK(found.rows[0].answer->ran_out);
  REQUIRE(found.rows[1].answer);
  CHECK(found.rows[1].answer->fits);
  // Run so, it is the same program; what it comes to then is not what it came to as it is.
  const session::ProgramOrder other = found.rows[1].order.program;
  runner.Look(&other, view, {});
  REQUIRE(runner.shown() != nullptr);
  CHECK(runner.shown()->rows[0].answer->ran_out);
  CHECK(runner.to_try().front().program.amp == "bf16");
  const session::ProgramOrder foreign = Order("python other.py");
  runner.Look(&foreign, kNothingYet, {});
  CHECK(runner.shown() == nullptr);
  runner.Look(nullptr, nullptr, {});
  CHECK(runner.to_try().empty());
  runner.Begin({}, [](bool) { FAIL("there is nothing to try"); });
  CHECK(runner.shown() == nullptr);
}

TEST_CASE("What goes on for a program that is not shown any more ends, and its answers are nobody's") {
  std::atomic<bool> is_ended = false;
  BackgroundJobs jobs;
  TechniqueRunner runner(&jobs, {TwoOf,
                                 [&](const std::vector<TechniqueOrder>&, const auto& answered,
                                     const session::StartWatch& watch) -> Result<std::vector<std::string>> {
                                   answered(0, {true, false, "", 1, {1}});
                                   while (watch.goes_on())
                                     std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                   is_ended = true;
                                   return std::vector<std::string>();
                                 }});
  const session::ProgramOrder order = Order("python train.py");
  runner.Look(&order, kNothingYet, {});
  runner.Begin({}, [](bool) { FAIL("nobody asked for it any more"); });
  PollUntil(jobs, [&] { return runner.Poll() || runner.shown()->rows[1].answer; });
  CHECK_FALSE(runner.shown()->rows[0].answer);  // the run goes on
  const session::ProgramOrder foreign = Order("python other.py");
  runner.Look(&foreign, kNothingYet, {});
  CHECK(runner.shown() == nullptr);
  PollUntil(jobs, [&] { return is_ended && jobs.empty(); });
  runner.Look(&order, kNothingYet, {});
  CHECK(runner.shown() == nullptr);
}

TEST_CASE("What ran out and runs again is a part of what is still to do") {
  std::atomic<bool> may_end = false;
  BackgroundJobs jobs;
  TechniqueRunner runner(&jobs, {TwoOf,
                                 [&](const std::vector<TechniqueOrder>&, const auto& answered,
                                     const session::StartWatch& watch) -> Result<std::vector<std::string>> {
                                   watch.share(0.5);
                                   answered(0, {false, true, "Tried to allocate 20.00 MiB."});
                                   while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                   return std::vector<std::string>();
                                 }});
  const session::ProgramOrder order = Order("python train.py");
  runner.Look(&order, kNothingYet, {});
  bool has_ended = false;
  runner.Begin({}, [&](bool) { has_ended = true; });
  PollUntil(jobs, [&] { return runner.Poll() || runner.shown()->rows[1].answer; });
  CHECK(jobs.jobs().front()->progress == 0.5);
  may_end = true;
  PollUntil(jobs, [&] { return has_ended; });
}

TEST_CASE("Why techniques cannot be tried is told in their place") {
  BackgroundJobs jobs;
  TechniqueRunner runner(&jobs, {TwoOf, [](const auto&, const auto&, const session::StartWatch&) {
                                   return Result<std::vector<std::string>>(Error{"There is no torch."});
                                 }});
  const session::ProgramOrder order = Order("python train.py");
  runner.Look(&order, kNothingYet, {});
  bool has_ended = false;
  runner.Begin({}, [&](bool) { has_ended = true; });
  PollUntil(jobs, [&] { return has_ended; });
  CHECK(runner.shown()->error == "There is no torch.");
}

TEST_CASE("A program is the same with other techniques, and with more told of it") {
  const session::ProgramOrder one = Order("python train.py");
  session::ProgramOrder other = Order("python train.py", "bf16");
  other.kernels = true;
  other.recording = "run.tide";
  CHECK(IsSameProgram(one, other));
  other.memory = "8GiB";
  CHECK_FALSE(IsSameProgram(one, other));
  other = one;
  other.argument = session::ProgramArgument{"batch", 8};
  CHECK_FALSE(IsSameProgram(one, other));
}

TEST_CASE("A run that is shown answers for its program once it has ended") {
  timeline::Stream stream;
  stream.Allocate(1, 1024);
  const auto view = stream.Publish();
  phantom::Card card;
  card.memory_bytes = int64_t{1} << 30;
  session::RunStatus status;
  status.state = session::RunState::kRunning;
  CHECK_FALSE(AnswerOf(*view, status, card));
  status.state = session::RunState::kFinished;
  REQUIRE(AnswerOf(*view, status, card));
  CHECK(AnswerOf(*view, status, card)->fits);
  CHECK(AnswerOf(*view, status, card)->allocated_bytes == 1024);
  CHECK_FALSE(AnswerOf(*view, status, card)->held.empties_cache);
  timeline::Stream full;  // the second segment has room once the first is given back
  for (const uint64_t address : {0x1000, 0x2000}) {
    full.Add(events::EventKind::kSegmentAllocate, address, int64_t{3} << 28);
    full.Allocate(address, int64_t{3} << 28);
    full.Free(address);
    if (address == 0x1000) full.Add(events::EventKind::kSegmentFree, address, int64_t{3} << 28);
  }
  CHECK(AnswerOf(*full.Publish(), status, card)->held.empties_cache);
  status.state = session::RunState::kFailed;
  status.sentence = "The program ended with exit code 1.";
  CHECK_FALSE(AnswerOf(*view, status, card)->ran_out);
  CHECK(AnswerOf(*view, status, card)->failure == status.sentence);
  status.out_of_memory = true;
  CHECK(AnswerOf(*view, status, card)->ran_out);
  status = {};
  status.state = session::RunState::kFinished;
  CHECK_FALSE(AnswerOf(*timeline::Stream().Publish(), status, card)->fits);  // it asked for nothing
}

}  // namespace tidemark::gui
