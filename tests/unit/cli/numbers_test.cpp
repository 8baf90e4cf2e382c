#include "app/cli/console/numbers.h"

#include <string>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::cli;

namespace {

std::string ComplaintAbout(std::string_view text) {
  const Result<int64_t> number = WholeNumber("--batch", text, 1, 4096);
  return number ? "accepted" : number.error().message;
}

}  // namespace

TEST_CASE("Whole numbers within their range are read") {
  CHECK(*WholeNumber("--batch", "1", 1, 4096) == 1);
  CHECK(*WholeNumber("--batch", "4096", 1, 4096) == 4096);
  CHECK(*WholeNumber("--offset", "-3", -5, 5) == -3);
}

TEST_CASE("Numbers out of range and words are told apart") {
  CHECK(ComplaintAbout("0") == "--batch must be between 1 and 4096, not 0.");
  CHECK(ComplaintAbout("4097") == "--batch must be between 1 and 4096, not 4097.");
  CHECK(ComplaintAbout("99999999999999999999") ==
        "--batch must be between 1 and 4096, not 99999999999999999999.");
  for (const std::string text : {"", "abc", "1.5", "1e3", "0x10", " 1", "1 ", "+1", "64k", "--1"}) {
    CHECK(ComplaintAbout(text) == "--batch must be a whole number between 1 and 4096, not '" + text + "'.");
  }
}

TEST_CASE("Seeds take every number of 64 bits") {
  CHECK(*Seed("--seed", "0") == 0);
  CHECK(*Seed("--seed", "18446744073709551615") == 18'446'744'073'709'551'615U);
  for (const char* text : {"-1", "18446744073709551616", "", "x", "1.0"})
    CHECK_FALSE(Seed("--seed", text).ok());
}

TEST_CASE("Decimal numbers are finite") {
  CHECK(*DecimalNumber("--lr", "1e-3") == 1e-3);
  CHECK(*DecimalNumber("--lr", ".5") == 0.5);
  for (const char* text : {"nan", "inf", "1e999", "", "fast", "1,5", "0.1x"}) {
    CHECK_FALSE(DecimalNumber("--lr", text).ok());
  }
}

TEST_CASE("Sizes have a unit or are bytes") {
  CHECK(*ByteSize("--memory", "500") == 500);
  CHECK(*ByteSize("--memory", "16GiB") == int64_t{16} << 30);
  CHECK(*ByteSize("--memory", "1.5 GB") == 1'500'000'000);
  CHECK(*ByteSize("--memory", "512MiB") == 512 << 20);
  for (const char* text : {"16GIB", "16gib", "16G", "16g", " 16 GiB "}) {
    CHECK(*ByteSize("--memory", text) == int64_t{16} << 30);
  }
  for (const char* text : {"1Gb", "1gb", "1 GB", "0.001TB", "1000m b"}) {
    const Result<int64_t> size = ByteSize("--memory", text);
    CHECK(size.ok() == (std::string(text) != "1000m b"));
    if (size) CHECK(*size == 1'000'000'000);
  }
  CHECK(*ByteSize("--memory", "512M") == 512 << 20);
  CHECK(*ByteSize("--memory", "1KB") == 1000);
  for (const char* text :
       {"", "GiB", "0", "0GiB", "-1GiB", "16GBit", "16X", "1 GiB x", "1..2GiB", "999999999GiB", "1e3"}) {
    const Result<int64_t> size = ByteSize("--memory", text);
    REQUIRE_FALSE(size.ok());
    CHECK(size.error().message.find("--memory must be a size") == 0);
  }
}
