// Lessons and session codes in the window.
#include <algorithm>
#include <string>
#include <vector>

#include "profiler/session/steady_state.h"
#include "profiler/timeline/steps.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {

namespace fs = std::filesystem;
using session::RunState;

namespace {

const LessonsState& Lessons() { return application().view_state().lessons; }

}  // namespace

namespace {

// A tab says what it is; in this layout the panel has none, and what the last one told goes with it.
void LosesItsTab(ImGuiTestContext* context) {
  const ImGuiWindow* lessons = context->WindowInfo("//###lessons").Window;
  const auto has_tooltip = [] {
    const ImGuiWindow* tooltip = ImGui::FindWindowByName("##Tooltip_00");
    return tooltip != nullptr && tooltip->Active;
  };
  context->MouseMoveToPos(lessons->DC.DockTabItemRect.GetCenter());
  IM_CHECK(WaitUntil(context, has_tooltip));
  application().Push(ActionId::kOpen);
  context->Yield(4);
  IM_CHECK(!has_tooltip());  // it would lie over the dialog
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, has_tooltip));
  application().Push(ActionId::kLearnLayout);
  context->Yield(4);
  IM_CHECK(lessons->DockNode->IsNoTabBar());
  IM_CHECK(!has_tooltip());
}

// By its number, as lists and people call it.
void FindsALesson(ImGuiTestContext* context) {
  const lessons::Lesson& tenth = application().frame()->lessons.lessons->at(9);
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  context->KeyChars("lesson");  // not the first name that has it: no page can be turned
  context->Yield(2);
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return !Lessons().lesson.empty(); }));
  context->Yield(2);
  context->ItemClick("//**/###all lessons");
  IM_CHECK(WaitUntil(context, [] { return Lessons().lesson.empty(); }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(3);
  context->KeyChars("lesson 10");
  context->Yield(2);
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [&] { return Lessons().lesson == tenth.name; }));
  context->Yield(2);
  context->ItemClick("//**/###all lessons");
  IM_CHECK(WaitUntil(context, [] { return Lessons().lesson.empty(); }));
}

void OpensALesson(ImGuiTestContext* context) {
  Picture(context, "learn-list");
  // What stands out of the run is told here, too.
  IM_CHECK(context->WindowInfo("//###findings").Window->WasActive);
  application().view_state().unit = ByteUnit::kMebibytes;
  context->ItemClick("//**/##where-memory-goes");
  IM_CHECK(WaitUntil(context, [] { return Lessons().lesson == "where-memory-goes"; }));
  IM_CHECK(application().view_state().unit == ByteUnit::kMegabytes);  // as its pages
  IM_CHECK(application().scene_input().access.locked.size() == 3);
  context->Yield(4);
  const auto asked = [] { return application().frame()->breakdown.asked; };  // by later pages
  IM_CHECK_EQ(asked().size(), 3U);
  IM_CHECK(application().frame()->layers.asked == asked());
  Picture(context, "learn-page");
  // What is locked does not change, whoever asks.
  networks::TrainingSettings half = application().settings();
  half.amp = networks::Precision::kFloat16;
  application().Push(ChangeSettings{half});
  context->Yield(3);
  IM_CHECK(application().settings().amp == networks::Precision::kFloat32);
}

void TurnsItsPage(ImGuiTestContext* context) {
  // The page turns, and the slider that has the focus stays.
  const int batch = application().settings().batch;
  application().Push(ShowControl{"batch"});
  context->Yield(4);
  context->NavMoveTo("//**/Batch/##track");
  context->KeyPress(ImGuiMod_Alt | ImGuiKey_RightArrow);
  IM_CHECK(WaitUntil(context, [] { return Lessons().page == 1; }));
  context->Yield(3);
  IM_CHECK_EQ(application().settings().batch, batch);
  IM_CHECK(Lessons().done.contains(PageKey("where-memory-goes", 0)));
  IM_CHECK(application().scene_input().access.locked.empty());
  context->Yield(3);
  IM_CHECK(application().frame()->veiled);
  IM_CHECK_STR_EQ(application().frame()->run_controls.consequences.fit.c_str(), "");
}

