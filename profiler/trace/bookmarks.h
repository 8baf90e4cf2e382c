// Moments that a person named, with what they wrote about them: kept beside a recording, in FILE with
// ".bookmarks.json" after its whole name (FORMAT.md). By time, which also an import keeps and
// which stays when old events are let go. Pure but for the two functions on files; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::trace {

inline constexpr size_t kMostBookmarkBytes = 400;  // of a text
inline constexpr size_t kMostBookmarks = 4096;     // that a file is believed to hold

struct Bookmark {
  int64_t time_ns = 0;
  std::string text;

  bool operator==(const Bookmark&) const = default;
};

// In their order of time; one at the same time is replaced, and an empty text takes it away.
void SetBookmark(Bookmark bookmark, std::vector<Bookmark>* bookmarks);

std::filesystem::path BookmarksFileOf(const std::filesystem::path& recording);
// `own`, which the recording holds itself (an imported trace), where there is no such file.
Result<std::vector<Bookmark>> LoadBookmarks(const std::filesystem::path& recording,
                                            const std::vector<Bookmark>& own = {});
// Where there are none, the file goes; unless the recording has some of its own, which it has to hide.
Status SaveBookmarks(const std::vector<Bookmark>& bookmarks, const std::filesystem::path& recording,
                     bool has_own = false);

}  // namespace tidemark::trace
