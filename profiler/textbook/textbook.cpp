#include "profiler/textbook/textbook.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "profiler/base/format.h"
#include "profiler/networks/layer_kinds.h"
#include "profiler/networks/operators.h"
#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/data_parallel.h"
#include "profiler/textbook/optimizer_formulas.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {
namespace {

using events::Category;
using networks::LayerKind;
using networks::Network;
using networks::Pass;
using networks::Precision;
using networks::TrainingSettings;

constexpr int64_t kTokenBytes = 8;
constexpr int64_t kCounterBytes = 8;        // num_batches_tracked
constexpr size_t kMostProductsWritten = 6;  // beyond, a sum of activations is written as its count

std::string ShapeInNumbers(const networks::SampleShape& shape) {
  return fmt::format("{}", fmt::join(shape, "·"));
}

// "64 · 64·30·30 · 4 B"
std::string ProductOf(const SavedTensor& tensor, int64_t batch) {
  const std::string samples = tensor.once_for_batch ? "" : fmt::format("{} · ", batch);
  return fmt::format("{}{} · {} B", samples, ShapeInNumbers(tensor.shape), tensor.bytes_per_element);
}

// What a tensor that counts with `layer` is to it.
std::string WhatItIs(const Network& network, const SavedTensor& tensor, size_t layer) {
  switch (tensor.what) {
    case SavedTensor::What::kInputCopy:
      return tensor.bytes_per_element == kHalfBytes ? "its input copied to half precision"
                                                    : "its input copied to float32";
    case SavedTensor::What::kTurnedInput:
      return "its input copied, sample by sample";
    case SavedTensor::What::kMask:
      return "its mask";
    case SavedTensor::What::kIndices:
      return "where its maxima were";
    case SavedTensor::What::kLogSumExp:
      return "its log-sum-exps";
    case SavedTensor::What::kStatistics:
      return "its means and deviations";
    case SavedTensor::What::kStates:
      return "the states it begins with";
    case SavedTensor::What::kReserve:
      return tensor.once_for_batch ? "and cuDNN's head of them" : "its gates and cells, kept by cuDNN";
    case SavedTensor::What::kWeights:
      return "its weights in half precision";
    case SavedTensor::What::kReceived:
      return "what it receives";
    case SavedTensor::What::kOutput:
      break;
  }
  return tensor.maker == layer ? "its output"
                               : fmt::format("the result of {}", network.layers[tensor.maker].name);
}

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

// Writes the words and symbols of one estimate, and its numbers with them.
class Author {
 public:
  Author(const Network& network, const TrainingSettings& settings, CheckpointPlan plan, int rank)
      : network_(network),
        settings_(settings),
        rank_(rank),
        batch_(settings.batch),
        value_bytes_(ValueBytes(settings)),
        value_name_(value_bytes_ == kHalfBytes ? "float16" : "float32"),
        saved_(FindSavedTensors(network, settings)),
        plan_(std::move(plan)),
        shards_(networks::SharesGradients(settings) ? ShardLayers(network, settings, plan_.pieces)
                                                    : LayerShards()),
        in_flight_(MicroBatchesInFlight(settings, rank)),
        loss_bytes_(LossBytes(network, settings)),
        worst_(FindWorstMoment(network, saved_, plan_.pieces, settings.batch)) {
    LookAtLoss();
  }

  Estimate Write() {
    AddParameterTerms();
    AddInput();
    AddActivations();
    if (loss_bytes_ > 0 && loss_is_worst_) AddLoss();
    AddSent();
    if (in_flight_ > 1) AddInFlight();
    AddPassing();
    if (networks::UsesAutocast(settings_)) AddAutocastCache();
    AddLayers();
    for (const Term& term : estimate_.terms) estimate_.total_bytes += term.bytes;
    return std::move(estimate_);
  }

 private:
  void AddParameterTerms();
  void AddParameters();
  void AddShardedParameters();
  void AddBuffers();
  void AddOptimizerState();
  void AddGradients();
  void AddShardedGradients();
  void AddBuckets();
  void AddInput();
  void LookAtLoss();
  void AddActivations();
  void AddLoss();
  void AddSent();
  void AddInFlight();
  void AddPassing();
  void AddAutocastCache();
  void AddLayers();

