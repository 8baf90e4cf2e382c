#include "profiler/trace/samples.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "profiler/base/paths.h"
#include "profiler/base/whole_file.h"

namespace tidemark::trace {
namespace {

constexpr size_t kMostListBytes = size_t{1} << 20;

}  // namespace

std::filesystem::path SamplesFolder() { return AssetsFolder() / "sample_traces"; }

Result<std::vector<Sample>> LoadSamples() { return LoadSamplesFrom(SamplesFolder()); }

Result<std::vector<Sample>> LoadSamplesFrom(const std::filesystem::path& folder) {
  const std::filesystem::path list = folder / "samples.json";
  const Result<std::string> text = ReadWholeFile(list, kMostListBytes);
  if (!text) return text.error();
  const auto told = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const Error no_list{list.string() + R"( is no list of {"file", "title", "description"}, each a text.)"};
  if (!told.is_array()) return no_list;
  std::vector<Sample> samples;
  samples.reserve(told.size());
  for (const auto& one : told) {
    for (const char* key : {"file", "title", "description"}) {
      if (!one.is_object() || !one.contains(key) || !one[key].is_string()) return no_list;
    }
    samples.push_back({folder / one["file"].get<std::string>(), one["title"], one["description"]});
  }
  return samples;
}

}  // namespace tidemark::trace
