// What the window's frame is told each frame: state, banner, jobs, what can be done.
#include "app/gui/application.h"
#include "app/presenters/run/program_facts.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
using session::RunState;

constexpr auto kShownAfter = 300ms;  // of a job: a line that comes and goes at once says nothing

}  // namespace

ShellInput Application::MakeShellInput() {
  ShellInput shell;
  shell.status = StatusText(input_);
  if (!starts_.is_wanted()) {
    shell.banner = BannerOf(input_, state_.unit);
    shell.tone = ToneOf(input_, shell.banner);
  }
  shell.device = DeviceText(input_, state_.unit);
  shell.device_bytes = shell.device.empty() ? 0 : input_.description.device_bytes;
  for (const auto& job : jobs_.jobs()) {
    const std::string title = job->title();
    if (title.empty() || Clock::now() - job->begun < kShownAfter) continue;
    shell.jobs.push_back({title, job->progress, HearsCancel(job->ends) ? &job->cancelled : nullptr});
  }
  const bool loads = input_.live && input_.status.state == RunState::kStarting;
  if (loads && Clock::now() - shown_.since() >= kShownAfter)
    shell.jobs.push_back({"The trainer loads LibTorch", -1, &start_cancelled_});
  shell.jobs.insert(shell.jobs.end(), frame_->jobs.begin(), frame_->jobs.end());
  if (ranks_.any()) {
    shell.ranks = {&ranks_, state_.unit};
  }
  shell.can_go_back = history_.can_go_back();
  shell.can_go_forward = history_.can_go_forward();
  shell.search = {input_.view, &frame_->bookmarks, state_.unit};
  shell.can_undo = choices_.can_undo();
  shell.can_redo = choices_.can_redo();
  shell.live = input_.live;
  shell.can_restart = CanRestart();
  shell.can_stop = input_.can_stop;
  shell.in_slow_motion = state_.slow_motion.active;
  shell.can_walk = frame_->slow_motion.can_begin;
  shell.can_run = shell.in_slow_motion || input_.live || !presenters::IsProgram(input_.description);
  shell.has_kept_runs = has_kept_runs_;
  shell.has_layout_before = state_.own || state_.replaced;
  shell.compares = input_.compared.has_value();
  shell.starts_programs = static_cast<bool>(options_.services.start_program);
  shell.cards = &cards_;
  shell.has_gpu = !cuda_devices_.empty();
  shell.has_view = input_.view != nullptr && !input_.view->empty();
  shell.has_run = static_cast<bool>(shown_);
  shell.own_p95_seconds = own_times_.p95_seconds();
  shell.has_locks = !input_.access.locked.empty() || !input_.access.hidden.empty();
  shell.of_code = desk_.of_code();
  shell.in_picture = screenshot_.has_value();
  shell.is_set_up_to_learn = state_.learning || desk_.HasChanged(Chosen());
  shell.in_lesson = desk_.IsInLesson(state_);
  shell.has_answers = HasAnswers(state_.lessons.lesson, state_.lessons);
  shell.glossary = &desk_.book().glossary;
  shell.lessons = &desk_.book().lessons;
  shell.samples = &samples_;
  return shell;
}

}  // namespace tidemark::gui
