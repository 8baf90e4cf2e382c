#include "app/gui/application.h"

#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/base/progress.h"
#include "tests/gui/driven_application.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {

TEST_CASE("Why the file that the window was opened for cannot be read stays where the run would be") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / "junk.pickle";
  std::ofstream(file) << "no recording";
  const auto application = Application::Create({}, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.OpenFile(file);
  const session::RunStatus& status = app.scene_input().status;
  REQUIRE(PollUntil(app, [&] { return !status.sentence.empty(); }));
  CHECK(status.state == session::RunState::kFailed);
  CHECK(status.sentence.find("junk.pickle") != std::string::npos);
}

TEST_CASE("A window that closes keeps the run that nobody saved, and says where") {
  const trace::Scratch scratch;
  const auto application = KeepingIn(scratch / "kept");
  CHECK(application->KeepOnClosing().empty());
  application->ShowRun(std::make_shared<Grown>());
  const std::vector<std::string> told = application->KeepOnClosing();
  const std::string begins = "The run was not saved, or not to its end; it is kept in ";
  REQUIRE(told.size() == 1);
  REQUIRE(told.front().starts_with(begins));
  CHECK((*session::Run::Open(told.front().substr(begins.size())))->view()->end() == 1);
}

TEST_CASE("What is being saved as the window closes is saved whole, and not kept a second time") {
  const trace::Scratch scratch;
  const auto application = KeepingIn(scratch / "kept");
  application->ShowRun(std::make_shared<Grown>());
  const std::filesystem::path file = scratch / "own.tide";
  application->Push(SaveRecording{file});
  application->ExecuteCommands();
  CHECK(application->KeepOnClosing() == std::vector<std::string>{"Saved " + file.string() + "."});
  CHECK((*session::Run::Open(file))->view()->end() == 1);
}

std::string LatestLine(const Application& application) {
  const auto& lines = application.scene_input().log->lines();
  return lines.empty() ? "" : lines.back().text;
}

TEST_CASE("Closing the window asks first where a run would be lost") {
  const trace::Scratch scratch;
  const std::filesystem::path kept = scratch / "kept";
  const auto count_kept = [&] {
    std::error_code none;
    return std::distance(std::filesystem::directory_iterator(kept, none), {});
  };
  const auto application = KeepingIn(kept);
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  Tell(app, DoAction{ActionId::kQuit});
  CHECK_FALSE(app.wants_to_quit());
  Tell(app, AnswerHeld{HeldAnswer::kStays});
  CHECK_FALSE(app.wants_to_quit());
  SECTION("kept, and not a second time") {
    Tell(app, DoAction{ActionId::kQuit});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOnOnceKept});
    CHECK(PollUntil(app, [&] { return app.wants_to_quit(); }));
    CHECK(app.KeepOnClosing().empty());
    CHECK(count_kept() == 1);
  }
  SECTION("kept, and asked about the run that was begun meanwhile") {
    Tell(app, DoAction{ActionId::kQuit});
    app.Push(AnswerHeld{HeldAnswer::kGoesOnOnceKept});
    app.ExecuteCommands();
    app.ShowRun(std::make_shared<Grown>());
    CHECK(PollUntil(app, [&] { return app.scene_input().log->lines().size() >= 1; }));
    for (int i = 0; i < 50; ++i) {  // what follows the keeping
      app.Poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    CHECK(count_kept() == 1);  // once, not again as another took its place
    CHECK_FALSE(app.wants_to_quit());
    Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
    CHECK(app.wants_to_quit());
  }
  SECTION("let go") {
    Tell(app, DoAction{ActionId::kQuit});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
    CHECK(app.wants_to_quit());
    CHECK(app.KeepOnClosing().empty());
    CHECK(count_kept() == 0);
  }
  SECTION("once it is saved where the person says, and not if they think better of it") {
    Tell(app, DoAction{ActionId::kQuit});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOnOnceSaved});
    CHECK(app.shell().file_dialog.open);
    CHECK(app.shell().file_dialog.purpose == FilePurpose::kSave);
    CHECK_FALSE(app.wants_to_quit());
    Tell(app, DoAction{ActionId::kSave});  // the dialog was cancelled, and asked for on its own
    Tell(app, SaveRecording{scratch / "own.tide"});
    REQUIRE(PollUntil(app, [&] { return LatestLine(app).starts_with("Saved "); }));
    CHECK_FALSE(app.wants_to_quit());
    app.ShowRun(std::make_shared<Grown>());
    Tell(app, DoAction{ActionId::kQuit});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOnOnceSaved});
    Tell(app, SaveRecording{scratch / "missing" / "own.tide"});
    REQUIRE(PollUntil(app, [&] { return LatestLine(app).find("missing") != std::string::npos; }));
    CHECK_FALSE(app.wants_to_quit());
    Tell(app, DoAction{ActionId::kQuit});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOnOnceSaved});
    Tell(app, SaveRecording{scratch / "next.tide"});
    CHECK(PollUntil(app, [&] { return app.wants_to_quit(); }));
    CHECK((*session::Run::Open(scratch / "next.tide"))->view()->end() == 1);
    CHECK(count_kept() == 0);
  }
  SECTION("not where it cannot be kept: that is to be read first") {
    std::ofstream(kept) << "no folder";
    Tell(app, DoAction{ActionId::kQuit});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOnOnceKept});
    CHECK(PollUntil(app, [&] { return LatestLine(app).find("cannot be kept") != std::string::npos; }));
    CHECK_FALSE(app.wants_to_quit());
  }
  SECTION("nothing, once it is saved: what is asked for just before counts") {
    Tell(app, SaveRecording{scratch / "own.tide"});
    Tell(app, DoAction{ActionId::kQuit});
    CHECK(PollUntil(app, [&] { return app.wants_to_quit(); }));
    CHECK((*session::Run::Open(scratch / "own.tide"))->view()->end() == 1);
    CHECK(app.KeepOnClosing().empty());
  }
}

