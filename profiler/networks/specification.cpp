#include "profiler/networks/specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/base/saturating.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/layer_kinds.h"
#include "profiler/networks/pipeline_stages.h"
#include "profiler/networks/script_files.h"

namespace tidemark::networks {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLayers = 1024;
constexpr size_t kLongestName = 64;
constexpr const char* kInputName = "input";  // what layers call the network's input

Result<std::string> ReadText(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return Error{fmt::format("'{}' must be a text.", key)};
  return found->get<std::string>();
}

// A misspelt key would leave its default in force without a word.
Status OnlyKeys(const Json& object, std::span<const std::string> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return Error{UnknownChoice("key", key, known)};
    }
  }
  return Done{};
}

Result<int64_t> ReadSize(const Json& object, const char* key, int64_t least,
                         std::optional<int64_t> otherwise = {}) {
  const auto found = object.find(key);
  if (found == object.end() && otherwise) return *otherwise;
  if (found == object.end() || !found->is_number_integer() || *found < least || *found > kMostFeatures) {
    return Error{fmt::format("'{}' must be a whole number from {} to {}.", key, least, kMostFeatures)};
  }
  return found->get<int64_t>();
}

Result<SampleShape> ReadShape(const Json& json) {
  const auto found = json.find("input");
  const Error wrong{"'input' must be the shape of one sample, like [3, 32, 32]."};
  if (found == json.end() || !found->is_array() || found->empty() || found->size() > 3) return wrong;
  SampleShape shape;
  for (const Json& size : *found) {
    if (!size.is_number_integer() || size < 1 || size > kMostFeatures) return wrong;
    shape.push_back(size.get<int64_t>());
  }
  if (ElementCount(shape) > kMaxElements) return wrong;
  return shape;
}

// Names become module names of LibTorch (no dots), columns of tables and keys of files.
Result<std::string> ReadLayerName(const Json& entry, const std::vector<Layer>& before) {
  Result<std::string> name = ReadText(entry, "name");
  if (!name) return name;
  const bool plain = std::all_of(name->begin(), name->end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
  });
  if (!plain || name->empty() || name->size() > kLongestName || *name == kInputName) {
    return Error{fmt::format("'name' must be 1 to {} letters, digits or '_', and not '{}'.", kLongestName,
                             kInputName)};
  }
  const bool taken =
      std::any_of(before.begin(), before.end(), [&name](const Layer& other) { return other.name == *name; });
  if (taken) return Error{fmt::format("two layers are called '{}'; give each a name of its own.", *name)};
  return name;
}

// The layer of this name among those read so far.
Result<size_t> EarlierLayer(const Json& name, const Network& network, const char* key) {
  if (!name.is_string()) return Error{fmt::format("'{}' must name layers before it.", key)};
  const auto& text = name.get_ref<const std::string&>();
  if (text == kInputName) return kNetworkInput;
  std::vector<std::string> known{kInputName};
  for (size_t index = 0; index < network.layers.size(); ++index) {
    if (network.layers[index].name == text) return index;
    known.push_back(network.layers[index].name);
  }
  return Error{fmt::format("no layer before it is called '{}'{}", Quoted(text), HintAt(text, known))};
}

Status ReadInputs(const Json& entry, const Network& network, Layer& layer) {
  const auto found = entry.find("inputs");
  if (found == entry.end()) {
    layer.inputs = {network.layers.empty() ? kNetworkInput : network.layers.size() - 1};
    return Done{};
  }
  if (!found->is_array() || found->empty()) return Error{"'inputs' must be a list of layers before it."};
  for (const Json& name : *found) {
    const Result<size_t> input = EarlierLayer(name, network, "inputs");
    if (!input) return input.error();
    layer.inputs.push_back(*input);
  }
  return Done{};
}

// A linear layer whose weight is an embedding's table.
Status ReadSharedWeights(const Json& entry, const Network& network, Layer& layer) {
  const auto found = entry.find("weights_of");
  if (found == entry.end()) return Done{};
  const Result<size_t> owner = EarlierLayer(*found, network, "weights_of");
  if (!owner) return owner.error();
  if (*owner == kNetworkInput || network.layers[*owner].kind != LayerKind::kEmbedding) {
    return Error{"'weights_of' must name an embedding."};
  }
  const Layer& table = network.layers[*owner];
  if (table.in_features != layer.out_features || table.out_features != layer.in_features) {
    return Error{fmt::format("its weight is {}×{}, but the table of '{}' is {}×{}.", layer.out_features,
                             layer.in_features, table.name, table.in_features, table.out_features)};
  }
  layer.weights_of = *owner;
  return Done{};
}

