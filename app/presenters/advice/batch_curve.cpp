#include "app/presenters/advice/batch_curve.h"

#include <algorithm>
#include <cmath>

namespace tidemark::presenters {
namespace {

constexpr int kTextbookPoints = 49;

networks::TrainingSettings With(networks::TrainingSettings settings, int batch) {
  settings.batch = batch;
  return settings;
}

// In equal ratios from 1 to the most.
std::vector<int> SmoothBatches() {
  std::vector<int> batches;
  for (int i = 0; i < kTextbookPoints; ++i) {
    const double share = static_cast<double>(i) / (kTextbookPoints - 1);
    const int batch = static_cast<int>(std::lround(std::pow(double{networks::kMaxBatch}, share)));
    if (batches.empty() || batches.back() < batch) batches.push_back(batch);
  }
  return batches;
}

double Distance(int a, int b) { return std::abs(std::log(a) - std::log(b)); }

}  // namespace

std::vector<int> BatchesAsked() {
  std::vector<int> batches;
  for (int batch = 1; batch <= networks::kMaxBatch; batch *= 2) batches.push_back(batch);
  return batches;
}

void BatchCurve::Continue(const Question& question, const AskTextbook& textbook,
                          const AskPrediction& phantom) {
  const bool same_curve = made_for_ && made_for_->setup == question.setup &&
                          made_for_->edition == question.edition &&
                          With(made_for_->settings, 1) == With(question.settings, 1);
  const int here = question.settings.batch;
  if (same_curve && complete_ && made_for_->settings.batch == here) return;
  made_for_ = question;
  const auto told = [&](int batch) -> std::optional<BatchPoint> {
    const std::optional<int64_t> bytes = textbook(With(question.settings, batch));
    return bytes ? std::optional(BatchPoint{batch, *bytes, false}) : std::nullopt;
  };
  textbook_here_ = told(here);
  if (!same_curve) too_large_.reset();
  if (!same_curve || !textbook_complete_) {
    textbook_.clear();
    for (const int batch : SmoothBatches()) {
      if (const auto point = told(batch)) textbook_.push_back(*point);
    }
    textbook_complete_ = textbook_.size() == SmoothBatches().size();
  }
  std::vector<int> batches = BatchesAsked();
  batches.push_back(here);
  std::sort(batches.begin(), batches.end(),
            [here](int a, int b) { return Distance(a, here) < Distance(b, here); });
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  phantom_.clear();
  phantom_here_.reset();
  complete_ = textbook_complete_ && textbook_here_;
  for (const int batch : batches) {
    if (question.setup.card.empty()) break;
    if (too_large_ && batch > too_large_->batch) {
      if (batch == here) phantom_here_ = BatchPoint{here, too_large_->bytes, true};
      continue;
    }
    const std::optional<session::Prediction> answer = phantom(With(question.settings, batch));
    complete_ = complete_ && answer.has_value();
    if (!answer || (!answer->sentence.empty() && !answer->out_of_memory)) continue;
    const BatchPoint point{batch, answer->allocated_peak_bytes, answer->out_of_memory};
    if (point.out_of_memory) too_large_ = point;
    if (batch == here) phantom_here_ = point;
    phantom_.push_back(point);
  }
  std::erase_if(phantom_,
                [&](const BatchPoint& point) { return too_large_ && point.batch > too_large_->batch; });
  std::sort(phantom_.begin(), phantom_.end(),
            [](const BatchPoint& a, const BatchPoint& b) { return a.batch < b.batch; });
}

}  // namespace tidemark::presenters
