// How an operation whose size a table may hold is written there. The stand-ins and the recorder write it
// alike, so that a size is found for exactly what it was measured for. Pure functions. Numbers of modes and
// types are cuDNN's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::phantom::calibration {

// The state of cuDNN's dropout. Library "cudnn", as all that follow.
inline constexpr const char* kDropoutStates = "dropout states";

struct TensorShape {
  int element = 0;
  std::vector<int> sizes;
  std::vector<int> strides;
};

enum class BatchNormSize : uint8_t { kForwardWorkspace, kBackwardWorkspace, kReserve };
// "batch norm forward workspace, mode 1, ops 0, input 0:64,32,56,56:100352,3136,56,1"
std::string TextOf(BatchNormSize size, int mode, int ops, const TensorShape& input);

struct RnnShape {
  int cell = 0;
  int direction = 0;
  int element = 0;
  int precision = 0;  // the type that is computed in; an element's, as cudnnDataType_t
  int math = 0;       // cudnnMathType_t
  int input_size = 0;
  int hidden_size = 0;
  int projection_size = 0;
  int layers = 0;
  int batch = 0;
  int longest = 0;
  bool training = false;
  int algorithm = 0;         // cudnnRNNAlgo_t
  int64_t packed_steps = 0;  // of all sequences together, where they are packed; else 0
};
enum class RnnSize : uint8_t { kWorkspace, kReserve };
std::string TextOf(RnnSize size, const RnnShape& shape);

}  // namespace tidemark::phantom::calibration