TEST_CASE("What is noted in a run that was saved is kept beside its file") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / "own.tide";
  const auto application = KeepingIn(scratch / "kept");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  app.Push(SaveRecording{file});
  app.ExecuteCommands();
  SECTION("once it is written") {
    REQUIRE(PollUntil(app, [&] { return LatestLine(app).starts_with("Saved "); }));
    Tell(app, KeepBookmark{app.shown_process(), 1, "here"});
  }
  SECTION("while it is written") {
    Tell(app, KeepBookmark{app.shown_process(), 1, "here"});
    REQUIRE(PollUntil(app, [&] { return LatestLine(app).starts_with("Saved "); }));
  }
  Tell(app, DoAction{ActionId::kQuit});
  CHECK(PollUntil(app, [&] { return app.wants_to_quit(); }));
  CHECK(*trace::LoadBookmarks(file) == std::vector<trace::Bookmark>{{1, "here"}});
}

TEST_CASE("A bookmark is not kept in another run than the one that it was asked for in") {
  const trace::Scratch scratch;
  const auto application = KeepingIn(scratch / "kept");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  const auto asked_in = app.shown_process();
  app.ShowRun(std::make_shared<Grown>());
  Tell(app, SaveRecording{scratch / "next.tide"});
  REQUIRE(PollUntil(app, [&] { return LatestLine(app).starts_with("Saved "); }));
  Tell(app, KeepBookmark{asked_in, 1, "a spike"});
  // In whichever line: that the run before was kept may be told meanwhile.
  CHECK(std::ranges::any_of(app.scene_input().log->lines(), [](const presenters::LogLine& line) {
    return line.text.starts_with("The bookmark 'a spike' is not kept: its run is not shown any more.");
  }));
  CHECK(trace::LoadBookmarks(scratch / "next.tide")->empty());
}

