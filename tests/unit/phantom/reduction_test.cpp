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
  CHECK_FALSE(CanReduce(kFloat16, kSum));
  CHECK_FALSE(CanReduce(kBfloat16, kSum));
  CHECK_FALSE(CanReduce(kFloat32, 16));  // one of the program's own
  CHECK(BytesOf(kBfloat16) == 2);
  CHECK(BytesOf(kBfloat16 + 1) == 1);
}

}  // namespace
}  // namespace tidemark::phantom::ranks
