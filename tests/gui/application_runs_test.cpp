// What the application does as programs are started and as runs take each other's place.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/gui/application.h"
#include "app/gui/run_status.h"
#include "app/presenters/run/run_log.h"
#include "profiler/base/paths.h"
#include "profiler/events/cuda_graphs.h"
#include "profiler/session/followed_run.h"
#include "tests/gui/drawn_application.h"
#include "tests/gui/driven_application.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"
#include "tests/support/told.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {

TEST_CASE("A program is not recorded over an earlier recording before the person says so") {
  const trace::Scratch scratch;
  std::vector<session::ProgramOrder> orders;
  ApplicationOptions options;
  options.services.start_program = [&](const session::ProgramOrder& order,
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

session::ProgramOrder OtherOrder() {
  session::ProgramOrder order;
  order.command = "python other.py --batch 8";
  order.card = "t4";
  order.memory = "12GiB";
  order.amp = "bf16";
  order.checkpoint = "blocks";
  order.kernels = true;
  order.stacks = {"python"};
  return order;
}

TEST_CASE("What could not be started is asked for again as it was asked for, whatever is shown meanwhile") {
  ApplicationOptions options;
  options.services.start_program =
      [](const session::ProgramOrder&,
         const session::StartWatch& watch) -> Result<std::shared_ptr<session::Run>> {
    watch.blamed(session::ProgramField::kMemory);
    return Error{"Too little memory."};
  };
  options.services.sweep_program = [](const session::SweepOrder&, const session::SweepListener&,
                                      const session::StartWatch& watch) -> Result<std::vector<std::string>> {
    watch.blamed(session::ProgramField::kSweep);
    return Error{"No range."};
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto ended = std::make_shared<Program>();
  ended->End();
  app.ShowRun(ended);
  app.Poll();
  const ProgramDialogState& dialog = app.shell().program_dialog;
  const session::ProgramOrder order = OtherOrder();
  const auto asks_for_it = [&](const std::string& sweep) {
    CHECK(std::string(dialog.command.data()) == order.command);
    CHECK(dialog.card == *order.card);
    CHECK(std::string(dialog.memory.data()) == order.memory);
    CHECK(dialog.amp == order.amp);
    CHECK(dialog.checkpoint == order.checkpoint);
    CHECK((dialog.kernels && dialog.python_stacks && !dialog.native_stacks && !dialog.operators));
    CHECK(std::string(dialog.sweep.data()) == sweep);
  };
  SECTION("one run") {
    Tell(app, StartProgram{order});
    REQUIRE(PollUntil(app, [&] { return dialog.open; }));
    CHECK(dialog.trouble == "Too little memory.");
    CHECK(dialog.focus == session::ProgramField::kMemory);
    asks_for_it("");
    Tell(app, DoAction{ActionId::kRunProgram});
    CHECK(dialog.trouble.empty());
    asks_for_it("");
  }
  SECTION("a sweep") {
    Tell(app, StartSweep{{order, "batch=1.."}});
    REQUIRE(PollUntil(app, [&] { return dialog.open; }));
    CHECK(dialog.trouble == "No range.");
    CHECK(dialog.focus == session::ProgramField::kSweep);
    asks_for_it("batch=1..");
  }
}

TEST_CASE("A sweep that goes on is not ended by another before the person says so") {
  std::atomic<int> begun = 0;
  ApplicationOptions options;
  options.services.sweep_program = [&](const session::SweepOrder&, const session::SweepListener&,
                                       const session::StartWatch& watch) -> Result<std::vector<std::string>> {
    ++begun;
    while (watch.goes_on()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::vector<std::string>();
  };
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  Tell(app, StartSweep{{OtherOrder(), "batch=1..8"}});
  REQUIRE(PollUntil(app, [&] { return begun == 1; }));
  CHECK_FALSE(app.shell().held.open);
  Tell(app, StartSweep{{OtherOrder(), "batch=1..16"}});
  CHECK(app.shell().held.title == "The sweep of other.py still runs");
  Tell(app, AnswerHeld{HeldAnswer::kStays});
  CHECK(begun == 1);
  Tell(app, StartSweep{{OtherOrder(), "batch=1..16"}});
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
  CHECK(PollUntil(app, [&] { return begun == 2; }));
}

TEST_CASE("What is noted in a recording that was waited for is kept beside it, with what was noted before") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  const auto application = KeepingIn("");
  Application& app = *application;
  auto followed = session::FollowedRun::Open(file);
  REQUIRE(followed.ok());
  app.Follow(std::move(*followed), file);
  REQUIRE(trace::SaveBookmarks({{7, "before"}}, file).ok());
  REQUIRE(Grown().Save(scratch / "whole.tide").ok());
  std::filesystem::rename(scratch / "whole.tide", file);
  REQUIRE(
      PollUntil(app, [&] { return app.scene_input().view != nullptr && !app.scene_input().view->empty(); }));
  Tell(app, KeepBookmark{app.shown_process(), 9, "here"});
  CHECK(*trace::LoadBookmarks(file) == std::vector<trace::Bookmark>{{7, "before"}, {9, "here"}});
}

TEST_CASE("What is followed is remembered as what is opened is, but not what is read only once") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  const std::vector<Opening>& recent = app.view_state().recent;
  app.Follow(std::make_shared<Grown>(), scratch / "sub" / ".." / "to come.tide");
  const std::vector<Opening> known = {{scratch / "to come.tide"}};
  CHECK(recent == known);
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  app.Follow(std::make_shared<Grown>(), scratch / "pipe");
  app.Follow(std::make_shared<Grown>(), "-");
  CHECK(recent == known);
}

TEST_CASE("That a recording which was followed is complete goes by itself, and stands in the Run log") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  REQUIRE(Grown().Save(file).ok());
  const auto application = KeepingIn("");
  Application& app = *application;
  auto followed = session::FollowedRun::Open(file);
  REQUIRE(followed.ok());
  app.Follow(std::move(*followed), file);
  const char* const complete = "The run has ended in order, and its recording is complete.";
  CHECK(PollUntil(app, [&] { return !app.shell().toasts.empty(); }));
  REQUIRE_FALSE(app.shell().toasts.empty());
  CHECK(app.shell().toasts.back().text == complete);
  CHECK(app.scene_input().log->lines().back().text == complete);
  CHECK(BannerOf(app.scene_input(), ByteUnit::kMegabytes).sentence.empty());
}

// A recording whose recorder was killed.
class Forsaken : public Grown {
 public:
  session::RunStatus status() const override {
    session::RunStatus status;
    status.state = session::RunState::kRunning;
    status.sentence = "Nothing on this machine records into left.tide any more, and it has no end.";
    return status;
  }
};

TEST_CASE("A recording that is followed and stands still is no news, and the window rests") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.Follow(std::make_shared<Forsaken>(), "left.tide");
  CHECK(PollUntil(app, [&] { return !app.Poll(); }));
}

