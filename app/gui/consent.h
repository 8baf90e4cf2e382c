// What would end a program that runs, or lose a run or a recording, is held until the person says whether it
// may be done; one question at a time. UI thread only.
#pragma once

#include <functional>
#include <string>

#include "app/gui/shell/shell.h"

namespace tidemark::gui {

class Consent {
 public:
  using Then = std::function<void()>;
  struct Calls {
    std::function<void(const std::string& sentence)> tell;
    std::function<void(Then then)> keep;  // the run that is shown, and `then` once it is
    std::function<void(Then then)> save;  // the same, where the person says; `then` only if they do
  };

  // `question`: the one that is drawn; it lives longer than this.
  Consent(HeldQuestion* question, Calls calls) : question_(question), calls_(std::move(calls)) {}
  Consent(const Consent&) = delete;
  Consent& operator=(const Consent&) = delete;

  // `then` waits for the answer. One that waits already is not done, and the question's own sentence says so.
  void Ask(HeldQuestion question, Then then);
  // To the question that was asked last; nothing where none is open.
  void Answer(HeldAnswer answer);
  // The person has said that it may be: while that is done, nothing asks again.
  bool is_granted() const { return is_granted_; }

 private:
  HeldQuestion* question_;
  Calls calls_;
  Then held_;
  bool is_granted_ = false;
};

}  // namespace tidemark::gui
