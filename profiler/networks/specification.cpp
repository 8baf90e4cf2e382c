#include "profiler/networks/specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "profiler/base/paths.h"

namespace tidemark::networks {
namespace {

using Json = nlohmann::json;

// Sizes beyond this are no network but a mistake; it also keeps every product of sizes within 64 bits.
constexpr int64_t kMostFeatures = int64_t{1} << 22;
constexpr int64_t kMostElements = int64_t{1} << 40;

constexpr std::array<std::pair<std::string_view, LayerKind>, 4> kKinds = {{{"conv2d", LayerKind::kConv2d},
                                                                           {"relu", LayerKind::kRelu},
                                                                           {"flatten", LayerKind::kFlatten},
                                                                           {"linear", LayerKind::kLinear}}};

Result<std::string> ReadText(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return Error{fmt::format("'{}' must be a text.", key)};
  return found->get<std::string>();
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
  std::string known;
  for (const auto& [text, value] : kKinds) {
    if (text == *kind) {
      layer.kind = value;
      return Done{};
    }
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  return Error{fmt::format("'kind' must be one of {}, not '{}'.", known, *kind)};
}

Status ReadFeatures(const Json& json, Layer& layer) {
  if (layer.kind != LayerKind::kConv2d && layer.kind != LayerKind::kLinear) return Done{};
  const bool convolution = layer.kind == LayerKind::kConv2d;
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
    layer.weight_elements = std::min(layer.weight_elements * factor, kMostElements + 1);
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
  if (ElementCount(layer.output) > kMostElements || layer.weight_elements > kMostElements) {
    return Error{"it is too large."};
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
  if (ElementCount(shape) > kMostElements) return wrong;
  return shape;
}

Status ReadLayers(const Json& json, Network& network) {
  const auto found = json.find("layers");
  if (found == json.end() || !found->is_array() || found->empty())
    return Error{"'layers' must be a list of layers."};
  SampleShape shape = network.input;
  for (const Json& entry : *found) {
    Layer layer;
    layer.input = shape;
    if (!entry.is_object()) return Error{fmt::format("Layer {} is not an object.", network.layers.size())};
    Result<std::string> name = ReadText(entry, "name");
    if (!name) return Error{fmt::format("Layer {}: {}", network.layers.size(), name.error().message)};
    layer.name = *name;
    for (Status (*read)(const Json&, Layer&) : {ReadKind, ReadFeatures}) {
      if (const Status done = read(entry, layer); !done) {
        return Error{fmt::format("Layer '{}': {}", layer.name, done.error().message)};
      }
    }
    if (const Status fits = FitLayer(layer); !fits) {
      return Error{fmt::format("Layer '{}' does not fit: {}", layer.name, fits.error().message)};
    }
    const bool taken = std::any_of(network.layers.begin(), network.layers.end(),
                                   [&](const Layer& other) { return other.name == layer.name; });
    if (taken)
      return Error{fmt::format("Two layers are called '{}'; give each a name of its own.", layer.name)};
    shape = layer.output;
    network.layers.push_back(std::move(layer));
  }
  if (shape != SampleShape{network.classes}) {
    return Error{
        fmt::format("The last layer gives {}, but there are {} classes.", TextOf(shape), network.classes)};
  }
  return Done{};
}

Result<Network> ReadNetwork(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{fmt::format("The network {} cannot be read.", file.string())};
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Result<Network> network = NetworkFromJson(text);
  if (!network) return Error{fmt::format("{}: {}", file.filename().string(), network.error().message)};
  network->name = file.stem().string();
  return network;
}

}  // namespace

int64_t ElementCount(const SampleShape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count = std::min(count, kMostElements + 1) * size;
  return count;
}

std::string TextOf(const SampleShape& shape) { return fmt::format("{}", fmt::join(shape, "×")); }

int64_t Network::parameters() const {
  int64_t count = 0;
  for (const Layer& layer : layers) count += layer.parameters();
  return count;
}

Result<Network> NetworkFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"This is not a network: a JSON object was expected."};
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

Result<std::vector<Network>> LoadNetworks() {
  const std::filesystem::path folder = AssetsFolder() / "networks";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error || files.empty()) {
    return Error{fmt::format("There are no networks in {}; build again with ./run.", folder.string())};
  }
  std::sort(files.begin(), files.end());
  std::vector<Network> networks;
  for (const std::filesystem::path& file : files) {
    Result<Network> network = ReadNetwork(file);
    if (!network) return network.error();
    networks.push_back(std::move(*network));
  }
  return networks;
}

Result<Network> FindNetwork(std::string_view name) {
  Result<std::vector<Network>> networks = LoadNetworks();
  if (!networks) return networks.error();
  std::string known;
  for (Network& network : *networks) {
    if (network.name == name) return std::move(network);
    known += (known.empty() ? "" : ", ") + network.name;
  }
  return Error{fmt::format("There is no network called '{}'; known are {}.", name, known)};
}

}  // namespace tidemark::networks
