#include "profiler/networks/techniques.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <type_traits>
#include <vector>

#include "profiler/base/choices.h"

namespace tidemark::networks {
namespace {

constexpr double kMaxLossScale = 0x1p100;  // beyond, the scaled loss itself is infinite in float32

constexpr std::array<std::string_view, 2> kOffOn = {"off", "on"};
constexpr std::array<std::string_view, 3> kPasses = {"train", "evaluate", "forward"};
constexpr std::array<std::string_view, 3> kRules = {"none", "linear", "sqrt"};
constexpr std::array<std::string_view, 4> kZeroStages = {"off", "1", "2", "3"};
constexpr std::array<std::string_view, 3> kSchedules = {"off", "gpipe", "1f1b"};
constexpr std::array<std::string_view, 2> kBalances = {"parameters", "activations"};
constexpr std::array<std::string_view, 4> kRankCounts = {"1", "2", "4", "8"};
constexpr std::array<std::string_view, 3> kImplementations = {"for-loop", "foreach", "fused"};
constexpr std::array<std::string_view, 4> kScalings = {"dynamic", "1", "1024", "dynamic:1e+25"};

// Of a field whose values are the choices, in their order.
template <auto kField>
std::string ReadChoice(const Technique& technique, const TrainingSettings& settings) {
  return std::string(technique.choices[static_cast<size_t>(settings.*kField)]);
}

template <auto kField>
Status WriteChoice(const Technique& technique, TrainingSettings& settings, std::string_view text) {
  const auto found = std::find(technique.choices.begin(), technique.choices.end(), text);
  if (found != technique.choices.end()) {
    using Chosen = std::remove_reference_t<decltype(settings.*kField)>;
    settings.*kField = static_cast<Chosen>(found - technique.choices.begin());
    return Done{};
  }
  const std::vector<std::string> known(technique.choices.begin(), technique.choices.end());
  return Error{NotAmong(technique.option, text, known)};
}

std::string ReadScaling(const Technique& /*technique*/, const TrainingSettings& settings) {
  const LossScaling& scaling = settings.loss_scaling;
  if (scaling == LossScaling{}) return "dynamic";
  return fmt::format("{}{}", scaling.dynamic ? "dynamic:" : "", scaling.scale);
}

std::optional<LossScaling> ScalingFromText(std::string_view text) {
  constexpr std::string_view kStart = "dynamic:";
  LossScaling scaling;
  if (text == "dynamic") return scaling;
  scaling.dynamic = text.starts_with(kStart);
  if (scaling.dynamic) text.remove_prefix(kStart.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scaling.scale);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(scaling.scale > 0 && scaling.scale <= kMaxLossScale)) return std::nullopt;
  return scaling;
}

Status WriteScaling(const Technique& technique, TrainingSettings& settings, std::string_view text) {
  const std::optional<LossScaling> scaling = ScalingFromText(text);
  if (!scaling) {
    return Error{
        fmt::format("{} must be dynamic, dynamic:S (it starts from S), or a scale that stays, above 0 "
                    "and at most 2^100, not '{}'.",
                    technique.option, Quoted(text))};
  }
  settings.loss_scaling = *scaling;
  return Done{};
}

std::string ReadRanks(const Technique& /*technique*/, const TrainingSettings& settings) {
  return fmt::format("{}", settings.ranks);
}

Status WriteRanks(const Technique& technique, TrainingSettings& settings, std::string_view text) {
  int ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (error != std::errc() || end != text.data() + text.size() || ranks < 1 || ranks > kMaxRanks) {
    return Error{fmt::format("{} must be a whole number from 1 to {}, not '{}'.", technique.option, kMaxRanks,
                             Quoted(text))};
  }
  settings.ranks = ranks;
  return Done{};
}

template <auto kField>
constexpr Technique Choice(const char* key, const char* option, const char* title, const char* help,
                           std::span<const std::string_view> choices = kOffOn) {
  return {key, option, title, help, choices, ReadChoice<kField>, WriteChoice<kField>};
}

using Settings = TrainingSettings;

constexpr Technique kTechniques[] = {
    {"loss_scale", "--loss-scale", "loss scale",
     "With fp16 the loss is multiplied with it so that small gradients do not vanish: dynamic halves it when "
     "gradients overflow, a number stays, dynamic:S starts from S",
     kScalings, ReadScaling, WriteScaling},
    Choice<&Settings::learning_rate_rule>(
        "learning_rate_rule", "--lr-rule", "learning rate rule",
        "Where N micro-batches make a step the learning rate is multiplied with N (linear) or √N (sqrt)",
        kRules),
    Choice<&Settings::pass>(
        "pass", "--pass", "pass",
        "train; evaluate (forward under no_grad: nothing is kept for backward); or forward "
        "(an evaluation that forgot no_grad, so the graph is built)",
        kPasses),
    Choice<&Settings::optimizer_implementation>(
        "optimizer_implementation", "--optimizer-implementation", "optimizer's step",
        "for-loop goes from parameter to parameter; foreach takes each operation to all at once, with "
        "temporaries as large as they are together (Python's default on a GPU); fused is one kernel, without "
        "temporaries",
        kImplementations),
    Choice<&Settings::in_place_relu>("in_place_relu", "--in-place-relu", "in-place ReLU",
                                     "ReLUs, leaky or not, write their result over their input where nobody "
                                     "else needs it (of a ReLU6 PyTorch would copy it first): off or on"),
    Choice<&Settings::channels_last>(
        "channels_last", "--channels-last", "channels last",
        "Pictures lie in memory pixel by pixel (NHWC), which tensor cores prefer: off or on"),
    Choice<&Settings::zeroed_gradients>(
        "zeroed_gradients", "--zero-gradients", "zeroed gradients",
        "Gradients stay and are set to zero between steps (set_to_none=False): off or on"),
    Choice<&Settings::empty_cache>("empty_cache", "--empty-cache", "empty cache",
                                   "What PyTorch has cached goes back to the driver after each step "
                                   "(torch.cuda.empty_cache): off or on"),
    Choice<&Settings::keep_losses>(
        "keep_losses", "--keep-losses", "kept losses",
        "A bug to find: the losses of all steps are summed with their graphs, without item(): off or on"),
    {"ranks", "--ranks", "ranks",
     "Data parallel: so many ranks train one model, each on batches of its own, and average their gradients. "
     "On the CPU and on GPUs as many processes start; a phantom is one of them. estimate also puts ZeRO's "
     "stages and 8-bit state side by side",
     kRankCounts, ReadRanks, WriteRanks},
    Choice<&Settings::zero>("zero", "--zero", "ZeRO stage",
                            "With ranks: 1: each tensor of parameters is updated by one rank, which alone "
                            "has the optimizer's state for it, and goes to all; 2: of each layer a rank "
                            "keeps and updates an N-th, and its gradients go there at once; 3 (fully "
                            "sharded): a rank keeps an N-th of the parameters, too, and each layer is "
                            "gathered while it runs",
                            kZeroStages),
    Choice<&Settings::pipeline>(
        "pipeline", "--pipeline", "pipeline",
        "With ranks: each is a stage with some of the layers in a row, and the micro-batches of --accumulate "
        "pass through all of them: gpipe: all forward, then all backward; 1f1b: one forward, one backward, "
        "so that fewer are in flight. With --accumulate 1 it is plain model parallelism",
        kSchedules),
    Choice<&Settings::split>(
        "split", "--split", "stages alike in",
        "Where a pipeline cuts the network: stages get about as many parameters, or their "
        "layers give about as many activations",
        kBalances),
};

}  // namespace

std::span<const Technique> Techniques() { return kTechniques; }

}  // namespace tidemark::networks
