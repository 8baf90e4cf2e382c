#include "profiler/session/program_run.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "profiler/base/clock.h"
#include "profiler/base/format.h"
#include "profiler/session/shortage.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::session {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kSignalled = 128;
constexpr int kLastSignal = 64;           // sys.exit(-1) is 255, and no signal
constexpr int kEndsWithLauncherMs = 200;  // what a launcher ends, or its end does, is gone within this
constexpr std::string_view kRunsOn =
    "This process runs on, though what started it has ended: what it does from here is not recorded.";

// How it ended, in the words of its status, its stream and its description.
RunStatus EndOf(const std::string& who, int exit_code, const std::string& when = "") {
  RunStatus end;
  end.state = RunState::kFinished;
  if (exit_code == 0) return end;
  const bool killed = exit_code > kSignalled && exit_code <= kSignalled + kLastSignal;
  end.state = killed ? RunState::kDied : RunState::kFailed;
  end.sentence = who +
                 (killed ? " was ended by signal " + std::to_string(exit_code - kSignalled)
                         : " ended with exit code " + std::to_string(exit_code)) +
                 when + ".";
  return end;
}

// "torch.OutOfMemoryError: CUDA out of memory.", as Python ends; hints and warnings may stand behind it.
bool IsPythonsEnd(std::string_view line) {
  const size_t end = std::min(line.find_first_of(" :"), line.size());
  const std::string_view name = line.substr(0, end);
  return name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Interrupt");
}

// The last line that names an error; else the last that is no rule ("=====").
std::string LastWordsIn(std::string_view text) {
  std::string_view last;
  while (!text.empty()) {
    const size_t start = text.rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view line = text.substr(start);
    if (IsPythonsEnd(line)) return std::string(line);
    const bool has_letters =
        std::ranges::any_of(line, [](unsigned char sign) { return std::isalnum(sign) != 0; });
    if (last.empty() && has_letters) last = line;
    text.remove_suffix(text.size() - (start == 0 ? 0 : start - 1));
  }
  return std::string(last);
}

}  // namespace

RunStatus EndOfProgram(int exit_code, const std::string& error_output) {
  RunStatus end = EndOf("The program", exit_code);
  // What somebody else ended was in the midst of saying something else.
  constexpr std::array kFromOutside = {SIGHUP, SIGINT, SIGKILL, SIGTERM};
  const bool is_own_end = std::ranges::count(kFromOutside, exit_code - kSignalled) == 0;
  if (exit_code == 0 || !is_own_end || error_output.empty()) return end;
  end.error_output = error_output;
  const std::string last = LastWordsIn(error_output);
  const bool has_end = last.ends_with('.') || last.ends_with("…");
  if (!last.empty()) end.sentence += " Its last words: " + last + (has_end ? "" : ".");
  return end;
}

ProgramRun::ProgramRun(events::RunDescription description, std::function<void()> stop)
    : stop_(std::move(stop)),
      view_(timeline::Builder(timeline::kDefaultBudgetEvents).Publish()),
      description_(std::move(description)) {}

std::shared_ptr<const timeline::View> ProgramRun::view() const {
  const MutexLock lock(mutex_);
  return view_;
}

RunStatus ProgramRun::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

events::RunDescription ProgramRun::description() const {
  const MutexLock lock(mutex_);
  return description_;
}

std::optional<std::filesystem::path> ProgramRun::recording() const {
  const MutexLock lock(mutex_);
  return recording_;
}

int64_t ProgramRun::own_end_ns() const {
  const MutexLock lock(mutex_);
  return own_end_ns_;
}

std::optional<RunStatus> ProgramRun::OwnEnd() const {
  const MutexLock lock(mutex_);
  return own_end_;
}

bool ProgramRun::failed_itself() const {
  const std::optional<RunStatus> own_end = OwnEnd();
  return own_end && own_end->state > RunState::kFinished;
}

bool ProgramRun::can_stop() const {
  const MutexLock lock(mutex_);
  return stop_ && !is_over_;
}

