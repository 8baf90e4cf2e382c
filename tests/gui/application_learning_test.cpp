#include <memory>
#include <string>
#include <vector>

#include "app/gui/application.h"
#include "app/gui/view/panel_table.h"
#include "tests/gui/driven_application.h"
#include "tests/gui/polling.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {

TEST_CASE("What was chosen before the lessons is one step away after them") {
  const auto application = KeepingIn("");
  Application& app = *application;
  networks::TrainingSettings own = app.settings();
  own.batch = 48;
  Tell(app, ChangeSettings{own});
  CHECK(app.ChangeToOwn().empty());
  Tell(app, ShowLessonPage{"batch-size", 0});
  Tell(app, ShowLessonPage{"mixed-precision", 1});
  REQUIRE(app.settings() != own);
  CHECK(app.ChangeToOwn().empty());  // they are what the page is about
  app.view_state().lessons.lesson.clear();
  CHECK(app.ChangeToOwn().find("→ 48") != std::string::npos);
  SECTION("or with its layout left") {
    Tell(app, ShowLessonPage{"mixed-precision", 1});
    CHECK(app.ChangeToOwn().empty());
    Tell(app, DoAction{ActionId::kProfileLayout});
    CHECK(app.ChangeToOwn().find("→ 48") != std::string::npos);
  }
  SECTION("taken back") {
    Tell(app, TakeOwnSettings{});
    CHECK(app.settings() == own);
    CHECK(app.ChangeToOwn().empty());
    Tell(app, DoAction{ActionId::kUndo});
    CHECK(app.settings() != own);
  }
  SECTION("or given up for a teacher's code, which may lock what it sets") {
    lessons::SessionState code;
    code.settings = own;
    code.settings.batch = 16;
    code.locked = {"batch"};
    Tell(app, UseSession{code});
    CHECK(app.ChangeToOwn().empty());
    Tell(app, TakeOwnSettings{});
    CHECK(app.settings().batch == 16);
  }
  SECTION("or not wanted any more") {
    networks::TrainingSettings other = app.settings();
    other.batch = 17;
    Tell(app, ChangeSettings{other});
    CHECK(app.ChangeToOwn().empty());
  }
}

TEST_CASE("The CPU that was chosen on a page is that lesson's: the next one is about a card") {
  const auto application = KeepingIn("");
  Application& app = *application;
  const networks::DeviceChoice own = app.scene_input().device;
  REQUIRE(own.kind == networks::DeviceKind::kPhantom);
  Tell(app, ShowLessonPage{"loss-scaling", 2});
  Tell(app, ChooseDevice{{networks::DeviceKind::kCpu, 0, own.card}});
  Tell(app, ShowLessonPage{"loss-scaling", 3});
  CHECK(app.scene_input().device.kind == networks::DeviceKind::kCpu);
  Tell(app, ShowLessonPage{"accumulation", 0});
  CHECK(app.scene_input().device == own);
  SECTION("but one that was chosen before the lessons stays") {
    app.view_state().lessons.lesson.clear();
    Tell(app, ChooseDevice{{networks::DeviceKind::kCpu, 0, own.card}});
    Tell(app, ShowLessonPage{"accumulation", 0});
    CHECK(app.scene_input().device.kind == networks::DeviceKind::kCpu);
  }
}

TEST_CASE("A lesson is begun anew once the person says so, and its answers are gone") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, ShowLessonPage{"batch-size", 1});
  LessonsState& lessons = app.view_state().lessons;
  lessons.predictions[PageKey("batch-size", 0)] = 1;
  Tell(app, DoAction{ActionId::kStartOver});
  Tell(app, AnswerHeld{HeldAnswer::kStays});
  CHECK(HasAnswers("batch-size", lessons));
  Tell(app, DoAction{ActionId::kStartOver});
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
  CHECK_FALSE(HasAnswers("batch-size", lessons));
  CHECK(lessons.lesson == "batch-size");
  CHECK(lessons.page == 0);
  Tell(app, ShowLessonPage{"where-memory-goes", 4});  // the last, which counts once it is left
  lessons.predictions[PageKey("where-memory-goes", 1)] = 1;
  Tell(app, DoAction{ActionId::kStartOver});
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
  CHECK_FALSE(HasAnswers("where-memory-goes", lessons));
}

