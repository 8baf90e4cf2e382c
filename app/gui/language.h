// The file with the window's words in another language (widgets/translation.h): a JSON object of texts. Any
// thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/gui/widgets/translation.h"
#include "profiler/base/result.h"

namespace tidemark::gui {

// Error: it is no JSON object; what in it is no text is left out.
Result<Translations> TranslationsFromJson(std::string_view json);
Result<Translations> LoadTranslations(const std::filesystem::path& file);  // none where there is no file

}  // namespace tidemark::gui
