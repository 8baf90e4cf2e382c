#include "app/gui/searches/sweep_runner.h"

#include <string_view>
#include <utility>

namespace tidemark::gui {
namespace {

Result<std::vector<std::string>> RunSweep(const session::SweepProgram& run, const session::SweepOrder& order,
                                          SweepInbox& inbox, const BackgroundJobs::Progress& progress,
                                          session::ProgramField& faulty) {
  const auto tell = [&] {
    progress(inbox.share());
    progress.Tell(inbox.Title());
  };
  const session::SweepListener listener{[&](const std::string& option, const std::vector<int64_t>& values) {
                                          inbox.Begin(option, values);
                                          tell();
                                        },
                                        [&](const session::SweepPoint& point) {
                                          inbox.Add(point);
                                          tell();
                                        }};
  return run(
      order, listener,
      {[&](std::string_view line) { progress.Tell(std::string(line)); }, [&] { return progress.goes_on(); },
       [&](session::ProgramField field) { faulty = field; }, [&](double share) { progress(share); }});
}

}  // namespace

bool SweepRunner::Begin(const session::SweepOrder& order, const phantom::Card& card,
                        const std::function<void(const End&)>& then) {
  if (!run_) return false;
  Close();
  shown_ = ProgramSweep{order, card, "", {}, {}, true, {}};
  inbox_ = std::make_shared<SweepInbox>();
  const Request request = latest_.Begin();
  jobs_->Start("Starting the sweep", JobEnd::kOnRequest, request,
               [this, run = run_, order, then, inbox = inbox_,
                request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 auto faulty = session::ProgramField::kCommand;
                 const auto notes = RunSweep(run, order, *inbox, progress, faulty);
                 return [this, notes, then, request, faulty, is_cancelled = !progress.goes_on()] {
                   if (!request.wanted()) return;
                   End end = Finish(notes, is_cancelled);
                   end.faulty = faulty;
                   then(end);
                 };
               });
  return true;
}

bool SweepRunner::Poll() { return shown_ && inbox_ != nullptr && inbox_->MoveTo(*shown_); }

SweepRunner::End SweepRunner::Finish(const Result<std::vector<std::string>>& notes, bool is_cancelled) {
  Poll();
  shown_->goes_on = false;
  inbox_.reset();
  End end;
  end.is_cancelled = is_cancelled;
  end.has_points = !shown_->points.empty();
  if (notes) shown_->notes = *notes;
  if (!notes && !is_cancelled) end.error = notes.error().message;
  if (!end.has_points && (is_cancelled || !notes)) shown_.reset();
  return end;
}

void SweepRunner::Close() {
  latest_.Drop();
  inbox_.reset();
  shown_.reset();
}

}  // namespace tidemark::gui
