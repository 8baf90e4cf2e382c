#include "profiler/trace/bookmarks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "profiler/base/utf8.h"
#include "profiler/base/whole_file.h"
#include "profiler/trace/output_file.h"

namespace tidemark::trace {
namespace {

constexpr size_t kMostBookmarksFileBytes = 4 << 20;
constexpr const char* kLeftAlone = " It is left as it is; no bookmarks are shown.";

}  // namespace

void SetBookmark(Bookmark bookmark, std::vector<Bookmark>* bookmarks) {
  std::erase_if(*bookmarks, [&](const Bookmark& other) { return other.time_ns == bookmark.time_ns; });
  if (bookmark.text.empty()) return;
  const auto after =
      std::upper_bound(bookmarks->begin(), bookmarks->end(), bookmark.time_ns,
                       [](int64_t time_ns, const Bookmark& other) { return time_ns < other.time_ns; });
  bookmarks->insert(after, std::move(bookmark));
}

std::filesystem::path BookmarksFileOf(const std::filesystem::path& recording) {
  return recording.string() + ".bookmarks.json";
}

Result<std::vector<Bookmark>> LoadBookmarks(const std::filesystem::path& recording,
                                            const std::vector<Bookmark>& own) {
  const std::filesystem::path file = BookmarksFileOf(recording);
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) return own;
  const Result<std::string> text = ReadWholeFile(file, kMostBookmarksFileBytes);
  if (!text) return Error{"The bookmarks in " + file.string() + " cannot be read." + kLeftAlone};
  const nlohmann::json all = nlohmann::json::parse(*text, nullptr, false);
  if (!all.is_array())
    return Error{"The bookmarks in " + file.string() + " are not a JSON array." + kLeftAlone};
  std::vector<Bookmark> bookmarks;
  for (const nlohmann::json& entry : all) {
    if (bookmarks.size() == kMostBookmarks) break;
    if (!entry.is_object()) continue;
    const auto time = entry.find("time_ns");
    const auto words = entry.find("text");
    if (time == entry.end() || !time->is_number_integer() || words == entry.end() || !words->is_string())
      continue;
    SetBookmark(
        {time->get<int64_t>(), std::string(FirstLetters(words->get<std::string>(), kMostBookmarkBytes))},
        &bookmarks);
  }
  return bookmarks;
}

Status SaveBookmarks(const std::vector<Bookmark>& bookmarks, const std::filesystem::path& recording,
                     bool has_own) {
  const std::filesystem::path file = BookmarksFileOf(recording);
  if (bookmarks.empty() && !has_own) {
    std::error_code failure;
    std::filesystem::remove(file, failure);
    const bool never_was = failure == std::errc::filename_too_long;  // the recording's name is not
    if (failure && !never_was) return Error{file.string() + " cannot be removed: " + failure.message() + "."};
    return Done{};
  }
  nlohmann::json all = nlohmann::json::array();
  for (const Bookmark& bookmark : bookmarks)
    all.push_back({{"time_ns", bookmark.time_ns}, {"text", bookmark.text}});
  return WriteWhole(all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", file);
}

}  // namespace tidemark::trace
