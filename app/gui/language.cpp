#include "app/gui/language.h"

#include <nlohmann/json.hpp>
#include <string>

#include "profiler/base/whole_file.h"

namespace tidemark::gui {

Result<Translations> TranslationsFromJson(std::string_view json) {
  const nlohmann::json texts = nlohmann::json::parse(json, nullptr, false);
  if (!texts.is_object()) {
    return Error{
        "The table of texts is no JSON object, so the window stays English. Write {\"Memory map\": \"…\", "
        "\"step #\": \"…\"}."};
  }
  Translations translations;
  for (const auto& [english, text] : texts.items()) {
    if (text.is_string() && !text.get<std::string>().empty()) translations[english] = text.get<std::string>();
  }
  return translations;
}

Result<Translations> LoadTranslations(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Translations{};
  const Result<std::string> text = ReadWholeFile(file);
  if (!text)
    return Error{"The table of texts in " + file.string() + " could not be read: the window stays English."};
  Result<Translations> translations = TranslationsFromJson(*text);
  if (!translations) return Error{file.string() + ": " + translations.error().message};
  return translations;
}

}  // namespace tidemark::gui
