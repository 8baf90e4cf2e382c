#include "app/gui/kept_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <string>
#include <system_error>

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".tide";

// "20260314-091500 SimpleConvNet on phantom H200": sorted by name they are sorted by time.
std::string NameOf(const session::Run& run) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  constexpr size_t kLongest = 60;
  std::string title = run.description().title.substr(0, kLongest);
  const auto has_no_place = [](unsigned char c) { return c == '/' || std::iscntrl(c) != 0; };
  std::ranges::replace_if(title, has_no_place, '-');
  return title.empty() ? text : std::string(text) + " " + title;
}

// Two may come within a second.
fs::path FreeName(const fs::path& folder, const std::string& name, const std::string& ending) {
  fs::path file = folder / (name + ending);
  for (int i = 2; fs::exists(file); ++i) file = folder / fmt::format("{} {}{}", name, i, ending);
  return file;
}

std::vector<fs::path> KeptIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    if (it->path().extension() == kEnding) files.push_back(it->path());
  }
  std::ranges::sort(files);
  return files;
}

// All but the newest; what cannot be removed stays.
void RemoveOldest(const fs::path& folder) {
  const std::vector<fs::path> files = KeptIn(folder);
  uintmax_t bytes = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const fs::path& file = files[files.size() - 1 - i];
    std::error_code ignored;
    const uintmax_t of_file = fs::file_size(file, ignored);
    if (!ignored) bytes += of_file;
    if (i == 0 || (i < kMostKept && bytes <= kMostKeptBytes)) continue;
    fs::remove(file, ignored);
    fs::remove(trace::BookmarksFileOf(file), ignored);
  }
}

}  // namespace

fs::path KeptRunsFolder() {
  if (const char* xdg = std::getenv("XDG_STATE_HOME"); xdg != nullptr && *xdg == '/')
    return fs::path(xdg) / "tidemark" / "runs";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".local" / "state" / "tidemark" / "runs";
  return {};
}

Result<std::optional<fs::path>> KeepRun(const session::Run& run,
                                        const std::vector<trace::Bookmark>& bookmarks,
                                        const fs::path& folder) {
  if (folder.empty() || run.has_file() || run.view()->empty()) return std::optional<fs::path>();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error{"The folder " + folder.string() + " cannot be made (" + failure.message() + ")."};
  const std::string name = NameOf(run);
  std::vector<const session::Run*> ranks = run.ranks();
  const bool is_alone = ranks.empty();
  if (is_alone) ranks.push_back(&run);
  std::optional<fs::path> first;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const std::string ending = is_alone ? kEnding : ".rank" + std::to_string(i) + kEnding;
    const fs::path file = FreeName(folder, name, ending);
    if (const Status saved = ranks[i]->Save(file); !saved) return saved.error();
    if (!first) first = file;
  }
  const Status noted = trace::SaveBookmarks(bookmarks, *first);
  RemoveOldest(folder);
  if (!noted) return noted.error();
  return first;
}

bool HasKeptRuns(const fs::path& folder) { return !KeptIn(folder).empty(); }

}  // namespace tidemark::gui
