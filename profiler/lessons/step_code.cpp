#include "profiler/lessons/step_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/textbook/checkpoint_plan.h"

namespace tidemark::lessons {
namespace {

using networks::kNetworkInput;
using networks::Layer;
using networks::LayerKind;
using networks::Network;
using networks::Pass;
using networks::Precision;
using networks::TrainingSettings;

// What a layer makes of its arguments, in both languages.
struct Expression {
  std::string python;
  std::string cpp;
};

std::string CommaSeparated(const std::vector<std::string>& arguments) {
  return fmt::format("{}", fmt::join(arguments, ", "));
}

Expression Functional(std::string_view name, const std::string& arguments) {
  return {fmt::format("F.{}({})", name, arguments), fmt::format("torch::{}({})", name, arguments)};
}

Expression Module(const Layer& layer, const std::string& argument) {
  return {fmt::format("self.{}({})", layer.name, argument),
          fmt::format("{}->forward({})", layer.name, argument)};
}

Expression Pool(std::string_view name, const Layer& layer, const std::string& x) {
  std::string sizes = fmt::format("{}, {}, {}", x, layer.kernel, layer.stride);
  if (layer.padding > 0) sizes += fmt::format(", {}", layer.padding);
  return Functional(name, sizes);
}

Expression Pointwise(const Layer& layer, const std::string& x, bool in_place) {
  switch (layer.kind) {
    case LayerKind::kRelu:
      return Functional(in_place ? "relu_" : "relu", x);
    case LayerKind::kRelu6:
      return {fmt::format("F.relu6({})", x), fmt::format("torch::hardtanh({}, 0, 6)", x)};
    case LayerKind::kLeakyRelu:
      return Functional(in_place ? "leaky_relu_" : "leaky_relu", x + ", 0.2");
    case LayerKind::kGelu:
      return Functional("gelu", x);
    case LayerKind::kSigmoid:
      return Functional("sigmoid", x);
    default:
      return Functional("tanh", x);
  }
}

Expression Table(const Layer& layer, const std::string& x) {
  const std::string& name = layer.name;
  switch (layer.kind) {
    case LayerKind::kPositionEmbedding:
      return {fmt::format("{} + self.{}.weight[:{}.size(1)]", x, name, x),
              fmt::format("{} + {}->weight.narrow(0, 0, {}.size(1))", x, name, x)};
    case LayerKind::kSegmentEmbedding:
      return {fmt::format("{} + self.{}.weight[0]", x, name), fmt::format("{} + {}->weight[0]", x, name)};
    case LayerKind::kClassToken:
      return {fmt::format("torch.cat([self.{}.weight.expand(len({}), 1, -1), {}], 1)", name, x, x),
              fmt::format("torch::cat({{{}->weight.expand({{{}.size(0), 1, -1}}), {}}}, 1)", name, x, x)};
    default:
      return Module(layer, x);
  }
}

Expression Shaping(const Layer& layer, const std::vector<std::string>& inputs) {
  const std::string& x = inputs[0];
  switch (layer.kind) {
    case LayerKind::kAdd:
      return {fmt::format("{} + {}", x, inputs[1]), fmt::format("{} + {}", x, inputs[1])};
    case LayerKind::kConcat:
      return {fmt::format("torch.cat([{}], 1)", CommaSeparated(inputs)),
              fmt::format("torch::cat({{{}}}, 1)", CommaSeparated(inputs))};
    case LayerKind::kUpsample:
      return {fmt::format("F.interpolate({}, scale_factor={})", x, layer.size),
              fmt::format("torch::upsample_nearest2d({}, {{{}, {}}})", x, layer.output[1], layer.output[2])};
    case LayerKind::kAdaptiveAvgPool2d:
      return {fmt::format("F.adaptive_avg_pool2d({}, {})", x, layer.size),
              fmt::format("torch::adaptive_avg_pool2d({}, {{{}, {}}})", x, layer.size, layer.size)};
    case LayerKind::kToSequence:
      return {fmt::format("{}.flatten(2).transpose(1, 2).contiguous()", x),
              fmt::format("{}.flatten(2).transpose(1, 2).contiguous()", x)};
    case LayerKind::kFirstToken:
      return {fmt::format("{}[:, 0]", x), fmt::format("{}.select(1, 0)", x)};
    case LayerKind::kLstm:
      return {fmt::format("self.{}({})[0]", layer.name, x),
              fmt::format("std::get<0>({}->forward({}))", layer.name, x)};
    default:
      return {fmt::format("{}.flatten(1)", x), fmt::format("{}.flatten(1)", x)};
  }
}

// Around scaled_dot_product_attention, which takes the heads apart.
Expression Attention(const Layer& layer, const std::vector<std::string>& inputs) {
  const std::string all = CommaSeparated(inputs);
  const char* causal = layer.causal ? ", is_causal=True" : "";
  return {fmt::format("attention({}, heads={}{})", all, layer.heads, causal),
          fmt::format("Attention({}, {}, {})", all, layer.heads, layer.causal)};
}

Expression ExpressionOf(const Network& network, const Layer& layer, const std::vector<std::string>& inputs,
                        bool in_place) {
  const std::string& x = inputs[0];
  switch (layer.kind) {
    case LayerKind::kLinear:
      if (layer.weights_of == kNetworkInput) return Module(layer, x);
      return {fmt::format("F.linear({}, self.{}.weight)", x, network.layers[layer.weights_of].name),
              fmt::format("torch::linear({}, {}->weight)", x, network.layers[layer.weights_of].name)};
    case LayerKind::kConv2d:
    case LayerKind::kConvTranspose2d:
    case LayerKind::kBatchNorm2d:
    case LayerKind::kLayerNorm:
    case LayerKind::kDropout:
      return Module(layer, x);
    case LayerKind::kEmbedding:
    case LayerKind::kPositionEmbedding:
    case LayerKind::kSegmentEmbedding:
    case LayerKind::kClassToken:
      return Table(layer, x);
    case LayerKind::kMaxPool2d:
      return Pool("max_pool2d", layer, x);
    case LayerKind::kAvgPool2d:
      return Pool("avg_pool2d", layer, x);
    case LayerKind::kAttention:
      return Attention(layer, inputs);
    case LayerKind::kRelu:
    case LayerKind::kRelu6:
    case LayerKind::kLeakyRelu:
    case LayerKind::kGelu:
    case LayerKind::kSigmoid:
    case LayerKind::kTanh:
      return Pointwise(layer, x, in_place);
    default:
      return Shaping(layer, inputs);
  }
}

class StepWriter {
 public:
  StepWriter(const Network& network, const TrainingSettings& settings)
      : network_(network), settings_(settings), names_(network.layers.size() + 1, "x") {
    NameValues();
  }

