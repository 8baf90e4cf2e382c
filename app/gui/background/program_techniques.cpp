#include "app/gui/background/program_techniques.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "profiler/session/card_fit.h"

namespace tidemark::gui {

bool IsSameProgram(const session::ProgramOrder& one, const session::ProgramOrder& other) {
  const auto what = [](const session::ProgramOrder& order) {
    return std::tie(order.command, order.card, order.memory, order.argument);
  };
  return what(one) == what(other);
}

bool ProgramTechniques::has_answers() const {
  return std::any_of(rows.begin() + 1, rows.end(),
                     [](const TechniqueRow& row) { return row.answer.has_value(); });
}

std::optional<session::TechniqueAnswer> AnswerOf(const timeline::View& view, const session::RunStatus& status,
                                                 const phantom::Card& card) {
  using session::RunState;
  if (status.state <= RunState::kPaused) return std::nullopt;
  session::TechniqueAnswer answer;
  answer.fits = status.state == RunState::kFinished && !view.empty();
  answer.ran_out = !answer.fits && status.out_of_memory;
  if (answer.fits) {
    answer.allocated_bytes = session::HighestOfCards(view).allocated_bytes;
    answer.held = session::HeldBy(view, card);
  } else if (!answer.ran_out) {  // of which the verdict says enough
    answer.failure = status.sentence.empty() ? "it asked for no memory" : status.sentence;
  }
  return answer;
}

void TechniqueInbox::Put(size_t order, const session::TechniqueAnswer& answer) {
  const MutexLock lock(mutex_);
  answers_.insert_or_assign(order, answer);
  has_new_ = true;
}

bool TechniqueInbox::MoveTo(ProgramTechniques& techniques) {
  const MutexLock lock(mutex_);
  if (!std::exchange(has_new_, false)) return false;
  for (const auto& [order, answer] : answers_) {
    if (order + 1 < techniques.rows.size()) techniques.rows[order + 1].answer = answer;
  }
  return true;
}

}  // namespace tidemark::gui