void RevealsItsFigure(ImGuiTestContext* context) {
  Picture(context, "learn-predict");
  context->ItemInput("//**/##prediction");
  context->KeyCharsReplaceEnter("5");  // which reveals
  IM_CHECK(
      WaitUntil(context, [] { return Lessons().predictions.contains(PageKey("where-memory-goes", 1)); }));
  const auto figures = [] { return application().frame()->lessons.figures; };
  IM_CHECK(
      WaitUntil(context, [&] { return figures().phantom.has_value() && figures().measured.has_value(); }));
  IM_CHECK_EQ(static_cast<int64_t>(*figures().textbook), 4'316'712);
  IM_CHECK(!application().frame()->veiled);
  IM_CHECK_EQ(*figures().measured, *figures().phantom);
  IM_CHECK(!application().frame()->breakdown.asked.contains(events::Category::kGradient));
  Picture(context, "learn-reveal");
}

void TriesItsTask(ImGuiTestContext* context) {
  context->KeyPress(ImGuiMod_Alt | ImGuiKey_RightArrow);
  IM_CHECK(WaitUntil(context, [] { return Lessons().page == 2; }));
  IM_CHECK_STR_EQ(application().view_state().run_controls.found.c_str(), "optimizer");
  IM_CHECK(application().frame()->timeline.untold != 0);
  IM_CHECK_STR_EQ(application().frame()->run_controls.consequences.fit.c_str(), "");
  const auto is_tried = [] { return Lessons().done.contains(TaskKey("where-memory-goes", 2, 0)); };
  networks::TrainingSettings sgd = application().settings();
  sgd.optimizer = networks::OptimizerKind::kSgd;
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
  application().Push(ChangeSettings{sgd});
  context->Yield(6);
  IM_CHECK(!is_tried());  // before the run goes with it
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, is_tried));
  Picture(context, "learn-try");
  context->ItemClick("//**/Set this up");
  IM_CHECK(WaitUntil(context,
                     [] { return application().settings().optimizer == networks::OptimizerKind::kAdam; }));
  application().Push(ActionId::kUndo);
  IM_CHECK(
      WaitUntil(context, [] { return application().settings().optimizer == networks::OptimizerKind::kSgd; }));
}

void BeginsAnewForAnotherLesson(ImGuiTestContext* context) {
  // What was reserved for other settings is not there on the next page, and the latest step is in sight.
  networks::TrainingSettings large = application().settings();
  large.batch *= 4;
  application().Push(ChangeSettings{large});
  IM_CHECK(WaitForSteps(context, 2));
  const auto reserved = [] { return Run().view->steps().back().reserved_peak; };
  const int64_t reserved_before = reserved();
  application().view_state().timeline.follow = false;
  application().Push(ShowLessonPage{"mixed-precision", 1});
  IM_CHECK(WaitUntil(context, [] { return application().settings().amp == networks::Precision::kFloat16; }));
  IM_CHECK(application().view_state().timeline.follow);
  IM_CHECK(WaitUntil(context, [&] { return reserved() < reserved_before / 2; }));
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "learn-table");
  application().Push(ShowLessonPage{"many-gpus", 1});  // points at what is folded away
  const RunControlsState& controls = application().view_state().run_controls;
  IM_CHECK(WaitUntil(context, [&] { return controls.found == "zero" && controls.sought.empty(); }));
  context->Yield(3);
  Picture(context, "learn-highlight");
  context->ItemClick("//**/More techniques");
  application().Push(ShowLessonPage{"the-caching-allocator", 0});  // its prediction takes the focus
  IM_CHECK(
      WaitUntil(context, [&] { return context->WindowInfo("//###memory_map").Window->DockTabIsVisible; }));
  application().Push(ShowLessonPage{"batch-size", 0});
  IM_CHECK(WaitUntil(context, [&] { return controls.found == "batch" && controls.sought.empty(); }));
  const double marked_until = controls.marked_until;
  context->ItemInput("//**/##prediction");
  context->KeyCharsReplaceEnter("300");
  IM_CHECK(WaitUntil(context, [&] { return controls.marked_until > marked_until; }));  // in sight again
  FindsALesson(context);
  application().Push(ShowLessonPage{"where-memory-goes", 0});
  context->Yield(3);
  context->ItemClick("//**/###all lessons");
  IM_CHECK(WaitUntil(context, [] { return Lessons().lesson.empty(); }));
  application().Push(ActionId::kResetLayout);
  context->Yield(4);
}

}  // namespace