void ProgramRun::Stop() {
  if (can_stop()) stop_();
}

bool ProgramRun::WaitUntilSettled(int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  const MutexLock lock(mutex_);
  while (!is_over_) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return is_over_;
}

Status ProgramRun::Open(size_t ring_events, size_t budget_events) {
  Result<transport::RingReader> ring = transport::RingReader::Create(ring_events);
  if (!ring) return ring.error();
  intake_.emplace(std::move(*ring), budget_events);
  intake_->OnCard([this] { DescribeCard(); });
  return Done{};
}

Status ProgramRun::RecordTo(const std::filesystem::path& file, const KeptPart& kept) {
  Result<std::unique_ptr<Recording>> recording = StartRecording(file, description(), kept);
  if (!recording) {
    intake_->TellOfNoRecording(recording.error());
    return recording.error();
  }
  intake_->RecordTo(std::move(*recording));
  const MutexLock lock(mutex_);
  recording_ = file;
  return Done{};
}

// The end of what we started ourselves is the program's. Another's is followed from before it has the ring,
// since it may end at once; what cannot be followed for want of a descriptor would keep others for good.
Status ProgramRun::FollowEndOf(pid_t process) {
  if (IsOwnChild(process)) return Done{};
  process_end_ = ProcessEnd::Of(process);
  if (process_end_ || (errno != EMFILE && errno != ENFILE)) return Done{};
  return Error{"Its end cannot be seen: " + std::string(std::strerror(errno)) + "."};
}

Status ProgramRun::HandOver(const transport::Listener::Caller& caller, std::string title,
                            std::optional<int32_t> rank) {
  Status handed = FollowEndOf(caller.process_id);
  if (handed) handed = intake_->HandOver(caller);
  if (!handed) {
    process_end_.reset();
    return handed;
  }
  if (rank) {
    const MutexLock lock(mutex_);
    description_.rank = *rank;
  }
  Call(caller, std::move(title));
  intake_->Describe(description());
  const MutexLock lock(mutex_);
  status_.state = RunState::kRunning;
  changed_.notify_all();
  return Done{};
}

void ProgramRun::Decline(const transport::Listener::Caller& caller, std::string title, std::string why) {
  Call(caller, std::move(title));
  intake_.reset();
  const MutexLock lock(mutex_);
  status_.recording_error = std::move(why);
}

void ProgramRun::Call(const transport::Listener::Caller& caller, std::string title) {
  const MutexLock lock(mutex_);
  description_.process_id = caller.process_id;
  if (caller.allocator_settings) description_.allocator_settings = *caller.allocator_settings;
  description_.title = std::move(title);
}

bool ProgramRun::Take() {
  if (!intake_ || intake_->Take(false) == 0) return false;
  has_news_ = true;
  return true;
}

bool ProgramRun::Publish() {
  if (!has_news_) return false;
  has_news_ = false;
  auto view = intake_->Publish();
  const MutexLock lock(mutex_);
  view_.swap(view);
  status_.captured = intake_->captured();
  status_.lost = intake_->lost();
  status_.recording_error = intake_->recording_error();
  status_.steps_done = intake_->steps_done();
  return true;
}

// What is known only once the program uses its card.
void ProgramRun::DescribeCard() {
  const MutexLock lock(mutex_);
  if (!description_.device_name.empty()) return;
  description_.device_name = intake_->card()->name;
  description_.device_bytes = intake_->card()->bytes;
  intake_->Describe(description_);
}

void ProgramRun::Flush() {
  if (intake_) intake_->FlushRecording();
}

// What goes on telling has no end to be waited for: a lap of it.
void ProgramRun::TakeTheRest(bool producer_dead) {
  while (intake_->Take(producer_dead) > 0 && producer_dead) {
  }
  has_news_ = true;
  Publish();
}

void ProgramRun::EndItself() {
  const std::optional<int> exit_code = process_end_->ExitCode();
  process_end_.reset();
  RunStatus end;
  end.state = RunState::kFinished;
  if (exit_code) end = EndOf("This process", *exit_code, " before its launcher");
  TakeTheRest(true);
  {
    const MutexLock lock(mutex_);
    own_end_ns_ = RealtimeNs();
    if (exit_code) own_end_ = end;
  }
  Settle(end, {});
}

