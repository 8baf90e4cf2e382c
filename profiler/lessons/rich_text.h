// The Markdown inside a line of a lesson: **strong**, *emphasis*, `code`, and figures with what computes them
// in a comment behind them, which a code host does not show:
//   a step needs 58.49 MB <!-- = textbook.total -->        the same to the last digit that is written
//   about 180 MB <!-- ~ phantom.allocated -->              within kApproximately of it
//   <!-- check phantom.fits(batch=4096) = 0 -->            holds, and shows nothing
// Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::lessons {

enum class SpanStyle : uint8_t { kPlain, kStrong, kEmphasis, kCode };
struct Span {
  std::string text;
  SpanStyle style = SpanStyle::kPlain;
  std::string expression;  // what computes this figure; "" = it is none
};
using RichText = std::vector<Span>;

// What a text claims of figures: left and right hold to each other by `relation` ('=', '<', '>'), within
// `tolerance`.
struct Claim {
  int line = 0;
  std::string stated;  // "58.49 MB", or "check" of one that shows nothing
  std::string left;    // expressions
  std::string right;
  char relation = '=';
  double tolerance = 0;  // of the right side, or of a stated figure: half of its last digit
};
inline constexpr double kApproximately = 0.05;

// Other comments are left for the caller, in `remarks`.
struct ParsedText {
  RichText text;
  std::vector<Claim> claims;
  std::vector<std::string> remarks;
};
// Errors: a comment that does not end, a figure's comment with no figure before it, a check without a
// relation.
Result<ParsedText> ParseText(std::string_view markdown, int line);

// Figures that stand otherwise than they were written, as they are here.
using FiguresHere = std::map<const Span*, std::string>;

// Without any marks.
std::string PlainTextOf(const RichText& text, const FiguresHere& figures = {});

// "58.49 MB" as a number and half of its last digit, in the base unit: bytes of B, kB, MB, GB, KiB, MiB, GiB,
// TB; a share of %. Where there is none: found = false.
struct StatedFigure {
  double value = 0;
  double half_digit = 0;
  double unit = 1;     // in base units
  int decimals = 0;    // that it is written with
  size_t begin = 0;    // in the text
  size_t unit_at = 0;  // what follows its last digit
  bool found = false;
};
// The last figure of a text, which must end with it.
StatedFigure FigureAtEnd(std::string_view text);
// The same figure with another value, in its unit and with as many decimals: "186 MB" of "182 MB" and
// 186,380,800. What ends with no figure stays.
std::string Restated(std::string_view stated, double value);

}  // namespace tidemark::lessons
