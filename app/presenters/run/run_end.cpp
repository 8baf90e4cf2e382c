#include "app/presenters/run/run_end.h"

#include "app/presenters/moment/level_chain.h"

namespace tidemark::presenters {
namespace {

using session::RunState;

constexpr const char* kIsComplete = "What it is of has ended in order, and the recording is complete.";

EndNotice Bad(const std::string& sentence, const timeline::View* view) {
  const std::string loss = view == nullptr ? "" : LossText(*view);
  return {sentence + (loss.empty() ? "" : " " + loss), true};
}

}  // namespace

EndNotice NoticeOfRun(const session::RunStatus& status, const timeline::View* view) {
  if (status.state <= RunState::kPaused) return {status.sentence, !status.sentence.empty()};
  if (status.state == RunState::kFinished) return {};
  return Bad(
      status.sentence.empty() ? "The run has ended unexpectedly. What it reported is kept." : status.sentence,
      view);
}

EndNotice NoticeOfFollowed(const session::RunStatus& status, const events::RunDescription& description,
                           const timeline::View* view) {
  if (status.state <= RunState::kPaused) return {status.sentence, false};
  if (status.state != RunState::kFinished) return NoticeOfRun(status, view);
  if (!status.sentence.empty()) return Bad(status.sentence, view);
  if (!description.ending.empty()) return Bad(description.ending, view);
  const std::string loss = view == nullptr ? "" : LossText(*view);
  if (status.cut_off) return {loss, false};  // nobody follows it any more
  return {kIsComplete + (loss.empty() ? "" : " " + loss), false};
}

}  // namespace tidemark::presenters
