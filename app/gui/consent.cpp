#include "app/gui/consent.h"

#include <utility>

namespace tidemark::gui {

void Consent::Ask(HeldQuestion question, Then then) {
  const std::string overtaken = held_ ? question_->overtaken : "";
  held_ = std::move(then);
  *question_ = std::move(question);
  question_->open = true;
  if (!overtaken.empty()) calls_.tell(overtaken);
}

void Consent::Answer(HeldAnswer answer) {
  Then held = std::exchange(held_, nullptr);
  if (answer == HeldAnswer::kStays || !held) return;
  if (answer == HeldAnswer::kGoesOnOnceKept) return calls_.keep(std::move(held));
  if (answer == HeldAnswer::kGoesOnOnceSaved) return calls_.save(std::move(held));
  is_granted_ = true;
  held();
  is_granted_ = false;
}

}  // namespace tidemark::gui
