#include "app/gui/scene/scene.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/presenters/run/program_facts.h"

namespace tidemark::gui {
namespace {

// Why there is no curve yet.
const char* ReasonOfEmptiness(const SceneInput& input) {
  const bool starts = input.starting || input.status.state == session::RunState::kStarting;
  if (starts && IsRecording(input))
    return "Nothing has been recorded yet. What is recorded is shown as it comes.";
  if (input.status.cut_off)
    return "What is recorded is cut before its first event: there is nothing to show.";
  if (presenters::IsProgram(input.description)) {
    return starts ? "The program has not used the GPU yet. The curve begins with its first allocation."
                  : "The program asked the GPU for no memory.";
  }
  return starts ? "The trainer is starting: it loads LibTorch. The curve begins with the first allocation."
                : "No event has arrived yet. Press Space to start a run, or open a recording with Ctrl+O.";
}

// What the session itself says of a run, such as how it ended, is no event of it.
bool HasEvents(const timeline::View* view) {
  if (view == nullptr) return false;
  const auto is_told_by_session = [](const events::Event& event) {
    return event.source == events::Source::kSession &&
           (event.kind == events::EventKind::kName || event.kind == events::EventKind::kMarker);
  };
  timeline::EventIndex index = view->first();
  while (index < view->end() && is_told_by_session(view->event(index))) ++index;
  return index < view->end();
}

// Whether a run with the settings that the page asks about is shown, whoever trained it.
bool TellsWhatIsAsked(const SceneInput& input, const LessonsState& state) {
  const OpenPage open = PageOf(input.book->lessons, state);
  if (input.view == nullptr || open.page == nullptr || !open.page->prediction) return false;
  const std::string asked = networks::ToJson(open.page->prediction->situation.settings);
  return std::ranges::any_of(input.view->settings(), [&](const std::string& told) { return told == asked; });
}

timeline::CategorySet SetOf(const std::set<events::Category>& categories) {
  timeline::CategorySet all = 0;
  for (const events::Category category : categories)
    all |= timeline::CategorySet{1} << static_cast<int>(category);
  return all;
}

}  // namespace

bool Scene::pending() const {
  return frame_.timeline.stack_pending || timeline_.pending() || slow_motion_.pending() ||
         tables_.pending() || moment_.pending() || allocations_.pending() || comparison_.pending() ||
         statistics_.pending() || (view_ != nullptr && controls_.IsBehind(*view_));
}

// What the frame begins with, and what a panel without a run shows.
void Scene::BeginFrame(const SceneInput& input, const ViewState& state) {
  view_ = input.view;
  frame_.jobs.clear();
  const presenters::SelectedOwners& selected = timeline_.selected();
  timeline_.BeginFrame(input, state, frame_);
  tables_.BeginFrame(input, state, selected, frame_);
  moment_.BeginFrame(state, frame_);
  allocations_.BeginFrame(state, selected, frame_);
  statistics_.BeginFrame(state, frame_);
  comparison_.BeginFrame(state, selected, frame_);
  frame_.run_log.lines = &input.log->lines();
  // Where the lessons are not laid out only while the settings are theirs: coming back to one's own lifts it.
  // And of what is somebody's own, or out there, only what tells the very figure that is asked for.
  const bool is_asked_of = state.learning && IsOfOurs(input);
  const bool asks = AwaitsPrediction(input.book->lessons, state.lessons);
  frame_.lesson_out_of_sight = asks && !state.learning && !input.change_to_own.empty();
  frame_.awaits_prediction = asks && (state.learning || frame_.lesson_out_of_sight);
  frame_.veiled = frame_.awaits_prediction && (is_asked_of || TellsWhatIsAsked(input, state.lessons));
  if (is_asked_of) frame_.breakdown.asked = AskedLater(input.book->lessons, state.lessons);
  frame_.timeline.untold = SetOf(frame_.breakdown.asked);
  frame_.timeline.subject = is_asked_of ? SetOf(SubjectOf(input.book->lessons, state.lessons)) : 0;
  frame_.layers.asked = frame_.breakdown.asked;
}

void Scene::TellWhyEmpty(const SceneInput& input) {
  const char* reason = ReasonOfEmptiness(input);
  frame_.timeline.empty_reason = reason;
  frame_.layers.may_come = true;
  frame_.memory_map.empty_reason = frame_.live_tree.empty_reason = frame_.allocations.empty_reason =
      frame_.statistics.empty_reason = reason;
  frame_.memory_map.state = nullptr;
  frame_.memory_map.map = nullptr;
  frame_.memory_map.drawing = nullptr;
}

// What is told of events, where there are any.
void Scene::PrepareRun(const SceneInput& input, ViewState& state, Estimates& estimates) {
  const session::PhantomSetup phantom = PhantomBeside(input);
  // The CPU's memory is laid out by the system, not by PyTorch's allocator: a phantom GPU says nothing
  // about it.
  comparison_.TellWhetherCompared(input, state, frame_);
  comparison_.PrepareRequests(input, state, frame_);
  timeline_.Prepare(input, state, estimates,
                    input.description.device == "cpu" ? session::PhantomSetup() : phantom,
                    comparison_.alignment(), frame_);
  tables_.Prepare(input, state, estimates, phantom, frame_);
  // Of a memory snapshot nobody tells layers, as nobody tells what its blocks hold.
  frame_.layers.may_come = GoesOn(input) || timeline_.most_telling() != presenters::StackBy::kLine;
  moment_.Prepare(input, state, timeline_.selected(), tables_.peak(), timeline_.most_telling(),
                  timeline_.stacking(), frame_);
  if (moment_.shown()) allocations_.Prepare(view_, *moment_.shown(), state, frame_);
  comparison_.Prepare(input, state, frame_);
  statistics_.Prepare(view_, state, frame_);
}

// A phantom tells of each module that is called.
bool Scene::RanOutBeforeLayers(const SceneInput& input) const {
  return input.status.out_of_memory && presenters::IsProgram(input.description) && frame_.layers.on_phantom &&
         HasEvents(view_.get()) && !controls_.IsBehind(*view_) && !controls_.captured().layers();
}

const Frame& Scene::Prepare(const SceneInput& input, ViewState& state, Estimates& estimates) {
  estimates.BeginFrame();
  BeginFrame(input, state);
  // The order is that of importance: what is on the plot first, then what the controls say.
  slow_motion_.Prepare(input, state, frame_);
  std::optional<presenters::MeasuredPeak> measured;
  if (HasEvents(view_.get())) {
    PrepareRun(input, state, estimates);
    measured = tables_.measured();
  } else {
    TellWhyEmpty(input);
  }
  controls_.Prepare(input, state, estimates, frame_);
  if (RanOutBeforeLayers(input)) {
    frame_.layers.empty_reason =
        "Memory ran out before a module of torch.nn was first called. What was allocated until then is under "
        "What is alive.";
  }
  advice_.Prepare(input, state, estimates, measured, frame_);
  PrepareLesson(input, state, estimates);
  return frame_;
}

// What a recording or a program tells was done by nobody who reads the lesson, whatever its settings are.
void Scene::PrepareLesson(const SceneInput& input, ViewState& state, Estimates& estimates) {
  const LessonQuestion question{input.book,
                                {input.settings, ChosenCard(input)},
                                IsOfOurs(input) ? input.view : nullptr,
                                input.networks,
                                input.cards};
  frame_.lessons = PrepareLessons(question, state.lessons, estimates, measured_);
  frame_.lessons.has_own_card = input.device.kind != networks::DeviceKind::kPhantom;
  if (input.taken_from && !frame_.lessons.has_own_card)
    frame_.lessons.taken_from = InWords(*input.taken_from);
  frame_.lessons.on_phantom = networks::IsPhantom(input.description.device);
  frame_.lessons.runs = input.live || input.starting;
  frame_.lessons.shown = IsRecording(input) ? input.recording
                         : presenters::IsProgram(input.description)
                             ? presenters::NameOfProgram(input.description)
                             : "";
  const bool is_revealed =
      std::exchange(awaited_prediction_, frame_.awaits_prediction) && !frame_.awaits_prediction;
  if (!is_revealed || !state.run_controls.sought.empty()) return;
  // What the controls say is there again and moves them: the one that the page is about stays in sight.
  for (const std::string& control : input.access.highlighted) {
    if (std::ranges::count(input.access.hidden, control) == 0)
      return void(state.run_controls.sought = control);
  }
}

}  // namespace tidemark::gui