TEST_CASE("The window stays while what a person asked for is written, and where it could not be") {
  const trace::Scratch scratch;
  std::atomic<bool> is_held = true;
  ApplicationOptions options;
  options.services.export_run = [&](const session::NotedRun&, std::string_view, const std::filesystem::path&,
                                    const Progress&) -> Result<std::vector<std::string>> {
    is_held.wait(true);
    return Error{"The disk is full."};
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.ShowRun(std::make_shared<Grown>());
  app.Push(ExportRecording{scratch / "own.json"});
  app.Push(ActionId::kQuit);
  app.ExecuteCommands();
  app.Poll();
  CHECK_FALSE(app.wants_to_quit());
  is_held = false;
  is_held.notify_all();
  CHECK(PollUntil(app, [&] { return LatestLine(app) == "The disk is full."; }));
  app.Push(AnswerHeld{HeldAnswer::kGoesOn});  // nothing was asked
  app.ExecuteCommands();
  app.Poll();
  CHECK_FALSE(app.wants_to_quit());
}

TEST_CASE("What goes wrong elsewhere does not call the closing of the window off") {
  const trace::Scratch scratch;
  std::atomic<bool> is_held = true;
  ApplicationOptions options;
  options.services.export_run = [&](const session::NotedRun&, std::string_view, const std::filesystem::path&,
                                    const Progress&) -> Result<std::vector<std::string>> {
    is_held.wait(true);
    return std::vector<std::string>();
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.ShowRun(std::make_shared<Program>());
  app.Poll();
  app.Push(ExportRecording{scratch / "own.json"});
  Tell(app, DoAction{ActionId::kQuit});
  app.AddLogLine(presenters::LogLevel::kError, "No such file to compare with.");
  is_held = false;
  is_held.notify_all();
  CHECK(PollUntil(app, [&] { return app.shell().held.title.ends_with(" still runs"); }));
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
  CHECK(app.wants_to_quit());
}

TEST_CASE("What a format has no place for is told behind where the file went, and is no error") {
  const trace::Scratch scratch;
  ApplicationOptions options;
  options.services.export_run = [](const session::NotedRun&, std::string_view, const std::filesystem::path&,
                                   const Progress&) -> Result<std::vector<std::string>> {
    return std::vector<std::string>{"The format has no place for bookmarks; one is left out."};
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.ShowRun(std::make_shared<Grown>());
  app.Push(ExportRecording{scratch / "own.csv"});
  app.ExecuteCommands();
  CHECK(PollUntil(app, [&] {
    return LatestLine(app).starts_with("Exported ") && LatestLine(app).ends_with("one is left out.");
  }));
  for (const presenters::LogLine& line : app.scene_input().log->lines())
    CHECK(line.level < presenters::LogLevel::kWarning);
}

TEST_CASE("A card that a session brings is given back by undo") {
  const trace::Scratch scratch;
  const auto application = KeepingIn(scratch / "kept");
  lessons::SessionState session;
  session.settings = application->settings();
  session.device = {networks::DeviceKind::kPhantom, 0, "t4"};
  REQUIRE(application->scene_input().device.card != "t4");
  const std::string before = application->scene_input().device.card;
  application->Push(UseSession{session});
  application->ExecuteCommands();
  CHECK(application->scene_input().device.card == "t4");
  application->Push(ActionId::kUndo);
  application->ExecuteCommands();
  CHECK(application->scene_input().device.card == before);
}

TEST_CASE("A run that another takes the place of is kept") {
  const trace::Scratch scratch;
  const std::filesystem::path kept = scratch / "kept";
  const auto application = KeepingIn(kept);
  application->ShowRun(std::make_shared<Grown>());
  application->ShowRun(std::make_shared<Grown>());
  CHECK(PollUntil(*application,
                  [&] { return std::filesystem::exists(kept) && !std::filesystem::is_empty(kept); }));
}

TEST_CASE("What the window began with by itself is nobody's until somebody changes it") {
  const trace::Scratch scratch;
  const std::filesystem::path kept = scratch / "kept";
  ApplicationOptions options;
  options.kept_runs = kept;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kCpu, 0, "h200"};
  options.trainer_executable = ExecutableFolder() / "fake_trainer";
  const auto created = Application::Create(options, {});
  REQUIRE(created.ok());
  Application& app = **created;
  const auto has_events = [&] { return app.scene_input().live && !app.scene_input().view->empty(); };
  const auto quits = [&] {
    PollUntil(app, [&] { return !app.waiting(); });  // or it would be waited for
    Tell(app, DoAction{ActionId::kQuit});
    return app.wants_to_quit();
  };
  app.StartExample();
  REQUIRE(PollUntil(app, has_events));
  SECTION("closed over without a word") {
    CHECK(quits());
    CHECK(app.KeepOnClosing().empty());
    CHECK_FALSE(std::filesystem::exists(kept));
  }
  SECTION("changed") {
    networks::TrainingSettings changed = app.settings();
    changed.batch *= 2;
    app.Push(ChangeSettings{changed});
    app.ExecuteCommands();
    CHECK_FALSE(quits());
  }
  SECTION("noted in") {
    app.Push(KeepBookmark{app.shown_process(),
                          app.scene_input().view->TimeOf(app.scene_input().view->first()), "here"});
    app.ExecuteCommands();
    CHECK_FALSE(quits());
  }
  SECTION("begun anew") {
    app.StartRun();
    REQUIRE(PollUntil(app, has_events));
    CHECK_FALSE(std::filesystem::exists(kept));
    CHECK_FALSE(quits());
  }
}

TEST_CASE("A network's file that was edited is read anew when a run begins") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / "mine.json";
  const auto write = [&](const char* title) {
    std::ofstream(file) << R"({"title": ")" << title << R"(", "description": "", "input": [4], "classes": 2,
      "layers": [{"name": "fc", "kind": "linear", "in": 4, "out": 2}]})";
  };
  write("Mine");
  const auto application = Application::Create({}, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto title = [&] {
    const auto* network = networks::NetworkNamed(*app.scene_input().networks, app.settings().network);
    return network == nullptr ? "" : network->title;
  };
  app.OpenNetwork(file);
  CHECK(title() == "Mine");
  write("Mine, edited");
  app.StartRun();
  CHECK(title() == "Mine, edited");
  networks::TrainingSettings other = app.settings();
  other.network = "mlp";
  const networks::TrainingSettings mine = app.settings();
  app.Push(ChangeSettings{other});
  app.ExecuteCommands();
  CHECK(title() == "MLP");
  write("Mine, edited again");
  app.Push(ChangeSettings{mine});
  app.ExecuteCommands();
  CHECK(title() == "Mine, edited again");
}

