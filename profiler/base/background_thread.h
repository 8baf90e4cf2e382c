// A thread of ours in a process that is not: it takes none of the program's signals, which are for the
// program's own threads, and ends with the process. Any thread.
#pragma once

#include <functional>

namespace tidemark {

void RunInBackground(std::function<void()> body);

}  // namespace tidemark
