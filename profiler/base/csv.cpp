#include "profiler/base/csv.h"

namespace tidemark {

void AppendCsvField(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char letter : text) {
    if (letter == '"') out += '"';
    out += letter;
  }
  out += '"';
}

}  // namespace tidemark
