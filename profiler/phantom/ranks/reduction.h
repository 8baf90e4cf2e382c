// What NCCL makes of the numbers that each rank has: of whole numbers, and floats of 16, 32 and 64 bits.
// Those of 16 are added up as floats of 32 and rounded once, so their last digit may be another one than a
// card's. Any thread; O(ranks x bytes).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::phantom::ranks {

// As nccl.h numbers them (ncclDataType_t, ncclRedOp_t), whose package is not needed to build.
enum Type : int { kInt8, kUint8, kInt32, kUint32, kInt64, kUint64, kFloat16, kFloat32, kFloat64, kBfloat16 };
enum Operation : int { kSum, kProduct, kMax, kMin, kAverage };

size_t BytesOf(int type);
bool CanReduce(int type, int operation);
// Of one rank at least, each with as many bytes, by types and operations that it can.
std::string Reduce(const std::vector<std::string_view>& ranks, int type, int operation);

}  // namespace tidemark::phantom::ranks
