// Ctrl-C for a command that has something to keep or to put away when it ends early. Main thread only.
#pragma once

#include <signal.h>  // sigaction is POSIX, not in <csignal>

#include <array>

namespace tidemark::cli {

// While one of these lives, Ctrl-C (or SIGTERM) asks the command to end in order; before and after, it ends
// the program. More of them change nothing: some senders (timeout, for one) send two. Where whoever started
// the program had it ignored, as a script does for what it starts in the background, it stays so.
class InterruptListener {
 public:
  InterruptListener();
  ~InterruptListener();
  InterruptListener(const InterruptListener&) = delete;
  InterruptListener& operator=(const InterruptListener&) = delete;

  // Whether the program was ever asked.
  static bool WasInterrupted();

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

// Of a command that did not do what it was to: kExitInterrupted where it was asked to end, else kExitFailed.
int ExitCodeOfFailure();

}  // namespace tidemark::cli