void Teaches(ImGuiTestContext* context) {
  LosesItsTab(context);
  IM_CHECK(Run().status.state == RunState::kPaused);  // as it will be left by the next test
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitForSteps(context, 2));
  OpensALesson(context);
  TurnsItsPage(context);
  RevealsItsFigure(context);
  TriesItsTask(context);
  BeginsAnewForAnotherLesson(context);
}

// A lesson over an opened file says what it needs, though the settings are its own already, and starts it.
void StartsALessonsRun(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  const auto input = [] { return application().frame()->lessons; };
  IM_CHECK(!Run().recording.empty());  // left by the test before
  application().Push(ShowLessonPage{"where-memory-goes", 2});
  IM_CHECK(
      WaitUntil(context, [] { return application().view_state().lessons.lesson == "where-memory-goes"; }));
  context->Yield(2);
  IM_CHECK(input().shown == Run().recording && !input().runs);
  const lessons::Situation wanted =
      PageOf(*input().lessons, application().view_state().lessons).page->setup.situation;
  application().Push(ChangeSettings{wanted.settings});
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == wanted.settings; }));
  context->Yield(3);
  Picture(context, "learn-over-a-file");
  context->ItemClick("//**/Start its run");
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
  IM_CHECK(input().shown.empty() && input().runs);
  IM_CHECK(application().settings() == wanted.settings);
  IM_CHECK((context->ItemInfo("//**/Set this up").ItemFlags & ImGuiItemFlags_Disabled) != 0);
  context->ItemClick("//**/###all lessons");
  application().Push(ChangeSettings{before});
  application().Push(ActionId::kResetLayout);
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == before; }));
}

// Every page as a person meets it, in both themes, at twice the size, and its prediction revealed. It takes
// minutes; for who looks at the pictures.
void WalksThroughAllLessons(ImGuiTestContext* context) {
  application().Push(ActionId::kLearnLayout);
  context->Yield(4);
  LessonsState& state = application().view_state().lessons;
  for (const lessons::Lesson& lesson : *application().frame()->lessons.lessons) {
    for (size_t page = 0; page < lesson.pages.size(); ++page) {
      const std::string name = lesson.name + "-" + std::to_string(page + 1);
      application().Push(ShowLessonPage{lesson.name, static_cast<int>(page)});
      application().view_state().dark = page % 2 == 0;
      application().view_state().scale = page % 3 == 2 ? 2.0F : 1.0F;
      context->Yield(4);
      const auto ended = [] { return Run().status.state == RunState::kFailed; };  // out of memory, say
      IM_CHECK(WaitUntil(context, [&] { return ended() || CompleteSteps() > 1; }));
      Picture(context, name.c_str());
      if (!AwaitsPrediction(*application().frame()->lessons.lessons, state)) continue;
      state.predictions[PageKey(lesson.name, page)] = 1;
      context->Yield(4);
      Picture(context, (name + "-revealed").c_str());
    }
  }
  application().view_state().dark = true;
  application().view_state().scale = 1;
}

