#include "profiler/lessons/rich_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "profiler/base/digits.h"
#include "profiler/base/format.h"

namespace tidemark::lessons {
namespace {

constexpr std::string_view kCommentBegin = "<!--";
constexpr std::string_view kCommentEnd = "-->";

constexpr std::array<std::pair<std::string_view, double>, 13> kUnits = {{{"kB", 1e3},
                                                                         {"MB", 1e6},
                                                                         {"GB", 1e9},
                                                                         {"TB", 1e12},
                                                                         {"KiB", 1024.0},
                                                                         {"MiB", 1048576.0},
                                                                         {"GiB", 1073741824.0},
                                                                         {"bytes", 1.0},
                                                                         {"B", 1.0},
                                                                         {"%", 0.01},
                                                                         {"×", 1.0},
                                                                         {"times", 1.0},
                                                                         {"", 1.0}}};

std::string_view Trimmed(std::string_view text) {
  const auto is_space = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// One line of Markdown, read from left to right.
class InlineReader {
 public:
  InlineReader(std::string_view text, int line) : text_(text), line_(line) {}

  Result<ParsedText> Read() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with(kCommentBegin)) {
        if (const Status read = ReadComment(); !read) return read.error();
      } else if (!ReadMark("**", SpanStyle::kStrong) && !ReadMark("*", SpanStyle::kEmphasis) &&
                 !ReadMark("`", SpanStyle::kCode)) {
        Put(text_[at_++]);
      }
    }
    return std::move(out_);
  }

 private:
  // A mark begins a style only if it also ends it.
  bool ReadMark(std::string_view mark, SpanStyle style) {
    if (!text_.substr(at_).starts_with(mark)) return false;
    const size_t begin = at_ + mark.size();
    const size_t end = text_.find(mark, begin);
    if (end == std::string_view::npos || end == begin || text_[begin] == ' ') return false;
    out_.text.push_back({std::string(text_.substr(begin, end - begin)), style, ""});
    at_ = end + mark.size();
    return true;
  }

  void Put(char letter) {
    if (out_.text.empty() || out_.text.back().style != SpanStyle::kPlain ||
        !out_.text.back().expression.empty()) {
      out_.text.push_back({});
    }
    out_.text.back().text += letter;
  }

  Status ReadComment() {
    const size_t end = text_.find(kCommentEnd, at_);
    if (end == std::string_view::npos) return Error{"The comment <!-- is not ended by -->."};
    const size_t begin = at_ + kCommentBegin.size();
    const std::string_view comment = Trimmed(text_.substr(begin, end - begin));
    at_ = end + kCommentEnd.size();
    if (comment.starts_with('=')) return ReadClaim(Trimmed(comment.substr(1)), false);
    if (comment.starts_with('~')) return ReadClaim(Trimmed(comment.substr(1)), true);
    if (comment.starts_with("check ")) return ReadCheck(Trimmed(comment.substr(6)));
    DropSpace();
    out_.remarks.emplace_back(comment);
    return Done{};
  }

  // The space between a figure and its comment.
  void DropSpace() {
    if (out_.text.empty() || out_.text.back().style != SpanStyle::kPlain) return;
    std::string& last = out_.text.back().text;
    while (!last.empty() && last.back() == ' ') last.pop_back();
    if (last.empty()) out_.text.pop_back();
  }

  Status ReadClaim(std::string_view expression, bool approximate) {
    DropSpace();
    const StatedFigure figure = out_.text.empty() ? StatedFigure{} : FigureAtEnd(out_.text.back().text);
    if (!figure.found) {
      return Error{fmt::format(
          "There is no figure before <!-- {} -->; it belongs right behind one, like 58.49 MB.", expression)};
    }
    Span& last = out_.text.back();
    Span stated{last.text.substr(figure.begin), last.style, std::string(expression)};
    out_.claims.push_back({line_, stated.text, std::string(expression), fmt::format("{:.17g}", figure.value),
                           '=', approximate ? std::abs(figure.value) * kApproximately : figure.half_digit});
    last.text.resize(figure.begin);
    if (last.text.empty()) out_.text.pop_back();
    out_.text.push_back(std::move(stated));
    return Done{};
  }

  Status ReadCheck(std::string_view check) {
    DropSpace();
    // '=' stands between settings too, but then in parentheses.
    int depth = 0;
    for (size_t i = 0; i < check.size(); ++i) {
      if (check[i] == '(') ++depth;
      if (check[i] == ')') --depth;
      if (depth != 0 || (check[i] != '=' && check[i] != '<' && check[i] != '>')) continue;
      out_.claims.push_back({line_, "check", std::string(Trimmed(check.substr(0, i))),
                             std::string(Trimmed(check.substr(i + 1))), check[i], 1e-9});
      return Done{};
    }
    return Error{fmt::format("'{}' checks nothing; write two figures with =, < or > between them.", check)};
  }

  std::string_view text_;
  int line_;
  size_t at_ = 0;
  ParsedText out_;
};

}  // namespace

StatedFigure FigureAtEnd(std::string_view text) {
  StatedFigure figure;
  const size_t last_digit = text.find_last_of("0123456789");
  if (last_digit == std::string_view::npos) return figure;
  const std::string_view unit = Trimmed(text.substr(last_digit + 1));
  double factor = 0;
  for (const auto& [name, size] : kUnits) {
    if (name == unit) factor = size;
  }
  if (factor == 0) return figure;
  size_t begin = last_digit;
  while (begin > 0 && (IsDigit(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == ',')) --begin;
  std::string digits;
  int decimals = -1;
  for (const char letter : text.substr(begin, last_digit + 1 - begin)) {
    if (decimals >= 0) ++decimals;
    if (letter == '.') decimals = 0;
    if (letter != ',') digits += letter;
  }
  figure.value = std::strtod(digits.c_str(), nullptr) * factor;
  figure.half_digit = 0.5 * std::pow(10.0, decimals > 0 ? -decimals : 0) * factor;
  figure.unit = factor;
  figure.decimals = std::max(decimals, 0);
  figure.begin = begin;
  figure.unit_at = last_digit + 1;
  figure.found = true;
  return figure;
}

std::string Restated(std::string_view stated, double value) {
  const StatedFigure figure = FigureAtEnd(stated);
  if (!figure.found) return std::string(stated);
  const std::string number = fmt::format("{:.{}f}", value / figure.unit, figure.decimals);
  const size_t point = std::min(number.find('.'), number.size());
  const int64_t whole = std::strtoll(number.c_str(), nullptr, 10);
  return fmt::format("{}{}{}{}", stated.substr(0, figure.begin), FormatNumber(whole), number.substr(point),
                     stated.substr(figure.unit_at));
}

Result<ParsedText> ParseText(std::string_view markdown, int line) {
  return InlineReader(markdown, line).Read();
}

std::string PlainTextOf(const RichText& text, const FiguresHere& figures) {
  std::string plain;
  for (const Span& span : text) {
    const auto here = figures.find(&span);
    plain += here == figures.end() ? span.text : here->second;
  }
  return plain;
}

}  // namespace tidemark::lessons
