// What a run can be written as: by a name on the command line, by a file's ending, by a title in the window.
// Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::presenters {

struct RunFormat {
  std::string_view key;     // "perfetto"
  std::string_view ending;  // ".pftrace"
  std::string_view title;   // "Perfetto trace"
};

// Endings are told apart from each other; the recording comes first, then traces, tables, stacks, pages,
// pictures.
std::span<const RunFormat> RunFormats();

const RunFormat* FormatOfKey(std::string_view key);  // none: there is no such format
// A key, or an ending without its point: "json" is what "chrome" is.
const RunFormat* FormatOfWord(std::string_view word);
const RunFormat* FormatOfEnding(const std::filesystem::path& file);  // none: it does not tell

bool IsPicture(std::string_view format_key);

// What a picture shows: as its name tells before the ending ("run.bridge.svg"), else the timeline.
struct PictureView {
  std::string_view key;    // "bridge"
  std::string_view title;  // "the bridge"
};
const PictureView* PictureViewOfKey(std::string_view key);
const PictureView& PictureViewOfName(const std::filesystem::path& file);

// To choose from in a list: each format, and of pictures each view.
struct ExportChoice {
  std::string ending;  // ".bridge.svg"
  std::string title;   // "the bridge as a drawing"
};
std::vector<ExportChoice> ExportChoices();
std::string EndingOfChoice(std::string_view name);  // with which it ends, the longest; "" if with none

}  // namespace tidemark::presenters
