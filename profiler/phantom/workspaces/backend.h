// The numbers of cuDNN's graph interface ("backend") that the phantom itself looks at; everything else it
// passes on as it came. Names and values as in the documentation of cuDNN 9, "cudnn_graph library"; its
// headers are not among what the build fetches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tidemark::phantom::workspaces {

// cudnnBackendAttributeType_t: what the elements of an attribute are.
enum ElementType : int {
  kHandle = 0,
  kBoolean = 2,
  kInt64 = 3,
  kFloat = 4,
  kDouble = 5,
  kVoidPointer = 6,
  kKnobType = 9,
  kNumericalNote = 11,
  kDescriptor = 15,
  kBehaviorNote = 19,
  kInt32 = 23,
  kChar = 24,
  kFraction = 26,
  kLastElementType = 32,  // of cuDNN 9.26
};

// cudnnBackendDescriptorType_t
enum DescriptorType : int {
  kConvolution = 1,
  kEngine = 2,
  kEngineConfiguration = 3,
  kEngineHeuristics = 4,
  kExecutionPlan = 5,
  kKnobChoice = 7,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
  kDeviceProperties = 38,
  kLastDescriptorType = 50,  // of cuDNN 9.26
};

// cudnnBackendAttributeName_t
enum AttributeName : int {
  kHeuristicMode = 200,
  kHeuristicGraph = 201,
  kHeuristicResults = 202,
  kHeuristicDeviceProperties = 204,
  kConfigurationEngine = 300,
  kConfigurationKnobChoices = 302,
  kConfigurationWorkspace = 303,
  kConfigurationSharedMemory = 304,
  kPlanHandle = 400,
  kPlanConfiguration = 401,
  kPlanWorkspaceSize = 402,
  kPlanJson = 405,
  kPlanDeviceProperties = 407,
  kKnobChoiceType = 600,
  kKnobChoiceValue = 601,
  kGraphHandle = 800,
  kGraphOperations = 801,
  kTensorAlignment = 900,
  kTensorElementType = 901,
  kTensorSizes = 902,
  kTensorStrides = 903,
  kTensorIdentifier = 906,
  kEngineGlobalIndex = 1301,
  kEngineKnobInfo = 1302,
  kEngineNumericalNotes = 1303,
  kEngineBehaviorNotes = 1305,
  kDevicePropertiesHandle = 2701,
  kDevicePropertiesJson = 2702,
};

// The descriptor type and the attributes of each of a convolution's three operations.
struct ConvolutionNumbers {
  int type;
  int alpha;
  int beta;
  int convolution;
  int weights;
  int input;
  int output;
};
inline constexpr ConvolutionNumbers kForward = {10, 700, 701, 702, 703, 704, 705};
inline constexpr ConvolutionNumbers kWeightsGradient = {11, 712, 713, 714, 715, 716, 717};
inline constexpr ConvolutionNumbers kInputGradient = {12, 706, 707, 708, 709, 710, 711};

// Bytes of one element; nothing for a type that no cuDNN up to 9.26 has.
inline std::optional<size_t> SizeOf(int element) {
  switch (element) {
    case kBoolean:
    case kChar:
      return 1;
    case kHandle:
    case kInt64:
    case kDouble:
    case kVoidPointer:
    case kDescriptor:
      return 8;
    case kFraction:
      return 16;
    default:  // floats, 32-bit integers and enumerations
      return element < 0 || element > kLastElementType ? std::nullopt : std::optional<size_t>(4);
  }
}

}  // namespace tidemark::phantom::workspaces