// It replayed a CUDA graph, and has ended.
class Replayed : public session::FakeRun {
 public:
  Replayed() {
    timeline::Stream stream;
    stream.Allocate(1 << 20, 512);
    const events::NameId replay = stream.Name(events::kGraphReplay);
    stream.Add(events::EventKind::kScopeBegin).op = replay;
    stream.Add(events::EventKind::kScopeEnd).op = replay;
    view_ = stream.Publish();
  }
  session::RunStatus status() const override {
    session::RunStatus status;
    status.state = session::RunState::kFinished;
    return status;
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  std::shared_ptr<const timeline::View> view_;
};

TEST_CASE("What has ended as it is opened tells of all its replays, also where another ran before it") {
  const bool another_ran = GENERATE(false, true);
  const auto application = KeepingIn("");
  Application& app = *application;
  if (another_ran) app.ShowRun(std::make_shared<Program>());
  app.Poll();
  app.ShowRun(std::make_shared<Replayed>());
  app.Poll();
  CHECK(std::ranges::count(app.scene_input().log->lines(), "replays of CUDA graphs: 1",
                           &presenters::LogLine::text) == 1);
}

TEST_CASE(
    "A recording that is opened from a lesson comes up with all panels, another rank of it stays where it "
    "is") {
  const trace::Scratch scratch;
  std::vector<std::filesystem::path> files;
  for (const char* name : {"run.rank0.tide", "run.rank1.tide"}) {
    REQUIRE(Grown().Save(scratch / name).ok());
    files.push_back(scratch / name);
  }
  const auto application = KeepingIn("");
  Application& app = *application;
  const auto is_shown = [&](const char* name) {
    return PollUntil(app, [&] { return app.scene_input().recording == name; });
  };
  const auto shows = [&](std::string_view panel) { return app.view_state().shown[IndexOfPanel(panel)]; };
  Tell(app, DoAction{ActionId::kLearnLayout});
  REQUIRE((shows("lessons") && !shows("statistics")));
  app.OpenRanks(files);
  REQUIRE(is_shown("run.rank0.tide"));
  CHECK_FALSE(app.view_state().learning);
  CHECK(std::ranges::count(app.view_state().shown, true) == kPanelCount);
  Tell(app, DoAction{ActionId::kLearnLayout});  // what is open already may be learned from
  Tell(app, OpenRank{1});
  REQUIRE(is_shown("run.rank1.tide"));
  CHECK(app.view_state().learning);
}

TEST_CASE("A program that is begun from a lesson comes up with all panels") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, DoAction{ActionId::kLearnLayout});
  app.ShowRun(std::make_shared<Program>());
  CHECK_FALSE(app.view_state().learning);
  CHECK(std::ranges::count(app.view_state().shown, true) == kPanelCount);
}

