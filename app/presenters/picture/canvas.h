// An SVG document under way: shapes and texts by their place, in its pixels. On white, with a title.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tidemark::presenters {

// As a text within XML or HTML, whatever it holds: what these have no letter for becomes U+FFFD.
std::string EscapedForXml(std::string_view text);

class Canvas {
 public:
  static constexpr int kWidth = 1280;
  static constexpr int kMargin = 32;
  static constexpr int kTop = 96;  // below the title

  Canvas(int height, std::string_view title, std::string_view subtitle);

  void Text(double x, double y, std::string_view text, std::string_view attributes = "");
  void Box(double x, double y, double width, double height, std::string_view colour,
           std::string_view attributes = "");
  void Line(double x0, double y0, double x1, double y1, std::string_view colour);
  // Whose (0, 0) is there.
  void Shapes(double x, double y, std::string_view shapes);
  // It is so high at least.
  void Reach(double y) { height_ = std::max(height_, static_cast<int>(y)); }
  std::string Finished() const;

 private:
  int height_;
  std::string out_;  // of its shapes and texts
};

}  // namespace tidemark::presenters
