#include "app/gui/batch_search.h"

#include <algorithm>

namespace tidemark::gui {

void BatchSearch::Begin(const networks::TrainingSettings& failed) {
  settings_ = failed;
  fits_ = 0;
  too_large_ = failed.batch;
  found_.reset();
  if (failed.batch <= 1) found_ = 1;
}

void BatchSearch::Continue(const AskPrediction& ask) {
  while (too_large_ > 0 && !found_) {
    if (too_large_ - fits_ <= std::max(1, fits_ / 64)) {
      found_ = std::max(1, fits_);
      return;
    }
    networks::TrainingSettings question = settings_;
    question.batch = (fits_ + too_large_) / 2;
    const std::optional<session::Prediction> answer = ask(question);
    if (!answer) return;
    if (!answer->out_of_memory && !answer->sentence.empty()) {
      found_ = std::max(1, settings_.batch / 2);
      return;
    }
    (answer->out_of_memory ? too_large_ : fits_) = question.batch;
  }
}

}  // namespace tidemark::gui