  std::vector<CodeLine> Write() {
    network_.discriminator > 0 ? WriteAdversaries() : WriteClassifier();
    return std::move(lines_);
  }

 private:
  // A value that only the next layer takes is x; any other has its layer's name.
  void NameValues() {
    std::vector<std::vector<size_t>> takers(names_.size());
    for (size_t index = 0; index < network_.layers.size(); ++index) {
      for (const size_t input : network_.layers[index].inputs) takers[input + 1].push_back(index);
    }
    for (size_t slot = 0; slot + 1 < names_.size(); ++slot) {
      const bool passes_on = takers[slot].size() == 1 && takers[slot][0] == slot;
      if (!passes_on) names_[slot] = slot == 0 ? "batch" : network_.layers[slot - 1].name;
    }
  }

  void Line(CodePart part, const std::string& python, const std::string& cpp, const std::string& layer = "") {
    lines_.push_back({part, layer, python.empty() ? "" : std::string(4 * depth_, ' ') + python,
                      cpp.empty() ? "" : std::string(2 * depth_, ' ') + cpp});
  }
  void Open(const std::string& python, const std::string& cpp) {
    Line(CodePart::kFrame, python, cpp);
    ++depth_;
  }
  void Close(const std::string& cpp) {
    --depth_;
    Line(CodePart::kFrame, "", cpp);
  }

