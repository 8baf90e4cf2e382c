#include "profiler/training/model.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/layer_scope.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/training/checkpoint.h"

namespace tidemark::training {
namespace {

using Tensors = std::vector<at::Tensor>;

class Root final : public torch::nn::Module {};

// Where a layer's output, or the network's input, lies among the tensors of a pass.
size_t SlotOf(size_t layer) { return layer + 1; }
static_assert(networks::kNetworkInput + 1 == 0);

bool LiesIn(const at::Tensor& output, const Tensors& arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&output](const at::Tensor& argument) { return output.is_alias_of(argument); });
}

// To draw the weights of a large network takes longer than its steps on a phantom, which looks at none of
// them. A dispatch key that nothing else uses stands before the kernels that draw.
at::Tensor& LeaveAsItLies(at::Tensor& self, double /*a*/, double /*b*/,
                          std::optional<at::Generator> /*generator*/) {
  return self;
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, TESTING_ONLY_GenericMode, library) {
  library.impl("uniform_", LeaveAsItLies);
  library.impl("normal_", LeaveAsItLies);
}

}  // namespace

Model::Model(const networks::Network& network, c10::Device device, const Form& form, bool drawn,
             ShardedLayers* sharded)
    : network_(network), sharded_(sharded), root_(std::make_shared<Root>()) {
  std::optional<c10::impl::IncludeDispatchKeyGuard> undrawn;
  if (!drawn) undrawn.emplace(c10::DispatchKey::TESTING_ONLY_GenericMode);
  if (network.script.empty()) {
    for (const networks::Layer& layer : network.layers) AddLayer(layer);
  } else {
    script_.emplace(network.script, c10::kCPU);
  }
  undrawn.reset();
  Put(device, form);
  parameters_ = script_ ? script_->Parameters() : root_->parameters();
  TagMemory();
}

// As model.half() and model.to() of Python do: whole numbers stay whole, and only what has four dimensions
// has channels to be last.
void Model::Put(c10::Device device, const Form& form) {
  std::vector<at::Tensor> tensors = script_ ? script_->Parameters() : root_->parameters();
  const std::vector<at::Tensor> buffers = this->buffers();
  tensors.insert(tensors.end(), buffers.begin(), buffers.end());
  for (at::Tensor& tensor : tensors) {
    const at::NoGradGuard no_grad;
    if (form.half && tensor.is_floating_point()) tensor.set_data(tensor.to(at::kHalf));
    if (form.channels_last && tensor.dim() == 4)
      tensor.set_data(tensor.contiguous(at::MemoryFormat::ChannelsLast));
  }
  if (script_) script_->MoveTo(device);
  for (size_t index = 0; index < layers_.size(); ++index) {
    const std::shared_ptr<torch::nn::Module>& module = layers_[index].module;
    if (!module) continue;
    module->to(device);
    if (sharded_ != nullptr) sharded_->Add(network_.layers[index].name, module->parameters());
  }
}

void Model::AddLayer(const networks::Layer& specification) {
  const std::string& name = specification.name;
  names_.push_back({capture::Intern(name), capture::Intern(name + " output"),
                    capture::Intern(name + " " + NameOfSaved(specification.kind))});
  layers_.push_back(Build(specification, layers_));
  if (layers_.back().module) root_->register_module(name, layers_.back().module);
}

void Model::TagMemory() {
  if (script_) TagScript();
  for (size_t index = 0; index < layers_.size(); ++index) {
    const std::shared_ptr<torch::nn::Module>& module = layers_[index].module;
    if (!module) continue;
    const std::string& name = network_.layers[index].name;
    for (const auto& parameter : module->named_parameters(/*recurse=*/false)) {
      tags_.emplace_back(parameter.value(), name, parameter.key());
    }
    for (const auto& buffer : module->named_buffers(/*recurse=*/false)) {
      buffer_tags_.emplace_back(buffer.value(), events::Category::kParameter,
                                capture::Intern(name + "." + buffer.key()));
    }
  }
  if (sharded_ != nullptr) sharded_->TagMemory();
}

void Model::TagScript() {
  for (const ScriptedModule::Named& parameter : script_->parameters())
    tags_.emplace_back(parameter.tensor, parameter.module, parameter.name);
  for (const ScriptedModule::Named& buffer : script_->buffers()) {
    buffer_tags_.emplace_back(buffer.tensor, events::Category::kParameter,
                              capture::Intern(buffer.module + "." + buffer.name));
  }
}

at::Tensor Model::RunScript(const at::Tensor& input) {
  return script_->Forward(input, [](const std::string& name, const c10::OperatorHandle& op,
                                    torch::jit::Stack& stack, const std::function<void()>& run) {
    const capture::LayerScope scope(capture::Intern(name), capture::Intern(name + " saved"));
    run();
    if (op.schema().returns().empty() || op.schema().returns().front().alias_info() != nullptr) return;
    const c10::IValue& result = stack[stack.size() - op.schema().returns().size()];
    if (result.isTensor()) capture::NameOutput(result.toTensor(), capture::Intern(name + " output"));
  });
}

void Model::SetTraining(bool training) {
  if (script_) return script_->SetTraining(training);
  root_->train(training);
}

std::vector<at::Tensor> Model::buffers() const { return script_ ? script_->Buffers() : root_->buffers(); }

const std::string& Model::OwnerOfWeights(size_t layer) const {
  const size_t other = network_.layers[layer].weights_of;
  return network_.layers[other == networks::kNetworkInput ? layer : other].name;
}

