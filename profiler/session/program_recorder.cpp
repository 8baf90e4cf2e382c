#include "profiler/session/program_recorder.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <sstream>
#include <utility>

#include "profiler/base/check.h"
#include "profiler/base/format.h"
#include "profiler/base/paths.h"
#include "profiler/base/rank_place.h"
#include "profiler/base/whole_file.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/gates/recorder_loading.h"
#include "profiler/session/ranks.h"
#include "profiler/trace/tide.h"

namespace tidemark::session {
namespace {

using RecorderClock = std::chrono::steady_clock;
// As for a trainer's events (live_run.cpp): often enough for a screen while they come, hardly ever while not.
constexpr int kBusyRestMs = 2;
constexpr int kWatchedRestMs = 4;
constexpr int kIdleRestMs = 20;

// The value of a variable among "NAME=value" entries that end with 0; "" if it is not there.
std::string_view ValueIn(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return entry.substr(name.size() + 1);
    }
    environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
  }
  return {};
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The first that tells a rank; null where none does.
const LauncherNames* LauncherIn(std::string_view environment) {
  const auto* const found = std::ranges::find_if(kLaunchers, [environment](const LauncherNames& launcher) {
    return IsNumber(ValueIn(environment, launcher.rank));
  });
  return found == kLaunchers.end() ? nullptr : found;
}

// At most nine digits.
int NumberFrom(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<int> RankIn(std::string_view environment) {
  const LauncherNames* const launcher = LauncherIn(environment);
  if (launcher == nullptr) return {};
  return NumberFrom(ValueIn(environment, launcher->rank));
}

// How many ranks there are; 0 where nobody tells.
int WorldIn(std::string_view environment) {
  const LauncherNames* const launcher = LauncherIn(environment);
  if (launcher == nullptr) return 0;
  const std::string_view text = ValueIn(environment, launcher->world);
  return IsNumber(text) ? NumberFrom(text) : 0;
}

// 0 where nobody tells.
int LocalRankIn(std::string_view environment) {
  const LauncherNames* const launcher = LauncherIn(environment);
  if (launcher == nullptr) return 0;
  const std::string_view text = ValueIn(environment, launcher->local_rank);
  return IsNumber(text) ? NumberFrom(text) : 0;
}

// The name of a process's file; "" where it cannot be looked at.
std::string FileOf(pid_t process) {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", failure)
      .filename()
      .string();
}

std::string RankEnvironmentOf(const transport::Listener::Caller& caller) {
  if (caller.rank_environment) return *caller.rank_environment;
  return WholeFileOrNothing("/proc/" + std::to_string(caller.process_id) + "/environ");
}

bool HoldsSomething(const std::filesystem::path& file) {
  std::error_code not_there;
  return std::filesystem::is_regular_file(file, not_there) && std::filesystem::file_size(file, not_there) > 0;
}

// Who started it, who started that, and so on, as far as they still run.
std::vector<pid_t> AncestorsOf(pid_t process) {
  std::vector<pid_t> ancestors;
  while (true) {
    const std::string facts = WholeFileOrNothing("/proc/" + std::to_string(process) + "/stat");
    const size_t name_end = facts.rfind(") ");  // the name may hold anything
    if (name_end == std::string::npos) return ancestors;
    char state = 0;
    std::istringstream(facts.substr(name_end + 2)) >> state >> process;
    if (process <= 1) return ancestors;
    ancestors.push_back(process);
  }
}

// Our own programs (a phantom's replayer, say) are started by what is recorded, and are not it.
bool IsOurs(pid_t process) { return FileOf(process).starts_with("tidemark"); }

}  // namespace

std::string ProgramOf(pid_t process) {
  std::string file = FileOf(process);
  if (!file.starts_with("python")) return file;
  std::istringstream words(WholeFileOrNothing("/proc/" + std::to_string(process) + "/cmdline"));
  std::string word;
  std::getline(words, word, '\0');
  while (std::getline(words, word, '\0')) {
    if (word == "-c") break;
    const bool takes_next = word == "-W" || word == "-X";
    if (takes_next) std::getline(words, word, '\0');
    if (!takes_next && !word.starts_with('-')) return std::filesystem::path(word).filename().string();
  }
  return "";
}

std::string RankLabel(std::string_view environment) {
  const LauncherNames* const launcher = LauncherIn(environment);
  if (launcher == nullptr) return "";
  std::string label = "rank " + std::string(ValueIn(environment, launcher->rank));
  if (const auto all = ValueIn(environment, launcher->world); IsNumber(all))
    label += " of " + std::string(all);
  if (const auto here = ValueIn(environment, launcher->local_rank); IsNumber(here))
    label += ", local rank " + std::string(here);
  return label;
}

std::filesystem::path RecordingOf(const std::filesystem::path& recording, std::string_view environment,
                                  int process_id, bool is_first) {
  if (const std::optional<int> rank = RankIn(environment)) return RecordingOfRank(recording, *rank);
  if (is_first) return recording;
  std::filesystem::path own = recording;
  own.replace_filename(recording.stem().string() + "." + std::to_string(process_id) +
                       recording.extension().string());
  return own;
}

Result<std::unique_ptr<ProgramRecorder>> ProgramRecorder::Start(const RecorderOptions& options) {
  Result<transport::Listener> listener = transport::Listener::Create();
  if (!listener) return listener.error();
  std::unique_ptr<ProgramRecorder> recorder(new ProgramRecorder(options, std::move(*listener)));
  if (options.first_only) {
    if (Status opened = recorder->Open(*recorder->first_); !opened) return opened.error();
    if (Status can = trace::CanBeRecorded(options.recording.value_or("")); !can) return can.error();
  }
  recorder->ingest_thread_ = std::thread([recorder = recorder.get()] { recorder->Ingest(); });
  return recorder;
}

ProgramRecorder::ProgramRecorder(const RecorderOptions& options, transport::Listener listener)
    : options_(options),
      listener_(std::move(listener)),
      environment_entry_(
          std::string(options.on_phantom ? capture::kSocketVariable : capture::kProbeSocketVariable) + "=" +
          listener_.name()),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      first_(std::make_shared<ProgramRun>(options.description, options.stop)),
      watched_(std::make_shared<RankedProgram>(first_)) {}

ProgramRecorder::~ProgramRecorder() { End(0); }

void ProgramRecorder::End(int exit_code, std::vector<std::string> notes, std::string error_output) {
  if (!ingest_thread_.joinable()) return;
  exit_code_ = exit_code;
  notes_ = std::move(notes);
  error_output_ = std::move(error_output);
  ended_ = true;
  Wake();
  ingest_thread_.join();
}

void ProgramRecorder::Wake() const {
  const uint64_t one = 1;
  TIDEMARK_CHECK(write(wake_fd_.get(), &one, sizeof one) == sizeof one);
}

int ProgramRecorder::unheard_ranks() const {
  const Result<RankPlace> own = RankPlaceFromEnvironment();
  // A batch script has a rank's variables, too, but what it starts has other ranks than its own.
  const auto is_own = [&own](int rank) { return rank == own->rank; };
  const bool is_rank_itself = !own || (own->world > 1 && std::ranges::all_of(heard_ranks_, is_own));
  return is_rank_itself ? 0 : std::max(0, world_ - static_cast<int>(heard_ranks_.size()));
}

std::shared_ptr<const ProgramRun> ProgramRecorder::Take(int process_id) {
  const MutexLock lock(mutex_);
  wanted_ = process_id;
  Wake();
  while (wanted_) taken_is_there_.wait(mutex_);
  return std::exchange(taken_, nullptr);
}

void ProgramRecorder::Ingest() {
  auto published_at = RecorderClock::now();
  auto flushed_at = published_at;
  while (!ended_) {
    AnswerCallers();
    AnswerTake();
    const bool busy = TakeAll();
    const auto now = RecorderClock::now();
    if (options_.is_watched && now - published_at >= kPublishEvery) {
      for (const auto& run : runs_) {
        if (run->Publish()) published_at = now;
      }
    }
    if (now - flushed_at >= kFlushEvery) {
      for (const auto& run : runs_) run->Flush();
      flushed_at = now;
    }
    Rest(busy);
  }
  AnswerCallers();
  FollowEnds(0);
  if (std::string trouble = listener_.trouble(); !trouble.empty()) notes_.push_back(std::move(trouble));
  if (std::string others = NoteOfOtherRanks(); !others.empty()) notes_.push_back(std::move(others));
  watched_->End(EndOfProgram(exit_code_, error_output_));
  if (!first_has_asked_) {
    // Its end alone takes no earlier recording's place.
    if (options_.first_only && options_.recording && !HoldsSomething(*options_.recording))
      (void)first_->RecordTo(*options_.recording);  // it tells why not
    first_->Conclude(exit_code_, notes_, error_output_);
  }
  for (const auto& run : runs_) run->Conclude(exit_code_, notes_, error_output_);
  LeaveOutLaunchers();
}

// What starts ranks may look for cards itself, as torchrun does, and is not what is recorded.
void ProgramRecorder::LeaveOutLaunchers() {
  if (heard_ranks_.empty()) return;
  std::erase_if(runs_, [this](const auto& run) {
    if (rank_processes_.contains(run->description().process_id)) return false;
    const bool failed = run->recording() && !run->status().recording_error.empty();
    return run->held_nothing() && !failed && run->RemoveRecording();
  });
}

bool ProgramRecorder::TakeAll() {
  bool busy = false;
  for (const auto& run : runs_) busy = run->Take() || busy;
  return busy;
}

void ProgramRecorder::Rest(bool busy) {
  const int idle_ms = options_.is_watched ? kWatchedRestMs : kIdleRestMs;
  FollowEnds(busy ? kBusyRestMs : idle_ms);
}

// How one ended may be known for a moment only, so that nothing else comes before.
void ProgramRecorder::FollowEnds(int timeout_ms) {
  std::vector<pollfd> waiting = {{wake_fd_.get(), POLLIN, 0}, {listener_.fd(), POLLIN, 0}};
  const size_t others = waiting.size();
  std::vector<ProgramRun*> followed;  // poll takes no more than there may be descriptors
  for (const auto& run : runs_) {
    if (run->end_fd() < 0) continue;
    followed.push_back(run.get());
    waiting.push_back({run->end_fd(), POLLIN, 0});
  }
  poll(waiting.data(), waiting.size(), timeout_ms);
  for (size_t i = 0; i < followed.size(); ++i) {
    if ((waiting[others + i].revents & POLLIN) != 0) followed[i]->EndItself();
  }
}

std::vector<std::shared_ptr<ProgramRun>>::iterator ProgramRecorder::FindRunOf(pid_t process) {
  const auto own =
      std::ranges::find_if(runs_, [&](const auto& run) { return run->description().process_id == process; });
  if (own != runs_.end()) return own;
  return std::ranges::find_if(
      runs_, [&](const auto& run) { return std::ranges::count(ancestors_[run.get()], process) > 0; });
}

void ProgramRecorder::AnswerTake() {
  const MutexLock lock(mutex_);
  if (!wanted_) return;
  uint64_t woken = 0;
  (void)!read(wake_fd_.get(), &woken, sizeof woken);
  if (const auto found = FindRunOf(*wanted_); found != runs_.end()) {
    (*found)->Conclude(0, {});
    taken_ = *found;
    ancestors_.erase(found->get());
    runs_.erase(found);
  }
  wanted_.reset();
  taken_is_there_.notify_all();
}

void ProgramRecorder::AnswerCallers() {
  while (const std::optional<transport::Listener::Caller> caller = listener_.Accept()) {
    if (IsOurs(caller->process_id)) continue;
    const std::string environment = RankEnvironmentOf(*caller);
    world_ = std::max(world_, WorldIn(environment));
    if (IsToBeRecorded(environment)) {
      Answer(*caller, environment);
    } else {
      ++unrecorded_;
      if (const std::optional<int> rank = RankIn(environment)) ++unrecorded_of_ranks_[*rank];
    }
  }
}

// What a rank starts counts as the rank does.
int ProgramRecorder::unrecorded_beside_ranks() const {
  int processes = unrecorded_;
  for (const auto& [rank, asked] : unrecorded_of_ranks_) processes -= heard_ranks_.contains(rank) ? 0 : asked;
  return processes;
}

std::string ProgramRecorder::NoteOfOtherRanks() const {
  const auto others = std::ranges::count_if(
      unrecorded_of_ranks_, [this](const auto& rank) { return !heard_ranks_.contains(rank.first); });
  if (others == 0) return "";
  std::string note = "All figures are of one rank, the first of this machine: " + FormatNumber(others) +
                     (others == 1 ? " other used a GPU of its own" : " others used GPUs of their own") +
                     " and may need more.";
  if (world_ > 1) {
    note += " tidemark phantom --world " + std::to_string(world_) + " --rank R -- … tells of rank R.";
  }
  return note;
}

bool ProgramRecorder::IsToBeRecorded(std::string_view environment) const {
  if (options_.first_only && first_has_asked_) return false;
  return !options_.local_rank_0_only || LocalRankIn(environment) == 0;
}

void ProgramRecorder::Answer(const transport::Listener::Caller& caller, std::string_view environment) {
  // It may be over a moment after it is answered, and tells of nobody then.
  std::vector<pid_t> ancestors = AncestorsOf(caller.process_id);
  std::string title = options_.titled_by_process ? ProgramOf(caller.process_id) : "";
  if (title.empty()) title = options_.description.title;
  if (const std::string label = RankLabel(environment); !label.empty()) title += ", " + label;
  const auto run =
      !first_has_asked_ ? first_ : std::make_shared<ProgramRun>(options_.description, options_.stop);
  Status answered = Done{};
  if (!options_.first_only) answered = Prepare(*run, FreshRecordingOf(environment, caller.process_id));
  if (answered) answered = run->HandOver(caller, title, RankIn(environment));
  // One that is gone before it is answered leaves its place to the next.
  if (!answered && options_.first_only) return;
  if (!answered) run->Decline(caller, title, answered.error().message);
  // Not before: an earlier recording is not to be lost for a program that never comes to ask.
  if (options_.first_only && options_.recording)
    (void)run->RecordTo(*options_.recording);  // it tells why not
  first_has_asked_ = true;
  runs_.push_back(run);
  ancestors_[run.get()] = std::move(ancestors);
  if (const std::optional<int> rank = RankIn(environment)) {
    heard_ranks_.insert(*rank);
    rank_processes_.insert(caller.process_id);
  }
  if (answered && options_.is_watched) watched_->Add(run, RankIn(environment).has_value());
}

// A rank and what it starts have the same rank in their environments.
std::filesystem::path ProgramRecorder::FreshRecordingOf(std::string_view environment, int process_id) const {
  if (!options_.recording) return {};
  std::filesystem::path file = RecordingOf(*options_.recording, environment, process_id, !first_has_asked_);
  const auto is_taken = [&] {
    return std::ranges::any_of(runs_, [&](const auto& run) { return run->recording() == file; });
  };
  const std::string stem = file.stem().string() + "." + std::to_string(process_id);
  // One process asks anew where it runs another program in its place, and numbers come again.
  for (int turn = 1; is_taken(); ++turn) {
    file.replace_filename(stem + (turn == 1 ? "" : "." + std::to_string(turn)) + file.extension().string());
  }
  return file;
}

Status ProgramRecorder::Open(ProgramRun& run) const {
  return run.Open(options_.ring_events, options_.budget_events);
}

Status ProgramRecorder::Prepare(ProgramRun& run, const std::filesystem::path& recording) const {
  Status opened = Open(run);
  return opened && !recording.empty() ? run.RecordTo(recording, options_.kept) : opened;
}

}  // namespace tidemark::session
