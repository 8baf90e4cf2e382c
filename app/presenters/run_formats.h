// What a run can be written as: by a name on the command line, by a file's ending, by a title in the window.
// Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace tidemark::presenters {

struct RunFormat {
  std::string_view key;     // "perfetto"
  std::string_view ending;  // ".pftrace"
  std::string_view title;   // "Perfetto trace"
};

// Endings are told apart from each other; the recording comes first, then traces, tables, pages, pictures.
std::span<const RunFormat> RunFormats();

const RunFormat* FormatOfKey(std::string_view key);                  // none: there is no such format
const RunFormat* FormatOfEnding(const std::filesystem::path& file);  // none: it does not tell

}  // namespace tidemark::presenters
