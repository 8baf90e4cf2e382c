#include "profiler/phantom/calibration/convolution.h"

#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/question.h"

namespace tidemark::phantom::calibration {
namespace {

using namespace workspaces;

// "cudnn_graph library" of cuDNN 9's documentation.
constexpr int kDataType = 1;
constexpr int kConvolutionMode = 7;
constexpr int kHeuristicModeType = 8;

template <typename Number>
Attribute Values(int name, int element, const std::vector<Number>& numbers) {
  return {name, element, static_cast<int64_t>(numbers.size()),
          std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number))};
}

std::vector<int64_t> Strides(const std::vector<int64_t>& sizes, Layout layout) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  if (layout == Layout::kChannelsLast) {
    strides[1] = 1;
    stride = sizes[1];
  }
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i == 1 && layout == Layout::kChannelsLast) continue;
    strides[i] = stride;
    stride *= sizes[i];
  }
  return strides;
}

DescriptorNode Tensor(int64_t id, const Convolution& convolution, const std::vector<int64_t>& sizes) {
  return {
      kTensor,
      {Values<int>(kTensorElementType, kDataType, {convolution.element}),
       Values<int64_t>(kTensorSizes, kInt64, sizes),
       Values<int64_t>(kTensorStrides, kInt64, Strides(sizes, convolution.layout)),
       Values<int64_t>(kTensorIdentifier, kInt64, {id}), Values<int64_t>(kTensorAlignment, kInt64, {16})}};
}

const ConvolutionNumbers& NumbersOf(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return kForward;
    case Direction::kBackwardFilter:
      return kWeightsGradient;
    case Direction::kBackwardData:
      break;
  }
  return kInputGradient;
}

std::vector<int64_t> OutputOf(const Convolution& convolution) {
  std::vector<int64_t> output = {convolution.input[0], convolution.filter[0]};
  for (size_t i = 2; i < convolution.input.size(); ++i) {
    const int64_t room = convolution.input[i] + 2 * convolution.padding[i - 2] - convolution.filter[i];
    output.push_back(room / convolution.stride[i - 2] + 1);
  }
  return output;
}

}  // namespace

std::string TreeOf(const Convolution& convolution) {
  const auto dimensions = static_cast<int64_t>(convolution.padding.size());
  const ConvolutionNumbers& numbers = NumbersOf(convolution.direction);
  return Encode(DescriptorTree{
      Tensor('x', convolution, convolution.input),
      Tensor('w', convolution, convolution.filter),
      Tensor('y', convolution, OutputOf(convolution)),
      {kConvolution,
       {Values<int64_t>(106, kInt64, {dimensions}), Values<int>(100, kDataType, {kFloat32}),
        Values<int>(101, kConvolutionMode, {1}), Values(105, kInt64, convolution.padding),
        Values(104, kInt64, convolution.padding),
        Values(102, kInt64, std::vector<int64_t>(convolution.padding.size(), 1)),
        Values(103, kInt64, convolution.stride)}},
      {numbers.type,
       {Values<float>(numbers.alpha, kFloat, {1}), Values<float>(numbers.beta, kFloat, {0}),
        Values<int64_t>(numbers.convolution, kDescriptor, {3}),
        Values<int64_t>(numbers.weights, kDescriptor, {1}), Values<int64_t>(numbers.input, kDescriptor, {0}),
        Values<int64_t>(numbers.output, kDescriptor, {2})}},
      {kOperationGraph, {Values<int64_t>(kGraphOperations, kDescriptor, {4})}},
      {kEngineHeuristics,
       {Values<int64_t>(kHeuristicGraph, kDescriptor, {5}),
        Values<int>(kHeuristicMode, kHeuristicModeType, {0})}}});
}

}  // namespace tidemark::phantom::calibration
