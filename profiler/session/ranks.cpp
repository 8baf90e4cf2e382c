#include "profiler/session/ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "profiler/base/digits.h"
#include "profiler/base/format.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/shell_words.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::session {
namespace {

// Each holds one whole recording.
constexpr unsigned kMostReadAtOnce = 4;

int64_t NumberAt(std::string_view text, size_t at) {
  int64_t number = -1;
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

// Of all curves of a rank together, but for one part a step at least.
constexpr size_t kMostParts = 4096;
constexpr size_t kMostPartsOfAStep = 1024;

std::vector<RankPeaks::Curve> CurvesOf(const timeline::View& view) {
  std::vector<timeline::EventIndex> begins = {view.first()};
  for (const timeline::Step& step : view.steps()) begins.push_back(std::max(step.begin, begins.back()));
  begins.push_back(view.end());
  const size_t most = std::clamp<size_t>(kMostParts / (begins.size() - 1), 1, kMostPartsOfAStep);
  std::vector<timeline::EventIndex> edges = {view.first()};
  std::vector<size_t> parts;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    const uint64_t events = begins[i + 1] - begins[i];
    parts.push_back(std::min<uint64_t>(events, most));
    for (size_t part = 1; part <= parts.back(); ++part)
      edges.push_back(begins[i] + events * part / parts.back());
  }
  std::vector<timeline::View::Column> columns(edges.size() - 1);
  if (!columns.empty()) view.Columns(edges, timeline::kAllCategories, columns);
  std::vector<RankPeaks::Curve> curves;
  auto column = columns.begin();
  for (size_t i = 0; i < parts.size(); ++i) {
    RankPeaks::Curve& curve = curves.emplace_back();
    if (i > 0) curve.step = view.steps()[i - 1].number;
    for (size_t part = 0; part < parts[i]; ++part, ++column)
      curve.highest.push_back(timeline::ValueOf(column->peak.values, timeline::Series::kAllocated));
  }
  return curves;
}

RankPeaks PeaksOfRank(const RankSoFar& rank, bool with_curves) {
  const auto& view = rank.view;
  RankPeaks peaks;
  peaks.warning = rank.status.sentence;
  peaks.out_of_memory = rank.status.out_of_memory;
  if (!peaks.out_of_memory) peaks.times_survived = static_cast<int64_t>(view->out_of_memory().size());
  const auto highest = [&view](timeline::Series series) {
    const auto peak = view->PeakIn(series, view->first(), view->end());
    return timeline::ValueOf(peak.values, series);
  };
  peaks.allocated = highest(timeline::Series::kAllocated);
  peaks.reserved = highest(timeline::Series::kReserved);
  if (with_curves) peaks.curves = CurvesOf(*view);
  std::map<int64_t, RankPeaks::Step> steps;
  for (const timeline::Step& step : view->steps()) {
    steps[step.number] = {step.number, timeline::ValueOf(step.at_peak, timeline::Series::kAllocated),
                          step.reserved_peak};
  }
  for (const auto& [number, step] : steps) peaks.steps.push_back(step);
  return peaks;
}

// Of a command the script; else the module, or the program itself. And what it was given.
void TakeProgram(const std::string& command, RankPeaks* peaks) {
  const std::vector<std::string> words = OutOfShell(command);
  if (words.empty()) return;
  size_t at = 0;
  while (at < words.size() && !words[at].ends_with(".py") && (at == 0 || words[at - 1] != "-m")) ++at;
  if (at == words.size()) at = 0;
  peaks->program = words[at];
  peaks->arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
}

// The option that a word is given to, without its dashes: "local_rank" of --local-rank=3 and of
// --local_rank 3.
std::string OptionOf(const RankPeaks& rank, size_t argument) {
  const std::string& word = rank.arguments[argument];
  const size_t equals = word.find('=');
  std::string option = equals != std::string::npos ? word.substr(0, equals)
                       : argument == 0             ? ""
                                                   : rank.arguments[argument - 1];
  option.erase(0, option.find_first_not_of('-'));
  std::ranges::replace(option, '-', '_');
  return option;
}

// Each whole number in it that is its rank's is "#".
std::string WithoutRank(const RankPeaks& rank, size_t argument) {
  const std::string& word = rank.arguments[argument];
  std::string without;
  for (size_t at = 0; at < word.size();) {
    size_t end = at;
    while (end < word.size() && IsDigit(word[end])) ++end;
    const std::string number = word.substr(at, end - at);
    without += number.empty() ? word.substr(at, 1) : number == std::to_string(rank.rank) ? "#" : number;
    at = std::max(end, at + 1);
  }
  return without;
}

// Launchers tell each rank its own number, and a person its GPU and its files: --local_rank=3, --device
// cuda:3,
// --log rank3.log.
bool DifferByRanks(const RankPeaks& one, const RankPeaks& other, size_t argument) {
  constexpr std::array<std::string_view, 6> kOfRanks = {"rank",         "local_rank", "node_rank",
                                                        "machine_rank", "device",     "gpu"};
  const std::string option = OptionOf(one, argument);
  if (option == OptionOf(other, argument) && std::ranges::count(kOfRanks, option) > 0) return true;
  return WithoutRank(one, argument) == WithoutRank(other, argument);
}

// "--batch 64" where the others have "--batch 8"; "" where both were given the same, but for their ranks.
std::string ChangeOfArguments(const RankPeaks& first, const RankPeaks& other) {
  const auto all = [](const RankPeaks& rank) {
    return rank.arguments.empty() ? std::string("none") : fmt::format("{}", fmt::join(rank.arguments, " "));
  };
  std::string change = all(first) + " → " + all(other);
  if (first.arguments.size() != other.arguments.size()) return change;
  for (size_t i = 0; i < first.arguments.size(); ++i) {
    const bool is_same = first.arguments[i] == other.arguments[i];
    if (!is_same && !DifferByRanks(first, other, i)) return change;
  }
  return "";
}

RankPeaks PeaksOfFile(const Run& run, const std::filesystem::path& file) {
  RankPeaks peaks = PeaksOfRank({run.view(), run.status()}, true);
  const events::RunDescription description = run.description();
  peaks.rank = RankInName(file);  // a person may have named it
  if (peaks.rank < 0) peaks.rank = description.rank;
  peaks.file = file;
  if (description.process_id > 0 && !description.title.empty())
    peaks.name = fmt::format("{}, process {}", description.title, description.process_id);
  const auto settings = networks::SettingsFromJson(description.settings_json);
  if (settings) peaks.settings = *settings;
  if (settings) {
    peaks.program = settings->network;
  } else {
    TakeProgram(description.command, &peaks);
  }
  return peaks;
}

// Files that are read by several threads, in turn.
class RankReading {
 public:
  RankReading(std::span<const std::filesystem::path> files, const Progress& progress)
      : files_(files), progress_(progress), read_(files.size()), shares_(files.size()) {}