TEST_CASE("What was sought in one run is not sought in another, a rank and a run begun anew apart") {
  const trace::Scratch scratch;
  std::vector<std::filesystem::path> files;
  for (const char* name : {"run.rank0.tide", "run.rank1.tide", "other.tide"}) {
    REQUIRE(Grown().Save(scratch / name).ok());
    files.push_back(scratch / name);
  }
  ApplicationOptions options;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kCpu, 0, "h200"};
  options.trainer_executable = ExecutableFolder() / "fake_trainer";
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto is_shown = [&](const char* name) {
    return PollUntil(app, [&] { return app.scene_input().recording == name; });
  };
  const auto seek = [&] {
    app.view_state().allocations.filter = {"conv1"};
    app.view_state().selection = presenters::LayerSelected("conv1");
    app.view_state().live_tree.path = {"activation", "conv1"};
    app.view_state().what_if.memory = {"6GiB"};
  };
  const auto is_sought = [&] {
    return app.view_state().allocations.filter[0] != 0 && app.view_state().selection.any() &&
           app.view_state().live_tree.path.size() == 2 && app.view_state().what_if.memory[0] != 0;
  };
  const auto is_nothing_sought = [&] {
    return app.view_state().allocations.filter[0] == 0 && !app.view_state().selection.any() &&
           app.view_state().live_tree.path.empty() && app.view_state().what_if.memory[0] == 0;
  };
  seek();
  app.OpenRanks({files[0], files[1]});
  REQUIRE(is_shown("run.rank0.tide"));
  CHECK(is_nothing_sought());  // of what was shown before them
  seek();
  Tell(app, OpenRank{1});
  REQUIRE(is_shown("run.rank1.tide"));
  CHECK(is_sought());
  app.OpenFile(files[2]);
  REQUIRE(is_shown("other.tide"));
  CHECK(is_nothing_sought());
  for (const bool is_of_another : {true, false}) {
    seek();
    Tell(app, DoAction{ActionId::kNewRun});
    REQUIRE(PollUntil(app, [&] { return app.scene_input().live; }));
    CHECK((is_of_another ? is_nothing_sought() : is_sought()));
  }
}

