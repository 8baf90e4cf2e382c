#include "app/gui/opener.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/gui/driven_application.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {
namespace {

struct Window {
  std::vector<std::string> told;
  int let_go = 0;
  BackgroundJobs jobs;
  Opener opener{&jobs,
                {[this](const std::string& sentence) { told.push_back(sentence); },
                 [this](const std::shared_ptr<session::Run>&) { ++let_go; }}};

  void Finish() {
    for (int i = 0; i < 10'000 && !jobs.empty(); ++i) {
      jobs.Poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE(jobs.empty());
  }
};

using Texts = std::vector<std::string>;

// A program that is there once it has loaded, whether anybody wants it yet or not.
session::StartProgram StartsOnce(const std::atomic<bool>& is_loading) {
  return [&is_loading](const session::ProgramOrder&, const session::StartWatch&) -> Opener::Run {
    is_loading.wait(true);
    return std::shared_ptr<session::Run>(std::make_shared<Program>());
  };
}

void GoOn(std::atomic<bool>& is_loading) {
  is_loading = false;
  is_loading.notify_all();
}

}  // namespace

TEST_CASE("Of what is to be shown the latest comes, and what comes after it is let go and said so") {
  const trace::Scratch scratch;
  for (const char* name : {"first.tide", "second.tide"}) REQUIRE(Grown().Save(scratch / name).ok());
  Window window;
  Texts shown;
  const auto show = [&](const char* name) {
    window.opener.Read(scratch / name, {}, [&shown, name](const Opener::Run& run) {
      if (run) shown.emplace_back(name);
    });
  };
  show("first.tide");
  show("second.tide");
  window.Finish();
  CHECK(shown == Texts{"second.tide"});
  CHECK(window.told == Texts{"first.tide is not shown: something else was asked for since."});
  show("first.tide");
  window.opener.Drop();  // something else is shown
  window.Finish();
  CHECK(shown.size() == 1);
  CHECK(window.told.size() == 2);
}

TEST_CASE("A program that starts after something else was asked for is let go") {
  Window window;
  std::atomic<bool> is_loading = true;
  bool is_shown = false;
  session::ProgramOrder order;
  order.command = "python train.py";
  window.opener.Start(order, StartsOnce(is_loading),
                      [&](const Opener::Run&, session::ProgramField) { is_shown = true; });
  window.opener.Drop();
  GoOn(is_loading);
  window.Finish();
  CHECK_FALSE(is_shown);
  CHECK(window.let_go == 1);
  CHECK(window.told == Texts{"python train.py is not shown: something else was asked for since."});
}

TEST_CASE("A second run does not take the place of what is to be shown, nor is it missed") {
  const trace::Scratch scratch;
  REQUIRE(Grown().Save(scratch / "run.tide").ok());
  Window window;
  int shown = 0;
  int laid_over = 0;
  window.opener.Read(scratch / "run.tide", {}, [&](const Opener::Run&) { ++shown; });
  window.opener.ReadSecond(scratch / "run.tide", [&](const Opener::Run&) { ++laid_over; });
  window.Finish();
  CHECK((shown == 1 && laid_over == 1));
  window.opener.ReadSecond(scratch / "run.tide", [&](const Opener::Run&) { ++laid_over; });
  window.opener.DropSecond();
  window.Finish();
  CHECK(laid_over == 1);
  CHECK(window.told.empty());
}

TEST_CASE("What cannot be read or started comes as an error, which says what it is about") {
  const trace::Scratch scratch;
  std::ofstream(scratch / "junk.tide") << "no recording";
  Window window;
  Texts errors;
  window.opener.Read(scratch / "junk.tide", {}, [&](const Opener::Run& run) {
    if (!run) errors.push_back(run.error().message);
  });
  window.Finish();
  CHECK(errors.size() == 1);
  const session::StartProgram refuse = [](const session::ProgramOrder&,
                                          const session::StartWatch& watch) -> Opener::Run {
    watch.blamed(session::ProgramField::kMemory);
    return Error{"Too little memory."};
  };
  window.opener.Start({}, refuse, [&](const Opener::Run& run, session::ProgramField faulty) {
    CHECK(faulty == session::ProgramField::kMemory);
    if (!run) errors.push_back(run.error().message);
  });
  window.Finish();
  REQUIRE(errors.size() == 2);
  CHECK(errors.back() == "Too little memory.");
}

TEST_CASE("A program that the person has cancelled is let go, and said so") {
  Window window;
  std::atomic<bool> is_loading = true;
  bool is_shown = false;
  window.opener.Start({}, StartsOnce(is_loading),
                      [&](const Opener::Run&, session::ProgramField) { is_shown = true; });
  window.jobs.jobs().front()->cancelled = true;
  GoOn(is_loading);
  window.Finish();
  CHECK_FALSE(is_shown);
  CHECK(window.let_go == 1);
  CHECK(window.told == Texts{"The program was not started, as asked."});
}

}  // namespace tidemark::gui