// A discriminator is given real samples, too, and those came from no layer.
Status SeesSamplesOnly(const Network& network, const Layer& layer) {
  if (network.discriminator == 0) return Done{};
  for (const size_t input : layer.inputs) {
    if (input != kNetworkInput && input + 1 >= network.discriminator) continue;
    return Error{fmt::format("it is the discriminator's, which sees samples, not '{}'.",
                             input == kNetworkInput ? kInputName : network.layers[input].name)};
  }
  return Done{};
}

Status Fit(const Network& network, Layer& layer) {
  std::vector<SampleShape> incoming;
  bool tokens = false;
  for (const size_t input : layer.inputs) {
    incoming.push_back(network.OutputOf(input));
    tokens = tokens || (input == kNetworkInput && network.vocabulary > 0);
  }
  if (Status fits = FitLayer(layer, incoming, tokens); !fits) return fits;
  if (layer.kind == LayerKind::kEmbedding && layer.in_features < network.vocabulary) {
    return Error{fmt::format("its table has {} tokens, but the vocabulary {}.", layer.in_features,
                             network.vocabulary)};
  }
  return Done{};
}

Status ReadLayer(const Json& entry, int64_t line, Network& network) {
  const size_t number = network.layers.size() + 1;
  if (!entry.is_object())
    return Error{fmt::format("Layer {} must be an object with a name and a kind.", number)};
  Layer layer;
  Result<std::string> name = ReadLayerName(entry, network.layers);
  if (!name) return Error{fmt::format("Layer {} (line {}): {}", number, line, name.error().message)};
  layer.name = *name;
  Status read = ReadKindAndSizes(entry, layer);
  if (read.ok()) read = ReadInputs(entry, network, layer);
  if (read.ok()) read = SeesSamplesOnly(network, layer);
  if (read.ok()) read = ReadSharedWeights(entry, network, layer);
  if (!read) return Error{fmt::format("Layer '{}' (line {}): {}", layer.name, line, read.error().message)};
  if (const Status fits = Fit(network, layer); !fits) {
    return Error{
        fmt::format("Layer '{}' (line {}) does not fit: {}", layer.name, line, fits.error().message)};
  }
  network.layers.push_back(std::move(layer));
  return Done{};
}

// The lines on which the objects of the lists of layers begin: objects two levels deep are nowhere else.
// `text` is valid JSON.
std::vector<int64_t> LinesOfLayers(std::string_view text) {
  std::vector<int64_t> lines;
  int64_t line = 1;
  int depth = 0;
  bool quoted = false;
  for (size_t position = 0; position < text.size(); ++position) {
    const char letter = text[position];
    if (letter == '\n') ++line;
    if (letter == '\\' && quoted) ++position;
    if (letter == '"') quoted = !quoted;
    if (quoted) continue;
    if (letter == '{' && depth == 2) lines.push_back(line);
    if (letter == '{' || letter == '[') ++depth;
    if (letter == '}' || letter == ']') --depth;
  }
  return lines;
}

// Of one sample: everything that its layers put out.
int64_t OutputElements(const Network& network) {
  int64_t count = 0;
  for (const Layer& layer : network.layers) count += ElementCount(layer.output);
  return count;
}

// Which layer's output nobody takes; the last layer's is the network's own.
Status NothingIsForgotten(const Network& network) {
  std::vector<bool> taken(network.layers.size());
  bool input_taken = false;
  for (const Layer& layer : network.layers) {
    for (const size_t input : layer.inputs) {
      if (input == kNetworkInput) input_taken = true;
      if (input != kNetworkInput) taken[input] = true;
    }
  }
  if (!input_taken) return Error{"No layer takes the network's input."};
  const auto forgotten = std::find(taken.begin(), taken.end() - 1, false);
  if (forgotten == taken.end() - 1) return Done{};
  return Error{
      fmt::format("Layer '{}': no layer takes its output; name it in another's 'inputs', or leave it out.",
                  network.layers[static_cast<size_t>(forgotten - taken.begin())].name)};
}

// One score for each class: of the sample, of each token, or of each pixel.
Status CheckScores(const Network& network) {
  const SampleShape& last = network.layers.back().output;
  if (network.discriminator > 0 && last != SampleShape{1}) {
    return Error{fmt::format("The discriminator gives {}; it must give one score, 1.", TextOf(last))};
  }
  const int64_t scores = last.size() == 2 ? last.back() : last.front();
  if (scores == network.classes) return Done{};
  return Error{
      fmt::format("The last layer gives {}, but there are {} classes.", TextOf(last), network.classes)};
}

// `lines` are those of all layers; the list's follow those that were read before.
Status ReadLayerList(const Json& json, const char* key, const std::vector<int64_t>& lines, Network& network) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array() || found->empty() || found->size() > kMostLayers) {
    return Error{fmt::format("'{}' must be a list of 1 to {} layers.", key, kMostLayers)};
  }
  for (const Json& entry : *found) {
    const size_t index = network.layers.size();
    if (Status read = ReadLayer(entry, index < lines.size() ? lines[index] : 0, network); !read) return read;
  }
  return Done{};
}

