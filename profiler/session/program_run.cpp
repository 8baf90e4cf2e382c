#include "profiler/session/program_run.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <utility>

#include "profiler/capture/gates/recorder_loading.h"
#include "profiler/trace/save.h"

namespace tidemark::session {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// As for a trainer's events (live_run.cpp): often enough for a screen while they come, hardly ever while not.
constexpr milliseconds kBusyRest{2};
constexpr milliseconds kIdleRest{20};
constexpr int kSignalled = 128;

}  // namespace

Result<std::unique_ptr<ProgramRun>> ProgramRun::Start(const ProgramOptions& options) {
  Result<transport::Listener> listener = transport::Listener::Create();
  if (!listener) return listener.error();
  Result<transport::RingReader> ring = transport::RingReader::Create(options.ring_events);
  if (!ring) return ring.error();
  std::optional<trace::TideWriter> recording;
  if (options.recording) {
    auto writer = trace::TideWriter::Create(*options.recording, options.description);
    if (!writer) return writer.error();
    recording = std::move(*writer);
  }
  std::unique_ptr<ProgramRun> run(
      new ProgramRun(options, std::move(*listener), std::move(*ring), std::move(recording)));
  run->ingest_thread_ = std::thread([run = run.get()] { run->Ingest(); });
  return run;
}

ProgramRun::ProgramRun(const ProgramOptions& options, transport::Listener listener,
                       transport::RingReader ring, std::optional<trace::TideWriter> recording)
    : listener_(std::move(listener)),
      environment_entry_(std::string(capture::kSocketVariable) + "=" + listener_.name()),
      stop_(options.stop),
      intake_(std::move(ring), std::move(recording), options.budget_events),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      view_(intake_.Publish()),
      description_(options.description) {}

ProgramRun::~ProgramRun() { End(0); }

void ProgramRun::End(int exit_code, std::vector<std::string> notes) {
  if (!ingest_thread_.joinable()) return;
  exit_code_ = exit_code;
  notes_ = std::move(notes);
  ended_ = true;
  const uint64_t one = 1;
  TIDEMARK_CHECK(write(wake_fd_.get(), &one, sizeof one) == sizeof one);
  ingest_thread_.join();
}

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

bool ProgramRun::can_stop() const { return stop_ && status().state <= RunState::kPaused; }

void ProgramRun::Stop() {
  if (can_stop()) stop_();
}

bool ProgramRun::WaitUntilSettled(int timeout_ms) {
  const auto deadline = Clock::now() + milliseconds(timeout_ms);
  const MutexLock lock(mutex_);
  while (status_.state <= RunState::kPaused) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return status_.state > RunState::kPaused;
}

Status ProgramRun::Save(const std::filesystem::path& file) const {
  return trace::SaveTide(*view(), description(), file);
}

void ProgramRun::Ingest() {
  auto published_at = Clock::now();
  auto flushed_at = published_at;
  while (!ended_) {
    AnswerCallers();
    const bool busy = intake_.Take(false) > 0;
    unpublished_ = unpublished_ || busy;
    const auto now = Clock::now();
    if (unpublished_ && now - published_at >= kPublishEvery) {
      Publish();
      published_at = now;
    }
    if (now - flushed_at >= kFlushEvery) {
      intake_.FlushRecording();
      flushed_at = now;
    }
    Rest(busy);
  }
  Conclude();
}

void ProgramRun::Rest(bool busy) {
  std::array<pollfd, 2> waiting = {pollfd{wake_fd_.get(), POLLIN, 0}, pollfd{listener_.fd(), POLLIN, 0}};
  const milliseconds rest = busy ? kBusyRest : unpublished_ ? kPublishEvery : kIdleRest;
  poll(waiting.data(), waiting.size(), static_cast<int>(rest.count()));
}

// The first is recorded. Two streams in one ring would mix their names and addresses.
void ProgramRun::AnswerCallers() {
  while (const std::optional<transport::Listener::Caller> caller = listener_.Accept()) {
    if (answered_) {
      ++unrecorded_;
      continue;
    }
    // One that is gone before it is answered leaves the place to the next.
    answered_ = intake_.HandOver(*caller).ok();
    if (!answered_) continue;
    events::RunDescription described = description();
    described.process_id = caller->process_id;
    intake_.Describe(described);
    const MutexLock lock(mutex_);
    description_ = std::move(described);
    status_.state = RunState::kRunning;
    changed_.notify_all();
  }
}

void ProgramRun::Publish() {
  auto view = intake_.Publish();
  unpublished_ = false;
  const MutexLock lock(mutex_);
  view_.swap(view);
  status_.captured = intake_.captured();
  status_.lost = intake_.lost();
  status_.recording_error = intake_.recording_error();
  status_.steps_done = intake_.steps_done();
}

void ProgramRun::Conclude() {
  while (intake_.Take(true) > 0) {
  }
  RunStatus end;
  end.state = RunState::kFinished;
  if (const int code = exit_code_; code != 0) {
    const bool killed = code > kSignalled;
    end.state = killed ? RunState::kDied : RunState::kFailed;
    end.sentence = killed ? "The program was ended by signal " + std::to_string(code - kSignalled) + "."
                          : "The program ended with exit code " + std::to_string(code) + ".";
    intake_.AddMarker(end.sentence);
  }
  events::RunDescription described = description();
  described.ending = end.sentence;
  described.notes = notes_;
  intake_.Describe(described);
  intake_.CloseRecording();
  Publish();
  const MutexLock lock(mutex_);
  description_ = std::move(described);
  status_.state = end.state;
  status_.sentence = end.sentence;
  status_.out_of_memory = !view_->out_of_memory().empty();
  changed_.notify_all();
}

}  // namespace tidemark::session
