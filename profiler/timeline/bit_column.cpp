#include "profiler/timeline/bit_column.h"

namespace tidemark::timeline {

BitColumn::BitColumn(std::span<const uint64_t> numbers) {
  uint64_t used = 0;
  for (const uint64_t number : numbers) used |= number;
  width_ = static_cast<size_t>(std::bit_width(used));
  mask_ = width_ == kWordBits ? ~uint64_t{0} : (uint64_t{1} << width_) - 1;
  words_.assign(numbers.size() * width_ / kWordBits + 1, 0);
  size_t bit = 0;
  for (const uint64_t number : numbers) {
    const size_t word = bit / kWordBits;
    const size_t shift = bit % kWordBits;
    words_[word] |= number << shift;
    if (shift + width_ > kWordBits) words_[word + 1] |= number >> (kWordBits - shift);
    bit += width_;
  }
}

}  // namespace tidemark::timeline