TEST_CASE(
    "What could not be read of ranks that were opened together is in the log of the one that is shown") {
  const trace::Scratch scratch;
  std::vector<std::filesystem::path> files;
  for (const char* name : {"run.rank0.tide", "run.rank1.tide", "run.rank3.tide"}) {
    files.push_back(scratch / name);
    REQUIRE(Grown().Save(files.back()).ok());
  }
  std::filesystem::resize_file(files[1], std::filesystem::file_size(files[1]) - 4);
  files.push_back(scratch / "run.rank4.tide");
  std::ofstream(files.back()) << "no recording";
  files.push_back(files[0]);  // named again
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  app.OpenRanks(files);
  REQUIRE(PollUntil(app, [&] { return app.scene_input().recording.starts_with("run.rank"); }));
  const auto& lines = app.scene_input().log->lines();
  const auto tells = [&](const std::string& text) {
    return std::ranges::any_of(lines, [&](const presenters::LogLine& line) {
      return line.level == presenters::LogLevel::kWarning && line.text.find(text) != std::string::npos;
    });
  };
  CHECK(tells("run.rank4.tide"));
  CHECK(tells("rank 1: "));
  CHECK(tells("rank 2"));  // has no file
  CHECK(tells("run.rank0.tide was named"));
  CHECK(tells("What there is to say of its ranks is in the Run log."));
  REQUIRE(app.shell().toasts.size() >= 5);
}

TEST_CASE("A terminal obeys nothing of the name of what could not be opened") {
  const auto application = KeepingIn("");
  const std::string told = ToldMeanwhile([&] {
    application->OpenFile("/no/\x1b[31mred.tide");
    CHECK(PollUntil(*application,
                    [&] { return application->scene_input().status.state == session::RunState::kFailed; }));
  });
  CHECK(told.starts_with("tidemark: /no/␛[31mred.tide"));
}

TEST_CASE("What stands out has room of its own where memory ran out, not in the next run") {
  const auto application = KeepingIn("");
  Application& app = *application;
  const auto exhausted = std::make_shared<Exhausted>();
  app.ShowRun(exhausted);
  app.Poll();
  exhausted->End();
  app.Poll();
  CHECK(app.shell().tall_panel == "findings");
  app.ShowRun(std::make_shared<Grown>());
  app.Poll();
  CHECK(app.shell().tall_panel.empty());
}

// Memory runs out after its last step.
class EndedBetweenSteps : public session::FakeRun {
 public:
  EndedBetweenSteps() {
    for (int64_t step = 0; step < 3; ++step) {
      stream_.BeginStep(step);
      stream_.Allocate(0x1000, 1 << 20);
      stream_.Free(0x1000);
      stream_.EndStep(step);
    }
    for (uint64_t block = 1; block <= 40; ++block) stream_.Allocate(block << 20, 512);
    failure_ = stream_.latest() + 1;
    stream_.Add(events::EventKind::kOutOfMemory, 0, 1 << 30).rounded_bytes = 4096;
    view_ = stream_.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }
  timeline::EventIndex failure() const { return failure_; }

 private:
  timeline::Stream stream_;
  timeline::EventIndex failure_ = 0;
  std::shared_ptr<const timeline::View> view_;
};

TEST_CASE("Where memory ran out after the last step, that is in sight with the step") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  const EndedBetweenSteps ended;
  REQUIRE(ended.Save(scratch / "ended.tide").ok());
  app.OpenFile(scratch / "ended.tide");
  REQUIRE(PollUntil(app, [&] { return app.scene_input().recording == "ended.tide"; }));
  const timeline::View& view = *app.scene_input().view;
  REQUIRE(view.out_of_memory().size() == 1);
  const TimelineState& timeline = app.view_state().timeline;
  const auto position = [&](timeline::EventIndex index) {
    return presenters::PositionOf(view, timeline.axis, index);
  };
  CHECK(timeline.visible.begin == position(view.steps().back().begin));
  CHECK(timeline.visible.end > position(view.out_of_memory().back().index));
}

