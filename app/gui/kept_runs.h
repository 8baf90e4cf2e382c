// Recordings of runs that nobody saved: kept when the window shows another run or closes, so that none is
// lost. In a folder of their own, the newest kMostKept of them, of kMostKeptBytes at most. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

inline constexpr size_t kMostKept = 20;
inline constexpr uintmax_t kMostKeptBytes = uintmax_t{4} << 30;

// $XDG_STATE_HOME/tidemark/runs, or ~/.local/state/tidemark/runs; "" where neither is set: nothing is kept.
std::filesystem::path KeptRunsFolder();

// Writes what has no file (each rank of its own) and removes the oldest that are too many. Returns the file,
// of ranks the first; none where a file holds the run, or nothing happened in it. Errors: it cannot be
// written.
Result<std::optional<std::filesystem::path>> KeepRun(const session::Run& run,
                                                     const std::vector<trace::Bookmark>& bookmarks,
                                                     const std::filesystem::path& folder);

// A run that is shown no more, which nobody may have saved.
struct LeavingRun {
  std::shared_ptr<session::Run> run;  // none = there was none
  std::vector<trace::Bookmark> bookmarks;
  bool is_saved = false;
};
// As KeepRun.
using KeptRun = Result<std::optional<std::filesystem::path>>;
KeptRun KeepUnsaved(const LeavingRun& leaving, const std::filesystem::path& folder);

// Whether there is any.
bool HasKeptRuns(const std::filesystem::path& folder);

}  // namespace tidemark::gui
