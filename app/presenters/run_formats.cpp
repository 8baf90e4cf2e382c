#include "app/presenters/run_formats.h"

#include <algorithm>

namespace tidemark::presenters {
namespace {

constexpr RunFormat kFormats[] = {{"tide", ".tide", "recording"},
                                  {"perfetto", ".pftrace", "Perfetto trace"},
                                  {"chrome", ".json", "Trace Event JSON"},
                                  {"csv", ".csv", "a row for each event"},
                                  {"arrow", ".arrow", "Arrow table"},
                                  {"sqlite", ".sqlite", "SQLite database"},
                                  {"pickle", ".pickle", "PyTorch memory snapshot"},
                                  {"markdown", ".md", "page to read"},
                                  {"html", ".html", "page with the timeline"},
                                  {"svg", ".svg", "the timeline as a drawing"},
                                  {"png", ".png", "the timeline as a picture"}};

template <typename Holds>
const RunFormat* Find(Holds holds) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats), holds);
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace

std::span<const RunFormat> RunFormats() { return kFormats; }

const RunFormat* FormatOfKey(std::string_view key) {
  return Find([key](const RunFormat& format) { return format.key == key; });
}

const RunFormat* FormatOfEnding(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return Find([&ending](const RunFormat& format) { return format.ending == ending; });
}

}  // namespace tidemark::presenters