TEST_CASE("A code is used whole, or not at all") {
  const auto application = KeepingIn("");
  Application& app = *application;
  lessons::SessionState code;
  code.settings = app.settings();
  code.settings.batch = 32;
  code.locked = {"batch"};
  code.unit = ByteUnit::kMebibytes;
  const networks::TrainingSettings settings = app.settings();
  const auto nothing_is_used = [&] {
    return app.settings() == settings && app.view_state().unit == ByteUnit::kMegabytes;
  };
  const auto is_batch_free = [&] {
    networks::TrainingSettings other = app.settings();
    other.batch += 1;
    Tell(app, ChangeSettings{other});
    return app.settings() == other;
  };
  SECTION("of another card, pasted while a program runs that it would end") {
    ImGui::CreateContext();
    code.device = {networks::DeviceKind::kPhantom, 0, "t4"};
    REQUIRE(app.scene_input().device != code.device);
    app.ShowRun(std::make_shared<Program>());
    app.Poll();
    ImGui::SetClipboardText(lessons::CodeOf(code).c_str());
    Tell(app, DoAction{ActionId::kPasteCode});
    CHECK(nothing_is_used());
    Tell(app, AnswerHeld{HeldAnswer::kStays});
    CHECK(nothing_is_used());
    CHECK(is_batch_free());
    ImGui::DestroyContext();
  }
  SECTION("of the same card, without a question: no program would end") {
    code.device = app.scene_input().device;
    app.ShowRun(std::make_shared<Program>());
    app.Poll();
    Tell(app, UseSession{code});
    CHECK(app.settings() == code.settings);
    CHECK(app.view_state().unit == ByteUnit::kMebibytes);
    CHECK_FALSE(is_batch_free());
  }
  SECTION("not where it cannot be trained here") {
    code.device = {networks::DeviceKind::kPhantom, 0, "t4"};
    code.settings.batch = 0;
    Tell(app, UseSession{code});
    CHECK(nothing_is_used());
    CHECK(app.scene_input().device != code.device);
    CHECK(is_batch_free());
  }
}

TEST_CASE("Where it would end no program, what was chosen before the lessons comes back without a question") {
  const auto application = KeepingIn("");
  Application& app = *application;
  networks::TrainingSettings own = app.settings();
  own.batch = 48;
  Tell(app, ChangeSettings{own});
  Tell(app, ShowLessonPage{"mixed-precision", 1});
  app.view_state().lessons.lesson.clear();
  REQUIRE(app.settings() != own);
  app.ShowRun(std::make_shared<Program>());
  app.Poll();
  Tell(app, TakeOwnSettings{});
  CHECK(app.settings() == own);
}

TEST_CASE("What a lesson's page sets up is taken back in one step, with the second run that it ended") {
  const trace::Scratch scratch;
  const auto application = KeepingIn("");
  Application& app = *application;
  networks::TrainingSettings own = app.settings();
  own.amp = networks::Precision::kFloat16;
  Tell(app, ChangeSettings{own});
  REQUIRE(Program().Save(scratch / "train.tide").ok());
  app.ShowRun(std::make_shared<Program>());
  Tell(app, CompareWith{scratch / "train.tide"});
  REQUIRE(PollUntil(app, [&] { return app.scene_input().compared.has_value(); }));
  app.view_state().timeline.stack =
      presenters::StackOrder{.by = presenters::StackBy::kLine, .expression = {}};
  Tell(app, ShowLessonPage{"where-memory-goes", 0});
  Tell(app, SetUpPage{});
  Tell(app, AnswerHeld{HeldAnswer::kGoesOn});
  CHECK(app.settings().amp == networks::Precision::kFloat32);
  CHECK_FALSE(app.scene_input().compared.has_value());
  CHECK_FALSE(app.view_state().timeline.stack.has_value());  // by category
  app.view_state().lessons.lesson.clear();
  Tell(app, DoAction{ActionId::kUndo});
  CHECK(app.settings().amp == networks::Precision::kFloat16);
  CHECK(app.scene_input().compared.has_value());
}

