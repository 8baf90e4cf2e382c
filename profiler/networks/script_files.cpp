#include "profiler/networks/script_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/base/command.h"
#include "profiler/base/paths.h"
#include "profiler/base/whole_file.h"
#include "profiler/networks/layer_kinds.h"

namespace tidemark::networks {
namespace {

using Json = nlohmann::json;

bool EndsAsScriptsDo(std::string_view file) {
  constexpr std::array<std::string_view, 4> kEndings = {".pt", ".pth", ".ts", ".torchscript"};
  return std::ranges::any_of(kEndings, [file](std::string_view ending) { return file.ends_with(ending); });
}

// The part before the shape; "model@v2.pt" has none.
std::string_view FilePart(std::string_view name) {
  const size_t at = name.rfind('@');
  const bool shaped = at != std::string_view::npos && name.find('/', at) == std::string_view::npos &&
                      EndsAsScriptsDo(name.substr(0, at));
  return shaped ? name.substr(0, at) : name;
}

std::optional<SampleShape> ShapeFromText(std::string_view text) {
  constexpr size_t kMostSizes = 3;
  SampleShape shape;
  while (true) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 1 || size > kMostFeatures) return std::nullopt;
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) break;
    if (text.front() != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
  if (shape.size() > kMostSizes || ElementCount(shape) > kMaxElements) return std::nullopt;
  return shape;
}

// Where what was told of this file is kept; empty if nowhere. Another file, or another trainer, has another.
std::filesystem::path PlaceOf(const ScriptName& name) {
  const std::filesystem::path folder = CacheFolder();
  std::string key = fmt::format("{}@{}", name.file.string(), TextOf(name.input));
  for (const std::filesystem::path& file : {name.file, TrainerExecutable()}) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(file, error);
    if (folder.empty() || error) return {};
    key += fmt::format("|{}|{}", time.time_since_epoch().count(), std::filesystem::file_size(file, error));
  }
  return folder / "scripts" / fmt::format("{:016x}.json", std::hash<std::string>()(key));
}

// As a whole or not at all: others may read it meanwhile. What cannot be kept is told anew the next time.
void Keep(const std::filesystem::path& place, const std::string& text) {
  if (place.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(place.parent_path(), error);
  const std::filesystem::path partial = fmt::format("{}.{}", place.string(), getpid());
  if (std::ofstream(partial, std::ios::binary) << text) std::filesystem::rename(partial, place, error);
  std::filesystem::remove(partial, error);
}

Result<std::string> AskTrainer(const ScriptName& name, const std::function<bool()>& goes_on) {
  std::vector<std::string> words{TrainerExecutable().string(), "--describe", name.file.string()};
  if (!name.input.empty()) words.push_back(fmt::format("{}", fmt::join(name.input, "x")));
  CommandOptions options;
  options.goes_on = goes_on;
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  // Where there is no CUDA the stand-ins serve: only the CPU computes.
  options.environment = {fmt::format("LD_LIBRARY_PATH={}{}",
                                     libraries == nullptr ? "" : fmt::format("{}:", libraries),
                                     PhantomFolder().string())};
  const Result<CommandOutcome> outcome = RunCommand(words, options);
  if (!outcome) return outcome.error();
  if (outcome->exit_code == 0) return outcome->output;
  if (goes_on && !goes_on())
    return Error{fmt::format("{} was not looked into: that was cancelled.", name.file.filename().string())};
  return Error{fmt::format("{} could not be looked into: the process that loads it ended with {}.",
                           name.file.filename().string(), outcome->exit_code)};
}

struct KeptNumber {
  const char* key;
  int64_t Layer::*member;
};
constexpr std::array kKeptNumbers = {
    KeptNumber{"in", &Layer::in_features},
    KeptNumber{"out", &Layer::out_features},
    KeptNumber{"kernel", &Layer::kernel},
    KeptNumber{"groups", &Layer::groups},
    KeptNumber{"size", &Layer::size},
    KeptNumber{"heads", &Layer::heads},
    KeptNumber{"layers", &Layer::layers},
    KeptNumber{"weights", &Layer::weight_elements},
    KeptNumber{"biases", &Layer::bias_elements},
    KeptNumber{"buffers", &Layer::buffer_elements},
    KeptNumber{"shared", &Layer::shared_elements},
};

Json ToJson(const Layer& layer) {
  Json json{{"name", layer.name},
            {"kind", TextOf(layer.kind)},
            {"operator", layer.op},
            {"inputs", layer.inputs},
            {"input", layer.input},
            {"output", layer.output},
            {"weights_of", layer.weights_of},
            {"p", layer.probability},
            {"bias", layer.has_bias},
            {"causal", layer.causal},
            {"once", layer.once_for_batch}};
  for (const auto& [key, member] : kKeptNumbers) json[key] = layer.*member;
  return json;
}

Layer LayerFrom(const Json& json) {
  Layer layer;
  layer.name = json.at("name").get<std::string>();
  layer.kind = KindNamed(json.at("kind").get<std::string>()).value_or(LayerKind::kOperator);
  layer.op = json.at("operator").get<std::string>();
  layer.inputs = json.at("inputs").get<std::vector<size_t>>();
  layer.input = json.at("input").get<SampleShape>();
  layer.output = json.at("output").get<SampleShape>();
  layer.weights_of = json.at("weights_of").get<size_t>();
  layer.probability = json.at("p").get<double>();
  layer.has_bias = json.at("bias").get<bool>();
  layer.causal = json.at("causal").get<bool>();
  layer.once_for_batch = json.at("once").get<bool>();
  for (const auto& [key, member] : kKeptNumbers) layer.*member = json.at(key).get<int64_t>();
  return layer;
}

bool IsWithin(int64_t value, int64_t least) { return value >= least && value <= kMaxElements; }

// No size is 0, and all of them together are within the limits.
bool IsShape(const SampleShape& shape) {
  return std::ranges::all_of(shape, [](int64_t size) { return size >= 1; }) &&
         ElementCount(shape) <= kMaxElements;
}

// What the textbook divides by and looks into.
bool HasSizesOfItsKind(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kConv2d:
    case LayerKind::kConvTranspose2d:
    case LayerKind::kLinear:
      return layer.in_features > 0 && layer.out_features > 0;
    case LayerKind::kBatchNorm2d:
    case LayerKind::kLayerNorm:
      return !layer.input.empty();
    case LayerKind::kAttention:
      return layer.output.size() >= 2 && layer.heads > 0;
    case LayerKind::kLstm:
      return layer.out_features > 0 && layer.layers > 0;
    default:
      return true;
  }
}