void ProgramRun::Conclude(int exit_code, const std::vector<std::string>& notes,
                          const std::string& error_output) {
  const bool runs_on = process_end_ && !process_end_->ComesWithin(kEndsWithLauncherMs);
  process_end_.reset();
  if (intake_) TakeTheRest(!runs_on);
  const std::optional<RunStatus> own_end = OwnEnd();
  const RunStatus of_launcher =
      own_end ? EndOf("Its launcher", exit_code) : EndOfProgram(exit_code, error_output);
  RunStatus end = own_end.value_or(of_launcher);
  std::vector<std::string> all_notes = notes;
  if (own_end && !of_launcher.sentence.empty()) all_notes.push_back(of_launcher.sentence);
  if (!own_end && own_end_ns() != 0 && !end.sentence.empty()) {
    end.sentence += " This process had ended " + FormatDuration(RealtimeNs() - own_end_ns()) +
                    " before; with which exit code or signal is not known.";
  }
  if (runs_on) end.sentence += (end.sentence.empty() ? "" : " ") + std::string(kRunsOn);
  Settle(end, all_notes);
  const MutexLock lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void ProgramRun::Settle(const RunStatus& end, const std::vector<std::string>& notes) {
  events::RunDescription described = description();
  const bool is_news = described.ending != end.sentence;
  described.ending = end.sentence;
  described.notes.insert(described.notes.end(), notes.begin(), notes.end());
  if (intake_) {
    if (is_news) intake_->AddMarker(end.sentence);
    EndIntake(described);
  } else if (closed_bytes_ && (is_news || !notes.empty())) {
    DescribeClosed(described);
  }
  const MutexLock lock(mutex_);
  description_ = std::move(described);
  status_.state = end.state;
  status_.sentence = end.sentence;
  status_.error_output = end.error_output;
  status_.out_of_memory = !WentOnAfterFailures(*view_);
}

void ProgramRun::EndIntake(events::RunDescription& described) {
  intake_->Describe(described);
  held_nothing_ = HeldNothing(*intake_->Publish());
  const Recording::Closed closed = intake_->CloseRecording();
  if (!closed.note.empty()) described.notes.push_back(closed.note);
  has_news_ = true;
  Publish();
  if (!closed.has_file) {
    const MutexLock lock(mutex_);
    recording_.reset();
  }
  std::error_code not_there;
  const std::optional<std::filesystem::path> file = recording();
  if (file && closed.has_end && std::filesystem::is_regular_file(*file, not_there)) {
    closed_bytes_ = std::filesystem::file_size(*file, not_there);
  }
  intake_.reset();
}

void ProgramRun::DescribeClosed(const events::RunDescription& described) {
  const Status written = trace::DescribeAnew(*recording(), *std::exchange(closed_bytes_, {}), described);
  if (written) return;
  const MutexLock lock(mutex_);
  status_.recording_error = written.error().message;
}

bool ProgramRun::RemoveRecording() {
  const MutexLock lock(mutex_);
  std::error_code failure;
  if (recording_) std::filesystem::remove(trace::BookmarksFileOf(*recording_), failure);
  if (recording_ && !failure) std::filesystem::remove(*recording_, failure);
  if (failure) {
    status_.recording_error =
        recording_->string() + " holds nothing, but stays (" + failure.message() + "). Remove it.";
    return false;
  }
  recording_.reset();
  return true;
}

bool HeldNothing(const timeline::View& view) {
  const auto held = [&view](timeline::Series series) {
    return view.PeakIn(series, view.first(), view.end()).values[static_cast<size_t>(series)] > 0;
  };
  return view.empty() || !(held(timeline::Series::kAllocated) || held(timeline::Series::kReserved) ||
                           held(timeline::Series::kDriver));
}

}  // namespace tidemark::session