  void WriteClassifier() {
    const auto micro_batch = [this] {
      WriteCopiedBatch();
      WriteClasses();
    };
    if (settings_.pass != Pass::kTrain) return WriteEvaluation(kOfBatches, micro_batch);
    WriteTurn({"optimizer", "model", kOfBatches}, micro_batch);
    WriteNextScale();
  }

  // Two functions, the generator's and the discriminator's, and a turn of each (Goodfellow et al., 2014).
  void WriteAdversaries() {
    const size_t judge = network_.discriminator;
    WriteFunction("generate", 0, judge);
    WriteFunction("judge", judge, network_.layers.size());
    const auto deceive = [this] {
      WriteNoise();
      WriteVerdict("generate(noise)", "ones");
    };
    if (settings_.pass != Pass::kTrain) return WriteEvaluation(kOfNoise, deceive);
    WriteTurn({"optimizer_d", "discriminator", kOfBatches}, [this] {
      Line(CodePart::kCopyBatch, "batch = batch.to(device)", "batch = batch.to(device);");
      WriteVerdict("batch", "ones");
      WriteNoise();
      WriteVerdictOnMade();
    });
    WriteTurn({"optimizer_g", "generator", kOfNoise}, deceive);
    WriteNextScale();  // one for both
  }

  enum MicroBatches : uint8_t { kOfBatches, kOfNoise };
  // Whose parameters a turn changes, and what they learn from.
  struct Learner {
    std::string optimizer;
    std::string model;
    MicroBatches micro_batches;
  };

  template <typename MicroBatch>
  void WriteTurn(const Learner& learner, const MicroBatch& write_micro_batch) {
    const std::string& optimizer = learner.optimizer;
    const bool zeroed = settings_.zeroed_gradients;
    Line(CodePart::kZeroGradients, optimizer + (zeroed ? ".zero_grad(set_to_none=False)" : ".zero_grad()"),
         optimizer + (zeroed ? ".zero_grad(/*set_to_none=*/false);" : ".zero_grad();"));
    WriteMicroBatches(learner.micro_batches, write_micro_batch);
    WriteUpdate(learner);
  }

  template <typename MicroBatch>
  void WriteEvaluation(MicroBatches micro_batches, const MicroBatch& write_micro_batch) {
    const bool builds_no_graph = settings_.pass == Pass::kEvaluate;
    if (builds_no_graph) Open("with torch.no_grad():", "{ torch::NoGradGuard no_grad;");
    WriteMicroBatches(micro_batches, write_micro_batch);
    if (builds_no_graph) Close("}");
  }

  template <typename MicroBatch>
  void WriteMicroBatches(MicroBatches micro_batches, const MicroBatch& write_micro_batch) {
    const bool accumulates = settings_.accumulate > 1;
    if (accumulates && micro_batches == kOfBatches) {
      Open("for batch, labels in micro_batches:", "for (auto& [batch, labels] : micro_batches) {");
    } else if (accumulates) {
      Open(fmt::format("for _ in range({}):", settings_.accumulate),
           fmt::format("for (int i = 0; i < {}; ++i) {{", settings_.accumulate));
    }
    write_micro_batch();
    if (accumulates) Close("}");
  }

  void WriteFunction(const std::string& name, size_t begin, size_t end) {
    const std::string& argument = names_[begin];
    Open(fmt::format("def {}({}):", name, argument),
         fmt::format("auto {} = [&](torch::Tensor {}) {{", name, argument));
    WriteLayers(begin, end);
    Line(CodePart::kFrame, "return " + names_[end], "return " + names_[end] + ";");
    Close("};");
  }

