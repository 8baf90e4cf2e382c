#include "app/presenters/picture/picture_width.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "profiler/base/check.h"

namespace tidemark::presenters {

std::string WithWidth(std::string_view svg, int width) {
  // As every picture begins: width="1280" height="572" viewBox="0 0 1280 572".
  const auto number_after = [svg](std::string_view name) {
    int number = 0;
    const char* const begin = svg.data() + svg.find(name) + name.size();
    std::from_chars(begin, svg.data() + svg.size(), number);
    return number;
  };
  const size_t begin = svg.find(" width=\"");
  const size_t end = svg.find(" viewBox");
  const int old_width = number_after(" width=\"");
  TIDEMARK_CHECK(begin < end && end < svg.size() && old_width > 0);
  const double height = static_cast<double>(number_after(" height=\"")) * width / old_width;
  return fmt::format("{} width=\"{}\" height=\"{}\"{}", svg.substr(0, begin), width, std::lround(height),
                     svg.substr(end));
}

}  // namespace tidemark::presenters