TEST_CASE("All of a program is in sight once it has ended, where nobody has looked elsewhere") {
  const auto application = Application::Create({}, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const TimelineState& timeline = app.view_state().timeline;
  const auto program = std::make_shared<Program>();
  SECTION("as it began") {
    app.ShowRun(program);
    app.Poll();
    CHECK(timeline.follow);
    program->End();
    app.Poll();
    CHECK_FALSE(timeline.follow);
    CHECK(timeline.whole);
  }
  SECTION("not where it was to be followed") {
    app.ShowRun(program);
    for (int i = 0; i < 2; ++i) app.Push(ActionId::kFollow);
    app.ExecuteCommands();
    program->End();
    app.Poll();
    CHECK(timeline.follow);
  }
  SECTION("of one that has ended before it is shown") {
    program->End();
    app.ShowRun(program);
    CHECK_FALSE(timeline.follow);
    CHECK(timeline.whole);
  }
}

TEST_CASE("What would end a program that runs waits for the person to say so") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  REQUIRE(Grown().Save(scratch / "other.tide").ok());
  app.ShowRun(std::make_shared<Program>());
  app.Poll();
  const auto still_shows_it = [&] {
    return PollUntil(app, [&] { return !app.waiting(); }) &&
           app.title() == "Tidemark · train.py on phantom NVIDIA T4";
  };
  Tell(app, OpenRecording{scratch / "other.tide"});
  CHECK(still_shows_it());
  Tell(app, AnswerHeld{HeldAnswer::kStays});
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});  // nothing is held any more
  CHECK(still_shows_it());
  // Whatever would start a run in its place: a session code, and what takes that back.
  lessons::SessionState code;
  code.device = {networks::DeviceKind::kPhantom, 0, "t4"};
  code.settings.batch = 32;
  const networks::DeviceChoice device = app.scene_input().device;
  const networks::TrainingSettings settings = app.settings();
  const auto all_is_as_it_was = [&] {
    return app.scene_input().device == device && app.settings() == settings;
  };
  REQUIRE(device != code.device);
  for (const Command& command : {Command(UseSession{code}), Command(ChooseDevice{code.device}),
                                 Command(StartAgain{code.settings, {}})}) {
    Tell(app, command);
    CHECK(still_shows_it());
    Tell(app, AnswerHeld{HeldAnswer::kStays});
    CHECK(all_is_as_it_was());
  }
  Tell(app, DoAction{ActionId::kUndo});
  CHECK(still_shows_it());
  Tell(app, AnswerHeld{HeldAnswer::kStays});
  Tell(app, OpenRecording{scratch / "other.tide"});
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
  CHECK(PollUntil(app, [&] { return app.title() == "Tidemark · other.tide"; }));
}

