// Text by compiled formats, for exporters that write it for every event: to parse a format each time took
// half of their time. Through the library's own buffer: to any other it writes letter by letter. Any thread.
#pragma once

#include <fmt/compile.h>

#include <string>

namespace tidemark::trace {

template <typename Format, typename... Arguments>
void AppendFormatted(std::string& out, const Format& format, const Arguments&... arguments) {
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), format, arguments...);
  out.append(text.data(), text.size());
}

}  // namespace tidemark::trace
