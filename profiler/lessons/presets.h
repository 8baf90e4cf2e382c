// Settings that show something, ready to use: assets/lessons/presets.md, a list of
//   - **Title**: One sentence. `tidemark1:…`
// Pure functions, but for the one that reads the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/lessons/session_code.h"

namespace tidemark::lessons {

struct Preset {
  std::string title;
  std::string sentence;
  SessionState state;
};

// Errors: the line that is no preset, and why; lines that begin no list are left out.
Result<std::vector<Preset>> PresetsFromMarkdown(std::string_view markdown, const std::string& file);
Result<std::vector<Preset>> LoadPresets();

}  // namespace tidemark::lessons