bool CanBe(const Layer& layer, size_t index) {
  const auto is_before = [index](size_t other) { return other == kNetworkInput || other < index; };
  return !layer.inputs.empty() && std::ranges::all_of(layer.inputs, is_before) &&
         is_before(layer.weights_of) && IsShape(layer.input) && IsShape(layer.output) &&
         !layer.output.empty() && layer.probability >= 0 && layer.probability <= 1 &&
         std::ranges::all_of(
             kKeptNumbers,
             [&layer](const KeptNumber& member) { return IsWithin(layer.*member.member, 0); }) &&
         HasSizesOfItsKind(layer);
}

Status CheckTold(const Network& network) {
  if (network.layers.empty() || network.input.empty() || !IsShape(network.input) ||
      !IsWithin(network.vocabulary, 0) || !IsWithin(network.classes, 1)) {
    return Error{"what its network takes and gives was not told; is it damaged?"};
  }
  int64_t elements = 0;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    const Layer& layer = network.layers[index];
    if (!CanBe(layer, index))
      return Error{fmt::format("its layer '{}' has sizes or inputs that no layer has.", Quoted(layer.name))};
    elements += layer.parameters() + layer.buffer_elements + ElementCount(layer.output);
    if (elements > kMaxElements)
      return Error{fmt::format("its layers up to '{}' are too large to count.", Quoted(layer.name))};
  }
  return Done{};
}

}  // namespace

bool IsScriptPath(std::string_view name) { return EndsAsScriptsDo(FilePart(name)); }

Result<ScriptName> ScriptNameFromText(std::string_view name) {
  ScriptName script{std::filesystem::absolute(FilePart(name)), {}};
  if (FilePart(name).size() == name.size()) return script;
  const std::string_view text = name.substr(FilePart(name).size() + 1);
  const std::optional<SampleShape> shape = ShapeFromText(text);
  if (!shape) {
    return Error{
        fmt::format("The shape of one sample is like 3x224x224 for pictures or 128 for as many tokens, not "
                    "'{}'.",
                    Quoted(text))};
  }
  script.input = *shape;
  return script;
}

std::string SampleTextOf(const SampleShape& input) { return fmt::format("{}", fmt::join(input, "x")); }