TEST_CASE("A program that was started here and has ended is run again, with what was asked for") {
  std::vector<session::ProgramOrder> orders;
  auto program = std::make_shared<Program>();
  ApplicationOptions options;
  options.services.start_program = [&](const session::ProgramOrder& order,
                                       const session::StartWatch&) -> Result<std::shared_ptr<session::Run>> {
    orders.push_back(order);
    return std::shared_ptr<session::Run>(program);
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  session::ProgramOrder order;
  order.command = "python train.py";
  order.card = "t4";
  const auto tell_and_wait = [&](const Command& command) {
    Tell(app, command);
    REQUIRE(PollUntil(app, [&] { return !app.waiting(); }));
  };
  tell_and_wait(StartProgram{order});
  REQUIRE(app.title().find("train.py") != std::string::npos);
  tell_and_wait(DoAction{ActionId::kRestart});
  CHECK(orders.size() == 1);  // it goes on
  const auto first = std::exchange(program, std::make_shared<Program>());
  first->End();
  app.Poll();
  tell_and_wait(DoAction{ActionId::kRestart});
  REQUIRE(orders.size() == 2);
  CHECK(orders[1].command == order.command);
  CHECK(orders[1].card == order.card);
  SECTION("but not one that was started elsewhere") {
    const auto other = std::make_shared<Program>();
    other->End();
    app.ShowRun(other);
    tell_and_wait(DoAction{ActionId::kRestart});
    CHECK(orders.size() == 2);
  }
}

TEST_CASE("A start that something else has come before ends by itself") {
  ApplicationOptions options;
  options.services.start_program =
      [](const session::ProgramOrder&,
         const session::StartWatch& watch) -> Result<std::shared_ptr<session::Run>> {
    while (watch.goes_on()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Error{"It was ended."};
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  session::ProgramOrder order;
  order.command = "train.py";
  Tell(app, StartProgram{order});
  app.ShowRun(std::make_shared<Grown>());
  CHECK(PollUntil(
      app, [&] { return LatestLine(app) == "train.py is not shown: something else was asked for since."; }));
}

TEST_CASE("Ranks that were opened are there once one of them is shown, and not before") {
  const trace::Scratch scratch;
  std::vector<std::filesystem::path> files;
  for (const char* name : {"run.rank0.tide", "run.rank1.tide"}) {
    REQUIRE(Grown().Save(scratch / name).ok());
    files.push_back(scratch / name);
  }
  const auto application = Application::Create({}, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.ShowRun(std::make_shared<Grown>());
  app.OpenRanks({files[0], files[1], files[1]});
  REQUIRE(PollUntil(app, [&] { return LatestLine(app).ends_with("counts once."); }));  // their peaks are read
  Tell(app, OpenRank{1});
  REQUIRE(PollUntil(app, [&] { return !app.scene_input().recording.empty(); }));
  CHECK(app.scene_input().recording == "run.rank0.tide");
  Tell(app, OpenRank{1});
  CHECK(PollUntil(app, [&] { return app.scene_input().recording == "run.rank1.tide"; }));
}

TEST_CASE("What cannot be undone now can be later") {
  const auto application = KeepingIn("");
  Application& app = *application;
  networks::TrainingSettings other = app.settings();
  const auto before = other.batch;
  other.batch = before / 2;
  Tell(app, ChangeSettings{other});
  REQUIRE(app.settings().batch == before / 2);
  SECTION("while a lesson or a code holds it") {
    Tell(app, LockControls{{"batch"}, {}});
    Tell(app, DoAction{ActionId::kUndo});
    CHECK(app.settings().batch == before / 2);
    Tell(app, DoAction{ActionId::kUnlock});
    Tell(app, DoAction{ActionId::kUndo});
    CHECK(app.settings().batch == before);
    Tell(app, DoAction{ActionId::kRedo});
    CHECK(app.settings().batch == before / 2);
  }
  SECTION("while a program runs that it would end") {
    const std::string card = app.scene_input().device.card;
    lessons::SessionState session;
    session.settings = app.settings();
    session.device = {networks::DeviceKind::kPhantom, 0, "t4"};
    Tell(app, UseSession{session});
    app.ShowRun(std::make_shared<Program>());
    app.Poll();
    for (int i = 0; i < 2; ++i) {
      Tell(app, DoAction{ActionId::kUndo});
      CHECK(app.scene_input().device.card == "t4");
      Tell(app, AnswerHeld{HeldAnswer::kStays});
      CHECK(app.scene_input().device.card == "t4");
    }
    Tell(app, DoAction{ActionId::kUndo});
    Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
    CHECK(app.scene_input().device.card == card);
  }
}

TEST_CASE("Beside a recording a device is of the next run, chosen or taken back, and the recording stays") {
  const trace::Scratch scratch;
  REQUIRE(Grown().Save(scratch / "run.tide").ok());
  ApplicationOptions options;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kPhantom, 0, "h200"};
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  app.OpenFile(scratch / "run.tide");
  REQUIRE(PollUntil(app, [&] { return app.scene_input().recording == "run.tide"; }));
  const auto waits_for_it = [&](const char* card, const char* told) {
    CHECK(app.scene_input().recording == "run.tide");
    CHECK(app.scene_input().device.card == card);
    CHECK(app.shell().toasts.back().text == told);
  };
  Tell(app, ChooseDevice{{networks::DeviceKind::kPhantom, 0, "t4"}});
  waits_for_it("t4", "Of the next run: on the T4.");
  Tell(app, DoAction{ActionId::kUndo});
  waits_for_it("h200", "Of the next run: on the H200.");
  Tell(app, DoAction{ActionId::kRedo});
  waits_for_it("t4", "Of the next run: on the T4.");
  Tell(app, RecordKernels{true});
  waits_for_it("t4", "Of the next run: kernels told.");
  lessons::SessionState session;
  session.settings = app.settings();
  session.device = {networks::DeviceKind::kPhantom, 0, "l4"};
  Tell(app, UseSession{session});
  waits_for_it("l4", "Of the next run: on the L4.");
}

TEST_CASE("The log of a recording tells what happened in it") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  REQUIRE(Ended().Save(scratch / "ended.tide").ok());
  const auto tells = [&] {
    return std::ranges::any_of(app.scene_input().log->lines(), [](const presenters::LogLine& line) {
      return line.text.starts_with("out of memory: ");
    });
  };
  SECTION("of a file") {
    app.OpenFile(scratch / "ended.tide");
    CHECK(PollUntil(app, [&] { return !app.waiting() || tells(); }));
  }
  SECTION("of a program that had told all before it was shown") { app.ShowRun(std::make_shared<Ended>()); }
  CHECK(tells());
}

TEST_CASE("What is picked with its moment stays lit when it is picked again") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  const presenters::Selection born = presenters::AllocationSelected(0);
  for (int i = 0; i < 2; ++i) {
    Tell(app, PinMoment{0, born});
    CHECK(app.view_state().selection == born);
  }
  Tell(app, PinMoment{0});
  CHECK(app.view_state().selection == born);
  Tell(app, Select{born});
  CHECK_FALSE(app.view_state().selection.any());
}

TEST_CASE("Of several files that are dropped to be compared with, it is said which one is") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  application->TakeDropped({scratch / "a.tide", scratch / "b.tide"}, true);
  CHECK(LatestLine(*application).find("a.tide, of the 2 that were dropped") != std::string::npos);
}