namespace {

// Whether what is changed by hand is taken.
bool TakesPrecision(Application& application, networks::Precision precision) {
  networks::TrainingSettings other = application.settings();
  other.amp = precision;
  Tell(application, ChangeSettings{other});
  return application.settings().amp == precision;
}

lessons::SessionState OfLockedPage(const Application& application) {
  lessons::SessionState code;
  code.settings = application.settings();
  code.lesson = "mixed-precision";
  code.page = 2;  // locks amp
  code.panels = {"run_controls", "lessons"};
  return code;
}

}  // namespace

TEST_CASE("A code opens its lesson's page as if nobody had looked at it") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, DoAction{ActionId::kUnlock});
  LessonsState& lessons = app.view_state().lessons;
  lessons.begun = {0};
  lessons.typed = 7;
  Tell(app, UseSession{OfLockedPage(app)});
  CHECK(lessons.lesson == "mixed-precision");
  CHECK(lessons.page == 2);
  CHECK(lessons.begun.empty());
  CHECK(lessons.typed == 0);
  CHECK_FALSE(TakesPrecision(app, networks::Precision::kBfloat16));
}

TEST_CASE("A page that a window before has left open locks nothing, and points at nothing") {
  ViewState view;
  view.lessons.lesson = "mixed-precision";
  view.lessons.page = 2;
  auto application = Application::Create({}, view);
  REQUIRE(application.ok());
  CHECK(TakesPrecision(**application, networks::Precision::kBfloat16));
  LessonDesk desk;
  view.lessons.lesson = "accumulation";
  view.lessons.page = 0;
  CHECK(desk.Access(view).highlighted.empty());
  desk.Open("accumulation", 0, view.lessons);
  CHECK(desk.Access(view).highlighted == std::vector<std::string>{"batch", "accumulate"});
}

TEST_CASE("A page that is out of sight locks nothing") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, ShowLessonPage{"mixed-precision", 2});
  REQUIRE_FALSE(TakesPrecision(app, networks::Precision::kBfloat16));
  Tell(app, DoAction{ActionId::kProfileLayout});
  CHECK(TakesPrecision(app, networks::Precision::kBfloat16));
}

TEST_CASE("What is locked stays, whichever way it is changed") {
  const auto application = KeepingIn("");
  Application& app = *application;
  lessons::SessionState code;
  code.settings = app.settings();
  code.locked = {"network", "card", "kernels"};
  Tell(app, UseSession{code});
  const auto other = networks::FindNetwork("mlp");
  REQUIRE(other.ok());
  app.TrainNetwork(other);
  CHECK(app.settings().network == code.settings.network);
  Tell(app, RecordKernels{true});
  CHECK_FALSE(app.scene_input().kernels);
}

TEST_CASE("A lesson sets up what a class's code has locked, and leaves it as the code said") {
  const auto application = KeepingIn("");
  Application& app = *application;
  lessons::SessionState code;
  code.settings = app.settings();
  code.settings.batch = 16;
  code.settings.amp = networks::Precision::kFloat16;  // which the page locks, too
  code.locked = {"batch"};
  Tell(app, UseSession{code});
  Tell(app, ShowLessonPage{"where-memory-goes", 0});
  REQUIRE(app.settings().batch != 16);
  SECTION("once it is closed") {
    app.view_state().lessons.lesson.clear();
    app.Poll();
  }
  SECTION("once its layout is left") { Tell(app, DoAction{ActionId::kLayoutBefore}); }
  SECTION("once the person's own settings are back") { Tell(app, DoAction{ActionId::kBackToOwn}); }
  SECTION("once it is undone, while the page is open yet") { Tell(app, DoAction{ActionId::kUndo}); }
  CHECK(app.settings() == code.settings);
  networks::TrainingSettings other = app.settings();
  other.batch = 17;
  Tell(app, ChangeSettings{other});
  CHECK(app.settings().batch == 16);
}

TEST_CASE("Whether kernels are told is taken back as any other choice") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, RecordKernels{true});
  REQUIRE(app.scene_input().kernels);
  Tell(app, DoAction{ActionId::kUndo});
  CHECK_FALSE(app.scene_input().kernels);
  Tell(app, DoAction{ActionId::kRedo});
  CHECK(app.scene_input().kernels);
}

TEST_CASE("A network that is chosen by hand is not the lessons'") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, ShowLessonPage{"mixed-precision", 1});
  app.view_state().lessons.lesson.clear();
  REQUIRE_FALSE(app.ChangeToOwn().empty());
  app.TrainNetwork(networks::FindNetwork("mlp"));
  CHECK(app.ChangeToOwn().empty());
}

