#include "profiler/training/trainer_process.h"

#include <c10/util/Exception.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>

#include "profiler/base/rank_place.h"
#include "profiler/capture/operators/operator_scopes.h"
#include "profiler/capture/stream/clock.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/allocator_events.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/torch_versions.h"
#include "profiler/networks/cifar10.h"
#include "profiler/training/cifar10_samples.h"
#include "profiler/training/device.h"
#include "profiler/training/distributed/rank_group.h"
#include "profiler/training/run_control.h"
#include "profiler/training/structure_events.h"
#include "profiler/training/synthetic_samples.h"
#include "profiler/training/training_run.h"

namespace tidemark::training {
namespace {

using networks::Network;
using networks::TrainingSettings;
using transport::Channel;
using transport::Command;

constexpr double kRingFillToWait = 0.5;

// The ring, once it can be half full, loses nothing: a step's events are far fewer than the other half holds.
bool RingHasRoom() { return capture::RingFill() <= kRingFillToWait; }

// The program is gone, or speaks another language: nobody is left to report to.
[[noreturn]] void LeaveAtOnce() { std::_Exit(1); }

void SendReport(const Channel& channel, const transport::Report& report) {
  if (!channel.Send(transport::ToJson(report)).ok()) LeaveAtOnce();
}

RunControl* operator_control = nullptr;

void AwaitOperator() { operator_control->AwaitOperator(); }

// A phantom's time means nothing, so that it may wait within a step, too: one of many micro-batches may tell
// more than the ring holds.
void AwaitOperatorAndRoom() {
  while (!RingHasRoom()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  AwaitOperator();
}

// False if none came in time; -1 waits for ever.
bool ReceiveCommand(const Channel& channel, RunControl& control, int timeout_ms) {
  auto received = channel.Receive(timeout_ms);
  if (!received.ok()) LeaveAtOnce();
  if (!received->has_value()) return false;
  const Result<Command> command = transport::CommandFromJson((*received)->message);
  if (!command.ok()) {
    SendReport(channel,
               transport::Failed{
                   "The trainer got a command that it does not know: " + command.error().message, false});
    LeaveAtOnce();
  }
  control.Apply(*command);
  return true;
}

// LibTorch's messages begin with where they come from, and end in C++ frames and in advice about its
// settings; people need what is between.
std::string MainPart(const std::string& message) {
  std::string text = message.substr(0, message.find('\n'));
  const size_t allocator = text.find("DefaultCPUAllocator: ");
  if (allocator != std::string::npos) text.erase(0, allocator);
  const size_t advice = text.find(" If reserved but unallocated memory is large");
  if (advice != std::string::npos) text.resize(advice);
  return text;
}

transport::Failed FailureOf(const std::exception& exception) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&exception);
  const std::string message =
      MainPart(torch_error != nullptr ? torch_error->what_without_backtrace() : exception.what());
  const bool out_of_memory =
      dynamic_cast<const c10::OutOfMemoryError*>(&exception) != nullptr || capture::CpuRanOutOfMemory();
  return {message, out_of_memory, false};
}

// The place of this process among the ranks that the settings ask for. On a phantom the others are pretended,
// so that any rank serves where nobody says which.
Result<RankPlace> PlaceFor(const TrainingSettings& settings, const Device& device) {
  if (settings.ranks == 1) return RankPlace{};
  Result<RankPlace> place = RankPlaceFromEnvironment();
  if (!place.ok()) return place.error();
  if (device.is_phantom) {
    place->world = settings.ranks;
    place->rank = place->rank < settings.ranks ? place->rank : 0;
    return place;
  }
  if (place->world == settings.ranks) return place;
  return Error{"This run is one of " + std::to_string(place->world) + " ranks and is asked to be one of " +
               std::to_string(settings.ranks) + ". How many there are is settled when they start."};
}

using Next = RunControl::Next;

constexpr std::array<std::string_view, 4> kOrders = {"step ", "change ", "restart ",
                                                     "stop "};  // as Next::Kind

// What comes next, as the leading rank tells the others.
std::string OrderOf(const Next& next) {
  return std::string(kOrders.at(static_cast<size_t>(next.kind))) + networks::ToJson(next.settings);
}

Next NextOf(std::string_view order) {
  for (size_t kind = 0; kind < kOrders.size(); ++kind) {
    if (!order.starts_with(kOrders[kind])) continue;
    const auto settings = networks::SettingsFromJson(order.substr(kOrders[kind].size()));
    TIDEMARK_CHECK(settings.ok());
    return {static_cast<Next::Kind>(kind), *settings};
  }
  TIDEMARK_CHECK(false);
}

// The training itself, between commands.
class Course {
 public:
  Course(Network network, Device device) : network_(std::move(network)), device_(std::move(device)) {}

