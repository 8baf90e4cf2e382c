#include "profiler/phantom/ranks/reduction.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "profiler/base/check.h"

namespace tidemark::phantom::ranks {
namespace {

// Whole numbers wrap around, as the card's do.
template <typename Number>
Number Combined(Number a, Number b, int operation) {
  using Wrapping = std::conditional_t<std::is_integral_v<Number>, uint64_t, Number>;
  if (operation == kMax) return std::max(a, b);
  if (operation == kMin) return std::min(a, b);
  const auto left = static_cast<Wrapping>(a);
  const auto right = static_cast<Wrapping>(b);
  return static_cast<Number>(operation == kProduct ? left * right : left + right);
}

template <typename Number>
Number At(std::string_view bytes, size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

template <typename Number>
std::string ReduceAs(const std::vector<std::string_view>& ranks, int operation) {
  std::string result(ranks.front());
  for (size_t offset = 0; offset + sizeof(Number) <= result.size(); offset += sizeof(Number)) {
    Number number = At<Number>(ranks.front(), offset);
    for (size_t rank = 1; rank < ranks.size(); ++rank)
      number = Combined(number, At<Number>(ranks[rank], offset), operation);
    if (operation == kAverage) number = static_cast<Number>(number / static_cast<Number>(ranks.size()));
    std::memcpy(result.data() + offset, &number, sizeof number);
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
  return type >= kInt8 && type <= kFloat64 && type != kFloat16 && operation >= kSum && operation <= kAverage;
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
    case kFloat32:
      return ReduceAs<float>(ranks, operation);
    default:
      TIDEMARK_CHECK(type == kFloat64);
      return ReduceAs<double>(ranks, operation);
  }
}

}  // namespace tidemark::phantom::ranks
