// Letters by their numbers, as UTF-8. Pure functions; a header alone, so that what is compiled into users'
// programs has it, too.
#pragma once

#include <cstdint>
#include <string>

namespace tidemark {

// What is no letter (half of a surrogate pair, or a number beyond the last letter) becomes a question mark.
inline void AppendUtf8(uint32_t letter, std::string& text) {
  if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000)) letter = '?';
  const int more = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kLead[more] | (letter >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80U | ((letter >> (6 * i)) & 0x3fU));
}

}  // namespace tidemark