TEST_CASE("A page is trained with PyTorch's own allocator, and a code with its own") {
  const auto application = KeepingIn("");
  Application& app = *application;
  Tell(app, StartAgain{app.settings(), "expandable_segments:True"});
  REQUIRE(app.scene_input().allocator == "expandable_segments:True");
  Tell(app, ShowLessonPage{"the-caching-allocator", 2});
  CHECK(app.scene_input().allocator.empty());
  app.view_state().lessons.lesson.clear();
  CHECK(app.ChangeToOwn().find("expandable_segments:True") != std::string::npos);
  lessons::SessionState code;
  code.allocator = "max_split_size_mb:64";
  Tell(app, UseSession{code});
  CHECK(app.scene_input().allocator == "max_split_size_mb:64");
  Tell(app, UseSession{lessons::SessionState()});
  CHECK(app.scene_input().allocator.empty());
}

TEST_CASE("What no machine is to bear goes on the phantom, and the next page where it was") {
  ApplicationOptions options;
  options.first.device = networks::DeviceChoice{networks::DeviceKind::kCpu, 0, "h200"};
  const auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  Application& app = **application;
  const auto device_on = [&app](const std::string& lesson, int page) {
    Tell(app, ShowLessonPage{lesson, page});
    return app.scene_input().device.kind;
  };
  CHECK(device_on("the-caching-allocator", 2) == networks::DeviceKind::kCpu);
  CHECK(device_on("the-caching-allocator", 3) == networks::DeviceKind::kPhantom);
  CHECK(app.scene_input().device.card == "t4");
  CHECK(device_on("many-gpus", 0) == networks::DeviceKind::kPhantom);
  SECTION("by itself") { CHECK(device_on("batch-size", 0) == networks::DeviceKind::kCpu); }
  SECTION("or as a person chose since") {
    Tell(app, ChooseDevice{{networks::DeviceKind::kPhantom, 0, "t4"}});
    CHECK(device_on("batch-size", 0) == networks::DeviceKind::kPhantom);
  }
  SECTION("and back with all that was chosen before") {
    app.view_state().lessons.lesson.clear();
    CHECK(app.ChangeToOwn().find("on the CPU") != std::string::npos);
    Tell(app, TakeOwnSettings{});
    CHECK(app.scene_input().device.kind == networks::DeviceKind::kCpu);
  }
}

TEST_CASE("What is chosen once a lesson's layout is left is a person's own, whichever panels are in sight") {
  const auto application = KeepingIn("");
  Application& app = *application;
  REQUIRE(app.view_state().shown[IndexOfPanel("lessons")]);
  Tell(app, ShowLessonPage{"mixed-precision", 1});
  Tell(app, DoAction{ActionId::kLayoutBefore});
  CHECK_FALSE(app.ChangeToOwn().empty());
  REQUIRE(TakesPrecision(app, networks::Precision::kBfloat16));
  CHECK(app.ChangeToOwn().empty());
  const networks::TrainingSettings own = app.settings();
  Tell(app, ShowLessonPage{"where-memory-goes", 0});
  REQUIRE(app.settings() != own);
  app.view_state().lessons.lesson.clear();
  CHECK(app.ChangeToOwn().find("bf16") != std::string::npos);
  Tell(app, TakeOwnSettings{});
  CHECK(app.settings() == own);
}

TEST_CASE("A person's own panels are there again once the lesson is finished, or its settings are left") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.view_state().shown[IndexOfPanel("compare")] = false;
  const auto own = app.view_state().shown;
  Tell(app, ShowLessonPage{"where-memory-goes", 0});
  REQUIRE(app.view_state().learning);
  SECTION("finished") {
    for (int page = 0; page < 20 && !app.view_state().lessons.lesson.empty(); ++page)
      Tell(app, DoAction{ActionId::kNextPage});
  }
  SECTION("its settings left") { Tell(app, DoAction{ActionId::kBackToOwn}); }
  SECTION("as they were before") { Tell(app, DoAction{ActionId::kLayoutBefore}); }
  CHECK_FALSE(app.view_state().learning);
  CHECK(app.view_state().shown == own);
}

}  // namespace tidemark::gui
