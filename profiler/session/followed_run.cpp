#include "profiler/session/followed_run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "profiler/session/event_intake.h"
#include "profiler/session/shortage.h"
#include "profiler/session/steps_done.h"
#include "profiler/trace/recording_lock.h"

namespace tidemark::session {
namespace {

// Recordings are flushed every kFlushEvery.
constexpr std::chrono::milliseconds kRest{10};
constexpr std::chrono::seconds kQuiet{1};             // then somebody looks whether more can come
constexpr std::chrono::milliseconds kLookAgain{100};  // for a file that is not there

constexpr std::string_view kStandardInput = "Standard input";
constexpr const char* kIsTerminal =
    "Standard input is a terminal, and no recording comes from it. Pipe one into it, as in: "
    "ssh FAR tail -c +1 -F run.tide | tidemark open --follow -";

Error WhyNotOpened(const std::string& name, int reason) {
  return Error{name + " cannot be opened: " + std::strerror(reason) +
               ". Name a recording (.tide) that is being written, or - for standard input."};
}

bool MayComeYet(const std::filesystem::path& file, int reason) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code unknown;  // then nothing is known to come into it
  return reason == ENOENT && std::filesystem::is_directory(folder, unknown);
}

bool IsFile(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Result<std::unique_ptr<Run>> FollowedRun::Open(const std::filesystem::path& file) {
  const bool is_input = file == "-";
  if (is_input && isatty(STDIN_FILENO) != 0) return Error{kIsTerminal};
  UniqueFd fd(is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string name = is_input ? std::string(kStandardInput) : file.string();
  const int reason = fd.valid() ? 0 : errno;
  if (reason != 0 && (is_input || !MayComeYet(file, reason))) return WhyNotOpened(name, reason);
  return std::unique_ptr<Run>(new FollowedRun(std::move(fd), name));
}

FollowedRun::FollowedRun(UniqueFd fd, std::string name)
    : name_(std::move(name)),
      has_file_(IsFile(fd.get())),
      view_(builder_.Publish()),
      thread_([this, fd = std::move(fd)]() mutable { Follow(std::move(fd)); }) {}

FollowedRun::~FollowedRun() {
  stop_ = true;
  thread_.join();
}

std::shared_ptr<const timeline::View> FollowedRun::view() const {
  const MutexLock lock(mutex_);
  return view_;
}

RunStatus FollowedRun::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

events::RunDescription FollowedRun::description() const {
  const MutexLock lock(mutex_);
  return description_;
}

std::optional<std::filesystem::path> FollowedRun::recording() const {
  if (!has_file_ || name_ == kStandardInput) return std::nullopt;
  return name_;
}

bool FollowedRun::WaitUntilSettled(int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  const MutexLock lock(mutex_);
  while (status_.state <= RunState::kPaused) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return status_.state > RunState::kPaused;
}

void FollowedRun::Follow(UniqueFd fd) {
  if (!fd.valid()) {
    Result<UniqueFd> come = WaitForFile();
    if (!come) return End(come.error());
    fd = std::move(*come);
    has_file_ = IsFile(fd.get());
  }
  if (recording()) fd_ = UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  looked_at_ = Clock::now();
  End(trace::FollowTide(std::move(fd), name_,
                        {[this](const events::RunDescription& description) { Describe(description); },
                         [this](std::span<const events::Event> events) { Accept(events); },
                         [this] { return !stop_; }, [this] { return Wait(); }}));
}

Result<UniqueFd> FollowedRun::WaitForFile() {
  {
    const MutexLock lock(mutex_);
    status_.sentence = name_ +
                       " is not there yet, and is waited for: a recording appears when its program "
                       "first asks for memory.";
  }
  int reason = ENOENT;
  while (!stop_ && reason == ENOENT) {
    UniqueFd fd(open(name_.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.valid()) return fd;
    reason = errno;
    if (reason == ENOENT) std::this_thread::sleep_for(kLookAgain);
  }
  return WhyNotOpened(name_, reason);
}

void FollowedRun::Describe(const events::RunDescription& description) {
  const MutexLock lock(mutex_);
  description_ = description;
  status_.state = RunState::kRunning;
  status_.sentence = "";
  changed_.notify_all();
}

void FollowedRun::Accept(std::span<const events::Event> events) {
  builder_.Append(events);
  captured_ += events.size();
  steps_done_ = StepsDoneAfter(events, steps_done_);
  has_news_ = true;
  looked_at_ = Clock::now();
  is_forsaken_ = false;
  if (looked_at_ - published_at_ >= kPublishEvery) Publish();
}

bool FollowedRun::Wait() {
  if (has_news_) Publish();
  if (fd_.valid() && Clock::now() - looked_at_ >= kQuiet) LookForRecorder();
  if (!stop_) std::this_thread::sleep_for(kRest);
  return !stop_;
}

void FollowedRun::LookForRecorder() {
  looked_at_ = Clock::now();
  const bool is_forsaken = trace::IsBeingRecorded(fd_.get()) == trace::Recorded::kNo;
  if (is_forsaken != std::exchange(is_forsaken_, is_forsaken)) Publish();
}

void FollowedRun::Publish() {
  auto view = builder_.Publish();
  has_news_ = false;
  published_at_ = Clock::now();
  const MutexLock lock(mutex_);
  view_.swap(view);
  status_.captured = captured_;
  status_.lost = view_->health().lost;
  status_.steps_done = steps_done_;
  status_.sentence = is_forsaken_
                         ? "Nothing on this machine records into " + name_ +
                               " any more, and it has no end: what recorded it may have been killed. It "
                               "is shown as far as it goes, and goes on if it grows."
                         : "";
}

void FollowedRun::End(const Result<trace::TideSummary>& read) {
  Publish();
  const MutexLock lock(mutex_);
  const bool is_wanted = !stop_;
  status_.state = read || !is_wanted ? RunState::kFinished : RunState::kFailed;
  status_.cut_off = !read || !read->complete;
  status_.sentence = !is_wanted ? "" : read ? read->warning : read.error().message;
  status_.out_of_memory = !WentOnAfterFailures(*view_);
  changed_.notify_all();
}

}  // namespace tidemark::session
