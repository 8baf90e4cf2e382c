#include "app/presenters/signed_bytes.h"

#include "profiler/base/saturating.h"

namespace tidemark::presenters {

int64_t Difference(int64_t from, int64_t taken) { return SaturatingDifference(from, taken); }

std::string SignedBytes(int64_t bytes, ByteUnit unit) {
  const std::string text = FormatBytes(bytes, unit);
  if (bytes == 0) return "±" + text;
  return bytes < 0 ? "−" + text.substr(1) : "+" + text;
}

}  // namespace tidemark::presenters