  void Run() {
    const size_t readers =
        std::min<size_t>(files_.size(), std::clamp(std::thread::hardware_concurrency(), 1U, kMostReadAtOnce));
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < readers; ++i) threads.emplace_back([this] { ReadFiles(); });
    ReadFiles();
  }

  bool cancelled() const { return cancelled_; }
  std::vector<std::optional<Result<RankPeaks>>>& read() { return read_; }

 private:
  void ReadFiles() {
    for (size_t next = next_++; next < files_.size() && !cancelled_; next = next_++) {
      const auto run = Run::Open(files_[next], [this, next](double share) { return Report(next, share); });
      read_[next] = run ? Result<RankPeaks>(PeaksOfFile(**run, files_[next])) : run.error();
      Report(next, 1);
    }
  }

  bool Report(size_t file, double share) {
    if (!progress_) return true;
    const MutexLock lock(mutex_);
    sum_ += share - shares_[file];
    shares_[file] = share;
    if (!progress_(std::clamp(sum_ / static_cast<double>(files_.size()), 0.0, 1.0))) cancelled_ = true;
    return !cancelled_;
  }

  const std::span<const std::filesystem::path> files_;
  const Progress& progress_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> cancelled_ = false;
  std::vector<std::optional<Result<RankPeaks>>> read_;  // each element by one thread
  Mutex mutex_;
  std::vector<double> shares_ TIDEMARK_GUARDED_BY(mutex_);
  double sum_ TIDEMARK_GUARDED_BY(mutex_) = 0;  // of them
};

