#include "app/presenters/run/run_formats.h"

#include <algorithm>
#include <cctype>

namespace tidemark::presenters {
namespace {

constexpr RunFormat kFormats[] = {{"tide", ".tide", "recording"},
                                  {"perfetto", ".pftrace", "Perfetto trace"},
                                  {"chrome", ".json", "Trace Event JSON"},
                                  {"csv", ".csv", "a row for each event"},
                                  {"arrow", ".arrow", "Arrow table"},
                                  {"sqlite", ".sqlite", "SQLite database"},
                                  {"pickle", ".pickle", "PyTorch memory snapshot"},
                                  {"folded", ".folded", "folded stacks at the peak, for a flame graph"},
                                  {"markdown", ".md", "page to read"},
                                  {"html", ".html", "page with the timeline"},
                                  {"svg", ".svg", "a drawing"},
                                  {"png", ".png", "a picture"}};

constexpr PictureView kViews[] = {{"timeline", "the timeline"},
                                  {"breakdown", "the breakdown at the peak"},
                                  {"bridge", "the bridge"},
                                  {"map", "the memory map at the peak"}};

template <typename Holds>
const RunFormat* Find(Holds holds) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats), holds);
  return found == std::end(kFormats) ? nullptr : found;
}

std::string EndingOf(const PictureView& view, const RunFormat& format) {
  return (&view == kViews ? "" : "." + std::string(view.key)) + std::string(format.ending);
}

}  // namespace

std::span<const RunFormat> RunFormats() { return kFormats; }

bool IsPicture(std::string_view format_key) { return format_key == "svg" || format_key == "png"; }

const RunFormat* FormatOfKey(std::string_view key) {
  return Find([key](const RunFormat& format) { return format.key == key; });
}

const RunFormat* FormatOfWord(std::string_view word) {
  const RunFormat* const format = FormatOfKey(word);
  return format == nullptr ? FormatOfEnding("*." + std::string(word)) : format;
}

const RunFormat* FormatOfEnding(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return Find([&ending](const RunFormat& format) { return format.ending == ending; });
}

const PictureView* PictureViewOfKey(std::string_view key) {
  const auto* found = std::ranges::find(kViews, key, &PictureView::key);
  return found == std::end(kViews) ? nullptr : found;
}

const PictureView& PictureViewOfName(const std::filesystem::path& file) {
  std::string told = file.stem().extension().string();
  std::ranges::transform(told, told.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const PictureView* view = told.empty() ? nullptr : PictureViewOfKey(std::string_view(told).substr(1));
  return view == nullptr ? kViews[0] : *view;
}

std::vector<ExportChoice> ExportChoices() {
  std::vector<ExportChoice> choices;
  for (const RunFormat& format : kFormats) {
    if (!IsPicture(format.key)) {
      choices.push_back({std::string(format.ending), std::string(format.title)});
      continue;
    }
    const char* const how = format.key == "svg" ? " as a drawing" : " as a picture";
    for (const PictureView& view : kViews)
      choices.push_back({EndingOf(view, format), std::string(view.title) + how});
  }
  return choices;
}

std::string EndingOfChoice(std::string_view name) {
  std::string longest;
  for (const ExportChoice& choice : ExportChoices()) {
    if (name.ends_with(choice.ending) && choice.ending.size() > longest.size()) longest = choice.ending;
  }
  return longest;
}

}  // namespace tidemark::presenters