// A curve drawn by the mouse and the keys, taken back by a stroke, and revealed.
void PredictsByDrawing(ImGuiTestContext* context) {
  const std::string key = PageKey("three-times-the-textbook", 0);
  const auto drawn = [&] { return application().view_state().lessons.drawings[key]; };
  application().Push(ActionId::kLearnLayout);
  application().Push(ShowLessonPage{"three-times-the-textbook", 0});
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//**/drawing"); }));
  IM_CHECK(application().frame()->veiled);
  const ImRect pad = context->ItemInfo("//**/drawing").RectFull;
  context->MouseMoveToPos({pad.Min.x + 2, pad.Max.y - 10});
  context->MouseDown();
  context->MouseMoveToPos({pad.GetCenter().x, pad.Min.y + 20});
  context->MouseMoveToPos({pad.Max.x - 2, pad.Max.y - 20});
  context->MouseUp();
  IM_CHECK_EQ(drawn().size(), session::kStepColumns);
  IM_CHECK_GT(std::ranges::max(drawn()), 2 * drawn().front());
  const DrawnCurve by_mouse = drawn();
  context->KeyPress(ImGuiKey_LeftArrow);
  context->KeyPress(ImGuiKey_UpArrow);
  IM_CHECK_GT(drawn()[session::kStepColumns - 2], by_mouse[session::kStepColumns - 2]);
  Picture(context, "learn-draw");
  context->ItemClick("//**/Undo stroke");
  IM_CHECK(drawn() == by_mouse);
  context->ItemClick("//**/Reveal");
  const auto figures = [] { return application().frame()->lessons.figures; };
  // A run tells of more than the prediction, so that parts of a step begin elsewhere; its first step is not
  // as high as the others; and a block that would leave less than 1 MiB is given whole, so that what the
  // tests before left cached adds a rest.
  constexpr int64_t kRest = 1 << 20;
  IM_CHECK(WaitUntil(context, [&] {
    return !figures().phantom_curve.empty() && !figures().measured_curve.empty() &&
           std::abs(std::ranges::max(figures().measured_curve) - std::ranges::max(figures().phantom_curve)) <
               kRest;
  }));
  IM_CHECK(!application().frame()->veiled);
  IM_CHECK_EQ(static_cast<double>(std::ranges::max(figures().phantom_curve)), *figures().phantom);
  Picture(context, "learn-drawn");
  application().Push(ShowLessonPage{"where-memory-goes", 0});
  context->Yield(3);
  context->ItemClick("//**/###all lessons");
  application().Push(ActionId::kRunOrPause);
  application().Push(ActionId::kResetLayout);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
}

void WalksThroughAStep(ImGuiTestContext* context) {
  IM_CHECK(Run().status.state == RunState::kPaused);
  const auto shown = application().view_state().shown;
  const auto walk = [] { return application().frame()->slow_motion; };
  const auto is_layers_in_front = [context] {
    const ImGuiWindow* const layers = context->WindowInfo("//###layers").Window;
    return layers->DockNode != nullptr && layers->DockNode->VisibleWindow == layers;
  };
  context->WindowFocus("//###layers");
  context->Yield(2);
  IM_CHECK(is_layers_in_front());
  const auto step_at = [](events::EventIndex moment) {
    return timeline::StepAt(*Run().view, moment)->number;
  };
  context->KeyPress(ImGuiKey_M);
  IM_CHECK(WaitUntil(context, [&] { return application().frame() != nullptr && walk().walk != nullptr; }));
  IM_CHECK(application().view_state().shown != shown);
  const std::vector<presenters::OperatorStop> stops = walk().walk->stops;
  IM_CHECK_GT(stops.size(), 40U);
  IM_CHECK_EQ(presenters::TitleOf(*Run().view, stops[0]), "gradients are let go");
  IM_CHECK_EQ((*walk().code)[walk().place->lines.at(0)].python, "optimizer.zero_grad()");
  context->KeyPress(ImGuiKey_Space);  // goes on, and does not let the run go on
  IM_CHECK(WaitUntil(context, [&] { return walk().stop == 1; }));
  IM_CHECK(Run().status.state == RunState::kPaused);
  size_t conv2 = 0;
  while (presenters::TitleOf(*Run().view, stops[conv2]) != "conv2 backward") ++conv2;
  application().Push(GoToOperator{conv2});
  IM_CHECK(WaitUntil(context, [&] { return walk().stop == conv2; }));
  context->Yield(3);
  // The other panels show its moment, the code its line.
  IM_CHECK_EQ(application().view_state().pinned.value_or(0), stops[conv2].highest);
  IM_CHECK_EQ(application().frame()->memory_map.state->index, stops[conv2].highest);
  IM_CHECK_EQ(step_at(stops[conv2].highest), walk().walk->step);
  IM_CHECK_EQ((*walk().code)[walk().place->lines.at(0)].python, "loss.backward()");
  IM_CHECK_EQ((*walk().code)[walk().place->forward.at(0)].layer, "conv2");
  IM_CHECK(std::ranges::any_of(*walk().changes, [](const presenters::BlockChange& change) {
    return change.change == presenters::Change::kComes && change.title == "conv2.weight.grad";
  }));
  Picture(context, "slow-motion");
  context->KeyPress(ImGuiMod_Shift | ImGuiKey_Space);
  IM_CHECK(WaitUntil(context, [&] { return walk().stop == conv2 - 1; }));
  context->KeyPress(ImGuiKey_End);
  IM_CHECK(WaitUntil(context, [&] { return walk().stop == stops.size() - 1; }));
  context->KeyPress(ImGuiKey_Home);
  IM_CHECK(WaitUntil(context, [&] { return walk().stop == 0; }));
  application().Push(PinMoment{stops[7].highest});  // as the map's scrubber does
  IM_CHECK(WaitUntil(context, [&] { return walk().stop == 7; }));
  const presenters::Selection lit = presenters::CategorySelected(events::Category::kActivation);
  application().Push(Select{lit});
  IM_CHECK(WaitUntil(context, [&] { return application().view_state().selection == lit; }));
  context->KeyPress(ImGuiKey_Escape);  // one thing at a time
  IM_CHECK(WaitUntil(context, [&] { return walk().walk == nullptr; }));
  IM_CHECK(application().view_state().selection == lit);
  application().Push(Select{lit});
  IM_CHECK(WaitUntil(context, [&] { return application().view_state().shown == shown; }));
  context->Yield(4);
  IM_CHECK(is_layers_in_front());
  IM_CHECK(!application().view_state().pinned.has_value());
  IM_CHECK(Run().status.state == RunState::kPaused);  // as it was before

  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kRunning; }));
  application().view_state().timeline.follow = true;
  context->KeyPress(ImGuiKey_M);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
  IM_CHECK(WaitUntil(context, [&] { return walk().walk != nullptr; }));
  IM_CHECK(!application().view_state().timeline.follow);  // the step fills it
  context->KeyPress(ImGuiKey_M);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kRunning; }));
  IM_CHECK(application().view_state().timeline.follow);
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
}

