#include "profiler/advice/step_time.h"

#include <algorithm>
#include <span>
#include <vector>

#include "profiler/networks/pipeline_stages.h"
#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/data_parallel.h"
#include "profiler/textbook/operations.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/saved_tensors.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::advice {
namespace {

using networks::ElementCount;
using networks::Layer;
using networks::LayerKind;
using networks::Precision;
using networks::TrainingSettings;

// NVIDIA's technical blog, Getting Started with CUDA Graphs (2019): kernels that are launched back to back on
// a V100 follow each other in 3.8 us, however little they do.
constexpr double kLaunchSeconds = 3.8e-6;

// What a layer's forward is to the card, for one micro-batch.
struct Work {
  double operations = 0;
  double bytes = 0;
  double elements = 0;  // that can be worked on side by side
};

bool UsesTensorCores(LayerKind kind) {
  return kind == LayerKind::kConv2d || kind == LayerKind::kConvTranspose2d || kind == LayerKind::kLinear ||
         kind == LayerKind::kAttention || kind == LayerKind::kLstm;
}

// By cuDNN, which PyTorch lets compute float32 in TF32 unless it is told otherwise
// (torch.backends.cudnn.allow_tf32); cuBLAS it does not (torch.backends.cuda.matmul.allow_tf32).
bool RunsInCudnn(LayerKind kind) {
  return kind == LayerKind::kConv2d || kind == LayerKind::kConvTranspose2d || kind == LayerKind::kLstm;
}

// Tensor cores have TF32 from compute capability 8.0 on, at half the rate of float16 (NVIDIA A100 Tensor Core
// GPU Architecture, 2020, table 1; the same in the data sheets of later cards).
constexpr int kFirstWithTf32 = 80;
constexpr double kTf32OfFloat16 = 0.5;

// Autocast runs these in float32 (torch/docs: CUDA ops that autocast to float32), or they only look up.
bool StaysFloat32(LayerKind kind) {
  return kind == LayerKind::kLayerNorm || kind == LayerKind::kEmbedding ||
         kind == LayerKind::kPositionEmbedding || kind == LayerKind::kSegmentEmbedding;
}

class Roofline {
 public:
  Roofline(const TrainingSettings& settings, const phantom::Card& card)
      : card_(card),
        batch_(settings.batch),
        is_half_(settings.amp != Precision::kFloat32),
        autocasts_(networks::UsesAutocast(settings)),
        threads_(static_cast<double>(card.multiprocessors) * card.threads_per_multiprocessor) {}

  double SecondsOf(const Work& work, const Layer& layer) const {
    const double peak = PeakFor(layer.kind);
    const double filled = std::clamp(work.elements / threads_, 1e-6, 1.0);
    const double seconds = std::max(work.operations / peak, work.bytes / card_.memory_bytes_per_second);
    // Time steps wait for each other: one kernel after another.
    const int64_t in_a_row = layer.kind == LayerKind::kLstm ? layer.output[0] : 1;
    return std::max(static_cast<double>(in_a_row) * kLaunchSeconds, seconds / filled);
  }

  Work ForwardOf(const Layer& layer) const {
    const bool is_float32 = !is_half_ || (autocasts_ && StaysFloat32(layer.kind));
    const double element_bytes = is_float32 ? 4 : 2;
    const double inputs = static_cast<double>(ElementCount(layer.input)) *
                          static_cast<double>(std::max<size_t>(1, layer.inputs.size())) * batch_;
    const double outputs = static_cast<double>(ElementCount(layer.output)) * batch_;
    Work work;
    work.operations = static_cast<double>(textbook::ForwardOperations(layer)) * batch_;
    work.bytes = (inputs + outputs + static_cast<double>(layer.parameters())) * element_bytes;
    work.elements = std::max(inputs, outputs);
    return work;
  }

  double ForwardSeconds(const Layer& layer) const {
    if (layer.kind == LayerKind::kFlatten) return 0;  // a view
    double seconds = SecondsOf(ForwardOf(layer), layer);
    // Autocast casts its weights: 4 bytes read, 2 written, once for each forward.
    if (autocasts_ && UsesTensorCores(layer.kind) && layer.parameters() > 0) seconds += Moving(layer, 6);
    return seconds;
  }

