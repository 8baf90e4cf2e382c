#include "profiler/textbook/activation_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/networks/layer_kinds.h"
#include "profiler/networks/operators.h"

namespace tidemark::textbook {
namespace {

using events::Category;
using networks::LayerKind;
using networks::Network;
using networks::Pass;
using networks::TrainingSettings;

constexpr int64_t kTokenBytes = 8;
constexpr size_t kMostProductsWritten = 6;  // beyond, a sum of activations is written as its count

// Whether the classic words about what is kept fit: each ReLU's result, and no more.
bool IsPlainChain(const Network& network) {
  return std::all_of(network.layers.begin(), network.layers.end(), [](const networks::Layer& layer) {
    return layer.kind == LayerKind::kConv2d || layer.kind == LayerKind::kRelu ||
           layer.kind == LayerKind::kFlatten || layer.kind == LayerKind::kLinear;
  });
}

// What the loss saves of each score, its log-probability. Autocast runs log_softmax in the precision that
// cross entropy asks for, the scores' own, and nll_loss in float32: it saves a copy.
int64_t LossBytesPerScore(const TrainingSettings& settings) {
  return networks::UsesAutocast(settings) ? kHalfBytes + kFloat32Bytes : ValueBytes(settings);
}

// Of samples with one label it is left out, as in the classic table; with a label for each token or pixel it
// is as large as the scores.
int64_t LossBytes(const Network& network, const TrainingSettings& settings) {
  if (network.passage.sends || network.labels().empty() || settings.pass == Pass::kEvaluate) return 0;
  return settings.batch * networks::ElementCount(network.layers.back().output) * LossBytesPerScore(settings);
}

class Activations {
 public:
  Activations(const Subject& subject, Estimate& estimate)
      : subject_(subject),
        estimate_(estimate),
        loss_bytes_(LossBytes(subject.network, subject.settings)),
        worst_(FindWorstMoment(subject.network, subject.saved, subject.plan.pieces, subject.batch)) {
    LookAtLoss();
  }

  void Add() {
    AddInput();
    AddActivations();
    if (loss_bytes_ > 0 && loss_is_worst_) AddLoss();
    AddSent();
    if (subject_.in_flight > 1) AddInFlight();
    AddPassing();
    if (networks::UsesAutocast(subject_.settings)) AddAutocastCache();
  }

 private:
  void AddInput();
  void LookAtLoss();
  void AddActivations();
  void AddLoss();
  void AddSent();
  void AddInFlight();
  void AddPassing();
  void AddAutocastCache();

  int64_t SentBytes() const;
  bool KeepsCopy(size_t index) const;
  int64_t AutocastCopies() const;
  int64_t Sum(const std::vector<size_t>& tensors) const {
    return std::accumulate(tensors.begin(), tensors.end(), int64_t{0}, [this](int64_t sum, size_t tensor) {
      return sum + subject_.saved.tensors[tensor].Bytes(subject_.batch);
    });
  }
  std::string Products(const std::vector<size_t>& tensors) const;
  std::string KeptInWords() const;
  std::string AllKeptInWords() const;
  std::string PiecesInWords() const;
  std::string MadeAgainInWords() const;

