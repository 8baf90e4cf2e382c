#include "tests/integration/training/trainer_under_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "profiler/base/paths.h"
#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"

namespace tidemark::tests {
namespace {

using networks::DeviceChoice;
using networks::TrainingSettings;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::minutes(3);
constexpr int kChannelFd = 3;

template <typename T>
T Need(Result<T> result) {
  if (!result.ok()) FAIL(result.error().message);
  return std::move(*result);
}

std::vector<std::string> EnvironmentFor(const DeviceChoice& device, const std::vector<std::string>& more) {
  std::optional<phantom::Card> card;
  if (device.kind == networks::DeviceKind::kPhantom) card = Need(phantom::FindCard(device.card));
  std::vector<std::string> environment = Need(phantom::PhantomEnvironment(card));
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

pid_t StartTrainer(int channel, std::vector<std::string> environment) {
  // The build puts test programs into <root>/tests and the trainer into <root>/bin.
  const std::string path = (ExecutableFolder().parent_path() / "bin" / "tidemark-trainer").string();
  const pid_t process = fork();
  if (process != 0) return process;
  for (std::string& entry : environment) putenv(entry.data());
  if (channel == kChannelFd) {
    fcntl(channel, F_SETFD, 0);
  } else {
    dup2(channel, kChannelFd);
  }
  execl(path.c_str(), path.c_str(), "--channel", std::to_string(kChannelFd).c_str(), nullptr);
  _exit(127);
}

}  // namespace

void CollectedEvents::Add(const events::Event& event) {
  if (event.kind != events::EventKind::kName) {
    events.push_back(event);
    return;
  }
  std::string& name = names[event.name];
  if (event.layer == 0) name.clear();
  name += events::NamePiece(event);
}

std::string CollectedEvents::NameOf(events::NameId id) const {
  const auto found = names.find(id);
  return found == names.end() ? std::string() : found->second;
}

std::vector<double> CollectedEvents::Metric(const std::string& name) const {
  std::vector<double> values;
  for (const events::Event& event : events) {
    if (event.kind == events::EventKind::kMetric && NameOf(event.name) == name) {
      values.push_back(events::MetricOf(event));
    }
  }
  return values;
}

TrainerUnderTest::TrainerUnderTest(const TrainingSettings& settings, const DeviceChoice& device,
                                   int64_t steps, const std::vector<std::string>& environment) {
  auto [ours, theirs] = Need(transport::Channel::CreatePair());
  ring_ = Need(transport::RingReader::Create());
  channel_.emplace(std::move(ours));
  process_ = StartTrainer(theirs.fd(), EnvironmentFor(device, environment));
  REQUIRE(
      channel_->Send(transport::ToJson(transport::Command{transport::Start{settings, device}}), ring_->fd())
          .ok());
  if (steps > 0) Send(transport::SetStepLimit{steps});
}

TrainerUnderTest::~TrainerUnderTest() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void TrainerUnderTest::Send(const transport::Command& command) {
  const Status sent = channel_->Send(transport::ToJson(command));
  if (!sent.ok()) UNSCOPED_INFO(sent.error().message);
}

void TrainerUnderTest::Drain(bool dead) {
  std::array<events::Event, 4096> batch;
  while (const size_t count = ring_->Pop(batch, dead)) {
    std::for_each_n(batch.begin(), count, [&](const events::Event& event) { collected_.Add(event); });
  }
}

std::optional<transport::Report> TrainerUnderTest::Await() {
  const auto end = Clock::now() + kPatience;
  while (Clock::now() < end) {
    auto received = channel_->Receive(1);
    Drain(!received.ok());
    if (!received.ok()) return std::nullopt;
    if (!received->has_value()) continue;
    const auto report = Need(transport::ReportFromJson((*received)->message));
    if (const auto* started = std::get_if<transport::Started>(&report)) started_ = *started;
    return report;
  }
  return std::nullopt;
}

std::optional<transport::ActivityChanged> TrainerUnderTest::AwaitPause() {
  while (const auto report = Await()) {
    if (const auto* failed = std::get_if<transport::Failed>(&*report)) FAIL(failed->sentence);
    const auto* activity = std::get_if<transport::ActivityChanged>(&*report);
    if (activity == nullptr || activity->activity != transport::Activity::kPaused) continue;
    Drain(false);
    return *activity;
  }
  return std::nullopt;
}

std::optional<transport::Failed> TrainerUnderTest::AwaitFailure() {
  while (const auto report = Await()) {
    if (const auto* failed = std::get_if<transport::Failed>(&*report)) return *failed;
  }
  return std::nullopt;
}

void TrainerUnderTest::TellLastFailure() {
  while (true) {
    auto received = channel_->Receive(0);
    if (!received.ok() || !received->has_value()) return;
    const auto report = Need(transport::ReportFromJson((*received)->message));
    if (const auto* failed = std::get_if<transport::Failed>(&report)) UNSCOPED_INFO(failed->sentence);
  }
}

int TrainerUnderTest::AwaitExit() {
  const auto end = Clock::now() + kPatience;
  int status = 0;
  while (Clock::now() < end) {
    Drain(false);
    if (waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      Drain(true);
      TellLastFailure();
      return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    usleep(1000);
  }
  FAIL("the trainer did not end");
  return -1;
}

int TrainerUnderTest::Stop() {
  Send(transport::Stop{});
  return AwaitExit();
}

uint64_t TrainerUnderTest::lost() const {
  uint64_t lost = ring_->torn();
  for (int source = 0; source < events::kSourceCount; ++source) {
    lost += ring_->dropped(static_cast<events::Source>(source));
  }
  return lost;
}

CollectedEvents EventsOf(const TrainingSettings& settings, const DeviceChoice& device, int64_t steps) {
  TrainerUnderTest trainer(settings, device, steps);
  REQUIRE(trainer.AwaitPause().has_value());
  REQUIRE(trainer.Stop() == 0);
  REQUIRE(trainer.lost() == 0);
  return std::move(trainer.collected());
}

}  // namespace tidemark::tests
