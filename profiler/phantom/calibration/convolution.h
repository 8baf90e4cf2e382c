// Convolutions as LibTorch describes them to cuDNN, for asking about them without LibTorch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::phantom::calibration {

enum class Direction : uint8_t { kForward, kBackwardFilter, kBackwardData };
enum class Layout : uint8_t { kChannelsFirst, kChannelsLast };
// cudnnDataType_t
inline constexpr int kFloat32 = 0;
inline constexpr int kFloat16 = 2;
inline constexpr int kBfloat16 = 9;

struct Convolution {
  Direction direction = Direction::kForward;
  int element = kFloat32;
  Layout layout = Layout::kChannelsFirst;
  std::vector<int64_t> input;   // samples, channels, then the spatial ones
  std::vector<int64_t> filter;  // outputs, inputs of a group, then the spatial ones
  std::vector<int64_t> padding;
  std::vector<int64_t> stride;
};

// Encode(DescriptorTree), with the heuristics' descriptor (mode "instant") at its root.
std::string TreeOf(const Convolution& convolution);

}  // namespace tidemark::phantom::calibration
