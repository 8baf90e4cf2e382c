#include "profiler/session/launch.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "profiler/base/nvidia_gpus.h"
#include "profiler/base/paths.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/environment.h"

namespace tidemark::session {
namespace {

using networks::DeviceKind;

Result<std::vector<std::string>> EnvironmentFor(const networks::DeviceChoice& device) {
  switch (device.kind) {
    case DeviceKind::kPhantom: {
      const Result<phantom::Card> card = phantom::FindCard(device.card);
      if (!card) return card.error();
      Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(*card);
      // Whatever it hides of this machine's own cards.
      if (environment) environment->emplace_back("CUDA_VISIBLE_DEVICES");
      return environment;
    }
    case DeviceKind::kCpu:
      return phantom::PhantomEnvironment(std::nullopt);
    case DeviceKind::kCuda:
      break;
  }
  if (FindNvidiaGpus().empty()) {
    return Error{
        "There is no NVIDIA GPU here, or no driver for one. Choose a phantom GPU (--device phantom) or the "
        "CPU (--device cpu)."};
  }
  return std::vector<std::string>();
}

events::RunDescription Describe(const LiveOptions& options, const networks::Network& network) {
  events::RunDescription description;
  description.device = networks::TextOf(options.device);
  description.title = network.title + " on " + description.device;
  description.settings_json = networks::ToJson(options.settings);
  description.producer = "tidemark";
  description.start_time_ns =
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  return description;
}

}  // namespace

Result<Launch> PrepareLaunch(const LiveOptions& options) {
  if (Status valid = networks::Validate(options.settings); !valid) return valid.error();
  const Result<networks::Network> network = networks::FindNetwork(options.settings.network);
  if (!network) return network.error();
  if (Status there = networks::CheckTogether(*network, options.settings); !there) return there.error();
  Launch launch;
  launch.description = Describe(options, *network);
  launch.executable = options.trainer_executable.value_or(TrainerExecutable());
  if (!options.trainer_executable) {
    Result<std::vector<std::string>> environment = EnvironmentFor(options.device);
    if (!environment) return environment.error();
    launch.environment = std::move(*environment);
    if (options.phantom_memory_bytes > 0) {
      launch.environment.push_back(std::string(phantom::kMemoryVariable) + "=" +
                                   std::to_string(options.phantom_memory_bytes));
    }
  }
  std::ranges::copy(options.environment, std::back_inserter(launch.environment));
  if (options.place) std::ranges::copy(EnvironmentOf(*options.place), std::back_inserter(launch.environment));
  if (access(launch.executable.c_str(), X_OK) != 0) {
    return Error{"The trainer program " + launch.executable.string() +
                 " is missing. ./run builds it where it belongs."};
  }
  return launch;
}

}  // namespace tidemark::session