void SharesItsSession(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C);
  const auto clipboard = [] { return std::string(ImGui::GetClipboardText()); };
  IM_CHECK(WaitUntil(context, [&] { return clipboard().starts_with("tidemark1:"); }));
  const std::string own = clipboard();
  lessons::SessionState session;
  session.settings.batch = 16;
  session.steps_per_second = 8;
  session.locked = {"batch", "kernels"};
  session.hidden = {"optimizer"};
  ImGui::SetClipboardText(("Try this: " + lessons::CodeOf(session)).c_str());
  context->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_V);
  IM_CHECK(WaitUntil(context, [] { return application().settings().batch == 16; }));
  context->Yield(3);
  Picture(context, "session-code");
  IM_CHECK(!context->ItemExists("//**/##Optimizer"));
  application().Push(RecordKernels{true});
  context->Yield(3);
  IM_CHECK(!application().scene_input().kernels);
  ImGui::SetClipboardText("tidemark1:batch=17:00000000");
  application().Push(ActionId::kPasteCode);
  context->Yield(3);
  IM_CHECK_EQ(application().settings().batch, 16);
  application().Push(ActionId::kUnlock);
  application().Push(ActionId::kForAClass);
  context->Yield(3);
  context->ItemClick("//For a class/**/amp/locked");
  IM_CHECK(WaitUntil(
      context, [] { return application().scene_input().access.locked == std::vector<std::string>{"amp"}; }));
  Picture(context, "for-a-class");
  const fs::path file = Artefacts() / "class.tidecode";
  application().Push(SaveSession{file});
  application().Push(ActionId::kUnlock);
  application().Push(ActionId::kForAClass);
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(
      context, [] { return application().scene_input().access.locked == std::vector<std::string>{"amp"}; }));
  ImGui::SetClipboardText(own.c_str());
  application().Push(ActionId::kPasteCode);
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == before; }));
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
}

}  // namespace tidemark::gui
