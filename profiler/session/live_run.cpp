#include "profiler/session/live_run.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <variant>

namespace tidemark::session {
namespace {

using std::chrono::milliseconds;

// While events come, the ring is looked at every 2 ms (1,000 events of a phantom at full speed); after a
// quiet second every 20 ms, which costs nothing that can be measured. Reports and commands wake the thread at
// once.
constexpr milliseconds kShortRest{2};
constexpr milliseconds kLongRest{20};
constexpr milliseconds kQuietAfter{1000};
// From the last report, or a closed channel, to the process's own end.
constexpr milliseconds kExitGrace{5000};
constexpr milliseconds kStopGrace{1000};

}  // namespace

Result<std::unique_ptr<LiveRun>> LiveRun::Start(const LiveOptions& options) {
  Result<Launch> launch = PrepareLaunch(options);
  if (!launch) return launch.error();
  Result<transport::RingReader> ring = transport::RingReader::Create(options.ring_events);
  if (!ring) return ring.error();
  auto channels = transport::Channel::CreatePair();
  if (!channels) return channels.error();
  auto& [program_end, trainer_end] = *channels;
  const transport::Command start = transport::Start{options.settings, options.device};
  if (Status sent = program_end.Send(transport::ToJson(start), ring->fd()); !sent) return sent.error();
  std::optional<trace::TideWriter> recording;
  if (options.recording) {
    auto writer = trace::TideWriter::Create(*options.recording, launch->description);
    if (!writer) return writer.error();
    recording = std::move(*writer);
  }

  std::unique_ptr<LiveRun> run(new LiveRun(options, std::move(program_end), std::move(*ring),
                                           std::move(recording), launch->description));
  if (options.start_paused) run->SetMode(transport::RunMode::kPause);
  if (options.steps_per_second > 0) run->SetPace(options.steps_per_second);
  if (options.step_limit > 0) run->SetStepLimit(options.step_limit);
  run->SendCommands();  // they lie ready before the trainer can take its first step
  std::promise<Status> promise;
  std::future<Status> started = promise.get_future();
  run->ingest_thread_ = std::thread(
      [run = run.get(), launch = std::move(*launch), end = std::move(trainer_end),
       promise = std::move(promise)]() mutable { run->Ingest(launch, std::move(end), std::move(promise)); });
  if (Status status = started.get(); !status) return status.error();
  return run;
}

LiveRun::LiveRun(const LiveOptions& options, transport::Channel channel, transport::RingReader ring,
                 std::optional<trace::TideWriter> recording, events::RunDescription description)
    : channel_(std::move(channel)),
      intake_(std::move(ring), options.budget_events),
      has_file_(recording.has_value()),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      view_(intake_.Publish()),
      description_(std::move(description)),
      step_limit_(options.step_limit) {
  if (recording) intake_.RecordTo(RecordingOf(std::move(*recording)));
}

LiveRun::~LiveRun() {
  EndWithin(kStopGrace);
  if (ingest_thread_.joinable()) ingest_thread_.join();
}

void LiveRun::EndWithin(milliseconds grace) {
  KillAfter(grace);
  Stop();
}

std::shared_ptr<const timeline::View> LiveRun::view() const {
  const MutexLock lock(mutex_);
  return view_;
}

RunStatus LiveRun::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

events::RunDescription LiveRun::description() const {
  const MutexLock lock(mutex_);
  return description_;
}

bool LiveRun::IsLive() const { return status_.state <= RunState::kPaused && !stop_asked_; }

bool LiveRun::live() const {
  const MutexLock lock(mutex_);
  return IsLive();
}

bool LiveRun::Enqueue(transport::Command command) {
  {
    const MutexLock lock(mutex_);
    if (!IsLive()) return false;
    // Who drags a slider faster than the trainer takes steps wants the last position only.
    const bool replaces = std::holds_alternative<transport::Change>(command) && !outbox_.empty() &&
                          std::holds_alternative<transport::Change>(outbox_.back());
    if (replaces) outbox_.pop_back();
    if (std::holds_alternative<transport::Stop>(command)) stop_asked_ = true;
    if (stop_asked_ || std::holds_alternative<transport::Restart>(command)) at_step_limit_ = false;
    if (const auto* limit = std::get_if<transport::SetStepLimit>(&command)) {
      step_limit_ = limit->steps;
      at_step_limit_ = false;
    }
    const auto* mode = std::get_if<transport::SetMode>(&command);
    if (mode != nullptr && mode->mode != transport::RunMode::kPause && at_step_limit_) {
      step_limit_ = 0;  // going on past it lifts it, in the trainer too
      at_step_limit_ = false;
    }
    outbox_.push_back(std::move(command));
  }
  const uint64_t one = 1;
  // Fails only when it is already as full as can be: then the thread is awake.
  return write(wake_fd_.get(), &one, sizeof one) == sizeof one || errno == EAGAIN;
}

bool LiveRun::Change(const networks::TrainingSettings& settings) {
  return Enqueue(transport::Change{settings});
}
bool LiveRun::SetMode(transport::RunMode mode) { return Enqueue(transport::SetMode{mode}); }
bool LiveRun::SetPace(double steps_per_second) { return Enqueue(transport::SetPace{steps_per_second}); }
bool LiveRun::Restart(const networks::TrainingSettings& settings) {
  return Enqueue(transport::Restart{settings});
}
bool LiveRun::SetStepLimit(int64_t steps) { return Enqueue(transport::SetStepLimit{steps}); }
void LiveRun::Stop() {
  Enqueue(transport::Stop{});
  const MutexLock lock(mutex_);
  if (status_.state == RunState::kStarting) KillAfter(milliseconds(0));  // until it runs it hears nothing
}

bool LiveRun::WaitUntilSettled(int timeout_ms) {
  const auto deadline = Clock::now() + milliseconds(timeout_ms);
  const MutexLock lock(mutex_);
  while (status_.state <= RunState::kPaused && !at_step_limit_) {
    if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
  }
  return status_.state > RunState::kPaused || at_step_limit_;
}

// The trainer is spawned here and not in Start: it asks the kernel to be killed when the thread that spawned
// it ends, and this thread outlives it.
void LiveRun::Ingest(const Launch& launch, transport::Channel child_end, std::promise<Status> started) {
  Result<TrainerProcess> process =
      TrainerProcess::Spawn(launch.executable, launch.environment, child_end.fd());
  if (!process) {
    const MutexLock lock(mutex_);
    status_.state = RunState::kFailed;
    started.set_value(process.error());
    return;
  }
  process_.emplace(std::move(*process));
  { const transport::Channel handed_over = std::move(child_end); }
  started.set_value(Done{});
  while (!process_->HasEnded()) Rest(Turn());
  Conclude();
}

// One round of everything; whether there was anything to do.
bool LiveRun::Turn() {
  SendCommands();
  ReceiveReports();
  const bool busy = intake_.Take(false) > 0;
  process_->ReadWords();
  // Nothing happens in the timeline while the phantom waits for cuDNN; that it does is worth telling.
  if (process_->asks_cudnn() && !std::exchange(told_asking_, true)) unpublished_ = true;
  unpublished_ = unpublished_ || busy;
  const auto now = Clock::now();
  if (!reports_.empty()) {
    ApplyReports();
  } else if (unpublished_ && now - published_at_ >= kPublishEvery) {
    PublishView();
  }
  if (now - flushed_at_ >= kFlushEvery) {
    intake_.FlushRecording();
    flushed_at_ = now;
  }
  const int64_t kill_at_ns = kill_at_ns_.load();
  if (kill_at_ns != 0 && now.time_since_epoch().count() >= kill_at_ns) process_->Kill();
  if (busy) busy_at_ = now;
  return busy;
}

void LiveRun::Rest(bool busy) {
  const auto now = Clock::now();
  milliseconds rest = busy || now - busy_at_ < kQuietAfter ? kShortRest : kLongRest;
  if (unpublished_) rest = std::min(rest, kPublishEvery);
  std::array<pollfd, 3> waiting = {pollfd{wake_fd_.get(), POLLIN, 0}, pollfd{process_->words_fd(), POLLIN, 0},
                                   pollfd{channel_ ? channel_->fd() : -1, POLLIN, 0}};
  if (poll(waiting.data(), waiting.size(), static_cast<int>(rest.count())) <= 0) return;
  uint64_t wakes = 0;
  if ((waiting[0].revents & POLLIN) != 0 && read(wake_fd_.get(), &wakes, sizeof wakes) < 0) {
    TIDEMARK_CHECK(errno == EAGAIN || errno == EINTR);
  }
}

void LiveRun::SendCommands() {
  while (channel_) {
    // Out of the outbox before it is sent: a newer change of settings may replace what lies there, not what
    // is on its way.
    if (sending_.empty()) {
      const MutexLock lock(mutex_);
      if (outbox_.empty()) return;
      const transport::Command& command = outbox_.front();
      if (std::holds_alternative<transport::Change>(command) ||
          std::holds_alternative<transport::Restart>(command)) {
        process_->HasNewSettings();
        told_asking_ = false;
      }
      sending_ = transport::ToJson(command);
      outbox_.erase(outbox_.begin());
    }
    const Result<bool> sent = channel_->TrySend(sending_);
    if (sent && !*sent) return;  // the trainer is busy; it will be told in the next round
    sending_.clear();
  }
}

void LiveRun::ReceiveReports() {
  while (channel_) {
    const auto received = channel_->Receive(0);
    if (!received) {
      CloseChannel();
      return;
    }
    if (!received->has_value()) return;
    Result<transport::Report> report = transport::ReportFromJson((*received)->message);
    if (!report) {
      reports_.emplace_back(transport::Failed{report.error().message, false});
      CloseChannel();
      process_->Kill();
      return;
    }
    reports_.push_back(std::move(*report));
  }
}

void LiveRun::CloseChannel() {
  channel_.reset();
  KillAfter(kExitGrace);
}

// The earliest deadline holds.
void LiveRun::KillAfter(milliseconds grace) {
  const int64_t at_ns = (Clock::now() + grace).time_since_epoch().count();
  int64_t before = kill_at_ns_.load();
  while ((before == 0 || at_ns < before) && !kill_at_ns_.compare_exchange_weak(before, at_ns)) {
  }
}

// What a report tells of has happened, so its events lie in the ring: they are shown before it is.
void LiveRun::ApplyReports() {
  intake_.Take(false);
  const std::vector<transport::Report> reports = std::exchange(reports_, {});
  for (const transport::Report& report : reports) {
    if (const auto* started = std::get_if<transport::Started>(&report))
      intake_.Describe(started->description);
  }
  PublishView();
  const MutexLock lock(mutex_);
  for (const transport::Report& report : reports) Apply(report);
  changed_.notify_all();
}

void LiveRun::Apply(const transport::Report& report) {
  if (const auto* started = std::get_if<transport::Started>(&report)) {
    description_ = started->description;
    status_.state = RunState::kRunning;
  } else if (const auto* changed = std::get_if<transport::ActivityChanged>(&report)) {
    const bool paused = changed->activity == transport::Activity::kPaused;
    status_.state = paused ? RunState::kPaused : RunState::kRunning;
    status_.steps_done = changed->steps_done;
    at_step_limit_ = paused && !stop_asked_ && step_limit_ > 0 && changed->steps_done >= step_limit_;
  } else {
    if (!ending_) ending_ = report;  // the first reason is the reason
    KillAfter(kExitGrace);
  }
}

void LiveRun::PublishView() {
  auto view = intake_.Publish();
  unpublished_ = false;
  published_at_ = Clock::now();
  const MutexLock lock(mutex_);
  view_.swap(view);  // the old one may be the last of its chunks: it goes after the lock does
  UpdateCounters();
}

void LiveRun::UpdateCounters() {
  status_.captured = intake_.captured();
  status_.lost = intake_.lost();
  status_.recording_error = intake_.recording_error();
  status_.steps_done = intake_.steps_done();
  status_.without_workspaces = process_->without_workspaces();
  status_.unknown_sizes = process_->unknown_sizes();
  status_.asks_cudnn = process_->asks_cudnn();
}

// The process is gone: everything that it left behind is taken, then the end is told.
void LiveRun::Conclude() {
  ReceiveReports();
  process_->ReadWords();
  while (intake_.Take(true) > 0) {
  }
  if (!reports_.empty()) ApplyReports();
  const RunStatus end = EndStatus(status());
  if (!end.sentence.empty()) intake_.AddMarker(end.sentence);
  events::RunDescription described = description();
  described.ending = end.sentence;
  described.notes = process_->Notes();
  intake_.Describe(described);
  (void)intake_.CloseRecording();
  PublishView();
  const MutexLock lock(mutex_);
  description_ = std::move(described);
  UpdateCounters();
  status_.state = end.state;
  status_.sentence = end.sentence;
  status_.out_of_memory = end.out_of_memory;
  status_.lost_rank = end.lost_rank;
  outbox_.clear();
  changed_.notify_all();
}

bool LiveRun::StopAsked() const {
  const MutexLock lock(mutex_);
  return stop_asked_;
}

RunStatus LiveRun::EndStatus(RunStatus status) const {
  const std::string& unmodelled = process_->unmodelled_function();
  if (!unmodelled.empty()) {
    status.state = RunState::kFailed;
    status.sentence =
        "The phantom GPU does not know the CUDA function " + unmodelled +
        ", which this run needs, and stopped rather than guess. Choose other settings, or the CPU.";
  } else if (ending_ && std::holds_alternative<transport::Failed>(*ending_)) {
    const auto& failed = std::get<transport::Failed>(*ending_);
    status.state = RunState::kFailed;
    status.sentence = failed.sentence;
    status.out_of_memory = failed.out_of_memory;
    status.lost_rank = failed.lost_rank;
  } else if (ending_ || (status.state == RunState::kStarting && StopAsked())) {
    status.state = RunState::kFinished;
  } else if (process_->was_killed() && StopAsked()) {  // it hears that between steps only
    status.state = RunState::kFinished;
    if (intake_.steps_done() == 0) status.sentence = "It was stopped in the middle of its first step.";
  } else {
    status.state = RunState::kDied;
    status.sentence = process_->DescribeEnd(intake_.steps_done());
  }
  return status;
}

}  // namespace tidemark::session