TEST_CASE("A program that is shown after a recording is none of its own") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  REQUIRE(Grown().Save(scratch / "other.tide").ok());
  app.OpenFile(scratch / "other.tide");
  REQUIRE(PollUntil(app, [&] { return app.title() == "Tidemark · other.tide"; }));
  app.ShowRun(std::make_shared<Program>());
  app.Poll();
  CHECK(app.title() == "Tidemark · train.py on phantom NVIDIA T4");
}

TEST_CASE("Slow motion waits for the first step of a recording that grows") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.Follow(std::make_shared<Grown>(), "grows.tide");
  app.view_state().learning = true;
  Tell(app, DoAction{ActionId::kSlowMotion});
  CHECK(app.view_state().slow_motion.active);
  CHECK(app.title() == "Tidemark · grows.tide");
}

TEST_CASE("A layer that was picked in one run is not looked for in another, a category is") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  app.view_state().selection = presenters::LayerSelected("conv1");
  app.ShowRun(std::make_shared<Grown>());
  CHECK_FALSE(app.view_state().selection.any());
  app.view_state().selection = presenters::CategorySelected(events::Category::kActivation);
  app.ShowRun(std::make_shared<Grown>());
  CHECK(app.view_state().selection.any());
}

TEST_CASE("Where the list of events had moved to is nothing to another run") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  app.view_state().allocations.events.followed = 0;
  app.ShowRun(std::make_shared<Grown>());
  CHECK_FALSE(app.view_state().allocations.events.followed);
}

}  // namespace tidemark::gui
