#include "app/presenters/moment/signed_bytes.h"

namespace tidemark::presenters {

std::string SignedBytes(int64_t bytes, ByteUnit unit) {
  const std::string text = FormatBytes(bytes, unit);
  if (bytes == 0) return "±" + text;
  return bytes < 0 ? "−" + text.substr(1) : "+" + text;
}

}  // namespace tidemark::presenters
