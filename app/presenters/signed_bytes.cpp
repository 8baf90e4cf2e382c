#include "app/presenters/signed_bytes.h"

#include <limits>

namespace tidemark::presenters {

int64_t Difference(int64_t from, int64_t taken) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(from, taken, &difference)) return difference;
  return from < taken ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

std::string SignedBytes(int64_t bytes, ByteUnit unit) {
  const std::string text = FormatBytes(bytes, unit);
  if (bytes == 0) return "±" + text;
  return bytes < 0 ? "−" + text.substr(1) : "+" + text;
}

}  // namespace tidemark::presenters
