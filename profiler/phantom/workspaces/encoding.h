// Bytes as questions, answers and the cache hold them: unsigned numbers in groups of seven bits, the lowest
// first; texts with their length before them. Not thread safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::phantom::workspaces {

class ByteWriter {
 public:
  void Number(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(0x80 | (number & 0x7f));
    bytes_ += static_cast<char>(number);
  }
  // Small negative numbers stay short.
  void Signed(int64_t number) {
    Number((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Never reads past the end: what is missing reads as 0 or "", and ok() is false from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    ok_ = false;
    return 0;
  }
  int64_t Signed() {
    const uint64_t number = Number();
    return static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1);
  }
  std::string_view Text() {
    const uint64_t size = Number();
    if (size > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }
  // How many items may follow: never more than there are bytes, so that a damaged count reserves no memory.
  size_t Count() {
    const uint64_t count = Number();
    if (count > rest_.size()) ok_ = false;
    return ok_ ? count : 0;
  }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace tidemark::phantom::workspaces