  const Subject& subject_;
  Estimate& estimate_;
  const int64_t loss_bytes_;
  SavedAtWorst worst_;
  bool loss_is_worst_ = true;  // what the loss saves is there when most is
};

void Activations::AddInput() {
  if (subject_.network.passage.receives) return;
  const bool tokens = subject_.network.vocabulary > 0;
  const int64_t bytes = tokens ? kTokenBytes : subject_.value_bytes;
  const bool sees_samples =
      subject_.settings.pass == Pass::kTrain &&
      networks::ElementCount(subject_.network.sample()) > networks::ElementCount(subject_.network.input);
  const networks::SampleShape& shape = sees_samples ? subject_.network.sample() : subject_.network.input;
  estimate_.input_bytes = subject_.in_flight * subject_.batch * networks::ElementCount(shape) * bytes;
  const std::string words = fmt::format("the {} of {}, {}", tokens ? "tokens" : "samples",
                                        subject_.in_flight > 1             ? "the micro-batches in flight"
                                        : subject_.settings.accumulate > 1 ? "one micro-batch"
                                                                           : "a batch",
                                        tokens ? "int64" : subject_.value_name);
  estimate_.terms.push_back(
      {Category::kInput, "Input", estimate_.input_bytes, words,
       fmt::format("{}B · sample · {} B = {}{} · {} · {} B", subject_.in_flight > 1 ? "F · " : "", bytes,
                   subject_.in_flight > 1 ? fmt::format("{} · ", subject_.in_flight) : "", subject_.batch,
                   ShapeInNumbers(shape), bytes)});
}

std::string Activations::Products(const std::vector<size_t>& tensors) const {
  if (tensors.empty()) return "0 B";
  if (tensors.size() > kMostProductsWritten) return fmt::format("Σ over {} tensors", tensors.size());
  std::vector<std::string> products;
  products.reserve(tensors.size());
  for (const size_t tensor : tensors)
    products.push_back(ProductOf(subject_.saved.tensors[tensor], subject_.batch));
  return fmt::format("{}", fmt::join(products, " + "));
}

std::string Activations::KeptInWords() const {
  if (subject_.settings.pass == Pass::kEvaluate) return "under no_grad nothing is kept: there is no backward";
  std::string words = worst_.pieces == 0 ? AllKeptInWords() : PiecesInWords();
  if (subject_.plan.least_bytes > 0) {
    words += fmt::format("; the budget is too small, {} are the least that pieces of this network need",
                         FormatExactBytes(subject_.plan.least_bytes));
  }
  std::set<std::string> unknown;
  for (const networks::Layer& layer : subject_.network.layers) {
    if (networks::LacksRule(layer)) unknown.insert(layer.op);
  }
  if (!unknown.empty())
    words += fmt::format("; what these save is unknown, and left out: {}", fmt::join(unknown, ", "));
  if (subject_.settings.keep_losses && subject_.settings.pass == Pass::kForward)
    words += "; the kept losses hold on to it: every batch adds as much again";
  return words;
}

std::string Activations::AllKeptInWords() const {
  if (!IsPlainChain(subject_.network)) {
    return "what backward needs again, each block of memory once: inputs or results, masks, indices, "
           "statistics; the layers say which";
  }
  if (networks::UsesAutocast(subject_.settings)) {
    return "what backward needs again, in half precision: a half copy of the first layer's input, and each "
           "ReLU's result, which is the next layer's input too";
  }
  return "what backward needs again: each ReLU's result, which is the next layer's input too";
}

std::string Activations::PiecesInWords() const {
  if (loss_bytes_ > 0 && loss_is_worst_) {
    return "inputs of all checkpointed pieces, when the loss is computed: then most is there; the batch "
           "itself counts as input";
  }
  if (!subject_.saved.backward_follows) {
    return "inputs of all checkpointed pieces, which would make the rest again in backward; the batch itself "
           "counts as input";
  }
  if (subject_.settings.checkpoint.mode == networks::CheckpointMode::kBudget) {
    return fmt::format(
        "what the pieces up to the one that needs most, {} of {}, keep: their inputs, or all that they save",
        worst_.piece + 1, worst_.pieces);
  }
  return fmt::format(
      "inputs of the checkpointed pieces up to the one that needs most, piece {} of {}; the batch itself "
      "counts as input",
      worst_.piece + 1, worst_.pieces);
}

std::string Activations::MadeAgainInWords() const {
  const std::string& first = subject_.network.layers[worst_.first_layer].name;
  const std::string& last = subject_.network.layers[worst_.end_layer - 1].name;
  return fmt::format("what backward makes again of piece {} of {} ({}), the one that needs most",
                     worst_.piece + 1, worst_.pieces, first == last ? first : first + " … " + last);
}

void Activations::AddActivations() {
  const int64_t kept = Sum(worst_.kept);
  estimate_.terms.push_back({Category::kActivation,
                             worst_.pieces == 0 ? "Activations" : "Activations, kept by checkpointing", kept,
                             KeptInWords(), Products(worst_.kept)});
  estimate_.activations_bytes = kept;
  if (worst_.pieces == 0 || !subject_.saved.backward_follows) return;
  const int64_t made_again = Sum(worst_.made_again);
  estimate_.terms.push_back({Category::kActivation, "Activations, made again", made_again, MadeAgainInWords(),
                             Products(worst_.made_again)});
  estimate_.activations_bytes += made_again;
}

// Under checkpointing what the loss saves is gone before a piece is made again: most is there at one or the
// other.
void Activations::LookAtLoss() {
  if (worst_.pieces == 0 || loss_bytes_ == 0) return;
  const std::vector<size_t> kept =
      FindKeptAndMadeAgain(subject_.network, subject_.saved, subject_.plan.pieces).kept;
  loss_is_worst_ = Sum(kept) + loss_bytes_ > Sum(worst_.kept) + Sum(worst_.made_again);
  if (!loss_is_worst_) return;
  worst_.kept = kept;
  worst_.made_again.clear();
}

void Activations::AddLoss() {
  estimate_.loss_bytes = loss_bytes_;
  estimate_.terms.push_back(
      {Category::kActivation, "Loss", loss_bytes_,
       networks::UsesAutocast(subject_.settings)
           ? "the log-probabilities of all classes, which cross entropy saves in half precision and in "
             "float32"
           : "the log-probabilities of all classes, which cross entropy saves",
       fmt::format("{} · {} · {} B", subject_.batch, ShapeInNumbers(subject_.network.layers.back().output),
                   LossBytesPerScore(subject_.settings))});
}

// What a stage sent and backward will ask for, unless somebody saves it anyway.
int64_t Activations::SentBytes() const {
  if (subject_.saved.sent == kBatch || subject_.settings.pass == Pass::kEvaluate) return 0;
  const std::vector<size_t> kept =
      FindKeptAndMadeAgain(subject_.network, subject_.saved, subject_.plan.pieces).kept;
  if (std::ranges::find(kept, subject_.saved.sent) != kept.end()) return 0;
  return subject_.saved.tensors[subject_.saved.sent].Bytes(subject_.batch);
}

void Activations::AddSent() {
  const int64_t bytes = SentBytes();
  if (bytes == 0) return;
  estimate_.activations_bytes += bytes;
  estimate_.terms.push_back(
      {Category::kActivation, "Output, sent", bytes,
       "what the last layer of this stage gave the next one; kept, for its gradient comes "
       "back",
       ProductOf(subject_.saved.tensors[subject_.saved.sent], subject_.batch)});
}

// Of the others, beside the one whose backward runs.
void Activations::AddInFlight() {
  const std::vector<size_t> kept =
      FindKeptAndMadeAgain(subject_.network, subject_.saved, subject_.plan.pieces).kept;
  const int64_t each = Sum(kept) + SentBytes() + loss_bytes_;
  const int64_t bytes = (subject_.in_flight - 1) * each;
  estimate_.activations_bytes += bytes;
  const bool gpipe = subject_.settings.pipeline == networks::PipelineSchedule::kGpipe;
  estimate_.terms.push_back(
      {Category::kActivation, "Activations of other micro-batches", bytes,
       fmt::format("of the F = {} micro-batches in flight when the first backward begins all but one: {}",
                   subject_.in_flight,
                   gpipe ? "under GPipe all M of a step"
                         : "under 1F1B as many as there are stages from this one on, at most M"),
       fmt::format("(F - 1) · {} = {} · {} B", subject_.plan.pieces.empty() ? "activations" : "kept",
                   subject_.in_flight - 1, FormatNumber(each))});
}

// What comes from a neighbour, or goes there, and stays with nobody: gradients.
void Activations::AddPassing() {
  if (subject_.settings.pass != Pass::kTrain) return;
  const networks::Network::Passage& passage = subject_.network.passage;
  int64_t most = 0;
  if (passage.receives) most = subject_.saved.tensors[subject_.saved.received].Bytes(subject_.batch);
  if (passage.sends) {
    const int64_t output = subject_.batch * networks::ElementCount(subject_.network.layers.back().output);
    most = std::max(most, output * subject_.saved.tensors[subject_.saved.sent].bytes_per_element);
  }
  const bool shares = passage.shared_layer != networks::kNetworkInput;
  if (shares)
    most =
        std::max(most, subject_.network.layers[passage.shared_layer].weight_elements * subject_.value_bytes);
  if (most == 0) return;
  estimate_.communication_bytes = estimate_.passing_bytes = most;
  estimate_.terms.push_back(
      {Category::kCommunication, "Gradients from stage to stage", most,
       shares
           ? "the gradient of a stage's output, as it comes, or of its input, as it goes, or of the weight "
             "that two stages share: the largest of them"
           : "the gradient of the stage's output, as it comes, or of its input, as it goes: the larger of "
             "them",
       fmt::format("max = {} B", FormatNumber(most))});
}

// Whether backward reads the half copy of its weight: not where it runs again, and not of a linear layer that
// the batch itself enters, whose input needs no gradient.
bool Activations::KeepsCopy(size_t index) const {
  const networks::Layer& layer = subject_.network.layers[index];
  if (layer.kind == LayerKind::kLinear && subject_.saved.OutputOf(layer.inputs.front()) == kBatch)
    return false;
  return std::ranges::none_of(subject_.plan.pieces, [index](const CheckpointPiece& piece) {
    return piece.runs_again && piece.first <= index && index < piece.end;
  });
}

// Each micro-batch in flight has copies of its own, of which backward keeps weights, not biases.
int64_t Activations::AutocastCopies() const {
  int64_t copied = 0;
  for (size_t index = 0; index < subject_.network.layers.size(); ++index) {
    const int64_t elements = networks::AutocastElements(subject_.network.layers[index]);
    copied += elements;
    if (elements > 0 && KeepsCopy(index))
      copied += (subject_.in_flight - 1) * (elements - subject_.network.layers[index].bias_elements);
  }
  return copied;
}

void Activations::AddAutocastCache() {
  const int64_t copied = AutocastCopies();
  estimate_.autocast_cache_bytes = copied * kHalfBytes;
  const bool all = copied == subject_.network.parameters();
  estimate_.terms.push_back(
      {Category::kAutocastCache, "Autocast's copies of weights", estimate_.autocast_cache_bytes,
       subject_.in_flight > 1
           ? "half-precision copies of the weights and biases of convolutions and linear layers, made "
             "once in each forward pass; a micro-batch in flight keeps its weights' copies"
       : all ? "a half-precision copy of every weight and bias, made once in a forward pass and cached"
             : "a half-precision copy of the weights and biases of convolutions and linear layers, made once "
               "in a forward pass and cached",
       fmt::format("{} · 2 B = {} · 2 B", all ? "P" : "those", FormatNumber(copied))});
}

}  // namespace

void AddActivationTerms(const Subject& of, Estimate& estimate) { Activations(of, estimate).Add(); }

}  // namespace tidemark::textbook
