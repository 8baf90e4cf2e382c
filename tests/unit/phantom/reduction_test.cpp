#include "profiler/phantom/ranks/reduction.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::phantom::ranks {
namespace {

// Of ranks that have one number each.
template <typename Number>
Number Reduced(const std::vector<Number>& numbers, int type, int operation) {
  std::vector<std::string_view> ranks;
  ranks.reserve(numbers.size());
  for (const Number& number : numbers)
    ranks.emplace_back(reinterpret_cast<const char*>(&number), sizeof number);
  const std::string bytes = Reduce(ranks, type, operation);
  REQUIRE(bytes.size() == sizeof(Number));
  Number result;
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

TEST_CASE("Numbers of all ranks become one") {
  CHECK(Reduced<float>({1.5F, -4, 2}, kFloat32, kSum) == -0.5F);
  CHECK(Reduced<double>({1.5, -4, 2}, kFloat64, kProduct) == -12);
  CHECK(Reduced<int32_t>({-3, -1, -7}, kInt32, kMax) == -1);
  CHECK(Reduced<int8_t>({-3, -1, -7}, kInt8, kMin) == -7);
  CHECK(Reduced<float>({1, 2}, kFloat32, kAverage) == 1.5F);
  CHECK(Reduced<int64_t>({1, 4}, kInt64, kAverage) == 2);
}

TEST_CASE("Whole numbers wrap around") {
  CHECK(Reduced<uint8_t>({200, 100}, kUint8, kSum) == 44);
  CHECK(Reduced<int64_t>({INT64_MAX, 1}, kInt64, kSum) == INT64_MIN);
  CHECK(Reduced<uint32_t>({1U << 31, 2}, kUint32, kProduct) == 0);
}

TEST_CASE("Floats of 16 bits are computed with, too, and rounded to even") {
  constexpr uint16_t kOne = 0x3C00;                                          // of binary16
  CHECK(Reduced<uint16_t>({kOne, kOne, 0x3800}, kFloat16, kSum) == 0x4100);  // 1 + 1 + 0.5
  CHECK(Reduced<uint16_t>({kOne, 0xC000}, kFloat16, kMin) == 0xC000);        // -2
  CHECK(Reduced<uint16_t>({0x0001, 0x0001}, kFloat16, kSum) == 0x0002);      // the smallest
  CHECK(Reduced<uint16_t>({0x03FF, 0x0001}, kFloat16, kSum) == 0x0400);      // the first with an exponent
  CHECK(Reduced<uint16_t>({0x6800, kOne}, kFloat16, kSum) == 0x6800);        // 2048 + 1
  CHECK(Reduced<uint16_t>({0x6801, kOne}, kFloat16, kSum) == 0x6802);        // 2050 + 1
  CHECK(Reduced<uint16_t>({0x7BFF, 0x7BFF}, kFloat16, kSum) == 0x7C00);      // beyond the largest
  CHECK((Reduced<uint16_t>({0x7C00, 0xFC00}, kFloat16, kSum) & 0x7E00) == 0x7E00);   // no number
  CHECK(Reduced<uint16_t>({0x8000}, kFloat16, kMax) == 0x8000);                      // -0
  CHECK(Reduced<uint16_t>({0x4000, 0x4000}, kBfloat16, kAverage) == 0x4000);         // 2
  CHECK(Reduced<uint16_t>({0x4380, 0x3F80}, kBfloat16, kSum) == 0x4380);             // 256 + 1
  CHECK(Reduced<uint16_t>({0x4381, 0x3F80}, kBfloat16, kSum) == 0x4382);             // 258 + 1
  CHECK((Reduced<uint16_t>({0x7F80, 0xFF80}, kBfloat16, kSum) & 0x7FC0) == 0x7FC0);  // no number
}

TEST_CASE("Each number meets its like") {
  const std::vector<uint64_t> first = {1, 2, 3};
  const std::vector<uint64_t> second = {10, 20, 30};
  const auto bytes = [](const std::vector<uint64_t>& numbers) {
    return std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint64_t));
  };
  const std::vector<uint64_t> sums = {11, 22, 33};
  CHECK(Reduce({bytes(first), bytes(second)}, kUint64, kSum) == bytes(sums));
}

TEST_CASE("What nothing here computes with is told") {
  CHECK(CanReduce(kUint64, kAverage));
  CHECK(CanReduce(kBfloat16, kSum));
  CHECK_FALSE(CanReduce(kBfloat16 + 1, kSum));
  CHECK_FALSE(CanReduce(kFloat32, 16));  // one of the program's own
  CHECK(BytesOf(kBfloat16) == 2);
  CHECK(BytesOf(kBfloat16 + 1) == 1);
}

}  // namespace
}  // namespace tidemark::phantom::ranks
