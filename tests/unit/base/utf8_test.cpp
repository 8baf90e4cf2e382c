#include "profiler/base/utf8.h"

#include <string_view>

#include "tests/support/catch.h"

namespace tidemark {
namespace {

std::string Utf8Of(std::u32string_view letters) {
  std::string text;
  for (const char32_t letter : letters) AppendUtf8(letter, text);
  return text;
}

TEST_CASE("Letters of one to four bytes are UTF-8, and what is no letter a question mark") {
  CHECK(Utf8Of(U"a\u007f") == "a\x7f");
  CHECK(Utf8Of(U"\u00a0\u00e9\u07ff") == "\xc2\xa0\xc3\xa9\xdf\xbf");
  CHECK(Utf8Of(U"\u0800\u20ac\uffff") == "\xe0\xa0\x80\xe2\x82\xac\xef\xbf\xbf");
  CHECK(Utf8Of(U"\U00010000\U0001f30a\U0010ffff") == "\xf0\x90\x80\x80\xf0\x9f\x8c\x8a\xf4\x8f\xbf\xbf");
  const char32_t no_letters[] = {0xd7ff, 0xd800, 0xdfff, 0xe000, 0x110000, 0xffffffff};
  CHECK(Utf8Of({no_letters, 6}) == "\xed\x9f\xbf??\xee\x80\x80??");
}

TEST_CASE("A letter is as long as UTF-8 has it, and what is malformed is none") {
  for (const char32_t letter : {U'a', U'\u00e9', U'\u20ac', U'\uffff', U'\U0001f30a', U'\U0010ffff'}) {
    const std::string text = Utf8Of({&letter, 1});
    CHECK(SizeOfUtf8Letter(text + "b") == text.size());
    CHECK(SizeOfUtf8Letter(std::string_view(text).substr(0, text.size() - 1)) == 0);  // torn
  }
  const std::string_view malformed[] = {"",
                                        "\x80",
                                        "\xc3(",
                                        "\xc0\xaf",          // overlong
                                        "\xe0\x9f\xbf",      // overlong
                                        "\xf0\x8f\xbf\xbf",  // overlong
                                        "\xed\xa0\x80",      // a surrogate
                                        "\xf4\x90\x80\x80",  // beyond the last letter
                                        "\xff"};
  for (const std::string_view text : malformed) CHECK(SizeOfUtf8Letter(text) == 0);
}

TEST_CASE("Control letters are those of ASCII and those behind it, and no others") {
  for (const std::string_view text : {"\x1b[31m", "\x7f", "\n"}) CHECK(SizeOfControl(text) == 1);
  for (const std::string_view text : {"\xc2\x80", "\xc2\x9fz"}) CHECK(SizeOfControl(text) == 2);
  for (const std::string_view text : {"", "a\x1b", "\xc2\xa0", "\xc3\x80", "\xc2", "\x80"})
    CHECK(SizeOfControl(text) == 0);
}

TEST_CASE("What is no letter in a text is replaced, byte by byte, and the rest stays") {
  CHECK(ValidUtf8("").empty());
  CHECK(ValidUtf8("a\xc3\xa9\xf0\x9f\x8c\x8a") == "a\xc3\xa9\xf0\x9f\x8c\x8a");
  CHECK(ValidUtf8("\xff") == "\xef\xbf\xbd");
  CHECK(ValidUtf8("a\xf0\x9f\x8c") == "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // torn
  CHECK(ValidUtf8("\xed\xa0\x80z\xc3\xa9") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xc3\xa9");
}

TEST_CASE("A text that is too long ends with a whole letter") {
  CHECK(FirstLetters("abc", 3) == "abc");
  CHECK(FirstLetters("abc", 2) == "ab");
  CHECK(FirstLetters("ab\xc3\xa9", 3) == "ab");
  CHECK(FirstLetters("ab\xc3\xa9z", 4) == "ab\xc3\xa9");
  CHECK(FirstLetters("\xf0\x9f\x8c\x8a", 3).empty());
  CHECK(FirstLetters("\x80\x80", 1).empty());
}

}  // namespace
}  // namespace tidemark
