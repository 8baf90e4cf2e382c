#include "profiler/training/script_description.h"

#include <ATen/Functions.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/training/script_operators.h"
#include "profiler/training/scripted_module.h"

namespace tidemark::training {
namespace {

using networks::kNetworkInput;
using networks::Layer;
using networks::Network;
using networks::SampleShape;
using Tensors = std::vector<at::Tensor>;

// Batch norm needs more than one; two sizes tell which dimension of a tensor is the samples'.
constexpr int64_t kFewSamples = 2;
constexpr int64_t kMoreSamples = 3;
// Run on the CPU, which looks up tokens, where the meta device only passes their shapes on.
constexpr int64_t kMostComputed = 200'000'000;  // parameters

Tensors TensorsIn(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() ? Tensors{value.toTensor()} : Tensors();
  if (value.isTensorList()) return value.toTensorVector();
  if (!value.isList()) return {};
  Tensors tensors;
  for (const c10::IValue& element : value.toListRef()) {
    if (element.isTensor() && element.toTensor().defined()) tensors.push_back(element.toTensor());
  }
  return tensors;
}

// The operators of one run, with shapes that have the batch in them.
class ScriptRun {
 public:
  ScriptRun(ScriptedModule& module, const at::Tensor& input) : module_(module), vocabulary_(0) {
    for (const ScriptedModule::Named& parameter : module.parameters())
      parameters_[capture::StorageOf(parameter.tensor)] = kNetworkInput;
    made_by_[capture::StorageOf(input)] = kNetworkInput;
    const at::Tensor scores = module.Forward(
        input, [this](const std::string& name, const c10::OperatorHandle& op, torch::jit::Stack& stack,
                      const std::function<void()>& run) { See(name, op, stack, run); });
    AddUnread();
    AddScores(scores);
  }

  std::vector<Layer> TakeLayers() { return std::move(layers_); }
  int64_t vocabulary() const { return vocabulary_; }
  bool reads_values() const { return reads_values_; }

