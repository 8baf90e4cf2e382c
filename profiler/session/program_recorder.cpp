#include "profiler/session/program_recorder.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

#include "profiler/base/check.h"
#include "profiler/base/paths.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/gates/recorder_loading.h"

namespace tidemark::session {
namespace {

using RecorderClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFlushFilesEvery{200};
constexpr int kBusyRestMs = 2;
constexpr int kIdleRestMs = 20;
constexpr int kBySignal = 128;

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

// Launchers by the names that they give rank, size and local rank: torchrun, Open MPI, Slurm, MPICH.
constexpr std::array<std::array<std::string_view, 3>, 4> kRankNames = {{
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
}};

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string ReadWhole(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Our own programs (a phantom's replayer, say) are started by what is recorded, and are not it.
bool IsOurs(pid_t process) {
  std::error_code failure;
  const auto file =
      std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", failure).filename().string();
  return !failure && file.starts_with("tidemark");
}

}  // namespace

std::string RankLabel(std::string_view environment) {
  for (const auto& [rank, size, local] : kRankNames) {
    const std::string_view own = ValueIn(environment, rank);
    if (!IsNumber(own)) continue;
    std::string label = "rank " + std::string(own);
    if (const auto all = ValueIn(environment, size); IsNumber(all)) label += " of " + std::string(all);
    if (const auto here = ValueIn(environment, local); IsNumber(here))
      label += ", local rank " + std::string(here);
    return label;
  }
  return "";
}

std::filesystem::path RecordingOf(const std::filesystem::path& recording, std::string_view environment,
                                  int process_id, bool is_first) {
  std::string addition = is_first ? "" : "." + std::to_string(process_id);
  for (const auto& names : kRankNames) {
    const std::string_view rank = ValueIn(environment, names[0]);
    if (!IsNumber(rank)) continue;
    addition = ".rank" + std::string(rank);
    break;
  }
  std::filesystem::path own = recording;
  own.replace_filename(recording.stem().string() + addition + recording.extension().string());
  return own;
}

Result<std::unique_ptr<ProgramRecorder>> ProgramRecorder::Start(const RecorderOptions& options) {
  Result<transport::Listener> listener = transport::Listener::Create();
  if (!listener) return listener.error();
  std::unique_ptr<ProgramRecorder> recorder(new ProgramRecorder(options, std::move(*listener)));
  recorder->ingest_thread_ = std::thread([recorder = recorder.get()] { recorder->Ingest(); });
  return recorder;
}

ProgramRecorder::ProgramRecorder(const RecorderOptions& options, transport::Listener listener)
    : options_(options),
      listener_(std::move(listener)),
      environment_entry_(
          std::string(options.on_phantom ? capture::kSocketVariable : capture::kProbeSocketVariable) + "=" +
          listener_.name()),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ProgramRecorder::~ProgramRecorder() { End(0); }

void ProgramRecorder::End(int exit_code) {
  if (!ingest_thread_.joinable()) return;
  exit_code_ = exit_code;
  ended_ = true;
  Wake();
  ingest_thread_.join();
}

void ProgramRecorder::Wake() {
  const uint64_t one = 1;
  TIDEMARK_CHECK(write(wake_fd_.get(), &one, sizeof one) == sizeof one);
}

std::optional<ProgramRecorder::Process> ProgramRecorder::Take(int process_id) {
  const MutexLock lock(mutex_);
  wanted_ = process_id;
  Wake();
  while (wanted_) taken_is_there_.wait(mutex_);
  return std::exchange(taken_, std::nullopt);
}

void ProgramRecorder::Ingest() {
  auto flushed_at = RecorderClock::now();
  while (!ended_) {
    AnswerCallers();
    AnswerTake();
    bool busy = false;
    for (const auto& intake : intakes_) busy = (intake != nullptr && intake->Take(false) > 0) || busy;
    if (RecorderClock::now() - flushed_at >= kFlushFilesEvery) {
      for (const auto& intake : intakes_) {
        if (intake != nullptr) intake->FlushRecording();
      }
      flushed_at = RecorderClock::now();
    }
    std::array<pollfd, 2> waiting = {pollfd{wake_fd_.get(), POLLIN, 0}, pollfd{listener_.fd(), POLLIN, 0}};
    poll(waiting.data(), waiting.size(), busy ? kBusyRestMs : kIdleRestMs);
  }
  AnswerCallers();
  for (size_t i = 0; i < processes_.size(); ++i) processes_[i] = Finish(i, exit_code_);
}

void ProgramRecorder::AnswerTake() {
  const MutexLock lock(mutex_);
  if (!wanted_) return;
  uint64_t woken = 0;
  (void)!read(wake_fd_.get(), &woken, sizeof woken);
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i].description.process_id != *wanted_) continue;
    taken_ = Finish(i, 0);
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(i));
    intakes_.erase(intakes_.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  wanted_.reset();
  taken_is_there_.notify_all();
}

void ProgramRecorder::AnswerCallers() {
  while (const std::optional<transport::Listener::Caller> caller = listener_.Accept()) {
    if (!IsOurs(caller->process_id)) Answer(*caller);
  }
}

void ProgramRecorder::Answer(const transport::Listener::Caller& caller) {
  const std::string environment = ReadWhole("/proc/" + std::to_string(caller.process_id) + "/environ");
  Process process;
  process.description = options_.description;
  process.description.process_id = caller.process_id;
  if (const std::string label = RankLabel(environment); !label.empty())
    process.description.title += ", " + label;
  std::unique_ptr<EventIntake> intake;
  Result<transport::RingReader> ring = transport::RingReader::Create(options_.ring_events);
  std::optional<trace::TideWriter> file;
  if (!ring) process.error = ring.error().message;
  if (ring && options_.recording) {
    process.recording = RecordingOf(*options_.recording, environment, caller.process_id, processes_.empty());
    auto writer = trace::TideWriter::Create(*process.recording, process.description);
    if (writer) file = std::move(*writer);
    if (!writer) process.error = writer.error().message;
  }
  if (process.error.empty()) {
    intake = std::make_unique<EventIntake>(std::move(*ring), std::move(file), options_.budget_events);
    if (!intake->HandOver(caller)) process.error = "The process was gone before it could be recorded.";
  }
  processes_.push_back(std::move(process));
  intakes_.push_back(std::move(intake));
}

ProgramRecorder::Process ProgramRecorder::Finish(size_t index, int exit_code) {
  Process process = std::move(processes_[index]);
  if (intakes_[index] == nullptr) return process;
  EventIntake& intake = *intakes_[index];
  while (intake.Take(true) > 0) {
  }
  if (exit_code > kBySignal) {
    intake.AddMarker("The program was ended by signal " + std::to_string(exit_code - kBySignal) + ".");
  } else if (exit_code != 0) {
    intake.AddMarker("The program ended with exit code " + std::to_string(exit_code) + ".");
  }
  intake.CloseRecording();
  process.view = intake.Publish();
  process.captured = intake.captured();
  process.lost = intake.lost();
  if (!intake.recording_error().empty()) process.error = intake.recording_error();
  return process;
}

}  // namespace tidemark::session