  // Before anything else: waits for the other ranks, if there are any.
  Status Start(const TrainingSettings& settings) { return Begin("training starts", settings); }

  int64_t steps_done() const { return steps_done_; }
  const RankGroup* ranks() const { return ranks_.get(); }

  void Step() {
    run_->Step(steps_done_);
    ++steps_done_;
  }

  Status Change(const TrainingSettings& settings) {
    const TrainingSettings before = run_->settings();
    const std::string text = networks::DescribeChange(before, settings);
    if (text.empty()) return Done{};
    if (!run_->NeedsNewRun(settings)) {
      if (Status fits = networks::CheckTogether(network_, settings); !fits.ok()) return fits;
      EmitMarker(text, settings);
      run_->Change(settings);
      return Done{};
    }
    return Rebuild(text, settings);
  }

  Status Restart(const TrainingSettings& settings) {
    steps_done_ = 0;
    return Rebuild("training starts again", settings);
  }

 private:
  // With what it has sent and cached, for the next one finds all of its memory free, as a program of its own
  // would.
  void EndRun() {
    run_.reset();
    if (ranks_) ranks_->AwaitQuiet();
    ReleaseDeviceMemory(device_.torch_device);
    AskDriverAndCard();  // else what was let go would be told of what comes
  }

  Status Rebuild(const std::string& text, const TrainingSettings& settings) {
    EndRun();
    if (network_.name != settings.network) {
      Result<Network> network = networks::FindNetwork(settings.network);
      if (!network.ok()) return network.error();
      network_ = std::move(*network);
    }
    return Begin(text, settings);
  }

  Status Begin(const std::string& text, const TrainingSettings& settings) {
    EmitMarker(text, settings);
    EmitPhase(events::Phase::kIdle);
    if (Status fits = networks::CheckTogether(network_, settings); !fits.ok()) return fits;
    if (Status met = MeetRanks(settings); !met.ok()) return met;
    if (Status chosen = ChooseSamples(settings); !chosen.ok()) return chosen;
    run_ = std::make_unique<TrainingRun>(network_, settings, *samples_, device_.torch_device, ranks_.get());
    return Done{};
  }

  Status MeetRanks(const TrainingSettings& settings) {
    if ((ranks_ ? ranks_->world() : 1) == settings.ranks) return Done{};
    const Result<RankPlace> place = PlaceFor(settings, device_);
    if (!place.ok()) return place.error();
    ranks_.reset();
    if (settings.ranks > 1)
      ranks_ = std::make_unique<RankGroup>(*place, device_.torch_device, device_.is_phantom);
    return Done{};
  }

  // The same samples for the same seed, so they are kept: a restart is to be quick.
  Status ChooseSamples(const TrainingSettings& settings) {
    const SamplesOrigin origin{network_.name, settings.seed, settings.data};
    if (!samples_ || samples_origin_ != origin) {
      samples_.reset();
      if (settings.data.empty() || device_.is_phantom) {
        samples_ = std::make_unique<SyntheticSamples>(network_, settings.seed, !device_.is_phantom);
      } else {
        Result<std::unique_ptr<Samples>> read = Cifar10Samples::Read(settings.data);
        if (!read.ok()) return read.error();
        samples_ = std::move(*read);
      }
      samples_origin_ = origin;
    }
    samples_->Rewind();
    return Done{};
  }

