// Letters by their numbers, as UTF-8. Pure functions; a header alone, so that what is compiled into users'
// programs has it, too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark {

// What is no letter (half of a surrogate pair, or a number beyond the last letter) becomes a question mark.
inline void AppendUtf8(uint32_t letter, std::string& text) {
  if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) letter = '?';
  const int more = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLead[more] | (letter >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80U | ((letter >> (6 * i)) & 0x3fU));
}

// How many bytes the letter has that a text begins with; 0 where it begins with none: a torn one, an overlong
// form, half of a surrogate pair or a number beyond the last letter (RFC 3629).
inline size_t SizeOfUtf8Letter(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  const unsigned char second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90)) return 0;
  if ((first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90)) return 0;
  return size;
}

// How many bytes the control letter has that a text begins with: one of ASCII (C0, DEL) or of those behind it
// (C1), which UTF-8 writes in two. 0 where it begins with none.
inline size_t SizeOfControl(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (!text.empty() && (byte(0) < ' ' || byte(0) == 0x7f)) return 1;
  return text.size() > 1 && byte(0) == 0xc2 && byte(1) < 0xa0 ? 2 : 0;
}

// A text that any reader of UTF-8 takes: what is no letter in it becomes U+FFFD, byte by byte.
inline std::string ValidUtf8(std::string text) {
  size_t at = 0;
  while (const size_t size = SizeOfUtf8Letter(std::string_view(text).substr(at))) at += size;
  if (at == text.size()) return text;
  std::string valid = text.substr(0, at);
  while (at < text.size()) {
    const size_t size = SizeOfUtf8Letter(std::string_view(text).substr(at));
    if (size > 0) valid.append(text, at, size);
    if (size == 0) AppendUtf8(0xfffd, valid);
    at += size > 0 ? size : 1;
  }
  return valid;
}

// How many letters a text of UTF-8 has.
inline size_t CountLetters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

// A text of UTF-8 with at most so many letters, the last of which tells that there were more.
inline std::string CutToLetters(std::string text, size_t most) {
  if (CountLetters(text) <= most) return text;
  size_t end = 0;
  for (size_t letter = 1; letter < most; ++letter)
    end += std::max<size_t>(1, SizeOfUtf8Letter(std::string_view(text).substr(end)));
  return text.substr(0, end) + "…";
}

// As much of a text as so many bytes hold, with no letter cut in two.
inline std::string_view FirstLetters(std::string_view text, size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace tidemark
