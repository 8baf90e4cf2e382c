#include "app/cli/training_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/console/exit_codes.h"
#include "app/cli/console/numbers.h"
#include "profiler/base/rank_place.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/script_files.h"
#include "profiler/networks/techniques.h"

namespace tidemark::cli {
namespace {

constexpr const char* kGroup = "Training";

// A launcher may be who says how many ranks there are.
Status CheckSharing(const networks::TrainingSettings& settings) {
  const bool in_stages = settings.pipeline != networks::PipelineSchedule::kOff;
  if (!in_stages && settings.split != networks::TrainingSettings().split) {
    return Error{
        "--split says what a pipeline's stages have alike, and there is none. Choose one with --pipeline, or "
        "leave it out."};
  }
  if ((settings.zero == networks::ZeroStage::kOff && !in_stages) || settings.ranks > 1) return Done{};
  const Result<RankPlace> told = RankPlaceFromEnvironment();
  if (!told) return told.error();
  if (told->world > 1) return Done{};
  if (in_stages) {
    return Error{
        "--pipeline gives each rank some of the layers, and there is one rank. Say how many with --ranks, or "
        "leave it out."};
  }
  return Error{
      "--zero shares memory among ranks, and there is one. Say how many with --ranks, or leave it out."};
}

// What an option says goes to its place among the settings.
template <typename Said, typename Setting>
Status Take(const Result<Said>& said, Setting& setting) {
  if (!said) return said.error();
  setting = static_cast<Setting>(*said);
  return Done{};
}

// One name for one file, from wherever it is looked for.
std::string WholePath(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace

void TrainingOptions::Register(CLI::App& command) {
  const networks::TrainingSettings defaults;
  const auto add = [&command](const char* name, std::string& value, const std::string& standard,
                              const std::string& help) {
    value = standard;
    command.add_option(name, value, help)->capture_default_str()->type_name("")->group(kGroup);
  };
  add("--net", network_, defaults.network,
      "Network; tidemark networks lists them, and a path to a file like theirs (.json), or to a TorchScript "
      "file (.pt, .pth, .ts), is one, too");
  add("--input", input_, "",
      "Of a TorchScript file the shape of one sample: 3x224x224, or 128 for as many tokens; else one is "
      "found by trying");
  add("--batch", batch_, fmt::format("{}", defaults.batch),
      fmt::format("Samples in a micro-batch, 1 to {}", networks::kMaxBatch));
  add("--amp", amp_, networks::TextOf(defaults.amp),
      "Automatic mixed precision: off, fp16 (with loss scaling) or bf16; or pure-fp16, model.half(), which "
      "mixes nothing");
  add("--accumulate", accumulate_, fmt::format("{}", defaults.accumulate),
      fmt::format("Micro-batches in a step, 1 to {}", networks::kMaxAccumulate));
  add("--checkpoint", checkpoint_, networks::TextOf(defaults.checkpoint),
      fmt::format(
          "What backward computes again: none, layer (each layer), a number of segments, 1 to {}, every:K "
          "(segments of K layers), or budget:SIZE (as little as saved tensors of that size allow)",
          networks::kMaxSegments));
  add("--optimizer", optimizer_, networks::TextOf(defaults.optimizer),
      "sgd, momentum, adam, adamw, adagrad or rmsprop");
  add("--lr", learning_rate_, fmt::format("{}", defaults.learning_rate),
      fmt::format("Learning rate, above 0, at most {}", networks::kMaxLearningRate));
  add("--clip", clip_norm_, fmt::format("{}", defaults.clip_norm),
      "Clip gradients to this norm (after unscaling); 0 is off");
  add("--seed", seed_, fmt::format("{}", defaults.seed), "Seed of weights and data, a whole number from 0");
  add("--data", data_, "", "A folder of CIFAR-10's binary version to learn from; else samples are synthetic");
  techniques_.resize(networks::Techniques().size());
  for (size_t index = 0; index < techniques_.size(); ++index) {
    const networks::Technique& technique = networks::Techniques()[index];
    add(technique.option, techniques_[index], technique.TextOf(defaults), technique.help);
  }
  add("--card", card_, networks::DeviceChoice{}.card,
      "Card that the phantom GPU is; tidemark cards lists them");
}

void TrainingOptions::RegisterDevice(CLI::App& command) {
  device_ = networks::TextOf(networks::DeviceChoice{});
  command
      .add_option("--device", device_,
                  "phantom (a GPU that is not there), cpu, or cuda:N (cuda:0 is the first GPU)")
      ->capture_default_str()
      ->type_name("")
      ->group(kGroup);
}

Result<std::string> NetworkGiven(const std::string& network, const std::string& input) {
  if (!input.empty() && !networks::IsScriptPath(network)) {
    return Error{
        "--input says what a TorchScript file (.pt, .pth, .ts) is given; any other network knows it. Leave "
        "it out."};
  }
  return networks::ScriptNameWith(network, input);
}

Result<networks::TrainingSettings> TrainingOptions::Settings() const {
  networks::TrainingSettings settings;
  for (const Status& taken :
       {Take(NetworkGiven(network_, input_), settings.network),
        Take(WholeNumber("--batch", batch_, 1, networks::kMaxBatch), settings.batch),
        Take(networks::PrecisionFromText(amp_), settings.amp),
        Take(WholeNumber("--accumulate", accumulate_, 1, networks::kMaxAccumulate), settings.accumulate),
        Take(networks::CheckpointingFromText(checkpoint_), settings.checkpoint),
        Take(networks::OptimizerFromText(optimizer_), settings.optimizer),
        Take(DecimalNumber("--lr", learning_rate_), settings.learning_rate),
        Take(DecimalNumber("--clip", clip_norm_), settings.clip_norm),
        Take(Seed("--seed", seed_), settings.seed)}) {
    if (!taken) return taken.error();
  }
  for (size_t index = 0; index < techniques_.size(); ++index) {
    const Status set = networks::Techniques()[index].Set(settings, techniques_[index]);
    if (!set) return set.error();
  }
  if (networks::IsNetworkPath(network_)) settings.network = WholePath(settings.network);
  if (!data_.empty()) settings.data = WholePath(data_);
  return settings;
}

Result<Training> TrainingOptions::Asked() const {
  const Result<networks::TrainingSettings> settings = Settings();
  if (!settings) return settings.error();
  if (const Status valid = networks::Validate(*settings); !valid) return valid.error();
  if (const Status shared = CheckSharing(*settings); !shared) return shared.error();
  const Result<networks::Network> network = networks::FindNetwork(networks::ScriptNameWith(network_, input_));
  if (!network) return network.error();
  if (const Status together = networks::CheckTogether(*network, *settings); !together)
    return together.error();
  return Training{*settings, *network};
}

Result<phantom::Card> TrainingOptions::Card() const { return phantom::FindCard(card_); }

Result<networks::DeviceChoice> TrainingOptions::Device() const {
  return networks::DeviceFromText(device_, card_);
}

std::string TrainingOptions::TypedOn(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const bool trains = option->get_group() == kGroup && option->get_name() != "--card";
    if (trains && option->count() > 0) return option->get_name();
  }
  return "";
}

int TrainingOptions::ExitCodeOfRefusal() const {
  return networks::LoadNetworks() && phantom::LoadCards() ? kExitUsage : kExitFailed;
}

}  // namespace tidemark::cli
