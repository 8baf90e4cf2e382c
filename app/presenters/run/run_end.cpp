#include "app/presenters/run/run_end.h"

#include <vector>

#include "app/presenters/moment/level_chain.h"
#include "profiler/base/format.h"

namespace tidemark::presenters {
namespace {

using session::RunState;

constexpr const char* kIsComplete = "The run has ended in order, and its recording is complete.";

// Of a program is often told only that it ended, though its recording knows what it lacked. Told as PyTorch
// does.
std::string ShortageText(const session::RunStatus& status, const timeline::View& view) {
  if (!status.out_of_memory || view.out_of_memory().empty()) return "";
  const timeline::OutOfMemory& shortage = view.out_of_memory().back();
  return "Memory ran out: " + FormatBytes(shortage.requested_bytes, ByteUnit::kMebibytes) + " asked for, " +
         FormatBytes(shortage.free_bytes, ByteUnit::kMebibytes) + " free.";
}

std::string InARow(const std::vector<std::string>& sentences) {
  std::string row;
  for (const std::string& sentence : sentences)
    row += (row.empty() || sentence.empty() ? "" : " ") + sentence;
  return row;
}

std::string WithShortage(const session::RunStatus& status, const std::string& sentence,
                         const timeline::View& view) {
  const bool says_why = sentence.find("memory") != std::string::npos;
  return InARow({says_why ? "" : ShortageText(status, view), sentence});
}

EndNotice Bad(const std::string& sentence, const session::RunStatus& status, const timeline::View* view) {
  if (view == nullptr) return {sentence, true};
  return {InARow({WithShortage(status, sentence, *view), LossText(*view)}), true};
}

}  // namespace

std::string EndingInWords(const session::RunStatus& status, const std::string& ending,
                          const timeline::View& view) {
  return ending.empty() ? "" : WithShortage(status, ending, view);
}

EndNotice NoticeOfRun(const session::RunStatus& status, const timeline::View* view) {
  if (status.state <= RunState::kPaused) return {status.sentence, !status.sentence.empty()};
  if (status.state == RunState::kFinished) return {};
  return Bad(
      status.sentence.empty() ? "The run has ended unexpectedly. What it reported is kept." : status.sentence,
      status, view);
}

EndNotice NoticeOfOpened(const session::RunStatus& status, const events::RunDescription& description,
                         const timeline::View* view) {
  // Who records a program tells how it ended: it may have caught the error, and ended well.
  const bool ended_well = description.ending.empty() && !description.command.empty() && !status.cut_off;
  if (ended_well || (description.ending.empty() && !status.out_of_memory)) return {};
  return Bad(description.ending, status, view);
}

EndNotice NoticeOfFollowed(const session::RunStatus& status, const events::RunDescription& description,
                           const timeline::View* view) {
  if (status.state <= RunState::kPaused) return {status.sentence, false};
  if (status.state != RunState::kFinished) return NoticeOfRun(status, view);
  if (!status.sentence.empty()) return Bad(status.sentence, status, view);
  if (EndNotice notice = NoticeOfOpened(status, description, view); notice.bad) return notice;
  const std::string loss = view == nullptr ? "" : LossText(*view);
  if (status.cut_off) return {loss, false};  // nobody follows it any more
  return {InARow({kIsComplete, loss}), false};
}

}  // namespace tidemark::presenters
