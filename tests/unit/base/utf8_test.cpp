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

}  // namespace
}  // namespace tidemark
