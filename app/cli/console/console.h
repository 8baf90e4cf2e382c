// What every subcommand says to the person or the program that called it. Main thread only.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/progress.h"

namespace tidemark::cli {

// Where the caller closed standard input, output or error, the next file that is opened would take its
// number, and an answer would end up in a recording. This puts something into the gap that can be neither
// read nor written. First thing in main.
void ReserveStandardStreams();

// A terminal obeys no control letters of what these say: they are shown as pictures, but for line ends and
// tabs.

// "tidemark: SENTENCE" on stderr; returns `exit_code` for `return Complain(...)`.
int Complain(std::string_view sentence, int exit_code);
// Any text on standard error; where nobody reads any more there is nobody to tell.
void Tell(const std::string& text);

// The whole answer on stdout, at once; returns the exit code. A closed pipe or a full disk is a failure like
// any other.
int Answer(const std::string& text);

// How often what takes long is told of where no terminal shows each change.
inline constexpr std::chrono::seconds kToldEvery{10};

// One line on a terminal that is written over and over. Where stderr is no terminal it is silent, or tells
// the first line and then one in `elsewhere_every`, where that is another.
class ProgressLine {
 public:
  explicit ProgressLine(std::optional<std::chrono::seconds> elsewhere_every = {});
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(std::string_view text);
  void Clear();
  // For what tells its progress (0..1) and may be cancelled by false: shows "reading 40 %", and cancels where
  // an InterruptListener was asked to.
  Progress ShowShare(const char* what);

 private:
  const bool terminal_;
  const std::optional<std::chrono::seconds> elsewhere_every_;
  std::optional<std::chrono::steady_clock::time_point> told_at_;
  std::string told_;
  bool shown_ = false;
};

}  // namespace tidemark::cli
