#include "profiler/phantom/ranks/reduction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "profiler/base/check.h"

namespace tidemark::phantom::ranks {
namespace {

// The upper half of a float of 32 bits.
struct Bfloat16 {
  Bfloat16() = default;
  explicit Bfloat16(float number) : bits(static_cast<uint16_t>(RoundedTo(number, 16) >> 16U)) {}
  explicit operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U); }

  // Its bits, the last so many rounded away, to even; those of no number stay one.
  static uint32_t RoundedTo(float number, unsigned dropped) {
    const auto bits = std::bit_cast<uint32_t>(number);
    if (std::isnan(number)) return bits | 0x00400000U;
    return bits + (1U << (dropped - 1)) - 1 + (bits >> dropped & 1U);
  }

  uint16_t bits = 0;
};

// IEEE 754's binary16.
struct Float16 {
  Float16() = default;
  explicit Float16(float number) : bits(BitsOf(number)) {}
  explicit operator float() const {
    const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
    const int exponent = bits >> 10U & 0x1FU;
    const auto fraction = static_cast<float>(bits & 0x3FFU);
    if (exponent == 0x1F) return sign * (fraction == 0 ? INFINITY : NAN);
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024, exponent - 25);
  }

  static uint16_t BitsOf(float number) {
    const auto sign = static_cast<uint16_t>(std::signbit(number) ? 0x8000U : 0);
    const float size = std::abs(number);
    if (std::isnan(number)) return sign | 0x7E00U;
    if (size >= 65520) return sign | 0x7C00U;  // rounds beyond the largest, 65,504
    int exponent = 0;
    std::frexp(std::max(size, 0x1p-14F), &exponent);  // below, all have the same distance
    // So many of the distance between its neighbours, to even.
    const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 11 - exponent)));
    return static_cast<uint16_t>(sign | (static_cast<uint32_t>(exponent + 13) * 1024 + steps));
  }

  uint16_t bits = 0;
};

template <typename Number>
inline constexpr bool kIsOf16Bits = std::is_same_v<Number, Float16> || std::is_same_v<Number, Bfloat16>;

// Whole numbers wrap around, as the card's do.
template <typename Number>
auto Wrapping(Number number) {
  if constexpr (std::is_integral_v<Number>) {
    return uint64_t{static_cast<std::make_unsigned_t<Number>>(number)};
  } else {
    return number;
  }
}

template <typename Number>
Number Combined(Number a, Number b, int operation) {
  if (operation == kMax) return std::max(a, b);
  if (operation == kMin) return std::min(a, b);
  const auto left = Wrapping(a);
  const auto right = Wrapping(b);
  return static_cast<Number>(operation == kProduct ? left * right : left + right);
}

// `Stored` as it lies in memory, `Number` as it is computed with.
template <typename Stored, typename Number>
Number At(std::string_view bytes, size_t offset) {
  Stored stored;
  std::memcpy(&stored, bytes.data() + offset, sizeof stored);
  return static_cast<Number>(stored);
}

template <typename Stored>
std::string ReduceAs(const std::vector<std::string_view>& ranks, int operation) {
  using Number = std::conditional_t<kIsOf16Bits<Stored>, float, Stored>;
  std::string result(ranks.front());
  for (size_t offset = 0; offset + sizeof(Stored) <= result.size(); offset += sizeof(Stored)) {
    auto number = At<Stored, Number>(ranks.front(), offset);
    for (size_t rank = 1; rank < ranks.size(); ++rank)
      number = Combined(number, At<Stored, Number>(ranks[rank], offset), operation);
    if (operation == kAverage) number = static_cast<Number>(number / static_cast<Number>(ranks.size()));
    const auto stored = static_cast<Stored>(number);
    std::memcpy(result.data() + offset, &stored, sizeof stored);
  }
  return result;
}

}  // namespace

size_t BytesOf(int type) {
  switch (type) {
    case kInt32:
    case kUint32:
    case kFloat32:
      return 4;
    case kInt64:
    case kUint64:
    case kFloat64:
      return 8;
    case kFloat16:
    case kBfloat16:
      return 2;
    default:
      return 1;  // bytes, and the two kinds of 8-bit floats after bfloat16
  }
}

bool CanReduce(int type, int operation) {
  return type >= kInt8 && type <= kBfloat16 && operation >= kSum && operation <= kAverage;
}

std::string Reduce(const std::vector<std::string_view>& ranks, int type, int operation) {
  switch (type) {
    case kInt8:
      return ReduceAs<int8_t>(ranks, operation);
    case kUint8:
      return ReduceAs<uint8_t>(ranks, operation);
    case kInt32:
      return ReduceAs<int32_t>(ranks, operation);
    case kUint32:
      return ReduceAs<uint32_t>(ranks, operation);
    case kInt64:
      return ReduceAs<int64_t>(ranks, operation);
    case kUint64:
      return ReduceAs<uint64_t>(ranks, operation);
    case kFloat16:
      return ReduceAs<Float16>(ranks, operation);
    case kFloat32:
      return ReduceAs<float>(ranks, operation);
    case kBfloat16:
      return ReduceAs<Bfloat16>(ranks, operation);
    default:
      TIDEMARK_CHECK(type == kFloat64);
      return ReduceAs<double>(ranks, operation);
  }
}

}  // namespace tidemark::phantom::ranks
