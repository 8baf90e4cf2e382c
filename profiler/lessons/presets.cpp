#include "profiler/lessons/presets.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "profiler/base/paths.h"
#include "profiler/base/whole_file.h"

namespace tidemark::lessons {
namespace {

Result<Preset> PresetFromLine(const std::string& line) {
  const size_t title_end = line.find("**: ");
  const size_t code = line.find(" `");
  if (!line.starts_with("- **") || title_end == std::string::npos || code == std::string::npos ||
      code < title_end + 4) {
    return Error{"This is no preset; write - **Title**: One sentence. `tidemark1:…`"};
  }
  Result<SessionState> state = StateFromCode(line.substr(code));
  if (!state) return state.error();
  const size_t sentence = title_end + 4;
  return Preset{line.substr(4, title_end - 4), line.substr(sentence, code - sentence), std::move(*state)};
}

}  // namespace

Result<std::vector<Preset>> PresetsFromMarkdown(std::string_view markdown, const std::string& file) {
  std::vector<Preset> presets;
  std::istringstream lines{std::string(markdown)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.starts_with("- ")) continue;
    Result<Preset> preset = PresetFromLine(line);
    if (!preset) return Error{fmt::format("{}:{}: {}", file, number, preset.error().message)};
    presets.push_back(std::move(*preset));
  }
  return presets;
}

Result<std::vector<Preset>> LoadPresets() {
  const std::filesystem::path file = AssetsFolder() / "lessons" / "presets.md";
  const Result<std::string> markdown = ReadWholeFile(file);
  if (!markdown) return Error{fmt::format("The presets {} cannot be read.", file.string())};
  return PresetsFromMarkdown(*markdown, file.string());
}

}  // namespace tidemark::lessons
