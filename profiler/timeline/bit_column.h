// Whole numbers side by side in as few bits as the largest of them needs; any of them is read in O(1).
// Immutable, any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::timeline {

class BitColumn {
 public:
  BitColumn() = default;
  explicit BitColumn(std::span<const uint64_t> numbers);

  uint64_t operator[](size_t position) const {
    const size_t bit = position * width_;
    const size_t word = bit / kWordBits;
    const size_t shift = bit % kWordBits;
    uint64_t number = words_[word] >> shift;
    if (shift + width_ > kWordBits) number |= words_[word + 1] << (kWordBits - shift);
    return number & mask_;
  }

  size_t bytes() const { return words_.size() * sizeof(uint64_t); }  // besides itself

 private:
  static constexpr size_t kWordBits = 64;

  size_t width_ = 0;
  uint64_t mask_ = 0;
  std::vector<uint64_t> words_ = {0};
};

}  // namespace tidemark::timeline