  Network network_;
  Device device_;
  struct SamplesOrigin {
    std::string network;
    uint64_t seed = 0;
    std::string data;
    bool operator==(const SamplesOrigin&) const = default;
  };
  std::unique_ptr<Samples> samples_;
  SamplesOrigin samples_origin_;
  std::unique_ptr<RankGroup> ranks_;  // null of one alone
  std::unique_ptr<TrainingRun> run_;
  int64_t steps_done_ = 0;
};

Result<Network> CheckedNetwork(const TrainingSettings& settings) {
  if (Status valid = networks::Validate(settings); !valid.ok()) return valid.error();
  return networks::FindNetwork(settings.network);
}

// What this rank is told, or tells the others.
Next AwaitNext(const Course& course, RunControl& control) {
  const RankGroup* const ranks = course.ranks();
  if (ranks != nullptr && ranks->follows()) {
    Next next = NextOf(ranks->AwaitOrder());
    if (next.kind == Next::Kind::kStep) control.AwaitNext(course.steps_done());  // until the ring has room
    return next;
  }
  Next next = control.AwaitNext(course.steps_done());
  if (ranks != nullptr && ranks->leads()) ranks->Announce(OrderOf(next));
  return next;
}

Status Train(Course& course, RunControl& control) {
  using Kind = Next::Kind;
  while (true) {
    const Next next = AwaitNext(course, control);
    if (next.kind == Kind::kStop) {
      if (course.ranks() != nullptr) course.ranks()->Part();
      return Done{};
    }
    if (next.kind == Kind::kStep) {
      course.Step();
      continue;
    }
    if (Status valid = networks::Validate(next.settings); !valid.ok()) return valid;
    Status done = next.kind == Kind::kChange ? course.Change(next.settings) : course.Restart(next.settings);
    if (!done.ok()) return done;
  }
}

struct Beginning {
  transport::Start start;
  UniqueFd ring;
};

Result<Beginning> ReceiveStart(const Channel& channel) {
  auto received = channel.Receive(-1);
  if (!received.ok()) LeaveAtOnce();
  if (!received->has_value()) LeaveAtOnce();
  const Result<Command> command = transport::CommandFromJson((*received)->message);
  if (!command.ok()) return command.error();
  const auto* start = std::get_if<transport::Start>(&*command);
  if (start == nullptr) return Error{"The trainer was given a command before it was started."};
  if (!(*received)->attached_fd.valid())
    return Error{"The trainer was started without a ring for its events."};
  return Beginning{*start, std::move((*received)->attached_fd)};
}

std::string TorchVersion() {
  return std::to_string(TORCH_VERSION_MAJOR) + "." + std::to_string(TORCH_VERSION_MINOR) + "." +
         std::to_string(TORCH_VERSION_PATCH);
}

events::RunDescription Describe(const transport::Start& start, const Network& network, const Device& device,
                                const RankPlace& place) {
  events::RunDescription description;
  description.device = networks::TextOf(start.device);
  description.device_name = device.name;
  description.device_bytes = device.bytes;
  description.title = network.title + " on " + device.title;
  if (place.world > 1)
    description.title += ", rank " + std::to_string(place.rank) + " of " + std::to_string(place.world);
  description.rank = place.rank;
  description.settings_json = networks::ToJson(start.settings);
  description.producer = "tidemark-trainer 0.1 (torch " + TorchVersion() + ")";
  description.torch_cuda = device.cuda;
  description.allocator_settings = events::AllocatorSettings();
  description.tells_pools = events::TellsPools(TorchVersion(), description.allocator_settings);
  description.start_time_ns = capture::NowNs();
  description.process_id = getpid();
  return description;
}

Status RunFrom(Beginning beginning, const Channel& channel, RunControl& control) {
  Result<Network> network = CheckedNetwork(beginning.start.settings);
  if (!network.ok()) return network.error();
  Result<transport::RingWriter> ring = transport::RingWriter::Map(std::move(beginning.ring));
  if (!ring.ok()) return ring.error();
  Result<Device> device = OpenDevice(beginning.start.device);
  if (!device.ok()) return device.error();
  const Result<RankPlace> place = PlaceFor(beginning.start.settings, *device);
  if (!place.ok()) return place.error();
  capture::OpenEventStream(std::move(*ring), static_cast<uint8_t>(device->index));
  AttachCapture(*device);
  SendReport(channel, transport::Started{Describe(beginning.start, *network, *device, *place)});

  Course course(std::move(*network), std::move(*device));
  Status trained = course.Start(beginning.start.settings);
  if (trained.ok()) trained = Train(course, control);
  // A run may be over before the card was asked for the second time, or CUPTI for its last records.
  AskDriverAndCard();
  if (trained.ok()) SendReport(channel, transport::Finished{course.steps_done()});
  return trained;
}

}  // namespace

int RunTrainerProcess(Channel channel) {
  Result<Beginning> beginning = ReceiveStart(channel);
  if (!beginning.ok()) {
    SendReport(channel, transport::Failed{beginning.error().message, false});
    return 1;
  }
  RunControl control([&](transport::ActivityChanged report) { SendReport(channel, report); }, RingHasRoom);
  operator_control = &control;
  const bool is_phantom = beginning->start.device.kind == networks::DeviceKind::kPhantom;
  capture::SetOperatorGate(is_phantom ? AwaitOperatorAndRoom : AwaitOperator);
  // What lies ready holds for the first step: a limit that was read late would be passed.
  while (ReceiveCommand(channel, control, 0)) {
  }
  std::thread([&] {
    while (true) ReceiveCommand(channel, control, -1);
  }).detach();  // the caller ends the process, never returns to it
  const bool alone = beginning->start.settings.ranks <= 1;
  try {
    const Status ran = RunFrom(std::move(*beginning), channel, control);
    if (ran.ok()) return 0;
    SendReport(channel, transport::Failed{ran.error().message, false});
  } catch (const std::exception& exception) {
    transport::Failed failed = FailureOf(exception);
    failed.lost_rank = !alone && TellsOfAnotherRank(exception);
    if (failed.lost_rank)
      failed.sentence = "Another rank is gone, and no rank goes on alone. (" + failed.sentence + ")";
    SendReport(channel, failed);
  }
  return 1;
}

}  // namespace tidemark::training