  // With parameters one kernel makes the gradient of the input, another that of the weights, each of
  // forward's operations; it is read and written where it is accumulated.
  double BackwardSeconds(const Layer& layer) const {
    if (layer.kind == LayerKind::kFlatten) return 0;
    const double kernel = SecondsOf(ForwardOf(layer), layer);
    const double gradient_bytes = is_half_ && !autocasts_ ? 2 : 4;
    return layer.parameters() > 0 ? 2 * kernel + Moving(layer, 2 * gradient_bytes) : kernel;
  }

 private:
  // Operations a second.
  double PeakFor(LayerKind kind) const {
    if (!UsesTensorCores(kind) || card_.float16_tensor_flops == 0) return card_.float32_flops;
    if (is_half_) return card_.float16_tensor_flops;
    const bool in_tf32 = RunsInCudnn(kind) && card_.compute_capability >= kFirstWithTf32;
    return in_tf32 ? kTf32OfFloat16 * card_.float16_tensor_flops : card_.float32_flops;
  }

  double Moving(const Layer& layer, double bytes_per_parameter) const {
    return std::max(kLaunchSeconds, static_cast<double>(layer.parameters()) * bytes_per_parameter /
                                        card_.memory_bytes_per_second);
  }

  const phantom::Card& card_;
  const double batch_;
  const bool is_half_;
  const bool autocasts_;
  const double threads_;
};

// The parameters that this rank updates are read and written, their gradients read, states read and written;
// unscaling and clipping read and write all gradients that it has once more each.
double OptimizerSeconds(const networks::Network& network, const TrainingSettings& settings,
                        const phantom::Card& card) {
  TrainingSettings unchecked = settings;  // what is saved for backward has no say here
  unchecked.checkpoint = {};
  const textbook::Estimate estimate = textbook::EstimateMemory(network, unchecked);
  const int64_t updated = textbook::ParametersOfRank(network, settings, 0) * textbook::ValueBytes(settings);
  double bytes = 3.0 * static_cast<double>(updated) + 2.0 * static_cast<double>(estimate.optimizer_bytes);
  if (networks::ScalesLoss(settings)) bytes += 2.0 * static_cast<double>(estimate.gradients_bytes);
  if (settings.clip_norm > 0) bytes += 2.0 * static_cast<double>(estimate.gradients_bytes);
  return std::max(kLaunchSeconds, bytes / card.memory_bytes_per_second);
}

// How often a step's micro-batch goes through a layer. A discriminator learns from real samples and from made
// ones, and is asked once more when its generator learns, which has made samples twice then.
struct Turns {
  int forward = 1;
  int backward = 1;
};
Turns TurnsOf(const networks::Network& network, size_t layer, bool trains) {
  if (network.discriminator == 0 || !trains) return {};
  return layer < network.discriminator ? Turns{2, 1} : Turns{3, 3};
}

// A micro-batch through some layers in a row.
StepTime MicroBatchTime(const networks::Network& network, const TrainingSettings& settings,
                        std::span<const textbook::CheckpointPiece> pieces, const Roofline& roofline) {
  StepTime time;
  const bool trains = settings.pass == networks::Pass::kTrain;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    const Layer& layer = network.layers[index];
    const Turns turns = TurnsOf(network, index, trains);
    time.forward += turns.forward * roofline.ForwardSeconds(layer);
    if (trains) time.backward += turns.backward * roofline.BackwardSeconds(layer);
  }
  for (const textbook::CheckpointPiece& piece : pieces) {
    for (size_t index = piece.first; trains && piece.runs_again && index < piece.end; ++index)
      time.again += TurnsOf(network, index, trains).backward * roofline.ForwardSeconds(network.layers[index]);
  }
  return time;
}

// `last_backward`: with what it runs again; an all-reduce hides behind it.
double SendingSeconds(const networks::Network& network, const TrainingSettings& settings,
                      const phantom::Card& card, double last_backward) {
  if (settings.ranks == 1 || settings.pass != networks::Pass::kTrain) return 0;
  const double others = static_cast<double>(settings.ranks - 1) / settings.ranks;
  const double bytes = static_cast<double>(network.parameters() * textbook::ValueBytes(settings));
  const double once = others * bytes / card.link_bytes_per_second;  // a gather or a scatter of all
  switch (settings.zero) {
    case networks::ZeroStage::kOff:
      return std::max(0.0, 2 * once - last_backward);
    case networks::ZeroStage::kState:
      return std::max(0.0, 2 * once - last_backward) + once;
    case networks::ZeroStage::kGradients:
      return settings.accumulate * once + once;
    case networks::ZeroStage::kParameters:
      break;
  }
  return settings.accumulate * 3 * once;
}

