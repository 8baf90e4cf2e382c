// A trainer without LibTorch: speaks the protocol and behaves as fake_trainer.h lists.
#include "tests/unit/session/fake_trainer.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "profiler/capture/transport/channel.h"
#include "profiler/capture/transport/messages.h"
#include "profiler/capture/transport/ring.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;

int64_t NowNs() { return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

class FakeTrainer {
 public:
  explicit FakeTrainer(int channel_fd) : channel_(UniqueFd(channel_fd)) {}

  int Run() {
    auto received = channel_.Receive(-1);
    if (!received.ok() || !received->has_value()) return 2;
    const auto command = transport::CommandFromJson((*received)->message);
    if (!command.ok() || !std::holds_alternative<transport::Start>(*command)) return 2;
    settings_ = std::get<transport::Start>(*command).settings;
    ring_.emplace(std::move(*transport::RingWriter::Map(std::move((*received)->attached_fd))));
    if (behaviour() == kNeverStarts) {
      std::fputs("cannot load libwhatever.so\n\n", stderr);
      return 127;
    }
    Start();
    return Behave();
  }

 private:
  FakeBehaviour behaviour() const { return static_cast<FakeBehaviour>(settings_.accumulate - 1); }
  void Send(const transport::Report& report) {
    if (!channel_.Send(transport::ToJson(report)).ok()) std::_Exit(1);
  }
  void Push(Event event) {
    event.time_ns = NowNs();
    ring_->Push(event);
  }
  void Push(EventKind kind, int64_t bytes) { Push(Event{.bytes = bytes, .kind = kind}); }

  void Start() {
    ring_->PushName(1, "begin", NowNs());
    ring_->PushName(2, networks::ToJson(settings_), NowNs());
    Push(Event{.op = 2, .name = 1, .kind = EventKind::kMarker});
    events::RunDescription description;
    description.title = "fake";
    description.device_name = "Fake Device";
    description.settings_json = networks::ToJson(settings_);
    description.process_id = getpid();
    Send(transport::Started{description});
  }

  // Two blocks at the most, three in the first step.
  void Step() {
    const int64_t blocks = steps_done_ == 0 ? 3 : 2;
    Push(EventKind::kStepBegin, steps_done_);
    for (int phase = 1; phase <= 3; ++phase)
      Push(Event{.kind = EventKind::kPhase, .phase = static_cast<events::Phase>(phase)});
    for (int64_t block = 1; block <= blocks; ++block) {
      Push(Event{.address = static_cast<uint64_t>(block) << 20,
                 .bytes = kFakeBlockBytes - 100,
                 .rounded_bytes = kFakeBlockBytes,
                 .kind = EventKind::kAllocate,
                 .category = events::Category::kActivation});
    }
    for (int64_t block = 1; block <= blocks; ++block) {
      Push(Event{.address = static_cast<uint64_t>(block) << 20, .kind = EventKind::kFreeCompleted});
    }
    for (int i = 5 + static_cast<int>(2 * blocks); i < kFakeStepEvents; ++i) Push(EventKind::kSnapshot, 0);
    Push(EventKind::kStepEnd, steps_done_);
    ++steps_done_;
  }

  int Behave() {
    switch (behaviour()) {
      case kAborts:
        for (int i = 0; i < 3; ++i) Step();
        std::fputs("first words\nterminate called: something broke\n", stderr);
        std::abort();
      case kExitsQuietly:
        Step();
        return 3;
      case kRunsOutOfMemory:
        Step();
        Push(EventKind::kOutOfMemory, 1 << 30);
        Send(transport::Failed{"CUDA out of memory.", true});
        return 1;
      case kMeetsUnmodelled:
        Step();
        std::fputs("some noise\ntidemark phantom: not modelled: cudaFancy(1, 2)\nmore noise\n", stderr);
        std::_Exit(1);
      case kFloods:
        while (true) Step();
      case kIgnoresStop:
        while (true) pause();
      case kTalksNonsense:
        if (!channel_.Send("{\"message\": \"hello\"}").ok()) return 1;
        while (true) pause();
      case kClosesChannel: {
        const transport::Channel gone = std::move(channel_);
      }
        while (true) pause();
      case kFinishesAndHangs:
        Send(transport::Finished{0});
        while (true) pause();
      default:
        return Obey();
    }
  }

  int Obey() {
    while (true) {
      const bool at_limit = limit_ > 0 && steps_done_ >= limit_;
      const bool paused = paused_ || at_limit;
      if (paused != reported_paused_) {
        reported_paused_ = paused;
        Send(transport::ActivityChanged{paused ? transport::Activity::kPaused : transport::Activity::kRunning,
                                        steps_done_});
      }
      auto received = channel_.Receive(paused ? -1 : 0);
      if (!received.ok()) return 1;
      if (received->has_value()) {
        if (!Apply(*transport::CommandFromJson((*received)->message))) return 0;
        if (behaviour() != kObeys) return Behave();
      } else if (ring_->fill() < 0.5) {
        Step();
        if (steps_done_ % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }

  bool Apply(const transport::Command& command) {
    if (const auto* mode = std::get_if<transport::SetMode>(&command))
      paused_ = mode->mode == transport::RunMode::kPause;
    if (const auto* limit = std::get_if<transport::SetStepLimit>(&command)) limit_ = limit->steps;
    if (const auto* change = std::get_if<transport::Change>(&command)) {
      settings_ = change->settings;
      ring_->PushName(3, "batch " + std::to_string(settings_.batch), NowNs());
      Push(Event{.name = 3, .kind = EventKind::kMarker});
    }
    if (const auto* restart = std::get_if<transport::Restart>(&command)) {
      settings_ = restart->settings;
      steps_done_ = 0;
    }
    if (!std::holds_alternative<transport::Stop>(command)) return true;
    Send(transport::Finished{steps_done_});
    return false;
  }

  transport::Channel channel_;
  std::optional<transport::RingWriter> ring_;
  networks::TrainingSettings settings_;
  int64_t steps_done_ = 0;
  int64_t limit_ = 0;
  bool paused_ = false;
  bool reported_paused_ = false;
};

}  // namespace
}  // namespace tidemark::session

int main(int count, char** arguments) {
  if (count != 3) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return tidemark::session::FakeTrainer(std::atoi(arguments[2])).Run();
}
