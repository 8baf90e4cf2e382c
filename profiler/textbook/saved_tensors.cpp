#include "profiler/textbook/saved_tensors.h"

#include <algorithm>
#include <utility>

#include "profiler/networks/operators.h"

namespace tidemark::textbook {
namespace {

using networks::LayerKind;

constexpr int64_t kIndexBytes = 8;
constexpr int64_t kMaskBytes = 1;
constexpr int64_t kGatesAndCell = 5;     // of an LSTM, for each of its hidden values
constexpr int64_t kFlashWidths = 8;      // heads of which flash attention takes multiples in half precision,
constexpr int64_t kEfficientWidths = 4;  // and efficient attention in float32
constexpr int64_t kEfficientRows = 32;   // log-sum-exps of efficient attention come in multiples of

int64_t RoundedUp(int64_t number, int64_t multiple) { return (number + multiple - 1) / multiple * multiple; }

// Works value by value, wherever they lie.
bool KeepsOrder(LayerKind kind) {
  return kind == LayerKind::kRelu || kind == LayerKind::kRelu6 || kind == LayerKind::kLeakyRelu ||
         kind == LayerKind::kGelu || kind == LayerKind::kSigmoid || kind == LayerKind::kTanh ||
         kind == LayerKind::kDropout || kind == LayerKind::kAdd;
}

// Follows the tensors from layer to layer.
class ForwardPass {
 public:
  ForwardPass(const networks::Network& network, const networks::TrainingSettings& settings)
      : network_(network), settings_(settings), autocast_(networks::UsesAutocast(settings)) {}

  SavedTensors Run() {
    saved_.backward_follows = IsTraining();
    if (network_.passage.receives) Receive();
    for (size_t index = 0; index < network_.layers.size(); ++index) {
      arguments_.clear();
      for (const size_t input : network_.layers[index].inputs) arguments_.push_back(saved_.OutputOf(input));
      passes_gradient_ = settings_.pass != networks::Pass::kEvaluate && TakesGradient(index);
      saved_.outputs.push_back(Follow(index));
    }
    if (network_.passage.sends) saved_.sent = saved_.outputs.back();
    return std::move(saved_);
  }

 private:
  void Receive();
  size_t Follow(size_t index);

  bool TakesGradient(size_t index) const {
    return network_.layers[index].parameters() > 0 ||
           network_.layers[index].weights_of != networks::kNetworkInput ||
           std::any_of(arguments_.begin(), arguments_.end(),
                       [this](size_t tensor) { return HasGradient(tensor); });
  }
  // A layer that the batch itself enters, and that has no parameters, is not part of backward.
  bool HasGradient(size_t tensor) const { return tensor != kBatch && has_gradient_[tensor]; }
  int64_t PrecisionOf(size_t tensor) const {
    return tensor == kBatch ? FullPrecision() : saved_.tensors[tensor].bytes_per_element;
  }
  // The widest, as type promotion takes it.
  int64_t Precision() const {
    int64_t bytes = 0;
    for (const size_t argument : arguments_) bytes = std::max(bytes, PrecisionOf(argument));
    return bytes;
  }
  // Of what nobody casts: weights and the batch.
  int64_t FullPrecision() const { return ValueBytes(settings_); }
  int64_t LowPrecision() const { return autocast_ ? kHalfBytes : FullPrecision(); }
  bool IsTraining() const { return settings_.pass == networks::Pass::kTrain; }
  // Whether its pictures lie in memory pixel by pixel; of one channel, or one pixel, there is no telling.
  bool LiesChannelsLast(const networks::SampleShape& shape) const {
    return settings_.channels_last && shape.size() == 3 && shape[0] > 1 && shape[1] * shape[2] > 1;
  }
  // Whether the steps of its samples lie one after the other, not its samples: as an LSTM gives them, and
  // what works value by value keeps them. Of one sample there is no telling.
  bool LiesStepsFirst(size_t tensor) const {
    return tensor != kBatch && settings_.batch > 1 && lies_steps_first_[tensor];
  }
  const networks::Layer& LayerAt(size_t index) const { return network_.layers[index]; }

