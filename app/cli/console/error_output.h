// The standard error of a program that the window starts: passed on to ours as it comes, and its last lines
// are kept, so that the window can say why it failed. One thread makes and asks it; another of its own reads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "profiler/base/unique_fd.h"

namespace tidemark::cli {

class ErrorOutput {
 public:
  ErrorOutput();  // where no pipe is to be had the program writes to ours, and nothing is kept

  // What the program's standard error is to be; -1 = ours.
  int fd() const { return to_us_.get(); }
  // After its end, once: what it wrote last. Waits for it a fifth of a second at most: what the program has
  // started may write on.
  std::string LastLines();

 private:
  struct Kept;
  UniqueFd to_us_;
  std::shared_ptr<Kept> kept_;
};

// The last lines that are not empty, 12 at most, as a terminal shows them: without colours, and of a progress
// bar that overwrites itself only what stands there at last; the phantom's remarks are left out.
std::string LastLinesOf(std::string_view written);

}  // namespace tidemark::cli
