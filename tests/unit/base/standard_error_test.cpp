#include "profiler/base/standard_error.h"

#include "tests/support/catch.h"
#include "tests/support/told.h"

namespace tidemark {

TEST_CASE("a terminal obeys no control letter of what is shown on it", "[standard_error]") {
  CHECK(AsShown("a\x1b[31mb\x7f\xc2\x9b") == "a␛[31mb␡\xef\xbf\xbd");
  CHECK(AsShown("two\n\tlines: ä\r") == "two\n\tlines: ä␍");
}

TEST_CASE("a sentence says who tells it, and nothing to the terminal", "[standard_error]") {
  CHECK(ToldMeanwhile([] { TellSentence("\x1b]0;title\a cannot be read."); }) ==
        "tidemark: ␛]0;title␇ cannot be read.\n");
}

}  // namespace tidemark