  int64_t SentBytes() const;
  bool KeepsCopy(size_t index) const;
  int64_t AutocastCopies() const;
  int64_t Sum(const std::vector<size_t>& tensors) const {
    return std::accumulate(tensors.begin(), tensors.end(), int64_t{0}, [this](int64_t sum, size_t tensor) {
      return sum + saved_.tensors[tensor].Bytes(batch_);
    });
  }
  std::string Products(const std::vector<size_t>& tensors) const;
  std::string KeptInWords() const;
  std::string AllKeptInWords() const;
  std::string PiecesInWords() const;
  std::string MadeAgainInWords() const;
  std::string LayerFormula(size_t layer, const SavedOverall& overall) const;
  std::string CountsWith(size_t layer, const std::vector<size_t>& tensors) const;
  std::string OwnedBy(size_t layer, const std::vector<size_t>& tensors) const;

  const Network& network_;
  const TrainingSettings& settings_;
  const int rank_;
  const int64_t batch_;
  const int64_t value_bytes_;  // of a weight
  const char* const value_name_;
  const SavedTensors saved_;
  const CheckpointPlan plan_;
  const LayerShards shards_;  // none, where ranks share nothing layer by layer
  const int64_t in_flight_;   // micro-batches of a pipeline's stage; else 1
  const int64_t loss_bytes_;
  SavedAtWorst worst_;
  bool loss_is_worst_ = true;  // what the loss saves is there when most is
  Estimate estimate_;
};

void Author::AddParameterTerms() {
  if (networks::SharesParameters(settings_)) {
    AddShardedParameters();
  } else {
    AddParameters();
  }
  AddBuffers();
  AddOptimizerState();
  AddGradients();
  AddBuckets();
}

void Author::AddShardedParameters() {
  const int64_t own = shards_.shards * value_bytes_;
  const int64_t gathered = shards_.gathered * value_bytes_;
  estimate_.parameters_bytes = own;
  estimate_.gathered_parameters_bytes = gathered;
  estimate_.terms.push_back(
      {Category::kParameter, "Parameters, this rank's", own,
       fmt::format("of each layer's n parameters the N-th that it updates, {}", value_name_),
       fmt::format("Σ over layers of ⌈n / N⌉ · {1} B = {0} · {1} B", FormatNumber(shards_.shards),
                   value_bytes_)});
  const bool more = shards_.gathered > shards_.largest_layer;
  estimate_.terms.push_back({Category::kParameter, "Parameters, gathered", gathered,
                             more
                                 ? "one layer at a time is whole; beside it an embedding whose table another "
                                   "layer shares, or the last layer of a piece that is made again: the most "
                                   "at once"
                                 : "one layer at a time is whole, before it runs forward and again backward: "
                                   "the largest of them",
                             fmt::format("{2} · {1} B = {0} · {1} B", FormatNumber(shards_.gathered),
                                         value_bytes_, more ? "gathered" : "N · ⌈n / N⌉")});
}

void Author::AddParameters() {
  const int64_t parameters = network_.parameters();
  estimate_.parameters_bytes = parameters * value_bytes_;
  std::string words = fmt::format("weights and biases, {}", value_name_);
  if (networks::UsesAutocast(settings_)) words = "weights and biases; float32, under autocast too";
  estimate_.terms.push_back({Category::kParameter, "Parameters", estimate_.parameters_bytes, words,
                             fmt::format("P · {0} B = {1} · {0} B", value_bytes_, FormatNumber(parameters))});
}

void Author::AddBuffers() {
  for (const networks::Layer& layer : network_.layers) {
    if (layer.buffer_elements > 0)
      estimate_.buffers_bytes += layer.buffer_elements * value_bytes_ + kCounterBytes;
  }
  if (estimate_.buffers_bytes == 0) return;
  estimate_.terms.push_back(
      {Category::kParameter, "Buffers", estimate_.buffers_bytes,
       fmt::format("running means and variances of batch norm, {}, and a counter of each", value_name_),
       fmt::format("Σ over batch norms of (2 · channels · {} B + {} B)", value_bytes_, kCounterBytes)});
}

void Author::AddOptimizerState() {
  const OptimizerFormula optimizer = FormulaOf(settings_.optimizer);
  const bool trains = settings_.pass == Pass::kTrain;
  const int64_t values = trains ? optimizer.values_per_parameter : 0;
  const int64_t updated = ParametersOfRank(network_, settings_, rank_);
  estimate_.optimizer_bytes = values * updated * value_bytes_;
  std::string words = values > 0 ? fmt::format("{}, {}", optimizer.words, value_name_) : optimizer.words;
  if (!trains) words = "none: it is made by the first step of training";
  const bool shared = networks::SharesState(settings_) && values > 0;
  const bool by_layer = networks::SharesGradients(settings_);
  if (shared && by_layer)
    words += fmt::format("; only of the N-th of each layer that a rank of {} updates (P₁)", settings_.ranks);
  if (shared && !by_layer)
    words += fmt::format("; only of the tensors that rank {} of {} updates (P₁){}", rank_, settings_.ranks,
                         rank_ == 0 ? ", the largest among them" : "");
  estimate_.optimizer_step_bytes = OptimizerStepBytes(network_, settings_, rank_);
  if (estimate_.optimizer_step_bytes > 0) {
    words += fmt::format("; its step needs {} more for a moment, when the activations are gone",
                         FormatExactBytes(estimate_.optimizer_step_bytes));
  }
  estimate_.terms.push_back({Category::kOptimizerState,
                             fmt::format("Optimizer state ({})", networks::TitleOf(settings_.optimizer)),
                             estimate_.optimizer_bytes, words,
                             fmt::format("{0} · {3} · {2} B = {0} · {1} · {2} B", values,
                                         FormatNumber(updated), value_bytes_, shared ? "P₁" : "P")});
}

void Author::AddGradients() {
  if (settings_.pass != Pass::kTrain) {
    estimate_.terms.push_back({Category::kGradient, "Gradients", 0, "none: no backward runs", "0 B"});
    return;
  }
  if (networks::SharesGradients(settings_)) return AddShardedGradients();
  estimate_.gradients_bytes = network_.parameters() * value_bytes_;
  std::string words = fmt::format("one gradient per parameter, {}", value_name_);
  if (settings_.accumulate > 1) {
    words += fmt::format("; the {} micro-batches of a step add to the same ones", settings_.accumulate);
  }
  if (settings_.zeroed_gradients) words += "; zeroed, not freed, so forward has them beside it, too";
  estimate_.terms.push_back(
      {Category::kGradient, "Gradients", estimate_.gradients_bytes, words,
       fmt::format("P · {1} B = {0} · {1} B", FormatNumber(network_.parameters()), value_bytes_)});
}

void Author::AddShardedGradients() {
  const int64_t own = shards_.shards * value_bytes_;
  const bool stay = ShardsStay(settings_);
  estimate_.gradients_bytes = own;
  estimate_.whole_gradients_bytes = shards_.gradients * value_bytes_ - own;
  estimate_.terms.push_back({Category::kGradient, "Gradients, this rank's", own,
                             fmt::format("one gradient for each parameter that it updates, {}", value_name_),
                             fmt::format("Σ over layers of ⌈n / N⌉ · {1} B = {0} · {1} B",
                                         FormatNumber(shards_.shards), value_bytes_)});
  estimate_.terms.push_back(
      {Category::kGradient, "Gradients, whole", estimate_.whole_gradients_bytes,
       "a layer's n gradients, until they are reduced, or the g that backward holds on to until its shard is "
       "made: what they add to the most that there is at once",
       fmt::format("max over layers of {} · {} B{}",
                   stay ? "max(n, g + ⌈n / N⌉)" : "(max(n, g + ⌈n / N⌉) + Σ shards by then)", value_bytes_,
                   stay ? "" : " − all shards")});
  estimate_.communication_bytes = shards_.largest_layer * value_bytes_;
  estimate_.terms.push_back(
      {Category::kCommunication, "Bucket of gradients", estimate_.communication_bytes,
       "the gradients of one layer once more, on their way to the ranks that keep them: "
       "the largest of them",
       fmt::format("N · ⌈n / N⌉ · {1} B = {0} · {1} B", FormatNumber(shards_.largest_layer), value_bytes_)});
}

void Author::AddBuckets() {
  const std::vector<int64_t> buckets = GradientBuckets(network_, settings_);
  if (buckets.empty()) return;
  estimate_.communication_bytes = std::accumulate(buckets.begin(), buckets.end(), int64_t{0});
  estimate_.terms.push_back(
      {Category::kCommunication, "Buckets of gradients", estimate_.communication_bytes,
       fmt::format("the gradients once more, as they go to the other {} in {} (the first has 1 MiB at least, "
                   "the others 25 MiB)",
                   settings_.ranks == 2 ? "rank" : fmt::format("{} ranks", settings_.ranks - 1),
                   buckets.size() == 1 ? "one bucket" : fmt::format("{} buckets", buckets.size())),
       fmt::format("P · {1} B = {0} · {1} B", FormatNumber(network_.parameters()), value_bytes_)});
}

void Author::AddInput() {
  if (network_.passage.receives) return;
  const bool tokens = network_.vocabulary > 0;
  const int64_t bytes = tokens ? kTokenBytes : value_bytes_;
  const bool sees_samples = settings_.pass == Pass::kTrain && networks::ElementCount(network_.sample()) >
                                                                  networks::ElementCount(network_.input);
  const networks::SampleShape& shape = sees_samples ? network_.sample() : network_.input;
  estimate_.input_bytes = in_flight_ * batch_ * networks::ElementCount(shape) * bytes;
  const std::string words = fmt::format("the {} of {}, {}", tokens ? "tokens" : "samples",
                                        in_flight_ > 1             ? "the micro-batches in flight"
                                        : settings_.accumulate > 1 ? "one micro-batch"
                                                                   : "a batch",
                                        tokens ? "int64" : value_name_);
  estimate_.terms.push_back(
      {Category::kInput, "Input", estimate_.input_bytes, words,
       fmt::format("{}B · sample · {} B = {}{} · {} · {} B", in_flight_ > 1 ? "F · " : "", bytes,
                   in_flight_ > 1 ? fmt::format("{} · ", in_flight_) : "", batch_, ShapeInNumbers(shape),
                   bytes)});
}

std::string Author::Products(const std::vector<size_t>& tensors) const {
  if (tensors.empty()) return "0 B";
  if (tensors.size() > kMostProductsWritten) return fmt::format("Σ over {} tensors", tensors.size());
  std::vector<std::string> products;
  products.reserve(tensors.size());
  for (const size_t tensor : tensors) products.push_back(ProductOf(saved_.tensors[tensor], batch_));
  return fmt::format("{}", fmt::join(products, " + "));
}

std::string Author::KeptInWords() const {
  if (settings_.pass == Pass::kEvaluate) return "under no_grad nothing is kept: there is no backward";
  std::string words = worst_.pieces == 0 ? AllKeptInWords() : PiecesInWords();
  if (plan_.least_bytes > 0) {
    words += fmt::format("; the budget is too small, {} are the least that pieces of this network need",
                         FormatExactBytes(plan_.least_bytes));
  }
  std::set<std::string> unknown;
  for (const networks::Layer& layer : network_.layers) {
    if (networks::LacksRule(layer)) unknown.insert(layer.op);
  }
  if (!unknown.empty())
    words += fmt::format("; what these save is unknown, and left out: {}", fmt::join(unknown, ", "));
  if (settings_.keep_losses && settings_.pass == Pass::kForward)
    words += "; the kept losses hold on to it: every batch adds as much again";
  return words;
}

std::string Author::AllKeptInWords() const {
  if (!IsPlainChain(network_)) {
    return "what backward needs again, each block of memory once: inputs or results, masks, indices, "
           "statistics; the layers say which";
  }
  if (networks::UsesAutocast(settings_)) {
    return "what backward needs again, in half precision: a half copy of the first layer's input, and each "
           "ReLU's result, which is the next layer's input too";
  }
  return "what backward needs again: each ReLU's result, which is the next layer's input too";
}

std::string Author::PiecesInWords() const {
  if (loss_bytes_ > 0 && loss_is_worst_) {
    return "inputs of all checkpointed pieces, when the loss is computed: then most is there; the batch "
           "itself counts as input";
  }
  if (settings_.checkpoint.mode == networks::CheckpointMode::kBudget) {
    return fmt::format(
        "what the pieces up to the one that needs most, {} of {}, keep: their inputs, or all that they save",
        worst_.piece + 1, worst_.pieces);
  }
  return fmt::format(
      "inputs of the checkpointed pieces up to the one that needs most, piece {} of {}; the batch itself "
      "counts as input",
      worst_.piece + 1, worst_.pieces);
}

std::string Author::MadeAgainInWords() const {
  const std::string& first = network_.layers[worst_.first_layer].name;
  const std::string& last = network_.layers[worst_.end_layer - 1].name;
  return fmt::format("what backward makes again of piece {} of {} ({}), the one that needs most",
                     worst_.piece + 1, worst_.pieces, first == last ? first : first + " … " + last);
}

void Author::AddActivations() {
  const int64_t kept = Sum(worst_.kept);
  estimate_.terms.push_back({Category::kActivation,
                             worst_.pieces == 0 ? "Activations" : "Activations, kept by checkpointing", kept,
                             KeptInWords(), Products(worst_.kept)});
  estimate_.activations_bytes = kept;
  if (worst_.pieces == 0) return;
  const int64_t made_again = Sum(worst_.made_again);
  estimate_.terms.push_back({Category::kActivation, "Activations, made again", made_again, MadeAgainInWords(),
                             Products(worst_.made_again)});
  estimate_.activations_bytes += made_again;
}

// Under checkpointing what the loss saves is gone before a piece is made again: most is there at one or the
// other.
void Author::LookAtLoss() {
  if (worst_.pieces == 0 || loss_bytes_ == 0) return;
  const std::vector<size_t> kept = FindKeptAndMadeAgain(network_, saved_, plan_.pieces).kept;
  loss_is_worst_ = Sum(kept) + loss_bytes_ > Sum(worst_.kept) + Sum(worst_.made_again);
  if (!loss_is_worst_) return;
  worst_.kept = kept;
  worst_.made_again.clear();
}

void Author::AddLoss() {
  estimate_.loss_bytes = loss_bytes_;
  estimate_.terms.push_back(
      {Category::kActivation, "Loss", loss_bytes_,
       networks::UsesAutocast(settings_)
           ? "the log-probabilities of all classes, which cross entropy saves in half precision and in "
             "float32"
           : "the log-probabilities of all classes, which cross entropy saves",
       fmt::format("{} · {} · {} B", batch_, ShapeInNumbers(network_.layers.back().output),
                   LossBytesPerScore(settings_))});
}

// What a stage sent and backward will ask for, unless somebody saves it anyway.
int64_t Author::SentBytes() const {
  if (saved_.sent == kBatch || settings_.pass == Pass::kEvaluate) return 0;
  const std::vector<size_t> kept = FindKeptAndMadeAgain(network_, saved_, plan_.pieces).kept;
  if (std::ranges::find(kept, saved_.sent) != kept.end()) return 0;
  return saved_.tensors[saved_.sent].Bytes(batch_);
}

void Author::AddSent() {
  const int64_t bytes = SentBytes();
  if (bytes == 0) return;
  estimate_.activations_bytes += bytes;
  estimate_.terms.push_back(
      {Category::kActivation, "Output, sent", bytes,
       "what the last layer of this stage gave the next one; kept, for its gradient comes "
       "back",
       ProductOf(saved_.tensors[saved_.sent], batch_)});
}

// Of the others, beside the one whose backward runs.
void Author::AddInFlight() {
  const std::vector<size_t> kept = FindKeptAndMadeAgain(network_, saved_, plan_.pieces).kept;
  const int64_t each = Sum(kept) + SentBytes() + loss_bytes_;
  const int64_t bytes = (in_flight_ - 1) * each;
  estimate_.activations_bytes += bytes;
  const bool gpipe = settings_.pipeline == networks::PipelineSchedule::kGpipe;
  estimate_.terms.push_back(
      {Category::kActivation, "Activations of other micro-batches", bytes,
       fmt::format("of the F = {} micro-batches in flight when the first backward begins all but one: {}",
                   in_flight_,
                   gpipe ? "under GPipe all M of a step"
                         : "under 1F1B as many as there are stages from this one on, at most M"),
       fmt::format("(F - 1) · {} = {} · {} B", plan_.pieces.empty() ? "activations" : "kept", in_flight_ - 1,
                   FormatNumber(each))});
}

// What comes from a neighbour, or goes there, and stays with nobody: gradients.
void Author::AddPassing() {
  if (settings_.pass != Pass::kTrain) return;
  const networks::Network::Passage& passage = network_.passage;
  int64_t most = 0;
  if (passage.receives) most = saved_.tensors[saved_.received].Bytes(batch_);
  if (passage.sends) {
    const int64_t output = batch_ * networks::ElementCount(network_.layers.back().output);
    most = std::max(most, output * saved_.tensors[saved_.sent].bytes_per_element);
  }
  const bool shares = passage.shared_layer != networks::kNetworkInput;
  if (shares) most = std::max(most, network_.layers[passage.shared_layer].weight_elements * value_bytes_);
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
bool Author::KeepsCopy(size_t index) const {
  const networks::Layer& layer = network_.layers[index];
  if (layer.kind == LayerKind::kLinear && saved_.OutputOf(layer.inputs.front()) == kBatch) return false;
  return std::ranges::none_of(plan_.pieces, [index](const CheckpointPiece& piece) {
    return piece.runs_again && piece.first <= index && index < piece.end;
  });
}

// Each micro-batch in flight has copies of its own, of which backward keeps weights, not biases.
int64_t Author::AutocastCopies() const {
  int64_t copied = 0;
  for (size_t index = 0; index < network_.layers.size(); ++index) {
    const int64_t elements = networks::AutocastElements(network_.layers[index]);
    copied += elements;
    if (elements > 0 && KeepsCopy(index))
      copied += (in_flight_ - 1) * (elements - network_.layers[index].bias_elements);
  }
  return copied;
}

void Author::AddAutocastCache() {
  const int64_t copied = AutocastCopies();
  estimate_.autocast_cache_bytes = copied * kHalfBytes;
  const bool all = copied == network_.parameters();
  estimate_.terms.push_back(
      {Category::kAutocastCache, "Autocast's copies of weights", estimate_.autocast_cache_bytes,
       in_flight_ > 1
           ? "half-precision copies of the weights and biases of convolutions and linear layers, made "
             "once in each forward pass; a micro-batch in flight keeps its weights' copies"
       : all ? "a half-precision copy of every weight and bias, made once in a forward pass and cached"
             : "a half-precision copy of the weights and biases of convolutions and linear layers, made once "
               "in a forward pass and cached",
       fmt::format("{} · 2 B = {} · 2 B", all ? "P" : "those", FormatNumber(copied))});
}

// What the tensors of a list that count with one layer are, in numbers; "" if there are none.
std::string Author::OwnedBy(size_t layer, const std::vector<size_t>& tensors) const {
  std::vector<std::string> parts;
  for (const size_t index : tensors) {
    const SavedTensor& tensor = saved_.tensors[index];
    if (tensor.owner != layer) continue;
    parts.push_back(fmt::format("{}: {} = {}", WhatItIs(network_, tensor, layer), ProductOf(tensor, batch_),
                                FormatExactBytes(tensor.Bytes(batch_))));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// The layer that one of those tensors counts with, which `layer` makes; "" if none does.
std::string Author::CountsWith(size_t layer, const std::vector<size_t>& tensors) const {
  for (const size_t index : tensors) {
    const SavedTensor& tensor = saved_.tensors[index];
    if (tensor.maker == layer && tensor.owner != layer) return network_.layers[tensor.owner].name;
  }
  return "";
}

std::string Author::LayerFormula(size_t layer, const SavedOverall& overall) const {
  std::string kept = OwnedBy(layer, overall.kept);
  const std::string made_again = OwnedBy(layer, overall.made_again);
  const networks::Layer& row = network_.layers[layer];
  if (networks::LacksRule(row)) {
    const std::string unknown = fmt::format("unknown: there is no rule for what {} saves", row.op);
    return kept.empty() ? unknown : kept + "; beside it " + unknown;
  }
  if (!kept.empty() && made_again.empty()) return kept;
  if (!made_again.empty())
    return (kept.empty() ? kept : kept + "; ") + "made again in backward: " + made_again;
  if (networks::IsView(network_.layers[layer])) return "a view of its input, without memory of its own";
  std::string counts_with = CountsWith(layer, overall.kept);
  if (counts_with.empty()) counts_with = CountsWith(layer, overall.made_again);
  return counts_with.empty() ? "nothing keeps its output" : "its result counts with " + counts_with;
}

void Author::AddLayers() {
  const SavedOverall overall = FindKeptAndMadeAgain(network_, saved_, plan_.pieces);
  for (size_t index = 0; index < network_.layers.size(); ++index) {
    const networks::Layer& layer = network_.layers[index];
    LayerEstimate row;
    row.name = layer.name;
    row.output = fmt::format("{}×{}", batch_, networks::TextOf(layer.output));
    row.parameters = layer.parameters();
    row.parameters_bytes = layer.parameters() * value_bytes_;
    row.formula = LayerFormula(index, overall);
    row.counts_with = CountsWith(index, overall.kept);
    if (in_flight_ > 1 && !OwnedBy(index, overall.kept).empty())
      row.formula = fmt::format("of each of {} micro-batches in flight: {}", in_flight_, row.formula);
    estimate_.layers.push_back(std::move(row));
  }
  for (const size_t tensor : overall.kept) {
    estimate_.layers[saved_.tensors[tensor].owner].activations_bytes +=
        in_flight_ * saved_.tensors[tensor].Bytes(batch_);
  }
  for (const size_t tensor : overall.made_again) {
    estimate_.layers[saved_.tensors[tensor].owner].recomputed_bytes += saved_.tensors[tensor].Bytes(batch_);
  }
}

}  // namespace

Estimate EstimateMemory(const Network& network, const TrainingSettings& settings, int rank) {
  const std::optional<Network> stage = StageOf(network, settings, rank);
  const Network& own = stage ? *stage : network;
  return EstimateOwnLayers(own, settings, PlanCheckpoints(own, settings), rank);
}

Estimate EstimateOwnLayers(const Network& own, const TrainingSettings& settings, const CheckpointPlan& plan,
                           int rank) {
  Estimate estimate = Author(own, settings, plan, rank).Write();
  estimate.least_budget_bytes = plan.least_bytes;
  estimate.halved_everything_bytes = estimate.total_bytes / 2;
  if (settings.amp == Precision::kFloat32) return estimate;
  TrainingSettings without_amp = settings;
  without_amp.amp = Precision::kFloat32;
  const CheckpointPlan plan_without_amp = PlanCheckpoints(own, without_amp);
  estimate.halved_everything_bytes = Author(own, without_amp, plan_without_amp, rank).Write().total_bytes / 2;
  return estimate;
}

int64_t BytesOf(const Estimate& estimate, events::Category category) {
  int64_t bytes = 0;
  for (const Term& term : estimate.terms) {
    if (term.category == category) bytes += term.bytes;
  }
  return bytes;
}

}  // namespace tidemark::textbook