// Each file once; of the others a sentence each.
std::vector<std::filesystem::path> EachOnce(std::span<const std::filesystem::path> files,
                                            std::vector<std::string>& repeated) {
  std::set<std::filesystem::path> known;
  std::vector<std::filesystem::path> once;
  for (const std::filesystem::path& file : files) {
    std::error_code unknown;  // then its name is all there is to tell it by
    const std::filesystem::path place = std::filesystem::weakly_canonical(file, unknown);
    if (known.insert(unknown ? file : place).second) {
      once.push_back(file);
    } else {
      repeated.push_back(file.string() + " was named before, and counts once.");
    }
  }
  return once;
}

// Numbers that two of them share say nothing of ranks, and neither do those of different runs.
bool HaveNumbersOfRanks(const Ranks& all) {
  std::set<int64_t> numbers;
  for (const RankPeaks& peaks : all.ranks) numbers.insert(peaks.rank);
  return numbers.size() == all.ranks.size() && WhyNotOneRun(all).empty();
}

void NumberByPlace(Ranks& all) {
  for (size_t i = 0; i < all.ranks.size(); ++i) all.ranks[i].rank = static_cast<int64_t>(i);
}

bool HaveNamesOfTheirOwn(const Ranks& all) {
  std::set<std::string> names;
  for (const RankPeaks& peaks : all.ranks) names.insert(peaks.name);
  return names.size() == all.ranks.size() && !names.contains("");
}

void NameByFiles(Ranks& all) {
  for (RankPeaks& peaks : all.ranks) peaks.name = peaks.file.filename().string();
  if (HaveNamesOfTheirOwn(all)) return;
  for (RankPeaks& peaks : all.ranks) peaks.name = peaks.file.string();
}

// What was read of each file: ranks, where that is told; else processes; else whatever the files are.
void TellWhatTheyAre(Ranks& all) {
  const bool is_any_told = std::ranges::any_of(all.ranks, [](const RankPeaks& peaks) {
    return peaks.rank > 0 || RankInName(peaks.file) >= 0;  // 0 also where nobody told one
  });
  if (is_any_told && HaveNumbersOfRanks(all)) {
    for (RankPeaks& peaks : all.ranks) peaks.name.clear();
    return;
  }
  NumberByPlace(all);
  const bool are_processes = HaveNamesOfTheirOwn(all);
  if (!are_processes) NameByFiles(all);
  all.one = are_processes ? "process" : "recording";
  all.many = are_processes ? "processes" : "recordings";
}

}  // namespace

std::string WhyNotOneRun(const Ranks& ranks) {
  std::set<std::string> programs;
  std::string changes;
  std::string arguments;
  const RankPeaks* first_trained = nullptr;
  const RankPeaks* first_started = nullptr;
  for (const RankPeaks& rank : ranks.ranks) {
    if (!rank.program.empty()) programs.insert(rank.program);
    if (rank.program.empty() && !rank.settings) continue;
    const RankPeaks*& first = rank.settings ? first_trained : first_started;
    if (first == nullptr) first = &rank;
    if (!rank.settings) {
      if (arguments.empty()) arguments = ChangeOfArguments(*first, rank);
      continue;
    }
    networks::TrainingSettings settings = *rank.settings;
    settings.data = first->settings->data;  // each machine may have it elsewhere
    if (changes.empty()) changes = networks::DescribeChange(*first->settings, settings);
  }
  const auto told = [](std::string_view what, const std::string& how) {
    return fmt::format("These are recordings of {} ({}), not of one run's ranks.", what, how);
  };
  if (programs.size() > 1) return told("different programs", fmt::format("{}", fmt::join(programs, ", ")));
  if (!changes.empty()) return told("runs with different settings", changes);
  return arguments.empty() ? ""
                           : told("runs of " + *programs.begin() + " with different arguments", arguments);
}

bool AreRanks(const Ranks& ranks) { return ranks.one == Ranks().one; }

std::string NameOf(const RankPeaks& peaks) {
  return peaks.name.empty() ? "rank " + std::to_string(peaks.rank) : peaks.name;
}

std::string CountOf(const Ranks& ranks) {
  const size_t count = ranks.ranks.size();
  return fmt::format("{} {}", FormatNumber(static_cast<int64_t>(count)), count == 1 ? ranks.one : ranks.many);
}