TEST_CASE("A recording of a run that memory ran out in opens as that run ended") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  REQUIRE(Ended().Save(scratch / "ended.tide").ok());
  REQUIRE(Grown().Save(scratch / "grown.tide").ok());
  const auto open = [&](const char* name) {
    app.OpenFile(scratch / name);
    REQUIRE(PollUntil(app, [&] { return app.scene_input().recording == name; }));
  };
  const auto banner = [&] { return BannerOf(app.scene_input(), ByteUnit::kMebibytes).sentence; };
  open("ended.tide");
  CHECK(banner() == "Memory ran out: 1.00 GiB asked for, 4.0 KiB free.");
  CHECK(app.shell().tall_panel == "findings");
  open("grown.tide");
  CHECK(banner().empty());
  CHECK(app.shell().tall_panel.empty());
}

// Of what Dear ImGui writes of each place: its height and what is in front there.
struct Docked {
  std::vector<int> heights;
  std::vector<std::string> front;
};

Docked DockedIn(const std::string& layout) {
  Docked docked;
  for (size_t at = layout.find("SizeRef="); at != std::string::npos; at = layout.find("SizeRef=", at + 1))
    docked.heights.push_back(std::stoi(layout.substr(layout.find(',', at) + 1)));
  for (size_t at = layout.find("Selected="); at != std::string::npos; at = layout.find("Selected=", at + 1))
    docked.front.push_back(layout.substr(at, layout.find('\n', at) - at));
  return docked;
}

// Heights are laid out in whole pixels.
bool IsLike(const Docked& one, const Docked& other) {
  const auto are_near = [](int a, int b) { return std::abs(a - b) <= 1; };
  return one.front == other.front && std::ranges::equal(one.heights, other.heights, are_near);
}

TEST_CASE("What slow motion covers is kept as the layout where memory runs out meanwhile, too") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  const auto exhausted = LearnFromExhausted(app, frames);
  const auto in_front = [](const std::string& layout) { return DockedIn(layout).front; };
  const auto kept = [&] { return in_front(LayoutToKeep(app.shell())); };
  const std::vector<std::string> before = kept();
  Tell(app, DoAction{ActionId::kSlowMotion});
  frames.Draw(4);
  REQUIRE(in_front(ImGui::SaveIniSettingsToMemory()) != before);
  REQUIRE(kept() == before);
  exhausted->End();
  frames.Draw(8);
  CHECK(kept() == before);
}

TEST_CASE("What came to the front by itself as memory ran out is not kept as the layout") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Frames frames(app);
  ImGui::GetIO().DisplaySize = {960, 600};
  const auto exhausted = std::make_shared<Exhausted>();
  app.ShowRun(exhausted);
  frames.Draw(8);
  const auto kept = [&] { return DockedIn(LayoutToKeep(app.shell())); };
  const Docked before = kept();
  exhausted->End();
  frames.Draw(8);
  REQUIRE(app.shell().tall_has_room);
  REQUIRE_FALSE(app.shell().given_room.empty());
  REQUIRE_FALSE(IsLike(DockedIn(ImGui::SaveIniSettingsToMemory()), before));
  CHECK(IsLike(kept(), before));
  SECTION("nor once another run has begun") {
    app.ShowRun(std::make_shared<Grown>());
    frames.Draw(8);
    REQUIRE(DockedIn(ImGui::SaveIniSettingsToMemory()).front != before.front);  // what stood out still is
    CHECK(IsLike(kept(), before));
  }
  SECTION("and its row of tabs stays where it is as somebody chooses another there") {
    const auto tabs = [] { return ImGui::FindWindowByName("###findings")->DockNode->Pos.y; };
    const float before_choice = tabs();
    Tell(app, ShowPanel{"layers", true});
    frames.Draw(8);
    CHECK(std::abs(tabs() - before_choice) < 2);
    REQUIRE_FALSE(app.shell().given_room.empty());
    app.ShowRun(std::make_shared<Grown>());
    frames.Draw(8);
    CHECK(app.shell().given_room.empty());
    CHECK(tabs() > before_choice + 8);  // what gave it has it back
  }
  SECTION("but what somebody chose then is") {
    Tell(app, ShowPanel{"run_log", true});
    frames.Draw(8);
    Tell(app, ShowPanel{"findings", true});
    frames.Draw(8);
    CHECK(kept().front != before.front);
  }
}

}  // namespace tidemark::gui