StepTime Accumulated(StepTime micro_batch, int count) {
  micro_batch.forward *= count;
  micro_batch.again *= count;
  micro_batch.backward *= count;
  micro_batch.sending *= count;
  return micro_batch;
}

// For a micro-batch, from the stage before to this one, and as long back.
double PassingSeconds(const networks::Network& stage, const TrainingSettings& settings,
                      const phantom::Card& card) {
  if (!stage.passage.receives) return 0;
  const int64_t element_bytes = stage.passage.received_is_half ? 2 : textbook::ValueBytes(settings);
  return static_cast<double>(ElementCount(stage.input) * settings.batch * element_bytes) /
         card.link_bytes_per_second;
}

std::vector<StepTime> PipelineTimes(const networks::Network& network, const TrainingSettings& settings,
                                    const phantom::Card& card) {
  const Roofline roofline(settings, card);
  const bool trains = settings.pass == networks::Pass::kTrain;
  TrainingSettings alone = settings;  // a stage's optimizer is that of a network by itself
  alone.pipeline = networks::PipelineSchedule::kOff;
  alone.ranks = 1;
  std::vector<networks::Network> stages;
  std::vector<double> passing;  // to each stage; to the one behind the last nothing
  for (int rank = 0; rank < settings.ranks; ++rank) {
    stages.push_back(*textbook::StageOf(network, settings, rank));
    passing.push_back(PassingSeconds(stages.back(), settings, card));
  }
  passing.push_back(0);
  std::vector<StepTime> times;
  double through_all = 0;
  double slowest = 0;
  double last_optimizer = 0;
  for (size_t rank = 0; rank < stages.size(); ++rank) {
    const networks::Network& stage = stages[rank];
    const std::vector<textbook::CheckpointPiece> pieces = textbook::PlanCheckpoints(stage, settings).pieces;
    StepTime micro_batch = MicroBatchTime(stage, settings, pieces, roofline);
    micro_batch.sending = passing[rank + 1] + (trains ? passing[rank] : 0);  // on, and gradients back
    through_all += micro_batch.total();
    slowest = std::max(slowest, micro_batch.total());
    times.push_back(Accumulated(micro_batch, settings.accumulate));
    times.back().optimizer = trains ? OptimizerSeconds(stage, alone, card) : 0;
    last_optimizer = std::max(last_optimizer, times.back().optimizer);
  }
  const double step = through_all + (settings.accumulate - 1) * slowest + last_optimizer;
  for (StepTime& time : times) time.waiting = step - time.total();
  return times;
}

}  // namespace

StepTime EstimateStepTime(const networks::Network& network, const TrainingSettings& settings,
                          const phantom::Card& card) {
  return EstimateStepTimeOfStages(network, settings, card).front();
}

std::vector<StepTime> EstimateStepTimeOfStages(const networks::Network& network,
                                               const TrainingSettings& settings, const phantom::Card& card) {
  if (!networks::StagesOf(network, settings).empty()) return PipelineTimes(network, settings, card);
  return {EstimateStepTime(network, settings, textbook::PlanCheckpoints(network, settings).pieces, card)};
}

StepTime EstimateStepTime(const networks::Network& network, const TrainingSettings& settings,
                          std::span<const textbook::CheckpointPiece> pieces, const phantom::Card& card) {
  const Roofline roofline(settings, card);
  const StepTime micro_batch = MicroBatchTime(network, settings, pieces, roofline);
  StepTime time = Accumulated(micro_batch, settings.accumulate);
  if (settings.pass != networks::Pass::kTrain) return time;
  time.optimizer = OptimizerSeconds(network, settings, card);
  time.sending = SendingSeconds(network, settings, card, micro_batch.backward + micro_batch.again);
  return time;
}

}  // namespace tidemark::advice