  size_t Add(SavedTensor tensor) {
    saved_.tensors.push_back(std::move(tensor));
    has_gradient_.push_back(passes_gradient_);
    lies_steps_first_.push_back(false);
    return saved_.tensors.size() - 1;
  }
  size_t Make(size_t index, int64_t bytes_per_element) {
    const size_t made = Add({SavedTensor::What::kOutput,
                             index,
                             index,
                             LayerAt(index).output,
                             LayerAt(index).once_for_batch,
                             bytes_per_element,
                             {}});
    lies_steps_first_[made] = LayerAt(index).kind == LayerKind::kLstm ||
                              (KeepsOrder(LayerAt(index).kind) && LiesStepsFirst(arguments_.front()));
    return made;
  }
  // Something beside input and output.
  void SaveExtra(size_t index, SavedTensor::What what, networks::SampleShape shape, int64_t bytes_per_element,
                 bool once_for_batch = false) {
    if (passes_gradient_)
      Add({what, index, index, std::move(shape), once_for_batch, bytes_per_element, {index}});
  }
  void Save(size_t index, size_t tensor) {
    if (tensor == kBatch || !passes_gradient_) return;
    std::vector<size_t>& savers = saved_.tensors[tensor].savers;
    if (savers.empty() || savers.back() != index) savers.push_back(index);
  }
  // In this precision: a copy, where it comes in another.
  void SaveInputIn(size_t index, size_t argument, int64_t bytes_per_element) {
    const size_t tensor = arguments_[argument];
    if (PrecisionOf(tensor) == bytes_per_element) return Save(index, tensor);
    SaveExtra(index, SavedTensor::What::kInputCopy, network_.OutputOf(LayerAt(index).inputs[argument]),
              bytes_per_element);
  }
  size_t SaveResult(size_t index);
  size_t Attend(size_t index);
  size_t AttendPadded(size_t index);
  size_t AttendByMath(size_t index);
  size_t Normalize(size_t index);
  size_t Remember(size_t index);
  size_t Operate(size_t index);