std::string ScriptNameWith(std::string_view name, std::string_view input) {
  return input.empty() ? std::string(name) : fmt::format("{}@{}", FilePart(name), input);
}

Status CheckNetworkFile(const std::filesystem::path& file) {
  if (access(file.c_str(), R_OK) != 0) {
    return Error{fmt::format("The network file {} cannot be opened: {}. Check its name and its permissions.",
                             file.string(), std::generic_category().message(errno))};
  }
  std::error_code failure;  // a folder holds no network, and a pipe must not hang us
  if (std::filesystem::is_regular_file(file, failure)) return Done{};
  return Error{fmt::format("The network file {} is no regular file. Choose another one.", file.string())};
}

Result<Network> ReadScript(std::string_view name, const std::function<bool()>& goes_on) {
  const Result<ScriptName> script = ScriptNameFromText(name);
  if (!script) return script.error();
  if (const Status readable = CheckNetworkFile(script->file); !readable) return readable.error();
  const std::filesystem::path place = PlaceOf(*script);
  Result<Network> network = ScriptFromJson(WholeFileOrNothing(place));
  if (!network) {
    const Result<std::string> told = AskTrainer(*script, goes_on);
    if (!told) return told.error();
    network = ScriptFromJson(*told);
    if (!network)
      return Error{fmt::format("{}: {}", script->file.filename().string(), network.error().message)};
    Keep(place, *told);
  }
  network->name = name;
  return network;
}

Status CheckNamedByFile(std::string_view name) {
  if (!IsScriptPath(name)) return Done{};
  const std::string file = std::filesystem::path(name).filename().string();
  return Error{
      fmt::format("It names the TorchScript file {}. That is code, and runs only where you name it yourself: "
                  "with --net, or by opening it in the window.",
                  Quoted(file))};
}

Result<Network> FindNamedByFile(std::string_view name) {
  if (const Status may_be_read = CheckNamedByFile(name); !may_be_read) return may_be_read.error();
  return FindNetwork(name);
}

std::string ScriptToJson(const Network& network) {
  Json layers = Json::array();
  for (const Layer& layer : network.layers) layers.push_back(ToJson(layer));
  return Json{
      {"script", network.script}, {"title", network.title},           {"description", network.description},
      {"input", network.input},   {"vocabulary", network.vocabulary}, {"classes", network.classes},
      {"layers", layers}}
      .dump();
}

std::string ScriptErrorToJson(const Error& error) { return Json{{"error", error.message}}.dump(); }

Result<Network> ScriptFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  Network network;
  try {
    if (json.is_object() && json.contains("error")) return Error{json["error"].get<std::string>()};
    network.script = json.at("script").get<std::string>();
    network.title = json.at("title").get<std::string>();
    network.description = json.at("description").get<std::string>();
    network.input = json.at("input").get<SampleShape>();
    network.vocabulary = json.at("vocabulary").get<int64_t>();
    network.classes = json.at("classes").get<int64_t>();
    for (const Json& layer : json.at("layers")) network.layers.push_back(LayerFrom(layer));
  } catch (const Json::exception&) {
    return Error{"what its network is made of was not told; is it damaged?"};
  }
  if (const Status possible = CheckTold(network); !possible) return possible.error();
  return network;
}

Status CheckScript(const Network& network, const TrainingSettings& settings) {
  if (network.script.empty()) return Done{};
  const auto refuse = [&network](const char* option, const char* why) {
    return Error{fmt::format("{} is a TorchScript file, which runs in one piece: {}. Leave {} out.",
                             network.title, why, option)};
  };
  if (UsesPipeline(settings)) return refuse("--pipeline", "no stage can have some of its layers");
  if (settings.checkpoint.mode != CheckpointMode::kNone)
    return refuse("--checkpoint", "no part of it can run again alone");
  if (SharesGradients(settings))
    return refuse("--zero",
                  "its layers' parameters cannot come and go; --zero 1 shares the optimizer's state");
  if (settings.in_place_relu) return refuse("--in-place-relu", "it says itself which operators run in place");
  return Done{};
}

TrainingSettings WithoutWhatScriptsLack(const Network& network, TrainingSettings settings) {
  if (network.script.empty()) return settings;
  const TrainingSettings plain;
  settings.pipeline = plain.pipeline;
  settings.checkpoint = plain.checkpoint;
  if (SharesGradients(settings)) settings.zero = ZeroStage::kState;
  settings.in_place_relu = plain.in_place_relu;
  return settings;
}

}  // namespace tidemark::networks