  void WriteNoise() {
    Line(CodePart::kCopyBatch, "noise = torch.randn(shape, device=device)",
         "noise = torch::randn(shape, device);");
  }

  void WriteCopiedBatch() {
    Line(CodePart::kCopyBatch, names_[0] + " = batch.to(device)",
         (names_[0] == "x" ? "auto x = " : names_[0] + " = ") + "batch.to(device);");
    Line(CodePart::kCopyBatch, "labels = labels.to(device)", "labels = labels.to(device);");
  }

  void WriteClasses() {
    WritePass([this] {
      WriteLayers(0, network_.layers.size());
      const bool by_token = network_.labels().size() == 1;
      const std::string& scores = names_.back();
      const std::string arguments =
          by_token ? scores + ".flatten(0, 1), labels.flatten()" : scores + ", labels";
      WriteLoss(fmt::format("F.cross_entropy({})", arguments),
                fmt::format("auto loss = cross_entropy({})", arguments));
    });
  }

  // What the discriminator says of samples, against what it is to say.
  void WriteVerdict(const std::string& samples, const std::string& wanted) {
    WritePass([&] { WriteJudgement(samples, wanted); });
  }

  // The same of samples that are made for it alone: no gradient goes through them.
  void WriteVerdictOnMade() {
    WritePass([this] {
      Open("with torch.no_grad():", "torch::Tensor made; { torch::NoGradGuard no_grad;");
      Line(CodePart::kFrame, "made = generate(noise)", "made = generate(noise);");
      Close("}");
      WriteJudgement("made", "zeros");
    });
  }

  void WriteJudgement(const std::string& samples, const std::string& wanted) {
    const std::string arguments = fmt::format("judge({}), {}", samples, wanted);
    WriteLoss(fmt::format("F.binary_cross_entropy_with_logits({})", arguments),
              fmt::format("loss = torch::binary_cross_entropy_with_logits({})", arguments));
  }

  // Forward in autocast's scope where it is used, then backward and what is done with the loss.
  template <typename Forward>
  void WritePass(const Forward& write_forward) {
    const bool autocast = networks::UsesAutocast(settings_);
    const bool half = settings_.amp == Precision::kFloat16;
    if (autocast) {
      Open(fmt::format("with torch.autocast(\"cuda\", torch.{}):", half ? "float16" : "bfloat16"),
           fmt::format("{{ Autocast scope({});", half ? "torch::kHalf" : "torch::kBFloat16"));
    }
    write_forward();
    if (autocast) Close("}");
    if (settings_.pass == Pass::kTrain) {
      const bool scales = networks::ScalesLoss(settings_);
      Line(CodePart::kBackward, scales ? "scaler.scale(loss).backward()" : "loss.backward()",
           scales ? "(loss * scale).backward();" : "loss.backward();");
    }
    if (settings_.keep_losses) Line(CodePart::kKeepLoss, "kept = kept + loss", "kept = kept + loss;");
    Line(CodePart::kReadLoss, "total += loss.item()", "total += loss.item<float>();");
  }

  // "conv1 to relu2"
  std::string NameOfSegment(const textbook::CheckpointPiece& piece) const {
    const std::string& first = network_.layers[piece.first].name;
    const std::string& last = network_.layers[piece.end - 1].name;
    return piece.end - piece.first == 1 ? first : first + " to " + last;
  }

