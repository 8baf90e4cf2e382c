#include "profiler/phantom/calibration/operations.h"

namespace tidemark::phantom::calibration {
namespace {

std::string Joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

const char* NameOf(BatchNormSize size) {
  switch (size) {
    case BatchNormSize::kForwardWorkspace:
      return "forward workspace";
    case BatchNormSize::kBackwardWorkspace:
      return "backward workspace";
    case BatchNormSize::kReserve:
      break;
  }
  return "reserve";
}

const char* NameOf(RnnSize size) { return size == RnnSize::kWorkspace ? "workspace" : "reserve"; }

}  // namespace

std::string TextOf(BatchNormSize size, int mode, int ops, const TensorShape& input) {
  return std::string("batch norm ") + NameOf(size) + ", mode " + std::to_string(mode) + ", ops " +
         std::to_string(ops) + ", input " + std::to_string(input.element) + ":" + Joined(input.sizes) + ":" +
         Joined(input.strides);
}

std::string TextOf(RnnSize size, const RnnShape& shape) {
  return std::string("rnn ") + NameOf(size) + ", cell " + std::to_string(shape.cell) + ", direction " +
         std::to_string(shape.direction) + ", element " + std::to_string(shape.element) + ", precision " +
         std::to_string(shape.precision) + ", math " + std::to_string(shape.math) + ", input " +
         std::to_string(shape.input_size) + ", hidden " + std::to_string(shape.hidden_size) +
         ", projection " + std::to_string(shape.projection_size) + ", layers " +
         std::to_string(shape.layers) + ", batch " + std::to_string(shape.batch) + ", longest " +
         std::to_string(shape.longest) + (shape.training ? ", training" : ", inference") + ", algorithm " +
         std::to_string(shape.algorithm) +
         (shape.packed_steps > 0 ? ", packed steps " + std::to_string(shape.packed_steps) : "");
}

}  // namespace tidemark::phantom::calibration