 private:
  void See(const std::string& name, const c10::OperatorHandle& op, torch::jit::Stack& stack,
           const std::function<void()>& run) {
    const size_t count = op.schema().arguments().size();
    const std::vector<c10::IValue> arguments(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    try {
      run();
    } catch (const std::exception& exception) {
      throw std::runtime_error("layer '" + name + "': " + Complaint(exception));
    }
    Layer layer;
    layer.name = name;
    layer.op = ShortName(op);
    reads_values_ = reads_values_ || layer.op == "item" || layer.op == "is_nonzero" || layer.op == "equal";
    Take(arguments, layer);
    if (layer.inputs.empty() && layer.parameters() == 0) return;  // it makes a constant
    Tensors results;
    for (size_t index = stack.size() - op.schema().returns().size(); index < stack.size(); ++index) {
      const Tensors more = TensorsIn(stack[index]);
      results.insert(results.end(), more.begin(), more.end());
    }
    const bool in_place = op.schema().name().ends_with('_');
    if (results.empty() || (!in_place && IsSeenAnotherWay(results.front(), layer))) return;
    layer.output = results.front().sizes().vec();
    if (layer.inputs.empty()) layer.inputs = {kNetworkInput};
    Classify(arguments, layer);
    if (layer.kind == networks::LayerKind::kEmbedding && layer.inputs.front() == kNetworkInput &&
        takes_batch_)
      vocabulary_ = layer.in_features;
    layers_.push_back(std::move(layer));
    for (const at::Tensor& result : results) {
      made_by_[capture::StorageOf(result)] = layers_.size() - 1;
      alive_.push_back(result);  // so that no other tensor takes its place
    }
  }

  void Take(const std::vector<c10::IValue>& arguments, Layer& layer) {
    takes_batch_ = false;
    for (const c10::IValue& argument : arguments) {
      for (const at::Tensor& tensor : TensorsIn(argument)) TakeTensor(tensor, layer);
    }
  }

  void TakeTensor(const at::Tensor& tensor, Layer& layer) {
    const c10::StorageImpl* storage = capture::StorageOf(tensor);
    if (const auto parameter = parameters_.find(storage); parameter != parameters_.end()) {
      if (parameter->second != kNetworkInput) {
        layer.weights_of = parameter->second;
        if (tensor.dim() > 1) layer.shared_elements += tensor.numel();
        return;
      }
      parameter->second = layers_.size();
      // An LSTM has two matrices in each of its layers.
      const bool is_weight = tensor.dim() > 1 || layer.weight_elements == 0;
      (is_weight ? layer.weight_elements : layer.bias_elements) += tensor.numel();
      return;
    }
    const auto maker = made_by_.find(storage);
    if (maker == made_by_.end()) return;
    if (layer.inputs.empty()) layer.input = tensor.sizes().vec();
    takes_batch_ = takes_batch_ || maker->second == kNetworkInput;
    layer.inputs.push_back(maker->second);
  }

  // A flatten of pictures stays a layer: with channels last it copies.
  bool IsSeenAnotherWay(const at::Tensor& result, const Layer& layer) const {
    constexpr size_t kPictures = 4;
    if (layer.op == "flatten" && layer.input.size() == kPictures) return false;
    const c10::StorageImpl* storage = capture::StorageOf(result);
    return made_by_.contains(storage) || parameters_.contains(storage);
  }

  // The network's own output is that of the last layer.
  void AddScores(const at::Tensor& scores) {
    const auto maker = made_by_.find(capture::StorageOf(scores));
    TORCH_CHECK(maker != made_by_.end() && maker->second != kNetworkInput,
                "What it gives comes from none of its operators.");
    if (maker->second + 1 == layers_.size() && layers_.back().output == scores.sizes().vec()) return;
    Layer layer;
    layer.name = "scores";
    layer.op = "view";
    layer.kind = networks::LayerKind::kFirstToken;
    layer.inputs = {maker->second};
    layer.input = layers_[maker->second].output;
    layer.output = scores.sizes().vec();
    layers_.push_back(std::move(layer));
  }

  // Parameters that nothing read take memory, too.
  void AddUnread() {
    Layer layer;
    layer.name = layer.op = "unread";
    layer.kind = networks::LayerKind::kOperator;
    layer.inputs = {kNetworkInput};
    layer.output = {1};
    for (const ScriptedModule::Named& parameter : module_.parameters()) {
      if (parameters_.at(capture::StorageOf(parameter.tensor)) == kNetworkInput)
        layer.weight_elements += parameter.tensor.numel();
    }
    if (layer.weight_elements > 0) layers_.push_back(std::move(layer));
  }

  ScriptedModule& module_;
  std::vector<Layer> layers_;
  int64_t vocabulary_;
  bool reads_values_ = false;
  bool takes_batch_ = false;  // the operator in turn
  std::map<const c10::StorageImpl*, size_t> made_by_;
  std::map<const c10::StorageImpl*, size_t>
      parameters_;  // the layer that read it first; kNetworkInput = none
  Tensors alive_;
};

// Without the samples' dimension: the one that is larger where there are more of them.
SampleShape OfOneSample(const SampleShape& few, const SampleShape& more, bool& once) {
  SampleShape shape;
  once = few == more;
  for (size_t index = 0; index < few.size(); ++index) {
    const bool scales = few[index] != more[index];
    const int64_t size = scales ? few[index] / kFewSamples : few[index];
    if (!scales || size > 1) shape.push_back(size);
  }
  if (shape.empty()) shape.push_back(1);
  return shape;
}

bool RanAlike(const std::vector<Layer>& few, const std::vector<Layer>& more) {
  return std::ranges::equal(few, more, [](const Layer& left, const Layer& right) {
    return left.op == right.op && left.inputs == right.inputs && left.output.size() == right.output.size() &&
           left.input.size() == right.input.size();
  });
}

Result<std::vector<Layer>> OfOneSample(std::vector<Layer> few, const std::vector<Layer>& more) {
  if (!RanAlike(few, more))
    return Error{"it does something else for 3 samples than for 2, so that there are no layers to tell."};
  for (size_t index = 0; index < few.size(); ++index) {
    bool once = false;
    few[index].input = OfOneSample(few[index].input, more[index].input, once);
    few[index].output = OfOneSample(few[index].output, more[index].output, few[index].once_for_batch);
    Settle(few[index]);
  }
  return few;
}

// What a sample may be: told, or found by what the first parameters look like.
struct Trial {
  SampleShape input;
  bool tokens = false;
};

std::vector<Trial> TrialsFor(const ScriptedModule& module, const SampleShape& told) {
  if (told.size() == 1) return {{told, false}, {told, true}};
  if (!told.empty()) return {{told, false}};
  std::vector<Trial> trials;
  const auto with = [&](int64_t dimensions) {
    return std::ranges::find(module.parameters(), dimensions,
                             [](const ScriptedModule::Named& named) { return named.tensor.dim(); });
  };
  if (const auto kernel = with(4); kernel != module.parameters().end()) {
    for (const int64_t side : {224, 32, 28, 64, 299})
      trials.push_back({{kernel->tensor.size(1), side, side}});
  }
  if (const auto matrix = with(2); matrix != module.parameters().end()) {
    trials.push_back({{matrix->tensor.size(1)}});
    for (const int64_t length : {128, 64, 32, 16, 8}) trials.push_back({{length}, true});
  }
  return trials;
}

at::Tensor Zeros(const Trial& trial, int64_t samples, c10::Device device) {
  std::vector<int64_t> sizes{samples};
  sizes.insert(sizes.end(), trial.input.begin(), trial.input.end());
  return at::zeros(sizes, at::dtype(trial.tokens ? at::kLong : at::kFloat).device(device));
}

// What it does not take is a sentence.
Result<Network> Run(ScriptedModule& module, const Trial& trial, c10::Device device) {
  try {
    const at::NoGradGuard no_grad;
    ScriptRun few(module, Zeros(trial, kFewSamples, device));
    ScriptRun more(module, Zeros(trial, kMoreSamples, device));
    Network network;
    network.input = trial.input;
    if (few.reads_values()) network.description = "; where it looks at values, zeros decided what ran";
    network.vocabulary = trial.tokens ? few.vocabulary() : 0;
    Result<std::vector<Layer>> layers = OfOneSample(few.TakeLayers(), more.TakeLayers());
    if (!layers.ok()) return layers.error();
    network.layers = std::move(*layers);
    const SampleShape& scores = network.layers.back().output;
    network.classes = scores.size() == 2 ? scores.back() : scores.front();
    if (network.layers.back().once_for_batch || network.classes < 2 || scores.size() > 3) {
      return Error{"it gives " + networks::TextOf(scores) +
                   " for a sample; to train it takes a score for each of two classes or more: of the sample, "
                   "of each token, or of each pixel."};
    }
    if (trial.tokens && network.vocabulary == 0) return Error{"it takes whole numbers, but looks up none."};
    return network;
  } catch (const std::exception& exception) {
    return Error{Complaint(exception)};
  }
}

// Where nothing is computed, if its operators are there and it looks at no values.
Result<Network> RunSomewhere(const std::string& file, ScriptedModule& computed, const Trial& trial) {
  int64_t parameters = 0;
  for (const ScriptedModule::Named& parameter : computed.parameters()) parameters += parameter.tensor.numel();
  if (!trial.tokens || parameters > kMostComputed) {
    ScriptedModule shapes_only(file, c10::kMeta);
    Result<Network> network = Run(shapes_only, trial, c10::kMeta);
    if (network.ok()) return network;
  }
  return Run(computed, trial, c10::kCPU);
}

std::string SizesOf(const Trial& trial) {
  return networks::TextOf(trial.input) + (trial.tokens ? " tokens" : "");
}

Result<Network> Describe(const std::string& file, const SampleShape& told) {
  ScriptedModule module(file, c10::kCPU);
  if (module.parameters().empty()) {
    return Error{
        "it has no parameters, so that there is nothing to train; was it frozen (torch.jit.freeze)? Save it "
        "before that."};
  }
  const auto forward = module.module().get_method("forward").function().getSchema().arguments();
  const auto required = std::ranges::count_if(
      forward, [](const c10::Argument& argument) { return !argument.default_value().has_value(); });
  if (required != 2) {
    return Error{"its forward takes " + std::to_string(required - 1) +
                 " inputs, and a batch is one tensor. Wrap it in a module that takes one."};
  }
  std::string complaint;
  std::optional<bool> of_tokens;  // one of each kind is told: the first, since its sizes are likelier
  for (const Trial& trial : TrialsFor(module, told)) {
    Result<Network> network = RunSomewhere(file, module, trial);
    if (!network.ok()) {
      if (of_tokens == trial.tokens || (of_tokens && !told.empty())) continue;
      of_tokens = trial.tokens;
      if (told.empty()) complaint += (complaint.empty() ? "" : "; ") + SizesOf(trial) + ": ";
      complaint += network.error().message;
      continue;
    }
    network->description =
        "a TorchScript file that takes " + SizesOf(trial) +
        (told.empty() ? ", found by trying (--input, in the window Sample, says another)" : "") +
        network->description;
    return network;
  }
  if (!told.empty()) return Error{"it does not take " + networks::TextOf(told) + ": " + complaint};
  return Error{"no shape that was tried fits (" + complaint +
               "). Say it with --input, like 3x224x224 for pictures or 128 for as many tokens."};
}

// Of an archive that TorchScript did not write.
std::optional<std::string> WhatElseItIs(const std::string& file) {
  try {
    caffe2::serialize::PyTorchStreamReader reader(file);
    if (reader.hasRecord("constants.pkl")) return std::nullopt;
    if (reader.hasRecord("data.pkl")) {
      return "torch.save wrote it: weights (a state_dict) or a pickled module, whose code is in your "
             "program. Save the module with torch.jit.script(model).save(\"model.pt\").";
    }
  } catch (const std::exception&) {
    return "it is no archive of PyTorch's; torch.jit.script(model).save(\"model.pt\") writes one.";
  }
  return "it is an archive, but not TorchScript's; torch.jit.script(model).save(\"model.pt\") writes one.";
}

}  // namespace

Result<Network> DescribeScript(const std::string& file, const SampleShape& input) {
  if (const std::optional<std::string> other = WhatElseItIs(file)) return Error{*other};
  try {
    Result<Network> network = Describe(file, input);
    if (!network.ok()) return network;
    network->script = file;
    network->title = std::filesystem::path(file).stem().string();
    return network;
  } catch (const std::exception& exception) {
    return Error{Complaint(exception)};
  }
}

}  // namespace tidemark::training
