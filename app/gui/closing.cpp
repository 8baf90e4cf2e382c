#include "app/gui/closing.h"

#include <utility>

namespace tidemark::gui {
namespace {

constexpr const char* kNotSaved = "The run is not saved, or not to its end.";

const HeldQuestion::Choice kSaveIt{"Save as…", HeldAnswer::kGoesOnOnceSaved};
const HeldQuestion::Choice kDiscardIt{"Discard", HeldAnswer::kGoesOn};
const HeldQuestion::Choice kCancel{"Cancel", HeldAnswer::kStays};

}  // namespace

HeldQuestion QuestionBeforeClosing(const AtStake& at_stake) {
  const std::string run = at_stake.run.empty() ? "this run" : at_stake.run;
  HeldQuestion question;
  question.title = at_stake.program.empty() ? "Keep " + run + "?" : at_stake.program + " still runs";
  if (!at_stake.program.empty()) question.explanation = "It ends with the window. ";
  if (!at_stake.loses_run) {
    question.choices = {{"Let it run", HeldAnswer::kStays}, {"End it", HeldAnswer::kGoesOn}};
  } else if (!at_stake.can_be_kept) {
    question.explanation += kNotSaved;
    question.choices = {kSaveIt, kDiscardIt, kCancel};
  } else {
    question.explanation += std::string(kNotSaved) + " Kept, it is under File, Earlier runs… the next time.";
    question.choices = {{"Keep and close", HeldAnswer::kGoesOnOnceKept}, kSaveIt, kDiscardIt, kCancel};
  }
  return question;
}

bool Closing::IsDue(bool is_writing) {
  if (is_writing) return false;
  return std::exchange(waits_, false);
}

void Closing::Close(bool is_run_given_up) {
  is_wanted_ = true;
  is_run_given_up_ = is_run_given_up;
}

}  // namespace tidemark::gui
