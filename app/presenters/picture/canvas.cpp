#include "app/presenters/picture/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "profiler/base/utf8.h"

namespace tidemark::presenters {
namespace {

constexpr uint32_t kReplacementLetter = 0xfffd;

// XML 1.0 (2.2 Characters): of what UTF-8 can say it has no controls but these three, no U+FFFE and no
// U+FFFF.
bool IsXmlLetter(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter.front());
  if (first < 0x20) return first == '\t' || first == '\n' || first == '\r';
  return letter != "\xef\xbf\xbe" && letter != "\xef\xbf\xbf";
}

}  // namespace

std::string EscapedForXml(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size();) {
    const size_t size = SizeOfUtf8Letter(text.substr(i));
    const std::string_view letter = text.substr(i, std::max<size_t>(1, size));
    i += letter.size();
    if (size == 0 || !IsXmlLetter(letter)) {
      AppendUtf8(kReplacementLetter, escaped);
      continue;
    }
    switch (letter.front()) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

Canvas::Canvas(int height, std::string_view title, std::string_view subtitle) : height_(height) {
  Text(kMargin, 40, title, "font-size=\"22\" font-weight=\"bold\"");
  Text(kMargin, 66, subtitle, "fill=\"#52606D\"");
}

std::string Canvas::Finished() const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"Roboto, Helvetica, Arial, sans-serif\" font-size=\"15\" fill=\"#1F2933\">\n"
             "<style>.reserved{{fill:none;stroke:#1F2933;stroke-width:1.5;stroke-dasharray:5 4}}"
             ".compared{{fill:none;stroke:#B5128A;stroke-width:2}}"
             "line.textbook{{stroke:#1A1E25;stroke-width:2;stroke-dasharray:12 6}}"
             "line.phantom{{stroke:#0B73B8;stroke-width:2;stroke-dasharray:2 4}}"
             "line.card{{stroke:#C22B3A;stroke-width:2}}"
             ".name{{text-anchor:end;font-size:13px;paint-order:stroke;stroke:#FFFFFF;stroke-width:4px}}"
             "text.textbook{{fill:#1A1E25}}text.phantom{{fill:#0B73B8}}text.card{{fill:#C22B3A}}</style>\n"
             "<rect width=\"{0}\" height=\"{1}\" fill=\"#FFFFFF\"/>\n",
             kWidth, height_) +
         out_ + "</svg>\n";
}

void Canvas::Text(double x, double y, std::string_view text, std::string_view attributes) {
  out_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, EscapedForXml(text));
}

void Canvas::Box(double x, double y, double width, double height, std::string_view colour,
                 std::string_view attributes) {
  out_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" {}/>\n",
                      x, y, width, height, colour, attributes);
}

void Canvas::Line(double x0, double y0, double x1, double y1, std::string_view colour) {
  out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x0,
                      y0, x1, y1, colour);
}

void Canvas::Shapes(double x, double y, std::string_view shapes) {
  out_ += fmt::format("<g transform=\"translate({:.1f},{:.1f})\">\n{}</g>\n", x, y, shapes);
}

}  // namespace tidemark::presenters