std::string MissingRanks(const Ranks& ranks) {
  constexpr size_t kMostNamed = 8;
  if (!AreRanks(ranks)) return "";
  std::set<int64_t> there;
  for (const RankPeaks& rank : ranks.ranks) there.insert(rank.rank);
  std::vector<int64_t> missing;
  const int64_t highest = there.empty() ? 0 : *there.rbegin();
  if (highest >= static_cast<int64_t>(kMostRanks)) return "";  // no number of a rank
  for (int64_t rank = 0; rank < highest; ++rank) {
    if (!there.contains(rank)) missing.push_back(rank);
  }
  if (missing.empty()) return "";
  const size_t more = missing.size() - std::min(missing.size(), kMostNamed);
  missing.resize(missing.size() - more);
  return fmt::format("There is no recording of rank{} {}{} that can be read.", missing.size() == 1 ? "" : "s",
                     fmt::join(missing, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", FormatNumber(static_cast<int64_t>(more))));
}

std::vector<RankSoFar> RanksSoFar(const Run& run) {
  std::vector<RankSoFar> ranks;
  for (const Run* rank : run.ranks())
    ranks.push_back({rank->view(), rank->status(), rank->description().rank});
  return ranks;
}

Ranks PeaksOf(std::span<const RankSoFar> ranks, bool with_curves) {
  Ranks all;
  for (const RankSoFar& rank : ranks) {
    RankPeaks& peaks = all.ranks.emplace_back(PeaksOfRank(rank, with_curves));
    peaks.rank = rank.rank;
  }
  if (!HaveNumbersOfRanks(all)) NumberByPlace(all);
  return all;
}

int64_t RankInName(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  for (size_t end = name.size(), at = 0; end > 0; end = at) {
    at = name.substr(0, end).rfind("rank");
    if (at == std::string::npos) break;
    size_t digit = at + 4;
    if (digit < name.size() && (name[digit] == '_' || name[digit] == '-')) ++digit;
    if (digit < name.size() && IsDigit(name[digit])) return NumberAt(name, digit);
  }
  return -1;
}

std::filesystem::path RecordingOfRank(const std::filesystem::path& recording, int rank) {
  std::filesystem::path name = recording.stem();
  name += ".rank" + std::to_string(rank) + recording.extension().string();
  return recording.parent_path() / name;
}

std::filesystem::path RecordingOfAllRanks(const std::filesystem::path& recording) {
  const auto rank = static_cast<int>(RankInName(recording));
  const std::string piece = ".rank" + std::to_string(rank);
  std::string name = recording.filename().string();
  const size_t at = name.rfind(piece);
  if (at == std::string::npos) return recording;
  const std::filesystem::path all = recording.parent_path() / name.erase(at, piece.size());
  return RecordingOfRank(all, rank) == recording ? all : recording;
}

std::vector<std::filesystem::path> RecordingsAt(const std::filesystem::path& recording) {
  namespace fs = std::filesystem;
  std::vector<fs::path> found;
  const fs::path folder = recording.has_parent_path() ? recording.parent_path() : fs::path(".");
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    std::error_code ignored;
    const fs::path file = recording.parent_path() / it->path().filename();
    const bool is_there = file == recording || RecordingOfAllRanks(file) == recording;
    if (is_there && it->is_regular_file(ignored) && it->file_size(ignored) > 0) found.push_back(file);
  }
  std::ranges::sort(found, NaturalOrder(), [](const fs::path& file) { return file.string(); });
  return found;
}

Result<Ranks> ReadRanks(std::span<const std::filesystem::path> files, const Progress& progress) {
  if (files.empty()) return Error{"Name the recordings of the ranks, one file each."};
  if (files.size() > kMostRanks) {
    return Error{FormatNumber(static_cast<int64_t>(files.size())) + " files are more than the " +
                 FormatNumber(kMostRanks) + " ranks that can be shown as one run. Name fewer."};
  }
  Ranks ranks;
  const std::vector<std::filesystem::path> once = EachOnce(files, ranks.repeated);
  RankReading reading(once, progress);
  reading.Run();
  if (reading.cancelled()) return Error{"Reading the ranks was cancelled."};
  for (std::optional<Result<RankPeaks>>& read : reading.read()) {
    if (*read) {
      ranks.ranks.push_back(std::move(**read));
    } else {
      ranks.unreadable.push_back(read->error().message);
    }
  }
  if (ranks.ranks.empty()) return Error{ranks.unreadable.front()};
  TellWhatTheyAre(ranks);
  std::sort(ranks.ranks.begin(), ranks.ranks.end(),
            [](const RankPeaks& a, const RankPeaks& b) { return a.rank < b.rank; });
  return ranks;
}

}  // namespace tidemark::session
