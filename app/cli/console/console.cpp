#include "app/cli/console/console.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "profiler/base/standard_error.h"

namespace tidemark::cli {

void ReserveStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free number is this stream's. Opened the wrong way round, so that its use still fails.
    const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != stream && opened >= 0) close(opened);
  }
}

void Tell(const std::string& text) { WriteToStandardError(AsShown(text)); }

int Complain(std::string_view sentence, int exit_code) {
  TellSentence(sentence);
  return exit_code;
}

int Answer(const std::string& answer) {
  const std::string text = AsShown(answer);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return kExitDone;
  return Complain(
      fmt::format("The answer could not be written to standard output: {}.", std::strerror(errno)),
      kExitFailed);
}

ProgressLine::ProgressLine(std::optional<std::chrono::seconds> elsewhere_every)
    : terminal_(isatty(STDERR_FILENO) == 1), elsewhere_every_(elsewhere_every) {}
ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(std::string_view text) {
  if (!terminal_) {
    const auto now = std::chrono::steady_clock::now();
    if (!elsewhere_every_ || (told_at_ && now - *told_at_ < *elsewhere_every_)) return;
    if (text == told_) return;  // a log needs it once
    told_at_ = now;
    told_ = text;
    Complain(text, kExitDone);
    return;
  }
  WriteToStandardError("\r\033[K" + AsShown(text));
  shown_ = true;
}

void ProgressLine::Clear() {
  if (!shown_) return;
  WriteToStandardError("\r\033[K");
  shown_ = false;
}

Progress ProgressLine::ShowShare(const char* what) {
  return [this, what](double share) {
    Show(fmt::format("{} {:.0f} %", what, share * 100));
    return !InterruptListener::WasInterrupted();
  };
}

}  // namespace tidemark::cli
