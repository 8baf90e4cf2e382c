#include "app/gui/searches/fit_search.h"

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

advice::FitProgress ProgressOf(const BackgroundJobs::Progress& progress) {
  return [progress](size_t done, size_t of) {
    return progress(static_cast<double>(done) / static_cast<double>(std::max<size_t>(1, of)));
  };
}

}  // namespace

void FitSearch::Begin(const presenters::FitSubject& subject, const std::vector<networks::Network>& networks) {
  const networks::Network* network = networks::NetworkNamed(networks, subject.settings.network);
  if (found_.searching || !subject.card || network == nullptr) return;
  End("");  // what was found before is not said of this
  found_.searching = true;
  const advice::FitQuestion question{*network, subject.settings, *subject.card, 0, subject.allocator};
  const auto needs = std::make_shared<advice::Needs>(question.card, question.allocator);
  const Request request = latest_.Begin();
  jobs_->Start(
      "Searching the largest batch", JobEnd::kOnRequest, request,
      [this, question, needs, request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
        const auto outcome = std::make_shared<Result<advice::LargestBatch>>(
            advice::FindBatchWithRoom(question, advice::AskPhantom(needs), ProgressOf(progress)));
        return [this, question, needs, outcome, request] {
          if (!request.wanted()) return;
          if (!outcome->ok()) return End(outcome->error().message);
          found_.largest_batch = (*outcome)->batch;
          found_.largest_for = question;
          FindCheapestChanges(question, needs, request);
        };
      });
}

// What was asked for the largest batch is known, and not asked again.
void FitSearch::FindCheapestChanges(const advice::FitQuestion& question,
                                    const std::shared_ptr<advice::Needs>& needs, const Request& request) {
  jobs_->Start(
      "Searching what fits", JobEnd::kOnRequest, request,
      [this, question, needs, request](const BackgroundJobs::Progress& progress) -> BackgroundJobs::Then {
        const auto outcome = std::make_shared<Result<advice::FitAnswer>>(
            advice::FindFit(question, advice::AskPhantom(needs), ProgressOf(progress)));
        return [this, question, outcome, request] {
          if (!request.wanted()) return;
          End(outcome->ok() ? "" : outcome->error().message);
          if (!outcome->ok()) return;
          found_.question = question;
          found_.answer = std::move(**outcome);
        };
      });
}

void FitSearch::End(const std::string& error) {
  found_.searching = false;
  found_.error = error;
  found_.question.reset();
  found_.answer.reset();
}

void FitSearch::WantWaysOut() {
  found_.largest_batch.reset();
  are_ways_out_wanted_ = true;
}

bool FitSearch::TakeWanted() { return !found_.searching && std::exchange(are_ways_out_wanted_, false); }

void FitSearch::Forget() {
  latest_.Drop();
  End("");
  found_.largest_batch.reset();
  are_ways_out_wanted_ = false;
}

}  // namespace tidemark::gui