  void WriteLayers(size_t begin, size_t end) {
    const std::vector<textbook::CheckpointPiece> pieces =
        textbook::PlanCheckpoints(network_, settings_).pieces;
    for (size_t index = begin; index < end; ++index) {
      for (const textbook::CheckpointPiece& piece : pieces) {
        if (piece.runs_again && piece.first == index) {
          const std::string segment = "checkpointed: " + NameOfSegment(piece);
          Line(CodePart::kFrame, "# " + segment, "// " + segment);
        }
      }
      const Layer& layer = network_.layers[index];
      std::vector<std::string> inputs;
      for (const size_t input : layer.inputs) inputs.push_back(names_[input + 1]);
      const bool in_place = settings_.in_place_relu && networks::MayRunInPlace(network_, index);
      const Expression made = ExpressionOf(network_, layer, inputs, in_place);
      const std::string& name = names_[index + 1];
      Line(CodePart::kLayer, name + " = " + made.python,
           (name == "x" ? "x = " : "auto " + name + " = ") + made.cpp + ";", layer.name);
    }
  }

  void WriteLoss(const std::string& python, const std::string& cpp) {
    const std::string share = settings_.accumulate > 1 ? fmt::format(" / {}", settings_.accumulate) : "";
    Line(CodePart::kLayer, fmt::format("loss = {}{}", python, share), fmt::format("{}{};", cpp, share),
         "loss");
  }

  void WriteUpdate(const Learner& learner) {
    const std::string& optimizer = learner.optimizer;
    const bool scales = networks::ScalesLoss(settings_);
    if (scales) {
      Line(CodePart::kUpdate, fmt::format("scaler.unscale_({})", optimizer),
           "bool finite = Unscale(parameters, scale);");
    }
    if (settings_.clip_norm > 0) {
      Line(CodePart::kUpdate,
           fmt::format("clip_grad_norm_({}.parameters(), {})", learner.model, settings_.clip_norm),
           fmt::format("clip_grad_norm_(parameters, {});", settings_.clip_norm));
    }
    Line(CodePart::kUpdate, scales ? "scaler.step(" + optimizer + ")" : optimizer + ".step()",
         (scales ? "if (finite) " : "") + optimizer + ".step();");
  }

  void WriteNextScale() {
    if (networks::ScalesLoss(settings_))
      Line(CodePart::kUpdate, "scaler.update()", "scale = NextScale(scale, finite);");
  }

  const Network& network_;
  const TrainingSettings& settings_;
  std::vector<std::string> names_;  // of the network's input, then of what each layer makes
  std::vector<CodeLine> lines_;
  size_t depth_ = 0;
};

std::vector<size_t> LinesOf(const std::vector<CodeLine>& code, CodePart part, std::string_view layer = "") {
  std::vector<size_t> lines;
  for (size_t index = 0; index < code.size(); ++index) {
    if (code[index].part == part && code[index].layer == layer) lines.push_back(index);
  }
  return lines;
}

bool ReadsValue(std::string_view op) { return op == "aten::item" || op == "aten::_local_scalar_dense"; }

}  // namespace

std::vector<CodeLine> CodeOfStep(const Network& network, const TrainingSettings& settings) {
  return StepWriter(network, settings).Write();
}

CodePlace PlaceInCode(const std::vector<CodeLine>& code, const RunningOperator& running) {
  using events::Phase;
  CodePlace place;
  const bool in_layer = !running.layer.empty();
  if (running.phase == Phase::kOptimizer) {
    place.lines = LinesOf(code, CodePart::kUpdate);
  } else if (!in_layer && running.in_micro_batch && ReadsValue(running.op)) {
    place.lines = LinesOf(code, CodePart::kReadLoss);
  } else if (running.phase == Phase::kBackward) {
    const std::vector<size_t> keeps = LinesOf(code, CodePart::kKeepLoss);
    const bool is_kept = !in_layer && running.op == "aten::add" && !keeps.empty();
    place.lines = is_kept ? keeps : LinesOf(code, CodePart::kBackward);
    if (in_layer) place.forward = LinesOf(code, CodePart::kLayer, running.layer);
  } else if (in_layer) {
    place.lines = LinesOf(code, CodePart::kLayer, running.layer);
  } else {
    place.lines = LinesOf(code, running.in_micro_batch ? CodePart::kCopyBatch : CodePart::kZeroGradients);
  }
  return place;
}

}  // namespace tidemark::lessons
