#include "profiler/networks/specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "profiler/base/paths.h"
#include "profiler/networks/choices.h"

namespace tidemark::networks {
namespace {

using Json = nlohmann::json;

// Sizes beyond this are no network but a mistake; it also keeps every product of sizes within 64 bits.
constexpr int64_t kMostFeatures = int64_t{1} << 22;
constexpr size_t kMostLayers = 256;
constexpr size_t kLongestName = 64;

constexpr std::array<std::pair<std::string_view, LayerKind>, 4> kKinds = {{{"conv2d", LayerKind::kConv2d},
                                                                           {"relu", LayerKind::kRelu},
                                                                           {"flatten", LayerKind::kFlatten},
                                                                           {"linear", LayerKind::kLinear}}};

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

Status ReadKind(const Json& json, Layer& layer) {
  Result<std::string> kind = ReadText(json, "kind");
  if (!kind) return kind.error();
  std::vector<std::string> known;
  for (const auto& [text, value] : kKinds) {
    if (text == *kind) {
      layer.kind = value;
      return Done{};
    }
    known.emplace_back(text);
  }
  return Error{UnknownChoice("kind of layer", *kind, known)};
}

Status ReadFeatures(const Json& json, Layer& layer) {
  const bool convolution = layer.kind == LayerKind::kConv2d;
  std::vector<std::string> keys{"name", "kind"};
  if (convolution || layer.kind == LayerKind::kLinear) keys.insert(keys.end(), {"in", "out"});
  if (convolution) keys.insert(keys.end(), {"kernel", "padding"});
  if (Status known = OnlyKeys(json, keys); !known) return known;
  if (!convolution && layer.kind != LayerKind::kLinear) return Done{};
  const std::array<std::pair<int64_t*, Result<int64_t>>, 4> fields = {
      {{&layer.in_features, ReadSize(json, "in", 1)},
       {&layer.out_features, ReadSize(json, "out", 1)},
       {&layer.kernel, convolution ? ReadSize(json, "kernel", 1) : Result<int64_t>(0)},
       {&layer.padding, convolution ? ReadSize(json, "padding", 0, 0) : Result<int64_t>(0)}}};
  for (const auto& [field, value] : fields) {
    if (!value) return value.error();
    *field = *value;
  }
  return Done{};
}

Status FitConvolution(Layer& layer) {
  if (layer.input.size() != 3) return Error{fmt::format("it needs an image, not {}.", TextOf(layer.input))};
  if (layer.input[0] != layer.in_features) {
    return Error{fmt::format("'in' is {}, but {} channels come in.", layer.in_features, layer.input[0])};
  }
  layer.output = {layer.out_features};
  for (const size_t side : {1, 2}) {
    const int64_t size = layer.input[side] + 2 * layer.padding - layer.kernel + 1;
    if (size < 1)
      return Error{fmt::format("a kernel of {} does not fit into {}.", layer.kernel, TextOf(layer.input))};
    layer.output.push_back(size);
  }
  layer.weight_elements = layer.out_features;
  for (const int64_t factor : {layer.in_features, layer.kernel, layer.kernel}) {
    layer.weight_elements = std::min(layer.weight_elements * factor, kMaxElements + 1);
  }
  layer.bias_elements = layer.out_features;
  return Done{};
}

Status FitLinear(Layer& layer) {
  if (layer.input.size() != 1) {
    return Error{
        fmt::format("it needs one row of features, not {}; put a flatten before it.", TextOf(layer.input))};
  }
  if (layer.input[0] != layer.in_features) {
    return Error{fmt::format("'in' is {}, but {} features come in.", layer.in_features, layer.input[0])};
  }
  layer.output = {layer.out_features};
  layer.weight_elements = layer.in_features * layer.out_features;
  layer.bias_elements = layer.out_features;
  return Done{};
}

// Derives output shape and parameters from what comes in.
Status FitLayer(Layer& layer) {
  Status fits = Done{};
  layer.output = layer.input;
  if (layer.kind == LayerKind::kConv2d) fits = FitConvolution(layer);
  if (layer.kind == LayerKind::kLinear) fits = FitLinear(layer);
  if (layer.kind == LayerKind::kFlatten) layer.output = {ElementCount(layer.input)};
  if (!fits) return fits;
  if (ElementCount(layer.output) > kMaxElements || layer.weight_elements > kMaxElements) {
    return Error{fmt::format("it is too large: more than {} elements.", kMaxElements)};
  }
  return Done{};
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
  if (!plain || name->empty() || name->size() > kLongestName) {
    return Error{fmt::format("'name' must be 1 to {} letters, digits or '_'.", kLongestName)};
  }
  const bool taken =
      std::any_of(before.begin(), before.end(), [&name](const Layer& other) { return other.name == *name; });
  if (taken) return Error{fmt::format("two layers are called '{}'; give each a name of its own.", *name)};
  return name;
}

Status ReadLayer(const Json& entry, Network& network) {
  const size_t number = network.layers.size() + 1;
  if (!entry.is_object())
    return Error{fmt::format("Layer {} must be an object with a name and a kind.", number)};
  Layer layer;
  layer.input = network.layers.empty() ? network.input : network.layers.back().output;
  Result<std::string> name = ReadLayerName(entry, network.layers);
  if (!name) return Error{fmt::format("Layer {}: {}", number, name.error().message)};
  layer.name = *name;
  for (Status (*read)(const Json&, Layer&) : {ReadKind, ReadFeatures}) {
    if (const Status done = read(entry, layer); !done) {
      return Error{fmt::format("Layer '{}': {}", layer.name, done.error().message)};
    }
  }
  if (const Status fits = FitLayer(layer); !fits) {
    return Error{fmt::format("Layer '{}' does not fit: {}", layer.name, fits.error().message)};
  }
  network.layers.push_back(std::move(layer));
  return Done{};
}

// Of one sample: everything that its layers put out.
int64_t OutputElements(const Network& network) {
  int64_t count = 0;
  for (const Layer& layer : network.layers) count += ElementCount(layer.output);
  return count;
}

Status ReadLayers(const Json& json, Network& network) {
  const auto found = json.find("layers");
  if (found == json.end() || !found->is_array() || found->empty() || found->size() > kMostLayers) {
    return Error{fmt::format("'layers' must be a list of 1 to {} layers.", kMostLayers)};
  }
  for (const Json& entry : *found) {
    if (Status read = ReadLayer(entry, network); !read) return read;
  }
  if (network.parameters() > kMaxElements || OutputElements(network) > kMaxElements) {
    return Error{
        fmt::format("The network is too large: its layers have more than {} elements.", kMaxElements)};
  }
  const SampleShape& last = network.layers.back().output;
  if (last != SampleShape{network.classes}) {
    return Error{
        fmt::format("The last layer gives {}, but there are {} classes.", TextOf(last), network.classes)};
  }
  return Done{};
}

Result<Network> ReadNetwork(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    return Error{
        fmt::format("The network file {} cannot be read; is it a file that you may read?", file.string())};
  }
  Result<Network> network = NetworkFromJson(text);
  if (!network) {
    return Error{
        fmt::format("In the network file {}: {}", file.filename().string(), network.error().message)};
  }
  network->name = file.stem().string();
  return network;
}

Result<std::vector<std::filesystem::path>> NetworkFiles(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  if (error || files.empty()) {
    return Error{fmt::format("There are no networks in {}; build again with ./run.", folder.string())};
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Index of the first layer of each group; see CheckpointBoundaries.
std::vector<size_t> GroupStarts(const Network& network) {
  std::vector<size_t> starts{0};
  bool has_parameters = false;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    if (network.layers[index].parameters() == 0) continue;
    if (has_parameters) starts.push_back(index);
    has_parameters = true;
  }
  return starts;
}

}  // namespace

int64_t ElementCount(const SampleShape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count = std::min(count, kMaxElements + 1) * size;
  return count;
}

std::string TextOf(const SampleShape& shape) { return fmt::format("{}", fmt::join(shape, "×")); }

int64_t Network::parameters() const {
  int64_t count = 0;
  for (const Layer& layer : layers) count += layer.parameters();
  return count;
}

std::vector<size_t> CheckpointBoundaries(const Network& network, const Checkpointing& checkpointing) {
  if (checkpointing.mode == CheckpointMode::kNone) return {};
  const std::vector<size_t> groups = GroupStarts(network);
  size_t pieces = groups.size();
  if (checkpointing.mode == CheckpointMode::kSegments) {
    pieces = std::clamp(static_cast<size_t>(std::max(checkpointing.segments, 1)), size_t{1}, pieces);
  }
  std::vector<size_t> boundaries;
  for (size_t piece = 0, group = 0; piece < pieces; ++piece) {
    boundaries.push_back(groups[group]);
    group += groups.size() / pieces + (piece < groups.size() % pieces ? 1 : 0);
  }
  boundaries.push_back(network.layers.size());
  return boundaries;
}

Result<Network> NetworkFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"this is not a network; a JSON object was expected."};
  const std::vector<std::string> keys{"title", "description", "input", "classes", "layers"};
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
  const Result<int64_t> classes = ReadSize(json, "classes", 2);
  if (!classes) return classes.error();
  network.classes = *classes;
  if (const Status layers = ReadLayers(json, network); !layers) return layers.error();
  return network;
}

Result<std::vector<Network>> LoadNetworksFrom(const std::filesystem::path& folder) {
  const Result<std::vector<std::filesystem::path>> files = NetworkFiles(folder);
  if (!files) return files.error();
  std::vector<Network> networks;
  for (const std::filesystem::path& file : *files) {
    Result<Network> network = ReadNetwork(file);
    if (!network) return network.error();
    networks.push_back(std::move(*network));
  }
  return networks;
}

Result<Network> FindNetworkIn(const std::filesystem::path& folder, std::string_view name) {
  const Result<std::vector<std::filesystem::path>> files = NetworkFiles(folder);
  if (!files) return files.error();
  std::vector<std::string> known;
  for (const std::filesystem::path& file : *files) {
    if (file.stem() == name) return ReadNetwork(file);
    known.push_back(file.stem().string());
  }
  return Error{UnknownChoice("network", name, known)};
}

Result<std::vector<Network>> LoadNetworks() { return LoadNetworksFrom(AssetsFolder() / "networks"); }
Result<Network> FindNetwork(std::string_view name) {
  return FindNetworkIn(AssetsFolder() / "networks", name);
}

}  // namespace tidemark::networks
