// Bytes that protozero writes to, one varint's byte at a time: a std::string keeps its size and its closing
// zero right after each of them, which took a third of an export. Not thread safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <protozero/buffer_tmpl.hpp>
#include <protozero/varint.hpp>
#include <string_view>
#include <vector>

namespace tidemark::trace {

class PacketBuffer {
 public:
  size_t size() const { return size_; }
  std::string_view bytes() const { return {bytes_.data(), size_}; }
  char* at(size_t position) { return bytes_.data() + position; }
  void clear() { size_ = 0; }

  // Where `count` more bytes go; they count.
  char* Extend(size_t count) {
    if (bytes_.size() - size_ < count) [[unlikely]]
      Grow(count);
    char* place = bytes_.data() + size_;
    size_ += count;
    return place;
  }
  void Shorten(size_t size) { size_ = size; }

  // As Protocol Buffers write numbers: seven bits in a byte, the lowest first, the eighth says that more
  // follow.
  void PutVarint(uint64_t value) {
    static_assert(std::endian::native == std::endian::little);
    constexpr size_t kMostBytes = 10;
    char* place = Extend(kMostBytes);
    size_ -= kMostBytes;
    if (value < 0x80) {
      *place = static_cast<char>(value);
      ++size_;
      return;
    }
    // Eight bytes at once: branches on the length of each number are guessed wrong.
    constexpr unsigned kBitsAtOnce = 56;
    const auto length = static_cast<unsigned>(std::bit_width(value) + 6) / 7;
    const unsigned more = std::min(length - 1, 8U);  // bytes at once that say so
    const uint64_t bytes = SevenInEight(value) | (0x8080808080808080 >> (64 - 8 * more));
    std::memcpy(place, &bytes, sizeof(bytes));
    if (length > 8) {
      const uint64_t rest = value >> kBitsAtOnce;
      place[8] = static_cast<char>(length == 10 ? rest | 0x80 : rest);
      place[9] = static_cast<char>(rest >> 7);
    }
    size_ += length;
  }

 private:
  // Rare, and apart, so that what calls it needs no place for its registers.
  [[gnu::noinline, gnu::cold]] void Grow(size_t count) {
    bytes_.resize(std::max(size_ + count, 2 * bytes_.size()));
  }
  // The lowest 56 bits, each seven of them in a byte.
  static uint64_t SevenInEight(uint64_t value) {
    value = (value & 0x00fffffff0000000) << 4 | (value & 0x000000000fffffff);
    value = (value & 0x0fffc0000fffc000) << 2 | (value & 0x00003fff00003fff);
    return (value & 0x3f803f803f803f80) << 1 | (value & 0x007f007f007f007f);
  }

  std::vector<char> bytes_ = std::vector<char>(4096);
  size_t size_ = 0;
};

}  // namespace tidemark::trace

namespace protozero {

template <>
struct buffer_customization<tidemark::trace::PacketBuffer> {
  using Buffer = tidemark::trace::PacketBuffer;

  static std::size_t size(const Buffer* buffer) noexcept { return buffer->size(); }
  static void append(Buffer* buffer, const char* data, std::size_t count) {
    if (count > 0) std::memcpy(buffer->Extend(count), data, count);
  }
  static void append_zeros(Buffer* buffer, std::size_t count) {
    std::memset(buffer->Extend(count), 0, count);
  }
  static void resize(Buffer* buffer, std::size_t size) { buffer->Shorten(size); }
  static void reserve_additional(Buffer*, std::size_t) {}
  static void erase_range(Buffer* buffer, std::size_t from, std::size_t to) {
    std::memmove(buffer->at(from), buffer->at(to), buffer->size() - to);
    buffer->Shorten(buffer->size() - (to - from));
  }
  static char* at_pos(Buffer* buffer, std::size_t position) { return buffer->at(position); }
  static void push_back(Buffer* buffer, char byte) { *buffer->Extend(1) = byte; }
};

template <>
inline void add_varint_to_buffer(tidemark::trace::PacketBuffer* buffer, uint64_t value) {
  buffer->PutVarint(value);
}

}  // namespace protozero
