// A run with what a person wrote about it, for whoever writes both.
#pragma once

#include <vector>

#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::session {

struct NotedRun {
  const Run& run;
  std::vector<trace::Bookmark> bookmarks;
};

}  // namespace tidemark::session
