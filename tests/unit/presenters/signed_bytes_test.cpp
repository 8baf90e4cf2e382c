#include "app/presenters/moment/signed_bytes.h"

#include <limits>

#include "tests/support/catch.h"

namespace tidemark::presenters {

TEST_CASE("A difference has a sign, and that of nothing is both") {
  CHECK(SignedBytes(2'700'000, ByteUnit::kMegabytes) == "+2.7 MB");
  CHECK(SignedBytes(-45'400'000, ByteUnit::kMegabytes) == "−45.4 MB");
  CHECK(SignedBytes(0, ByteUnit::kMegabytes) == "±0 B");
  CHECK(SignedExactBytes(1024) == "+1,024 B");
  CHECK(SignedExactBytes(-1024) == "−1,024 B");
  CHECK(SignedExactBytes(0) == "±0 B");
  CHECK(SignedExactBytes(std::numeric_limits<int64_t>::min()) == "−9,223,372,036,854,775,808 B");
}

}  // namespace tidemark::presenters
