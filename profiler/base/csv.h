// A field of a table as RFC 4180 has it: in quotes where it holds a comma, a quote or a line's end, with its
// own quotes doubled. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tidemark {

void AppendCsvField(std::string_view text, std::string& out);
inline std::string CsvField(std::string_view text) {
  std::string field;
  AppendCsvField(text, field);
  return field;
}

}  // namespace tidemark
