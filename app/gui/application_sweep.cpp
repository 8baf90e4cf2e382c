// A sweep over an option of a person's program: started, followed, ended.
#include <algorithm>
#include <utility>

#include "app/gui/application.h"

namespace tidemark::gui {

void Application::Sweep(const session::SweepOrder& order) {
  const auto card = std::ranges::find(cards_, order.program.card.value_or(""), &phantom::Card::name);
  if (!options_.sweep_program || card == cards_.end()) return;
  EndSweep();
  sweep_ = ProgramSweep{order, *card, "", {}, {}, true};
  sweep_inbox_ = std::make_shared<SweepInbox>();
  shell_.raise_panel = "sweep";
  jobs_.Start("Starting the sweep", JobEnd::kOnRequest,
              [this, sweep = options_.sweep_program, order,
               inbox = sweep_inbox_](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                const auto tell = [&] {
                  progress(inbox->share());
                  progress.Tell(inbox->Title());
                };
                const session::SweepListener listener{
                    [&](const std::string& option, const std::vector<int64_t>& values) {
                      inbox->Begin(option, values);
                      tell();
                    },
                    [&](const session::SweepPoint& point) {
                      inbox->Add(point);
                      tell();
                    }};
                const Result<std::vector<std::string>> notes =
                    sweep(order, listener,
                          {[&](std::string_view line) { progress.Tell(std::string(line)); },
                           [&] { return progress.goes_on() && !inbox->given_up(); }});
                return [this, notes, inbox, wanted = progress.goes_on()] {
                  TakeEndOfSweep(notes, *inbox, wanted);
                };
              });
}

bool Application::FollowSweep() { return sweep_ && sweep_inbox_ != nullptr && sweep_inbox_->MoveTo(*sweep_); }

void Application::TakeEndOfSweep(const Result<std::vector<std::string>>& notes, const SweepInbox& inbox,
                                 bool wanted) {
  if (sweep_inbox_.get() != &inbox) return;  // another came after it, or it was closed
  FollowSweep();
  sweep_->goes_on = false;
  sweep_inbox_.reset();
  if (notes.ok()) {
    for (const std::string& note : *notes) AddLogLine(presenters::LogLevel::kWarning, note);
  }
  if (!wanted) {
    if (sweep_->points.empty()) sweep_.reset();
    return AddLogLine(presenters::LogLevel::kInfo, "The sweep was ended, as asked.");
  }
  if (notes.ok()) return;
  if (!sweep_->points.empty()) return AddLogLine(presenters::LogLevel::kError, notes.error().message);
  sweep_.reset();
  OpenProgramDialog(shell_.program_dialog);
  shell_.program_dialog.trouble = notes.error().message;
}

// Nothing of it is shown any more.
void Application::EndSweep() {
  if (sweep_inbox_ != nullptr) sweep_inbox_->GiveUp();
  sweep_inbox_.reset();
  sweep_.reset();
}

}  // namespace tidemark::gui
