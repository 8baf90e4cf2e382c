// What the window's frame says of the run: title, state, banner, jobs, what can be done.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/application.h"
#include "app/presenters/program_facts.h"
#include "app/presenters/run_end.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;
using session::RunState;

constexpr auto kShownAfter = 300ms;  // of a job: a line that comes and goes at once says nothing

}  // namespace

std::string Application::StatusText() const {
  if (input_.starting) return "starting";
  if (run_ == nullptr && was_not_opened_) return "not opened";
  if (run_ == nullptr) return input_.status.state == RunState::kFailed ? "not started" : "no run";
  if (follows()) return input_.status.sentence.empty() ? "recording grows" : "recording stands still";
  if (!file_title_.empty()) return "recording";
  switch (input_.status.state) {
    case RunState::kStarting:
      return "starting";
    case RunState::kRunning:
      return "running";
    case RunState::kPaused:
      return "paused";
    case RunState::kFinished:
      return presenters::IsProgram(input_.description) ? "ended" : "stopped";
    case RunState::kFailed:
      return input_.status.out_of_memory ? "out of memory" : "failed";
    case RunState::kDied:
      break;
  }
  return "died";
}

std::string Application::title() const {
  std::string what = file_title_.empty() ? input_.description.title : file_title_;
  // A live run may have changed its network since it described itself: "SimpleConvNet on phantom ...".
  const size_t on = what.find(" on ");
  if (input_.live && on != std::string::npos) {
    for (const networks::Network& network : networks_) {
      if (network.name == input_.settings.network) what.replace(0, on, network.title);
    }
  }
  return what.empty() ? "Tidemark" : "Tidemark · " + what;
}

// Of a run that has ended badly: what happened, and, of our own, with which settings to go on.
Banner Application::MakeBanner() const {
  const auto* const view = input_.view.get();
  const presenters::EndNotice notice =
      was_followed_ ? presenters::NoticeOfFollowed(input_.status, input_.description, view)
                    : presenters::NoticeOfRun(input_.status, view);
  Banner banner;
  banner.sentence = notice.sentence;
  banner.bad = notice.bad;
  if (!notice.bad || was_followed_ || presenters::IsProgram(input_.description)) return banner;
  banner.again = input_.settings;
  if (was_not_opened_) banner.again_label = "Start a run";
  if (!input_.status.out_of_memory || input_.settings.batch <= 1) return banner;
  // What has been chosen since may fit as it is.
  const std::string* failed_with = view == nullptr ? nullptr : timeline::LatestSettings(*view);
  if (failed_with != nullptr && *failed_with != networks::ToJson(input_.settings)) return banner;
  const std::optional<int> smaller = SmallerBatch();
  if (smaller) {
    banner.smaller = input_.settings;
    banner.smaller->batch = *smaller;
  }
  banner.smaller_label = smaller ? "With batch " + FormatNumber(*smaller) : "With batch …";
  return banner;
}

// "run.tide · Phantom H200 · limited to 4 GB", as far as it is known; of a program that runs, its name.
std::string Application::DeviceText() const {
  std::vector<std::string> parts;
  const events::RunDescription& description = input_.description;
  if (!file_title_.empty()) {
    parts.push_back(file_title_);
  } else if (run_ != nullptr && presenters::IsProgram(description)) {
    parts.push_back(presenters::NameOfProgram(description));
  }
  if (run_ != nullptr && !description.device_name.empty()) {
    parts.push_back((networks::IsPhantom(description.device) ? "Phantom " : "") +
                    ShortCardTitle(description.device_name));
  }
  if (run_ != nullptr && description.device_bytes > 0) {
    const char* const limited = session::IsLimited(description, cards_) ? "limited to " : "";
    parts.push_back(limited + CardSize(description.device_bytes, state_.unit));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

ShellInput Application::MakeShellInput() {
  ShellInput shell;
  shell.status = StatusText();
  const RunState state = input_.status.state;
  const bool goes_on = (input_.live || input_.can_stop || follows()) && state == RunState::kRunning;
  if (!input_.starting) shell.banner = MakeBanner();
  const bool is_bad = !shell.banner.sentence.empty() && shell.banner.bad;
  if (!input_.starting && goes_on && shell.banner.sentence.empty()) shell.tone = StatusTone::kGood;
  if (is_bad) shell.tone = StatusTone::kBad;
  shell.device = DeviceText();
  for (const auto& job : jobs_.jobs()) {
    const std::string title = job->title();
    if (title.empty() || Clock::now() - job->begun < kShownAfter) continue;
    shell.jobs.push_back({title, job->progress, job->ends == JobEnd::kWhenDone ? nullptr : &job->cancelled});
  }
  const bool loads = input_.live && state == RunState::kStarting;
  if (loads && Clock::now() - adopted_at_ >= kShownAfter)
    shell.jobs.push_back({"The trainer loads LibTorch", -1, &start_cancelled_});
  shell.jobs.insert(shell.jobs.end(), frame_->jobs.begin(), frame_->jobs.end());
  if (ranks_.any()) {
    shell.ranks = {&ranks_, state_.unit};
  }
  shell.can_go_back = history_.can_go_back();
  shell.can_go_forward = history_.can_go_forward();
  shell.search = {input_.view, &frame_->bookmarks, state_.unit};
  shell.can_undo = !undo_.empty();
  shell.can_redo = !redo_.empty();
  shell.live = input_.live;
  shell.can_stop = input_.can_stop;
  shell.in_slow_motion = state_.slow_motion.active;
  shell.can_walk = frame_->slow_motion.can_begin;
  shell.can_run = shell.in_slow_motion || input_.live || !presenters::IsProgram(input_.description);
  shell.has_kept_runs = has_kept_runs_;
  shell.compares = input_.compared.has_value();
  shell.starts_programs = static_cast<bool>(options_.start_program);
  shell.cards = &cards_;
  shell.has_view = input_.view != nullptr && !input_.view->empty();
  shell.own_p95_seconds = own_p95_seconds_;
  shell.has_locks = !input_.access.locked.empty() || !input_.access.hidden.empty();
  shell.of_code = of_code_;
  shell.in_picture = screenshot_.has_value();
  shell.in_lesson = !state_.lessons.lesson.empty();
  shell.glossary = &book_.glossary;
  return shell;
}

// To run with after an out of memory: the chosen one, or the largest that the phantom says fits if that is
// smaller and below the one that did not; half where it says nothing. None while it is asked.
std::optional<int> Application::SmallerBatch() const {
  const int half = input_.settings.batch / 2;
  if (fit_.searching && !fit_.largest_batch) return std::nullopt;
  if (fit_.largest_batch.value_or(0) == 0) return half;
  FitSubject now = FitSubjectOf(input_);
  now.settings.batch = fit_.largest_for->settings.batch;
  const bool helps = IsOf(*fit_.largest_for, now) && *fit_.largest_batch < now.settings.batch;
  return helps ? std::min(*fit_.largest_batch, input_.settings.batch) : half;
}

}  // namespace tidemark::gui
