#include "profiler/textbook/saved_tensors.h"

#include <algorithm>

namespace tidemark::textbook {
namespace {

using networks::LayerKind;

// Follows the one tensor that goes from layer to layer.
class ForwardPass {
 public:
  ForwardPass(const networks::Network& network, networks::Precision amp)
      : network_(network), autocast_(amp != networks::Precision::kFloat32) {}

  SavedTensors Run() {
    for (size_t index = 0; index < network_.layers.size(); ++index) {
      saved_.inputs.push_back(current_);
      switch (network_.layers[index].kind) {
        case LayerKind::kConv2d:
        case LayerKind::kLinear:
          SaveInput(index);
          current_ = Make(index, index, autocast_ ? kHalfBytes : kFloat32Bytes);
          break;
        case LayerKind::kRelu:
          Rectify(index);
          break;
        case LayerKind::kFlatten:
          break;
      }
    }
    return std::move(saved_);
  }

 private:
  int64_t CurrentPrecision() const {
    return current_ == kBatch ? kFloat32Bytes : saved_.tensors[current_].bytes_per_element;
  }

  size_t Make(size_t maker, size_t owner, int64_t bytes_per_element) {
    SavedTensor tensor;
    tensor.maker = maker;
    tensor.owner = owner;
    tensor.elements = networks::ElementCount(network_.layers[maker].output);
    tensor.bytes_per_element = bytes_per_element;
    saved_.tensors.push_back(tensor);
    return saved_.tensors.size() - 1;
  }

  void SaveInput(size_t index) {
    if (autocast_ && CurrentPrecision() == kFloat32Bytes) {
      SavedTensor& copy = saved_.tensors[Make(index, index, kHalfBytes)];
      copy.elements = networks::ElementCount(network_.layers[index].input);
      copy.is_half_copy = true;
      copy.savers = {index};
    } else if (current_ != kBatch) {
      saved_.tensors[current_].savers.push_back(index);
    }
  }

  void Rectify(size_t index) {
    const bool input_is_kept = current_ == kBatch || !saved_.tensors[current_].savers.empty();
    const size_t owner = input_is_kept ? index : saved_.tensors[current_].owner;
    current_ = Make(index, owner, CurrentPrecision());
    saved_.tensors[current_].savers = {index};
  }

  const networks::Network& network_;
  const bool autocast_;
  SavedTensors saved_;
  size_t current_ = kBatch;
};

// The tensors that layers [first, end) save, without the one that they all start from.
std::vector<size_t> SavedBy(const SavedTensors& saved, size_t first, size_t end) {
  std::vector<size_t> found;
  for (size_t tensor = 0; tensor < saved.tensors.size(); ++tensor) {
    if (tensor == saved.inputs[first]) continue;
    const std::vector<size_t>& savers = saved.tensors[tensor].savers;
    if (std::any_of(savers.begin(), savers.end(),
                    [=](size_t layer) { return layer >= first && layer < end; })) {
      found.push_back(tensor);
    }
  }
  return found;
}

int64_t BytesPerSample(const SavedTensors& saved, const std::vector<size_t>& tensors) {
  int64_t bytes = 0;
  for (const size_t tensor : tensors)
    bytes += saved.tensors[tensor].elements * saved.tensors[tensor].bytes_per_element;
  return bytes;
}

// Adds the input of a piece, which is kept for it. Neighbouring pieces of views start from one tensor.
void Keep(size_t tensor, std::vector<size_t>& kept) {
  if (tensor != kBatch && (kept.empty() || kept.back() != tensor)) kept.push_back(tensor);
}

}  // namespace

SavedTensors FindSavedTensors(const networks::Network& network, networks::Precision amp) {
  return ForwardPass(network, amp).Run();
}

SavedAtWorst FindWorstMoment(const networks::Network& network, const SavedTensors& saved,
                             const networks::Checkpointing& checkpointing) {
  const std::vector<size_t> boundaries = networks::CheckpointBoundaries(network, checkpointing);
  SavedAtWorst worst;
  worst.end_layer = network.layers.size();
  if (boundaries.empty()) {
    worst.kept = SavedBy(saved, 0, network.layers.size());
    return worst;
  }
  std::vector<size_t> kept;
  int64_t most = -1;
  for (size_t piece = 0; piece + 1 < boundaries.size(); ++piece) {
    Keep(saved.inputs[boundaries[piece]], kept);
    const std::vector<size_t> made_again = SavedBy(saved, boundaries[piece], boundaries[piece + 1]);
    const int64_t bytes = BytesPerSample(saved, kept) + BytesPerSample(saved, made_again);
    if (bytes <= most) continue;
    most = bytes;
    worst = {kept, made_again, piece, boundaries.size() - 1, boundaries[piece], boundaries[piece + 1]};
  }
  return worst;
}

SavedOverall FindKeptAndMadeAgain(const networks::Network& network, const SavedTensors& saved,
                                  const networks::Checkpointing& checkpointing) {
  const std::vector<size_t> boundaries = networks::CheckpointBoundaries(network, checkpointing);
  SavedOverall overall;
  if (boundaries.empty()) overall.kept = SavedBy(saved, 0, network.layers.size());
  for (size_t piece = 0; piece + 1 < boundaries.size(); ++piece) {
    Keep(saved.inputs[boundaries[piece]], overall.kept);
    const std::vector<size_t> made_again = SavedBy(saved, boundaries[piece], boundaries[piece + 1]);
    overall.made_again.insert(overall.made_again.end(), made_again.begin(), made_again.end());
  }
  return overall;
}

}  // namespace tidemark::textbook
