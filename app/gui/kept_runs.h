// Recordings of runs that nobody saved: kept when the window shows another run or closes, so that none is
// lost. In a folder of their own, the newest kMostKept of them, of kMostKeptBytes at most. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

inline constexpr size_t kMostKept = 20;
inline constexpr uintmax_t kMostKeptBytes = uintmax_t{4} << 30;

// $XDG_STATE_HOME/tidemark/runs, or ~/.local/state/tidemark/runs; "" where neither is set: nothing is kept.
std::filesystem::path KeptRunsFolder();

// Its ranks; itself where it is one alone.
std::vector<const session::Run*> ProcessesOf(const session::Run& run);

// What a person noted, in each rank of a run by itself; in a run that is one alone by the run.
using BookmarksOfRanks = std::map<const session::Run*, std::vector<trace::Bookmark>>;

// A run that is shown no more.
struct LeavingRun {
  std::shared_ptr<session::Run> run;  // none = there was none
  BookmarksOfRanks bookmarks = {};
  bool needs_keeping = false;  // somebody made it, and nobody saved it
  std::string title = {};      // "SimpleConvNet on phantom NVIDIA H200"
  bool is_veiled = false;      // a lesson asks for its peak, which its file's name leaves out then
};
// One that is in the folder now.
struct KeptFile {
  std::filesystem::path file;     // of ranks the first
  std::string without_bookmarks;  // why they are not beside it; "" = they are
};
using KeptRun = Result<std::optional<KeptFile>>;
// ", but not its bookmarks. Why.", to be told behind where it is; "" where nothing of it is missing.
std::string WhatIsMissing(const KeptFile& kept);
// Writes what needs keeping and has no file (each rank of its own, with its bookmarks) and removes those that
// were written before the others and are too many, never what it has just written. None where there is
// nothing to keep. Errors: it cannot be written.
KeptRun KeepRun(const LeavingRun& leaving, const std::filesystem::path& folder);

// Whether there is any.
bool HasKeptRuns(const std::filesystem::path& folder);

}  // namespace tidemark::gui