at::Tensor Model::RunLayer(size_t index, const Tensors& arguments) {
  if (sharded_ == nullptr) return Compute(index, arguments);
  return sharded_->Run(OwnerOfWeights(index), [&] { return Compute(index, arguments); });
}

at::Tensor Model::Compute(size_t index, const Tensors& arguments) {
  const BuiltLayer& layer = layers_[index];
  const bool over_input = in_place_ && layer.run_in_place && networks::MayRunInPlace(network_, index);
  at::Tensor output = over_input ? layer.run_in_place(arguments) : layer.run(arguments);
  // Of an input that is seen in another way the memory keeps the name of who made it.
  if (!LiesIn(output, arguments)) capture::NameOutput(output, names_[index].output);
  return output;
}

// By slot, the layer of the piece after which a tensor is not needed any more.
std::vector<size_t> Model::LastUses(const Piece& piece) const {
  std::vector<size_t> last(layers_.size() + 1, piece.end);
  for (size_t index = piece.first; index < piece.end; ++index) {
    for (const size_t input : network_.layers[index].inputs) last[SlotOf(input)] = index;
  }
  for (const size_t output : piece.borders.outputs) last[SlotOf(output)] = piece.end;
  return last;
}

Tensors Model::Run(const Piece& piece, const Tensors& inputs) {
  Tensors tensors(layers_.size() + 1);
  for (size_t index = 0; index < inputs.size(); ++index)
    tensors[SlotOf(piece.borders.inputs[index])] = inputs[index];
  const std::vector<size_t> last_uses = LastUses(piece);
  for (size_t index = piece.first; index < piece.end; ++index) {
    const capture::LayerScope scope(names_[index].layer, names_[index].saved);
    Tensors arguments;
    for (const size_t input : network_.layers[index].inputs) arguments.push_back(tensors[SlotOf(input)]);
    tensors[SlotOf(index)] = RunLayer(index, arguments);
    for (const size_t input : network_.layers[index].inputs) {
      if (last_uses[SlotOf(input)] == index) tensors[SlotOf(input)].reset();
    }
  }
  Tensors outputs;
  for (const size_t output : piece.borders.outputs) outputs.push_back(tensors[SlotOf(output)]);
  return outputs;
}

at::Tensor Model::RunInPieces(const std::vector<textbook::CheckpointPiece>& parts, const at::Tensor& input) {
  Tensors tensors(layers_.size() + 1);
  tensors[SlotOf(parts.front().first - 1)] = input;
  std::vector<size_t> last_piece(layers_.size() + 1);
  std::vector<Piece> pieces;
  for (size_t index = 0; index < parts.size(); ++index) {
    const auto& [first, end, runs_again] = parts[index];
    pieces.push_back({first, end, networks::BordersOf(network_, first, end), runs_again});
    for (const size_t needed : pieces.back().borders.inputs) last_piece[SlotOf(needed)] = index;
  }
  for (size_t index = 0; index < pieces.size(); ++index) {
    const Piece& piece = pieces[index];
    Tensors inputs;
    for (const size_t needed : piece.borders.inputs) inputs.push_back(tensors[SlotOf(needed)]);
    const auto run = [this, piece](const Tensors& start) { return Run(piece, start); };
    Tensors outputs = piece.runs_again ? RunCheckpointed(run, inputs) : run(inputs);
    inputs.clear();
    for (size_t output = 0; output < outputs.size(); ++output) {
      tensors[SlotOf(piece.borders.outputs[output])] = std::move(outputs[output]);
    }
    for (const size_t needed : piece.borders.inputs) {
      if (last_piece[SlotOf(needed)] == index) tensors[SlotOf(needed)].reset();
    }
  }
  return tensors.back();
}

at::Tensor Model::RunFrom(size_t first, const at::Tensor& input,
                          const std::vector<textbook::CheckpointPiece>& pieces) {
  std::vector<textbook::CheckpointPiece> parts;
  for (const textbook::CheckpointPiece& piece : pieces) {
    if (piece.end > first) parts.push_back({std::max(piece.first, first), piece.end, piece.runs_again});
  }
  if (!parts.empty()) return RunInPieces(parts, input);
  const size_t end = layers_.size();
  return Run({first, end, networks::BordersOf(network_, first, end)}, {input}).front();
}

at::Tensor Model::Forward(const at::Tensor& input, const std::vector<textbook::CheckpointPiece>& pieces) {
  return script_ ? RunScript(input) : RunFrom(0, input, pieces);
}

at::Tensor Model::Generate(const at::Tensor& noise) {
  const at::NoGradGuard no_grad;
  const size_t end = network_.discriminator;
  return Run({0, end, networks::BordersOf(network_, 0, end)}, {noise}).front();
}

at::Tensor Model::Judge(const at::Tensor& samples, const std::vector<textbook::CheckpointPiece>& pieces) {
  return RunFrom(network_.discriminator, samples, pieces);
}

void PassOver(const networks::Network& network, size_t layers) {
  for (size_t index = 0; index < layers; ++index) {
    const networks::Layer& layer = network.layers[index];
    if (layer.weights_of == networks::kNetworkInput) Build(layer, {});
  }
}

std::vector<at::Tensor> Model::ParametersOf(size_t first_layer, size_t end_layer) const {
  std::vector<at::Tensor> parameters;
  for (size_t index = first_layer; index < end_layer; ++index) {
    if (!layers_[index].module) continue;
    for (const at::Tensor& parameter : layers_[index].module->parameters()) parameters.push_back(parameter);
  }
  return parameters;
}

}  // namespace tidemark::training
