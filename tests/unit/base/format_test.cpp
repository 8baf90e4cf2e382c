#include "profiler/base/format.h"

#include "tests/support/catch.h"

namespace tidemark {
namespace {

TEST_CASE("A column's figure that would read as nothing has a unit of its own, and nothing has none") {
  CHECK(FormatInUnit(25'690'112, ByteUnit::kMegabytes) == "25.69");
  CHECK(FormatInUnit(10'000, ByteUnit::kMegabytes) == "0.01");
  CHECK(FormatInUnit(5'120, ByteUnit::kMegabytes) == "5.1 kB");
  CHECK(FormatInUnit(-5'120, ByteUnit::kMebibytes) == "-5.0 KiB");
  CHECK(FormatInUnit(512, ByteUnit::kMebibytes) == "512 B");
  CHECK(FormatInUnit(0, ByteUnit::kMegabytes) == "0.00");
}

TEST_CASE("Every figure of four digits and more has its thousands apart, in columns and in sentences") {
  CHECK(FormatInUnit(24'127'790'000, ByteUnit::kMegabytes) == "24,127.79");
  CHECK(FormatInUnit(-1'234'567'890'000, ByteUnit::kMegabytes) == "-1,234,567.89");
  CHECK(FormatInUnit(999'990'000, ByteUnit::kMegabytes) == "999.99");
  CHECK(FormatBytes(1'073'217'536, ByteUnit::kMebibytes) == "1,023.5 MiB");
  CHECK(FormatBytes(-1'500'000'000'000, ByteUnit::kMegabytes) == "-1,500.00 GB");
  CHECK(FormatBytes(-999, ByteUnit::kMegabytes) == "-999 B");
  CHECK(FormatBytes(1'023, ByteUnit::kMebibytes) == "1,023 B");
  CHECK(FormatNumber(-1'000) == "-1,000");
  CHECK(FormatNumber(-999) == "-999");
  CHECK(FormatDecimal(1234.5, 0) == "1,234");
  CHECK(FormatDecimal(0.25, 1) == "0.2");
}

TEST_CASE("The two ends of a range never read the same") {
  CHECK(FormatRange(25'700'000, 25'900'000, ByteUnit::kMegabytes) == "25.7 MB to 25.9 MB");
  CHECK(FormatRange(1'021'313'024, 1'023'410'176, ByteUnit::kMegabytes) ==
        "1.02 GB (1,021,313,024 B to 1,023,410,176 B)");
}

TEST_CASE("A size that was written is read again, and a comma elsewhere than before three digits is not") {
  CHECK(BytesFromText("1,023.5 MiB") == 1'073'217'536);
  CHECK(BytesFromText("1,500.00 GB") == 1'500'000'000'000);
  CHECK(BytesFromText("1,234,567 B") == 1'234'567);
  CHECK(BytesFromText("1234.5 kB") == 1'234'500);
  for (const char* wrong : {"1,5 GB", "1,2345 B", ",123 B", "1.5,000 GB", "12,34,567 B", ","})
    CHECK_FALSE(BytesFromText(wrong).has_value());
}

}  // namespace
}  // namespace tidemark
