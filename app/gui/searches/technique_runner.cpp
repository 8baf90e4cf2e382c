#include "app/gui/searches/technique_runner.h"

#include <string>
#include <string_view>

namespace tidemark::gui {
namespace {

using session::TechniqueOrder;

bool HasSameTechniques(const session::ProgramOrder& one, const session::ProgramOrder& other) {
  return one.amp == other.amp && one.checkpoint == other.checkpoint;
}

Result<std::vector<std::string>> RunTrials(const session::TechniqueTrials& trials,
                                           const std::vector<TechniqueOrder>& orders, TechniqueInbox& inbox,
                                           const BackgroundJobs::Progress& progress) {
  const auto answered = [&](size_t order, const session::TechniqueAnswer& answer) {
    inbox.Put(order, answer);
  };
  session::StartWatch watch;
  watch.told = [&](std::string_view line) { progress.Tell(std::string(line)); };
  watch.goes_on = [&] { return progress.goes_on(); };
  watch.share = [&](double share) { progress(share); };
  return trials.run(orders, answered, watch);
}

}  // namespace

void TechniqueRunner::Look(const session::ProgramOrder* order,
                           const std::shared_ptr<const timeline::View>& view,
                           const session::RunStatus& status) {
  const std::optional<session::ProgramOrder> now = order == nullptr ? std::nullopt : std::optional(*order);
  if (now != order_) to_try_ = now && trials_.of ? trials_.of(*now) : std::vector<TechniqueOrder>();
  order_ = now;
  if (!shown_) return;
  const session::ProgramOrder& own = shown_->rows.front().order.program;
  if (!now || !IsSameProgram(*now, own)) return Close();
  if (HasSameTechniques(*now, own)) LookAtOwn(view, status);
}

// Not twice at the same: all its events are looked at.
void TechniqueRunner::LookAtOwn(const std::shared_ptr<const timeline::View>& view,
                                const session::RunStatus& status) {
  std::optional<session::TechniqueAnswer>& answer = shown_->rows.front().answer;
  if (answer && own_view_.lock() == view) return;
  own_view_ = view;
  answer = AnswerOf(*view, status, shown_->card);
}

void TechniqueRunner::Begin(const phantom::Card& card, const std::function<void(bool is_cancelled)>& then) {
  if (to_try_.size() < 2 || (shown_ && shown_->goes_on)) return;
  shown_ = ProgramTechniques{card, {}, true, {}, ""};
  for (const TechniqueOrder& order : to_try_) shown_->rows.push_back({order});
  inbox_ = std::make_shared<TechniqueInbox>();
  const Request request = latest_.Begin();
  jobs_->Start("Trying techniques", JobEnd::kOnRequest, request,
               [this, trials = trials_, then, inbox = inbox_, request,
                orders = std::vector(to_try_.begin() + 1, to_try_.end())](
                   const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
                 const auto notes = RunTrials(trials, orders, *inbox, progress);
                 return [this, notes, then, request, is_cancelled = !progress.goes_on()] {
                   if (!request.wanted()) return;
                   End(notes, is_cancelled);
                   then(is_cancelled);
                 };
               });
}

bool TechniqueRunner::Poll() { return shown_ && inbox_ != nullptr && inbox_->MoveTo(*shown_); }

// Where nothing came of it, nothing is shown of it.
void TechniqueRunner::End(const Result<std::vector<std::string>>& notes, bool is_cancelled) {
  Poll();
  inbox_.reset();
  shown_->goes_on = false;
  if (notes) shown_->notes = *notes;
  if (!notes && !is_cancelled) shown_->error = notes.error().message;
  if (is_cancelled && !shown_->has_answers()) shown_.reset();
}

void TechniqueRunner::Close() {
  latest_.Drop();
  inbox_.reset();
  shown_.reset();
}

}  // namespace tidemark::gui
