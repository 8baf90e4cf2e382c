#include "app/presenters/moment/signed_bytes.h"

namespace tidemark::presenters {

namespace {

// `text`: the bytes in words.
std::string Signed(int64_t bytes, const std::string& text) {
  if (bytes == 0) return "±" + text;
  return bytes < 0 ? "−" + text.substr(1) : "+" + text;
}

}  // namespace

std::string SignedBytes(int64_t bytes, ByteUnit unit) { return Signed(bytes, FormatBytes(bytes, unit)); }
std::string SignedExactBytes(int64_t bytes) { return Signed(bytes, FormatExactBytes(bytes)); }

}  // namespace tidemark::presenters
