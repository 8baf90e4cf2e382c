// What the application does as programs are started and as runs take each other's place.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/application.h"
#include "tests/gui/driven_application.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {

TEST_CASE("A program is not recorded over an earlier recording before the person says so") {
  const trace::Scratch scratch;
  std::vector<session::ProgramOrder> orders;
  ApplicationOptions options;
  options.start_program = [&](const session::ProgramOrder& order,
                              const session::StartWatch&) -> Result<std::shared_ptr<session::Run>> {
    orders.push_back(order);
    const auto program = std::make_shared<Program>();
    program->End();
    std::ofstream(order.recording) << "its run";
    return std::shared_ptr<session::Run>(program);
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  session::ProgramOrder order;
  order.command = "python train.py";
  order.recording = scratch / "run.tide";
  const auto tell_and_wait = [&](const Command& command) {
    Tell(app, command);
    REQUIRE(PollUntil(app, [&] { return !app.waiting(); }));
  };
  tell_and_wait(StartProgram{order});
  REQUIRE(orders.size() == 1);  // there was none
  for (const Command& again : {Command(DoAction{ActionId::kRestart}), Command(StartProgram{order})}) {
    const size_t before = orders.size();
    tell_and_wait(again);
    CHECK(orders.size() == before);
    CHECK(app.shell().held.title == "Replace run.tide?");
    tell_and_wait(AnswerHeld{HeldAnswer::kStays});
    CHECK(orders.size() == before);
    tell_and_wait(again);
    tell_and_wait(AnswerHeld{HeldAnswer::kGoesOn});
    CHECK(orders.size() == before + 1);
  }
  SECTION("nor while another goes on, which is asked of first") {
    app.ShowRun(std::make_shared<Program>());
    app.Poll();
    const size_t before = orders.size();
    tell_and_wait(StartProgram{order});
    tell_and_wait(AnswerHeld{HeldAnswer::kGoesOn});  // it may end
    CHECK(orders.size() == before);
    tell_and_wait(AnswerHeld{HeldAnswer::kGoesOn});
    CHECK(orders.size() == before + 1);
  }
}

}  // namespace tidemark::gui