  const networks::Network& network_;
  const networks::TrainingSettings& settings_;
  const bool autocast_;
  SavedTensors saved_;
  std::vector<bool> has_gradient_;  // by tensor, as the next
  std::vector<bool> lies_steps_first_;
  std::vector<size_t> arguments_;  // of the layer in turn
  bool passes_gradient_ = false;   // of the layer in turn
};

// The first layer keeps it, whether it reads it in backward or not.
void ForwardPass::Receive() {
  passes_gradient_ = settings_.pass != networks::Pass::kEvaluate;
  const bool half = network_.passage.received_is_half && autocast_;
  saved_.received = Add(
      {SavedTensor::What::kReceived, 0, 0, network_.input, false, half ? kHalfBytes : FullPrecision(), {}});
  if (passes_gradient_) saved_.tensors[saved_.received].savers.push_back(0);
}

size_t ForwardPass::SaveResult(size_t index) {
  const size_t input = arguments_.front();
  const bool input_is_kept = input == kBatch || !saved_.tensors[input].savers.empty();
  const size_t owner = input_is_kept ? index : saved_.tensors[input].owner;
  const size_t result = Make(index, Precision());
  saved_.tensors[result].owner = owner;
  Save(index, result);
  return result;
}

// The result that goes on is cut out of the padded one, and is a copy.
size_t ForwardPass::AttendPadded(size_t index) {
  const networks::Layer& layer = LayerAt(index);
  const int64_t tokens = layer.output[0];
  const int64_t width = layer.output[1] / layer.heads;
  const int64_t padded = RoundedUp(width, kFlashWidths);
  constexpr int kCopies = 4;  // queries, keys, values and result
  for (int copy = 0; copy < kCopies; ++copy)
    SaveExtra(index, SavedTensor::What::kAttentionCopy, {tokens, layer.heads * padded}, kHalfBytes);
  SaveExtra(index, SavedTensor::What::kLogSumExp, {layer.heads, tokens}, kFloat32Bytes);
  return Make(index, kHalfBytes);
}

size_t ForwardPass::AttendByMath(size_t index) {
  const networks::Layer& layer = LayerAt(index);
  const int64_t tokens = layer.output[0];
  constexpr int kCopies = 3;  // queries and keys, scaled, and values
  for (int copy = 0; copy < kCopies; ++copy)
    SaveExtra(index, SavedTensor::What::kAttentionCopy, layer.output, kFloat32Bytes);
  SaveExtra(index, SavedTensor::What::kAttentionWeights, {layer.heads, tokens, tokens}, kFloat32Bytes);
  return Make(index, kFloat32Bytes);
}

size_t ForwardPass::Attend(size_t index) {
  const networks::Layer& layer = LayerAt(index);
  const int64_t width = layer.output[1] / layer.heads;
  if (LowPrecision() == kHalfBytes && width % kFlashWidths != 0) return AttendPadded(index);
  if (LowPrecision() == kFloat32Bytes && width % kEfficientWidths != 0) return AttendByMath(index);
  for (size_t argument = 0; argument < arguments_.size(); ++argument)
    SaveInputIn(index, argument, LowPrecision());
  const int64_t tokens = layer.output[0];
  const int64_t rows = LowPrecision() == kHalfBytes ? tokens : RoundedUp(tokens, kEfficientRows);
  SaveExtra(index, SavedTensor::What::kLogSumExp, {layer.heads, rows}, kFloat32Bytes);
  const size_t result = Make(index, LowPrecision());
  Save(index, result);
  return result;
}

size_t ForwardPass::Normalize(size_t index) {
  const networks::Layer& layer = LayerAt(index);
  if (layer.kind == LayerKind::kBatchNorm2d) {
    Save(index, arguments_.front());
    if (IsTraining()) {
      SaveExtra(index, SavedTensor::What::kStatistics, {2, layer.input[0]}, kFloat32Bytes,
                /*once_for_batch=*/true);
    }
    return Make(index, Precision());
  }
  const int64_t precision = autocast_ ? kFloat32Bytes : FullPrecision();
  SaveInputIn(index, 0, precision);
  const int64_t rows = networks::ElementCount(layer.input) / layer.input.back();
  SaveExtra(index, SavedTensor::What::kStatistics, {2, rows}, kFloat32Bytes);
  return Make(index, precision);
}

size_t ForwardPass::Remember(size_t index) {
  const networks::Layer& layer = LayerAt(index);
  const int64_t bytes = LowPrecision();
  SaveInputIn(index, 0, bytes);
  SaveExtra(index, SavedTensor::What::kStates, {2, layer.layers, layer.out_features}, bytes);
  if (autocast_)
    SaveExtra(index, SavedTensor::What::kWeights, {layer.parameters()}, bytes, /*once_for_batch=*/true);
  if (IsTraining()) {
    constexpr int64_t kHeadBytes = 256;
    const int64_t values = kGatesAndCell * layer.layers + layer.layers - 1;
    SaveExtra(index, SavedTensor::What::kReserve, {layer.output[0], values, layer.out_features}, bytes);
    SaveExtra(index, SavedTensor::What::kReserve, {kHeadBytes}, 1, /*once_for_batch=*/true);
  }
  const size_t result = Make(index, bytes);
  Save(index, result);
  return result;
}

// By operators.h; where that has no rule nothing is saved, and the layer says so.
size_t ForwardPass::Operate(size_t index) {
  using enum networks::OperatorRule::Saves;
  using enum networks::OperatorRule::Precision;
  const networks::Layer& layer = LayerAt(index);
  const networks::OperatorRule* rule = networks::FindOperatorRule(layer.op);
  if (rule == nullptr) return Make(index, Precision());
  const bool is_weighed = layer.parameters() > 0 || layer.weights_of != networks::kNetworkInput;
  int64_t bytes = Precision();
  if (rule->precision == kLow) bytes = LowPrecision();
  if (rule->precision == kFull) bytes = autocast_ ? kFloat32Bytes : FullPrecision();
  for (size_t argument = 0; argument < arguments_.size(); ++argument) {
    bool saves = rule->saves == kInputs || (rule->saves == kOtherInputs && is_weighed);
    for (size_t other = 0; rule->saves == kOtherInputs && other < arguments_.size(); ++other)
      saves = saves || (other != argument && HasGradient(arguments_[other]));
    if (saves && rule->precision == kWidest) Save(index, arguments_[argument]);
    if (saves && rule->precision != kWidest) SaveInputIn(index, argument, bytes);
  }
  const size_t result = Make(index, bytes);
  if (rule->saves == kResult) Save(index, result);
  return result;
}

// The rules of the header; gives the layer's output.
size_t ForwardPass::Follow(size_t index) {
  const networks::Layer& layer = LayerAt(index);
  if (settings_.in_place_relu && networks::MayRunInPlace(network_, index)) return SaveResult(index);
  switch (layer.kind) {
    case LayerKind::kLinear:
      if (LiesStepsFirst(arguments_.front())) {
        SaveExtra(index, SavedTensor::What::kTurnedInput, layer.input, LowPrecision());
        return Make(index, LowPrecision());
      }
      [[fallthrough]];
    case LayerKind::kConv2d:
    case LayerKind::kConvTranspose2d:
      SaveInputIn(index, 0, LowPrecision());
      return Make(index, LowPrecision());
    case LayerKind::kRelu:
    case LayerKind::kSigmoid:
    case LayerKind::kTanh:
      return SaveResult(index);
    case LayerKind::kAttention:
      return Attend(index);
    case LayerKind::kBatchNorm2d:
    case LayerKind::kLayerNorm:
      return Normalize(index);
    case LayerKind::kLstm:
      return Remember(index);
    case LayerKind::kDropout:
      if (!IsTraining()) return arguments_.front();
      SaveExtra(index, SavedTensor::What::kMask, layer.output, kMaskBytes);
      break;
    case LayerKind::kMaxPool2d:
      Save(index, arguments_.front());
      SaveExtra(index, SavedTensor::What::kIndices, layer.output, kIndexBytes);
      break;
    case LayerKind::kRelu6:
    case LayerKind::kLeakyRelu:
    case LayerKind::kGelu:
    case LayerKind::kAvgPool2d:
      Save(index, arguments_.front());
      break;
    case LayerKind::kAdaptiveAvgPool2d:
      if (layer.size > 1) Save(index, arguments_.front());
      break;
    case LayerKind::kFlatten:
      if (LiesChannelsLast(layer.input) || LiesStepsFirst(arguments_.front())) break;
      return arguments_.front();
    case LayerKind::kToSequence:
      if (!LiesChannelsLast(layer.input)) break;
      return arguments_.front();
    case LayerKind::kFirstToken:
      return arguments_.front();
    case LayerKind::kEmbedding:
    case LayerKind::kPositionEmbedding:
    case LayerKind::kSegmentEmbedding:
    case LayerKind::kClassToken:
    case LayerKind::kUpsample:
      // As their tables are; upsample_nearest2d is in AT_FORALL_FP32 (ATen/autocast_mode.h).
      return Make(index, autocast_ ? kFloat32Bytes : FullPrecision());
    case LayerKind::kOperator:
      return Operate(index);
    case LayerKind::kAdd:
    case LayerKind::kConcat:
      break;
  }
  return Make(index, Precision());
}

// What layers [first, end) start from.
std::vector<size_t> EnteringTensors(const networks::Network& network, const SavedTensors& saved, size_t first,
                                    size_t end) {
  std::vector<size_t> tensors;
  for (const size_t layer : networks::BordersOf(network, first, end).inputs) {
    const size_t tensor = saved.OutputOf(layer);
    if (tensor != kBatch) tensors.push_back(tensor);
  }
  return tensors;
}

bool Contains(const std::vector<size_t>& tensors, size_t tensor) {
  return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
}

// The tensors that layers [first, end) save.
std::vector<size_t> SavedBy(const SavedTensors& saved, size_t first, size_t end) {
  std::vector<size_t> found;
  for (size_t tensor = 0; tensor < saved.tensors.size(); ++tensor) {
    const std::vector<size_t>& savers = saved.tensors[tensor].savers;
    if (std::any_of(savers.begin(), savers.end(),
                    [=](size_t layer) { return layer >= first && layer < end; })) {
      found.push_back(tensor);
    }
  }
  return found;
}

int64_t BytesOf(const SavedTensors& saved, const std::vector<size_t>& tensors, int64_t batch) {
  int64_t bytes = 0;
  for (const size_t tensor : tensors) bytes += saved.tensors[tensor].Bytes(batch);
  return bytes;
}

// Adds the inputs of a piece, which are kept for it. Pieces may share one, or start from views of one.
void Keep(const std::vector<size_t>& entering, std::vector<size_t>& kept) {
  for (const size_t tensor : entering) {
    if (!Contains(kept, tensor)) kept.push_back(tensor);
  }
}

// Adds what stays for a piece; gives what it makes again. A piece lives in what it saves: one that saves
// nothing keeps nothing.
std::vector<size_t> KeepOf(const networks::Network& network, const SavedTensors& saved,
                           const CheckpointPiece& piece, std::vector<size_t>& kept) {
  std::vector<size_t> saves = SavedBy(saved, piece.first, piece.end);
  if (!piece.runs_again) Keep(saves, kept);
  if (!piece.runs_again || saves.empty()) return {};
  const std::vector<size_t> entering = EnteringTensors(network, saved, piece.first, piece.end);
  Keep(entering, kept);
  if (!saved.backward_follows) return {};
  std::erase_if(saves, [&entering](size_t tensor) { return Contains(entering, tensor); });
  return saves;
}

}  // namespace

size_t SavedTensors::OutputOf(size_t layer) const {
  return layer == networks::kNetworkInput ? received : outputs[layer];
}

int64_t ValueBytes(const networks::TrainingSettings& settings) {
  return settings.amp == networks::Precision::kPureFloat16 ? kHalfBytes : kFloat32Bytes;
}

SavedTensors FindSavedTensors(const networks::Network& network, const networks::TrainingSettings& settings) {
  return ForwardPass(network, settings).Run();
}

SavedAtWorst FindWorstMoment(const networks::Network& network, const SavedTensors& saved,
                             const std::vector<CheckpointPiece>& pieces, int64_t batch) {
  SavedAtWorst worst;
  worst.end_layer = network.layers.size();
  if (pieces.empty()) {
    worst.kept = SavedBy(saved, 0, network.layers.size());
    return worst;
  }
  std::vector<size_t> kept;
  int64_t most = -1;
  for (size_t index = 0; index < pieces.size(); ++index) {
    const auto& [first, end, runs_again] = pieces[index];
    const std::vector<size_t> made_again = KeepOf(network, saved, pieces[index], kept);
    const int64_t bytes = BytesOf(saved, kept, batch) + BytesOf(saved, made_again, batch);
    if (bytes <= most) continue;
    most = bytes;
    worst = {kept, made_again, index, pieces.size(), first, end};
  }
  return worst;
}

SavedOverall FindKeptAndMadeAgain(const networks::Network& network, const SavedTensors& saved,
                                  const std::vector<CheckpointPiece>& pieces) {
  SavedOverall overall;
  if (pieces.empty()) overall.kept = SavedBy(saved, 0, network.layers.size());
  for (const CheckpointPiece& piece : pieces) {
    const std::vector<size_t> made_again = KeepOf(network, saved, piece, overall.kept);
    overall.made_again.insert(overall.made_again.end(), made_again.begin(), made_again.end());
  }
  return overall;
}

}  // namespace tidemark::textbook
