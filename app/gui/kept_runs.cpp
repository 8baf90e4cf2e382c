#include "app/gui/kept_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/gui/shell/kept_run_name.h"
#include "app/presenters/moment/settings_change.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/ranks.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".tide";

bool HasNameThatBegins(const fs::path& folder, const std::string& text) {
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    if (it->path().filename().string().starts_with(text)) return true;
  }
  return false;
}

// Whole letters of UTF-8, of so many bytes at most.
std::string Shortened(std::string text, size_t most) {
  const auto goes_on = [&](size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  if (text.size() <= most) return text;
  while (most > 0 && goes_on(most)) --most;
  text.resize(most);
  return text;
}

// With the settings that it had last, as it is called.
std::string PeakOf(const timeline::View& view) {
  const timeline::Step* const first = timeline::FirstWithLastSettings(view);
  const auto peak = view.PeakIn(
      view.peak_level(), first == nullptr ? view.first() : std::max(first->begin, view.first()), view.end());
  const int64_t bytes = ValueOf(peak.values, view.peak_level());
  return bytes == 0 ? "" : ", peak " + FormatBytes(bytes, ByteUnit::kMegabytes);
}

// ", batch 64, fp16 on": by what runs of one network are told apart, as it was last.
std::string ChosenIn(const timeline::View& view) {
  const auto settings = presenters::LastSettings(view);
  if (!settings) return "";
  networks::TrainingSettings usual;
  usual.network = settings->network;
  usual.batch = settings->batch;
  const std::string changes = networks::DescribeChange(usual, *settings);
  return fmt::format(", batch {}{}{}", settings->batch, changes.empty() ? "" : ", ", changes);
}

// "20260314-091500 SimpleConvNet on phantom H200, batch 64, peak 182.1 MB", and a second one's
// "20260314-091500.2 ...", for a blank is before a point: sorted by name they are sorted by time.
std::string NameIn(const fs::path& folder, const std::string& title, const std::string& chosen,
                   const std::string& peak) {
  constexpr size_t kLongest = 60;  // of either; a file's name may have 255 bytes
  std::string shown = Shortened(title.empty() ? "run" : title, kLongest) + Shortened(chosen, kLongest);
  const auto has_no_place = [](unsigned char c) { return c == '/' || std::iscntrl(c) != 0; };
  std::ranges::replace_if(shown, has_no_place, '-');
  const std::string time = KeptTime(std::time(nullptr));
  std::string unused = time;
  for (int i = 2; HasNameThatBegins(folder, unused + ' '); ++i) unused = fmt::format("{}.{}", time, i);
  return unused + ' ' + shown + peak;
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

// Of ranks each has a file of its own, under one name.
std::string RunOf(const fs::path& file) { return session::RecordingOfAllRanks(file).stem().string(); }

// The files of one run, and when the last of them was written. Names tell local time, which goes back now
// and then.
struct RunFiles {
  std::string name;
  std::vector<fs::path> files;
  fs::file_time_type written = fs::file_time_type::min();
  uintmax_t bytes = 0;

  void Add(const fs::path& file) {
    files.push_back(file);
    std::error_code is_gone;  // somebody else removed it meanwhile
    const fs::file_time_type time = fs::last_write_time(file, is_gone);
    if (!is_gone) written = std::max(written, time);
    const uintmax_t size = fs::file_size(file, is_gone);
    if (!is_gone) bytes += size;
  }
};

// What was written last comes first, `kept` before all.
std::vector<RunFiles> NewestFirst(const fs::path& folder, const std::string& kept) {
  std::map<std::string, RunFiles> by_name;
  for (const fs::path& file : KeptIn(folder)) by_name[RunOf(file)].Add(file);
  std::vector<RunFiles> runs;
  for (auto& [name, run] : by_name) {
    run.name = name;
    runs.push_back(std::move(run));
  }
  const auto rank = [&](const RunFiles& run) { return std::tuple(run.name == kept, run.written, run.name); };
  std::ranges::sort(runs, std::ranges::greater(), rank);
  return runs;
}

// All but the newest runs, each whole; what cannot be removed stays.
void RemoveOldest(const fs::path& folder, const std::string& kept) {
  uintmax_t bytes = 0;
  size_t count = 0;
  for (const RunFiles& run : NewestFirst(folder, kept)) {
    bytes += run.bytes;
    const bool is_one_too_many = count >= kMostKept || bytes > kMostKeptBytes;
    if (count++ == 0 || !is_one_too_many) continue;
    std::error_code ignored;
    for (const fs::path& file : run.files) {
      fs::remove(file, ignored);
      fs::remove(trace::BookmarksFileOf(file), ignored);
    }
  }
}

// By which the files of ranks are told apart: their own, since others than the first may be all that a
// machine has. Their places where they have none.
std::vector<int> NumbersOf(const std::vector<const session::Run*>& ranks) {
  std::vector<int> numbers;
  numbers.reserve(ranks.size());
  for (const session::Run* rank : ranks) numbers.push_back(rank->description().rank);
  if (std::set(numbers.begin(), numbers.end()).size() < numbers.size())
    std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

fs::path KeptRunsFolder() {
  if (const char* xdg = std::getenv("XDG_STATE_HOME"); xdg != nullptr && *xdg == '/')
    return fs::path(xdg) / "tidemark" / "runs";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".local" / "state" / "tidemark" / "runs";
  return {};
}

std::vector<const session::Run*> ProcessesOf(const session::Run& run) {
  std::vector<const session::Run*> processes = run.ranks();
  if (processes.empty()) processes.push_back(&run);
  return processes;
}

std::string WhatIsMissing(const KeptFile& kept) {
  return kept.without_bookmarks.empty() ? "" : ", but not its bookmarks. " + kept.without_bookmarks;
}

KeptRun KeepRun(const LeavingRun& leaving, const fs::path& folder) {
  if (leaving.run == nullptr || !leaving.needs_keeping) return std::optional<KeptFile>();
  const session::Run& run = *leaving.run;
  if (folder.empty() || run.has_file() || run.view()->empty()) return std::optional<KeptFile>();
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return Error{"The folder " + folder.string() + " cannot be made (" + failure.message() + ")."};
  const std::string name =
      NameIn(folder, leaving.title, ChosenIn(*run.view()), leaving.is_veiled ? "" : PeakOf(*run.view()));
  const std::vector<const session::Run*> ranks = ProcessesOf(run);
  const std::vector<int> numbers = NumbersOf(ranks);
  KeptFile kept;
  Status noted = Done{};
  for (size_t i = 0; i < ranks.size(); ++i) {
    const fs::path whole = folder / (name + kEnding);
    const fs::path file = ranks.size() == 1 ? whole : session::RecordingOfRank(whole, numbers[i]);
    if (const Status saved = ranks[i]->Save(file); !saved) return saved.error();
    if (i == 0) kept.file = file;
    const auto bookmarks = leaving.bookmarks.find(ranks[i]);
    if (noted && bookmarks != leaving.bookmarks.end()) noted = trace::SaveBookmarks(bookmarks->second, file);
  }
  RemoveOldest(folder, RunOf(kept.file));
  if (!noted) kept.without_bookmarks = noted.error().message;
  return std::optional(kept);
}

bool HasKeptRuns(const fs::path& folder) { return !KeptIn(folder).empty(); }

}  // namespace tidemark::gui