// Two networks, the second of which judges what the first makes.
Status ReadAdversaries(const Json& json, std::string_view text, Network& network) {
  for (const char* key : {"layers", "classes", "vocabulary"}) {
    if (json.contains(key))
      return Error{fmt::format("A generator and a discriminator need no '{}'; leave it out.", key)};
  }
  if (text.find("\"generator\"") > text.find("\"discriminator\"")) {
    return Error{"Write 'generator' before 'discriminator', as samples go."};
  }
  network.classes = 1;
  const std::vector<int64_t> lines = LinesOfLayers(text);
  if (Status made = ReadLayerList(json, "generator", lines, network); !made) return made;
  network.discriminator = network.layers.size();
  return ReadLayerList(json, "discriminator", lines, network);
}

Status ReadLayers(const Json& json, std::string_view text, Network& network) {
  const bool adversaries = json.contains("generator") || json.contains("discriminator");
  if (!adversaries) {
    const Result<int64_t> classes = ReadSize(json, "classes", 2);
    if (!classes) return classes.error();
    network.classes = *classes;
  }
  Status read = adversaries ? ReadAdversaries(json, text, network)
                            : ReadLayerList(json, "layers", LinesOfLayers(text), network);
  if (!read) return read;
  if (network.parameters() > kMaxElements || OutputElements(network) > kMaxElements) {
    return Error{
        fmt::format("The network is too large: its layers have more than {} elements.", kMaxElements)};
  }
  if (Status complete = NothingIsForgotten(network); !complete) return complete;
  if (Status scores = CheckScores(network); !scores) return scores;
  if (network.parameters() > 0) return Done{};
  return Error{"No layer has parameters, so there is nothing to train. Add one that has, as linear."};
}

}  // namespace

int64_t ElementCount(const SampleShape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count = SaturatingProduct(count, size);
  return count;
}

std::string TextOf(const SampleShape& shape) { return fmt::format("{}", fmt::join(shape, "×")); }

int64_t Network::parameters() const {
  int64_t count = 0;
  for (const Layer& layer : layers) count += layer.parameters();
  return count;
}

int64_t Network::buffer_bytes() const {
  constexpr int64_t kFloat32Bytes = 4;
  constexpr int64_t kCounterBytes = 8;  // num_batches_tracked
  int64_t bytes = 0;
  for (const Layer& layer : layers) {
    if (layer.buffer_elements > 0) bytes += layer.buffer_elements * kFloat32Bytes + kCounterBytes;
  }
  return bytes;
}

const SampleShape& Network::OutputOf(size_t layer) const {
  return layer == kNetworkInput ? input : layers[layer].output;
}

const SampleShape& Network::sample() const {
  return discriminator == 0 ? input : layers[discriminator - 1].output;
}

SampleShape Network::labels() const {
  const SampleShape& scores = layers.back().output;
  if (scores.size() == 2) return {scores.front()};
  return {scores.begin() + 1, scores.end()};
}

Result<Network> NetworkFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"this is not a network; a JSON object was expected."};
  const std::vector<std::string> keys{"title",   "description", "input",     "vocabulary",
                                      "classes", "layers",      "generator", "discriminator"};
  if (const Status known = OnlyKeys(json, keys); !known) return known.error();
  Network network;
  for (const auto& [field, key] :
       {std::pair{&network.title, "title"}, std::pair{&network.description, "description"}}) {
    Result<std::string> value = ReadText(json, key);
    if (!value) return value.error();
    *field = *value;
  }
  Result<SampleShape> input = ReadShape(json);
  if (!input) return input.error();
  network.input = *input;
  const Result<int64_t> vocabulary = ReadSize(json, "vocabulary", 2, 0);
  if (!vocabulary) return vocabulary.error();
  network.vocabulary = *vocabulary;
  if (network.vocabulary > 0 && network.input.size() != 1) {
    return Error{"'input' must be how many tokens a sample has, like [128], where there is a 'vocabulary'."};
  }
  if (const Status layers = ReadLayers(json, text, network); !layers) return layers.error();
  return network;
}

Status CheckTogether(const Network& network, const TrainingSettings& settings) {
  if (settings.ranks > 1 && network.discriminator > 0) {
    return Error{
        fmt::format("Ranks train one network together, and {} is two against each other. It takes one rank.",
                    network.title)};
  }
  if (Status whole = CheckScript(network, settings); !whole) return whole;
  if (Status stages = CheckStages(network, settings); !stages) return stages;
  return CheckData(network, settings);
}

}  // namespace tidemark::networks
