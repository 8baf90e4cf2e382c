// What every subcommand says to the person or the program that called it.
#pragma once

#include <string>
#include <string_view>

namespace tidemark::cli {

// "tidemark: SENTENCE" on stderr; returns `exit_code` for `return Complain(...)`.
int Complain(std::string_view sentence, int exit_code);

// The whole answer on stdout, at once. A closed pipe or a full disk is a failure like any other.
int Answer(const std::string& text);

// One line on a terminal that is written over and over; silent where stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(std::string_view text);
  void Clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace tidemark::cli
