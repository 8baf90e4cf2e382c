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

}  // namespace
}  // namespace tidemark
