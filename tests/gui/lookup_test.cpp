#include "app/gui/background/lookup.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "profiler/base/progress.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
using Squares = Lookup<int, int>;

std::optional<int> Square(const int& number, const Progress&) { return number * number; }

// Not before it may.
Squares::Find SquareOnce(const std::atomic<bool>& may_go) {
  return [&may_go](const int& number, const Progress& progress) {
    while (!may_go) std::this_thread::sleep_for(1ms);
    return Square(number, progress);
  };
}

// Frame after frame, until it is answered.
bool Answers(Squares& squares, int question, const Squares::Find& find) {
  for (int frame = 0; frame < 4000; ++frame) {
    squares.Ask(question, false, find);
    if (squares.question() == question) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

// Ends when it is told to, and then has nothing to say.
std::optional<int> UntilStopped(const int&, const Progress& progress) {
  while (progress(0.5)) std::this_thread::sleep_for(1ms);
  return std::nullopt;
}

}  // namespace

TEST_CASE("What fits in a frame is answered in it, once") {
  Squares squares;
  CHECK(squares.answer() == nullptr);
  CHECK(squares.Ask(3, true, Square));
  CHECK(*squares.answer() == 9);
  CHECK_FALSE(squares.Ask(3, true, [](const int&, const Progress&) -> std::optional<int> {
    FAIL("it is asked again");
    return {};
  }));
  CHECK_FALSE(squares.pending());
}

TEST_CASE("What does not is answered beside the window; the answer before stays until then") {
  Squares squares;
  squares.Ask(2, true, Square);
  std::atomic<bool> go = false;
  const Squares::Find slow = SquareOnce(go);
  CHECK_FALSE(squares.Ask(5, false, slow));
  CHECK(squares.pending());
  CHECK(*squares.answer() == 4);
  CHECK(squares.question() == 2);
  go = true;
  REQUIRE(Answers(squares, 5, slow));
  CHECK(*squares.answer() == 25);
  CHECK_FALSE(squares.pending());
}

TEST_CASE("An older question never replaces a newer answer") {
  Squares squares;
  std::atomic<bool> go = false;
  squares.Ask(5, false, SquareOnce(go));
  squares.Ask(6, true, Square);
  go = true;
  for (int frame = 0; frame < 50; ++frame) {
    squares.Ask(6, true, Square);
    std::this_thread::sleep_for(1ms);
  }
  CHECK(*squares.answer() == 36);
}

TEST_CASE("What is overtaken is finished, so that what is dragged moves, or given up, as is chosen") {
  Squares finished;
  std::atomic<bool> go = false;
  const Squares::Find slow = SquareOnce(go);
  finished.Ask(5, false, slow);
  finished.Ask(6, false, slow);
  go = true;
  bool saw_five = false;
  for (int frame = 0; frame < 4000 && finished.question() != 6; ++frame) {
    finished.Ask(6, false, slow);
    saw_five = saw_five || finished.question() == 5;
    std::this_thread::sleep_for(1ms);
  }
  CHECK(saw_five);
  CHECK(*finished.answer() == 36);

  Squares given_up(Overtaken::kIsGivenUp);
  given_up.Ask(5, false, UntilStopped);
  REQUIRE(Answers(given_up, 6, Square));  // which waits for nobody's Cancel
  CHECK(*given_up.answer() == 36);
}

TEST_CASE("Who asks no more in a frame keeps nobody waiting; the answer is there for who asks again") {
  Squares squares;
  std::atomic<bool> go = false;
  const Squares::Find slow = SquareOnce(go);
  squares.Ask(5, false, slow);
  CHECK(squares.pending());
  squares.BeginFrame();
  CHECK_FALSE(squares.pending());
  go = true;
  REQUIRE(Answers(squares, 5, slow));
  CHECK(*squares.answer() == 25);
}

TEST_CASE("A person's Cancel holds until another question") {
  Squares squares;
  squares.Ask(5, false, UntilStopped);
  CHECK_FALSE(squares.Line("Squaring", 1h));  // it has just begun
  std::optional<JobLine> line;
  for (int i = 0; i < 4000 && (!line || line->progress < 0.5); ++i) {
    line = squares.Line("Squaring", 0ms);
    std::this_thread::sleep_for(1ms);
  }
  REQUIRE(line);
  CHECK(line->title == "Squaring");
  CHECK(line->progress == 0.5);
  *line->cancel = true;
  for (int i = 0; i < 4000 && squares.pending(); ++i) {
    squares.Ask(5, false, UntilStopped);
    std::this_thread::sleep_for(1ms);
  }
  CHECK_FALSE(squares.pending());
  CHECK(squares.cancelled());
  CHECK(squares.answer() == nullptr);
  CHECK_FALSE(squares.Line("Squaring", 0ms));
  squares.Ask(5, false, Square);
  CHECK_FALSE(squares.pending());  // that is not looked into again
  squares.Ask(7, true, Square);    // another, answered at once
  CHECK_FALSE(squares.cancelled());
  REQUIRE(Answers(squares, 5, Square));
  CHECK(*squares.answer() == 25);
  squares.Ask(8, false, UntilStopped);  // ends with this
}

}  // namespace tidemark::gui
