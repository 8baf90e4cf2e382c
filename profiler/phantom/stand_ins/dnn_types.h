// The few types of cuDNN that the stand-ins need; its headers are not among what the build fetches. Names and
// values as in the documentation of cuDNN 9, "cudnn_graph library".
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidemark::phantom::dnn {

enum Status : int { kSuccess = 0, kNotInitialized = 1001, kBadParameter = 2000 };

// cudnnBackendAttributeType_t: what the elements of an attribute are.
enum ElementType : int {
  kHandle = 0,
  kDataType = 1,
  kBoolean = 2,
  kInt64 = 3,
  kFloat = 4,
  kDouble = 5,
  kVoidPointer = 6,
  kConvolutionMode = 7,
  kHeuristicMode = 8,
  kNumericalNote = 11,
  kDescriptor = 15,
  kBehaviorNote = 19,
  kReorderingMode = 20,
  kInt32 = 23,
};

// cudnnBackendDescriptorType_t: those of a convolution.
enum DescriptorType : int {
  kConvolution = 1,
  kEngine = 2,
  kEngineConfiguration = 3,
  kEngineHeuristics = 4,
  kExecutionPlan = 5,
  kKnobChoice = 7,
  kConvolutionForward = 10,
  kConvolutionBackwardFilter = 11,
  kConvolutionBackwardData = 12,
  kOperationGraph = 15,
  kVariantPack = 16,
  kTensor = 17,
};

// cudnnBackendAttributeName_t: those that are answered, not remembered.
enum AttributeName : int {
  kHeuristicResults = 202,
  kConfigurationEngine = 300,
  kConfigurationKnobChoices = 302,
  kPlanWorkspaceSize = 402,
  kEngineGlobalIndex = 1301,
  kEngineKnobInfo = 1302,
  kEngineNumericalNote = 1303,
  kEngineBehaviorNote = 1305,
};

// Which attributes a descriptor takes, and of which elements. Ranges where neighbours are alike.
struct SettableAttributes {
  DescriptorType descriptor;
  int first;
  int last;
  ElementType element;
};

inline constexpr SettableAttributes kSettable[] = {
    {kConvolution, 100, 100, kDataType},         // COMP_TYPE
    {kConvolution, 101, 101, kConvolutionMode},  // CONV_MODE
    {kConvolution, 102, 106, kInt64},  // DILATIONS, FILTER_STRIDES, POST_ and PRE_PADDINGS, SPATIAL_DIMS
    {kEngineHeuristics, 200, 200, kHeuristicMode},
    {kEngineHeuristics, 201, 201, kDescriptor},  // OPERATION_GRAPH
    {kEngineConfiguration, 300, 300, kDescriptor},
    {kExecutionPlan, 400, 400, kHandle},
    {kExecutionPlan, 401, 401, kDescriptor},       // ENGINE_CONFIG
    {kConvolutionForward, 700, 701, kFloat},       // ALPHA, BETA (or double)
    {kConvolutionForward, 702, 705, kDescriptor},  // CONV_DESC, W, X, Y
    {kConvolutionBackwardData, 706, 707, kFloat},
    {kConvolutionBackwardData, 708, 711, kDescriptor},  // CONV_DESC, W, DX, DY
    {kConvolutionBackwardFilter, 712, 713, kFloat},
    {kConvolutionBackwardFilter, 714, 717, kDescriptor},  // CONV_DESC, DW, X, DY
    {kOperationGraph, 800, 800, kHandle},
    {kOperationGraph, 801, 801, kDescriptor},  // OPS
    {kTensor, 900, 900, kInt64},               // BYTE_ALIGNMENT
    {kTensor, 901, 901, kDataType},
    {kTensor, 902, 906, kInt64},    // DIMENSIONS, STRIDES, VECTOR_COUNT, VECTORIZED_DIMENSION, UNIQUE_ID
    {kTensor, 907, 908, kBoolean},  // IS_VIRTUAL, IS_BY_VALUE
    {kTensor, 909, 909, kReorderingMode},
    {kVariantPack, 1000, 1000, kInt64},        // UNIQUE_IDS
    {kVariantPack, 1001, 1001, kVoidPointer},  // DATA_POINTERS
    {kVariantPack, 1003, 1003, kVoidPointer},  // WORKSPACE
};

}  // namespace tidemark::phantom::dnn
