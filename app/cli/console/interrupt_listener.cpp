#include "app/cli/console/interrupt_listener.h"

#include "app/cli/console/exit_codes.h"

namespace tidemark::cli {
namespace {

volatile sig_atomic_t interrupted = 0;

}  // namespace

InterruptListener::InterruptListener() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptListener::~InterruptListener() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool InterruptListener::WasInterrupted() { return interrupted != 0; }

int ExitCodeOfFailure() { return InterruptListener::WasInterrupted() ? kExitInterrupted : kExitFailed; }

}  // namespace tidemark::cli
