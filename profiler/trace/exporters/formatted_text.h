// Text by compiled formats, for exporters that write it for every event: to parse a format each time took
// half of their time, and a buffer between format and text a third of the rest. Any thread.
#pragma once

#include <fmt/compile.h>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::trace {

// The most letters that an argument becomes, without a width of its own.
template <std::integral Number>
constexpr size_t LettersOf(Number) {
  return 20;
}
constexpr size_t LettersOf(double) { return 32; }
constexpr size_t LettersOf(std::string_view text) { return text.size(); }

template <typename Format>
consteval bool HasWidths() {
  constexpr auto kText = fmt::string_view(Format());
  return std::string_view(kText.data(), kText.size()).find("{:") != std::string_view::npos;
}

// fmt copies texts by memcpy, which takes no null, however little it copies.
template <typename Argument>
const Argument& NotFromNowhere(const Argument& argument) {
  return argument;
}
inline std::string_view NotFromNowhere(const std::string_view& text) {
  return text.data() == nullptr ? std::string_view("") : text;
}

// Of a FMT_COMPILE format without widths and precisions, for the room that it takes is known beforehand.
template <typename Format, typename... Arguments>
void AppendFormatted(std::string& out, const Format& format, const Arguments&... arguments) {
  static_assert(!HasWidths<Format>());
  const size_t before = out.size();
  out.resize(before + (fmt::string_view(format).size() + ... + LettersOf(arguments)));
  const char* end = fmt::format_to(out.data() + before, format, NotFromNowhere(arguments)...);
  out.resize(static_cast<size_t>(end - out.data()));
}

// Nanoseconds, not negative, as microseconds with three digits: exact.
class MicrosecondText {
 public:
  explicit MicrosecondText(int64_t ns) {
    char* at = std::to_chars(text_.data(), text_.data() + text_.size(), ns / 1000).ptr;
    const auto rest = static_cast<int>(ns % 1000);
    *at++ = '.';
    *at++ = static_cast<char>('0' + rest / 100);
    *at++ = static_cast<char>('0' + rest / 10 % 10);
    *at++ = static_cast<char>('0' + rest % 10);
    size_ = static_cast<size_t>(at - text_.data());
  }
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  std::array<char, 24> text_;
  size_t size_ = 0;
};

}  // namespace tidemark::trace
