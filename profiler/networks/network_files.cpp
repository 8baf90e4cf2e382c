#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/base/paths.h"
#include "profiler/base/whole_file.h"
#include "profiler/networks/script_files.h"
#include "profiler/networks/specification.h"

namespace tidemark::networks {
namespace {

constexpr uintmax_t kMostFileBytes = uintmax_t{1} << 22;

Result<Network> ReadNetwork(const std::filesystem::path& file) {
  if (const Status readable = CheckNetworkFile(file); !readable) return readable.error();
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(file, error);
  if (!error && bytes > kMostFileBytes) {
    return Error{fmt::format("{} is too large for a network file: more than {} bytes.", file.string(),
                             kMostFileBytes)};
  }
  std::string text(error ? 0 : bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream.read(text.data(), static_cast<std::streamsize>(bytes)))
    return Error{fmt::format("The network file {} cannot be read to its end.", file.string())};
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

// PyTorch's memory snapshots are pickles, and some are called .pt; what torch.save and torch.jit.save write
// is an archive, whatever is in it.
bool IsArchive(const std::filesystem::path& file) {
  std::string begin(2, ' ');
  return std::ifstream(file, std::ios::binary).read(begin.data(), 2) && begin == "PK";
}

}  // namespace

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

bool IsNetworkPath(std::string_view name) { return name.ends_with(".json") || IsScriptPath(name); }

bool IsNetworkFile(const std::filesystem::path& file) {
  if (IsScriptPath(file.string())) {
    const Result<ScriptName> script = ScriptNameFromText(file.string());
    return !script || IsArchive(script->file);  // of no shape: who reads it says so
  }
  if (!IsNetworkPath(file.string())) return false;
  const Result<std::string> text = ReadWholeFile(file, kMostFileBytes);
  if (!text) return false;
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && (json.contains("layers") || json.contains("generator"));
}

const Network* NetworkNamed(const std::vector<Network>& networks, std::string_view name) {
  const auto found = std::ranges::find(networks, name, &Network::name);
  return found == networks.end() ? nullptr : &*found;
}

Result<std::vector<Network>> LoadNetworks() { return LoadNetworksFrom(AssetsFolder() / "networks"); }
Result<Network> FindNetwork(std::string_view name, const std::function<bool()>& goes_on) {
  if (IsScriptPath(name)) return ReadScript(name, goes_on);
  if (IsNetworkPath(name)) {
    Result<Network> network = ReadNetwork(name);
    if (network) network->name = name;
    return network;
  }
  return FindNetworkIn(AssetsFolder() / "networks", name);
}

}  // namespace tidemark::networks
