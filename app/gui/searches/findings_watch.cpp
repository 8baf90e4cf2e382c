#include "app/gui/searches/findings_watch.h"

#include <utility>

namespace tidemark::gui {
namespace {

// Findings look at a whole step: once a second is as often as anyone reads them.
constexpr std::chrono::seconds kEvery{1};

}  // namespace

void FindingsWatch::Look(const Subject& subject, bool goes_on) {
  if (is_looking_ || (looked_ && looked_->subject == subject)) return;
  const auto now = Clock::now();
  const bool has_only_grown =
      looked_ && Subject{subject.view, looked_->subject.unit, looked_->subject.card} == subject;
  if (has_only_grown && goes_on && now - looked_->at < kEvery) return;
  looked_ = {subject, now};
  is_looking_ = true;
  jobs_->Start(
      "", JobEnd::kWhenDone,
      [this, subject, request = latest_.Begin()](const BackgroundJobs::Progress&) -> BackgroundJobs::Then {
        const auto found =
            std::make_shared<RunFindings>(LookForFindings(*subject.view, subject.unit, subject.card));
        return [this, found, request] {
          is_looking_ = false;
          if (request.wanted()) found_ = std::move(*found);
        };
      });
}

void FindingsWatch::Forget() {
  latest_.Drop();
  looked_.reset();
  found_.reset();
}

}  // namespace tidemark::gui
