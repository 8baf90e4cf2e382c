#include "profiler/session/ranked_run.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "profiler/base/nvidia_gpus.h"
#include "profiler/base/rank_place.h"
#include "profiler/base/unique_fd.h"
#include "profiler/session/ranks.h"

namespace tidemark::session {
namespace {

using std::chrono::milliseconds;

// Each loads LibTorch, 0.4 GB.
constexpr int kMostProcesses = 64;
constexpr milliseconds kLook{20};
// From the first end until all that follow from it have been told: the reason is looked for among them.
constexpr milliseconds kEndsArrive{300};
constexpr milliseconds kEndGrace{1000};

bool HasEnded(const Run& run) { return run.status().state > RunState::kPaused; }

// A port that nobody listens on. Another program may take it before rank 0 does, which it would say.
Result<int> FreePort() {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  if (!fd.valid() || bind(fd.get(), general, size) != 0 || getsockname(fd.get(), general, &size) != 0) {
    return Error{std::string("The ranks have no port to meet at: ") + std::strerror(errno) + "."};
  }
  return ntohs(address.sin_port);
}

Status CheckRoom(const LiveOptions& options) {
  const int ranks = options.settings.ranks;
  if (options.device.kind == networks::DeviceKind::kCuda) {
    const auto cards = static_cast<int>(FindNvidiaGpus().size()) - options.device.index;
    if (ranks <= cards) return Done{};
    return Error{std::to_string(ranks) + " ranks need a GPU each, and this machine has " +
                 std::to_string(cards) + " from cuda:" + std::to_string(options.device.index) +
                 " on. Choose fewer, or a phantom GPU."};
  }
  if (ranks <= kMostProcesses) return Done{};
  return Error{
      std::to_string(ranks) + " ranks are more than the " + std::to_string(kMostProcesses) +
      " processes that one machine is asked for. Choose fewer, or a phantom GPU, which runs one of them."};
}

// What a rank gets of this machine: LibTorch would take all of it for each.
std::string ThreadsOf(int ranks) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return "OMP_NUM_THREADS=" + std::to_string(std::max(1U, cores / static_cast<unsigned>(ranks)));
}

LiveOptions OptionsOf(const LiveOptions& all, int rank, int port) {
  LiveOptions options = all;
  options.place = RankPlace{rank, all.settings.ranks, rank, "127.0.0.1", port};
  if (all.device.kind == networks::DeviceKind::kCuda) options.device.index += rank;
  if (all.recording) options.recording = RecordingOfRank(*all.recording, rank);
  if (std::getenv("OMP_NUM_THREADS") == nullptr) options.environment.push_back(ThreadsOf(all.settings.ranks));
  if (rank == 0) return options;
  options.start_paused = false;  // rank 0 says when
  options.steps_per_second = 0;
  options.step_limit = 0;
  return options;
}

}  // namespace

Result<std::unique_ptr<Run>> RankedRun::Start(const LiveOptions& options) {
  if (Status room = CheckRoom(options); !room) return room.error();
  const Result<int> port = FreePort();
  if (!port) return port.error();
  std::vector<std::unique_ptr<LiveRun>> ranks;
  for (int rank = 0; rank < options.settings.ranks; ++rank) {
    Result<std::unique_ptr<LiveRun>> run = LiveRun::Start(OptionsOf(options, rank, *port));
    if (!run) return run.error();
    ranks.push_back(std::move(*run));
  }
  return std::unique_ptr<Run>(new RankedRun(std::move(ranks)));
}

RankedRun::RankedRun(std::vector<std::unique_ptr<LiveRun>> ranks)
    : ranks_(std::move(ranks)), watcher_([this](const std::stop_token& stop) { WatchForEnds(stop); }) {}

std::vector<const Run*> RankedRun::ranks() const {
  std::vector<const Run*> runs;
  for (const auto& rank : ranks_) runs.push_back(rank.get());
  return runs;
}

bool RankedRun::AnyEnded() const {
  return std::ranges::any_of(ranks_, [](const auto& rank) { return HasEnded(*rank); });
}
bool RankedRun::AllEnded() const {
  return std::ranges::all_of(ranks_, [](const auto& rank) { return HasEnded(*rank); });
}

// Of those that have ended: one that could not explain itself, or that failed on its own, before those that
// only missed another.
size_t RankedRun::FindReason() const {
  size_t found = kNone;
  const auto weight = [](const RunStatus& status) {
    if (status.state == RunState::kDied) return 3;
    if (status.state == RunState::kFailed) return status.lost_rank ? 1 : 2;
    return 0;
  };
  int most = 0;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const int weighs = weight(ranks_[rank]->status());
    if (weighs > most) found = rank;
    most = std::max(most, weighs);
  }
  return found;
}

void RankedRun::WatchForEnds(const std::stop_token& stop) {
  while (!stop.stop_requested() && !AnyEnded()) std::this_thread::sleep_for(kLook);
  if (stop.stop_requested()) return;
  for (milliseconds waited{0}; waited < kEndsArrive && !AllEnded(); waited += kLook)
    std::this_thread::sleep_for(kLook);
  reason_ = FindReason();
  reason_found_ = true;
  for (const auto& rank : ranks_) rank->EndWithin(kEndGrace);
}

RunStatus RankedRun::status() const {
  RunStatus status = leader().status();
  for (size_t rank = 1; rank < ranks_.size(); ++rank) {
    const RunStatus other = ranks_[rank]->status();
    status.lost += other.lost;
    if (status.recording_error.empty()) status.recording_error = other.recording_error;
  }
  if (status.state > RunState::kPaused && (!AllEnded() || !reason_found_)) {
    status.state = RunState::kRunning;
    status.sentence.clear();
    return status;
  }
  const size_t reason = reason_;
  if (reason == kNone || status.state <= RunState::kPaused) return status;
  const RunStatus of_reason = ranks_[reason]->status();
  status.state = of_reason.state;
  status.out_of_memory = of_reason.out_of_memory;
  status.sentence = "Rank " + std::to_string(reason) + " of " + std::to_string(ranks_.size()) +
                    " ended, and so did all. " + of_reason.sentence;
  return status;
}

bool RankedRun::Change(const networks::TrainingSettings& settings) {
  return settings.ranks == static_cast<int>(ranks_.size()) && leader().Change(settings);
}

bool RankedRun::Restart(const networks::TrainingSettings& settings) {
  return settings.ranks == static_cast<int>(ranks_.size()) && leader().Restart(settings);
}

bool RankedRun::WaitUntilSettled(int timeout_ms) {
  const auto deadline = std::chrono::steady_clock::now() + milliseconds(timeout_ms);
  if (!leader().WaitUntilSettled(timeout_ms)) return false;
  while (HasEnded(leader()) && status().state <= RunState::kPaused) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

}  // namespace tidemark::session
