#include "app/gui/run_notices.h"

#include <utility>

#include "profiler/base/clock.h"

namespace tidemark::gui {
namespace {

using presenters::LogLevel;

constexpr int64_t kStepsPerEpoch = 50;

}  // namespace

RunNotices::RunNotices(std::vector<Toast>* toasts)
    : toasts_(toasts), log_(std::make_unique<presenters::RunLog>(kStepsPerEpoch)) {}

void RunNotices::Tell(LogLevel level, const std::string& text) {
  Note(level, text);
  toasts_->push_back(ToastOf(text, level));
}

void RunNotices::Note(LogLevel level, const std::string& text) {
  told_.push_back({RealtimeNs(), level, text});
  log_->Add(told_.back());
}

void RunNotices::Complain(const std::string& text) {
  Tell(LogLevel::kWarning, text);
  complaints_.push_back(told_.back());
  told_.pop_back();
}

RunNotices::Lines RunNotices::OfThisMatter() const {
  return {told_.begin() + static_cast<std::ptrdiff_t>(matter_begins_), told_.end()};
}

void RunNotices::BeginRun(Lines told) {
  told_ = std::move(told);
  matter_begins_ = 0;
  BeginPart();
}

void RunNotices::BeginPart() {
  log_ = std::make_unique<presenters::RunLog>(kStepsPerEpoch);
  for (const Lines* lines : {&complaints_, &told_}) {
    for (const presenters::LogLine& line : *lines) log_->Add(line);
  }
}

void RunNotices::Update(const events::RunDescription& description, const timeline::View& view,
                        const timeline::GraphReplays& replays, bool has_ended) {
  log_->Describe(description);
  log_->Update(view);
  if (has_ended) log_->Finish(view, replays);
}

}  // namespace tidemark::gui
