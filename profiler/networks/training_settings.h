// Everything a person can choose about a training run: which network, and which techniques. Plain data; the
// ranges are checked by Validate, and every value has one textual form, used by the command line, files,
// markers and the trainer's socket alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::networks {

// --amp off | fp16 | bf16: autocast; or pure-fp16: nothing is mixed, the whole network is float16
// (model.half()).
enum class Precision : uint8_t { kFloat32, kFloat16, kBfloat16, kPureFloat16 };
enum class OptimizerKind : uint8_t { kSgd, kMomentum, kAdam, kAdamW, kAdagrad, kRmsprop };
// --optimizer-implementation for-loop | foreach | fused: a step that goes from parameter to parameter; one
// that takes each operation to all of them at once (torch._foreach_*, Python's default on a GPU); or one
// kernel that does all of it (torch._fused_*).
enum class OptimizerImplementation : uint8_t { kForLoop, kForeach, kFused };
enum class CheckpointMode : uint8_t { kNone, kByLayer, kSegments, kEvery, kBudget };

// --checkpoint none | layer | K (K segments of equal numbers of layers) | every:K (segments of K layers) |
// budget:SIZE (as little made again as saved tensors of that size at most allow)
struct Checkpointing {
  CheckpointMode mode = CheckpointMode::kNone;
  int segments = 0;          // of kSegments; of kEvery the layers in a segment; 1..64
  int64_t budget_bytes = 0;  // only for kBudget, above 0
  bool operator==(const Checkpointing&) const = default;
};

// --loss-scale dynamic | dynamic:S | S, with --amp fp16 only: what the loss is multiplied with. A dynamic
// scale starts at S; one that overflows is halved, a static one stays. Either way the step is skipped.
struct LossScaling {
  bool dynamic = true;
  double scale = 65536;  // torch.amp.GradScaler's init_scale
  bool operator==(const LossScaling&) const = default;
};

// --lr-rule none | linear | sqrt: what the learning rate is multiplied with where N micro-batches make a
// step. Linear: N (Goyal et al., arXiv 1706.02677, 2017); square root: √N (Krizhevsky, arXiv 1404.5997,
// 2014).
enum class LearningRateRule : uint8_t { kNone, kLinear, kSquareRoot };

// --pass train | evaluate | forward: training steps; evaluation under no_grad; or evaluation that forgot it,
// so that forward builds the graph that nobody needs.
enum class Pass : uint8_t { kTrain, kEvaluate, kForward };

// --zero off | 1 | 2 | 3: each of several ranks has an N-th of the optimizer's state; of the gradients, too;
// of the parameters, too (Rajbhandari et al., arXiv 1910.02054, 2020).
enum class ZeroStage : uint8_t { kOff, kState, kGradients, kParameters };

// --pipeline off | gpipe | 1f1b: the ranks are stages, each with some of the layers in a row, and a step's
// micro-batches pass through them: all forward, then all backward (Huang et al., GPipe, arXiv 1811.06965,
// 2019); or one forward, one backward, so that a stage never has more of them in flight than there are stages
// from it on (Narayanan et al., arXiv 2104.04473, 2021). With one micro-batch it is plain model parallelism.
enum class PipelineSchedule : uint8_t { kOff, kGpipe, kOneForwardOneBackward };
// --split parameters | activations: what stages are to have alike.
enum class StageBalance : uint8_t { kParameters, kActivations };

struct TrainingSettings {
  std::string network = "simple-conv-net";
  int batch = 64;  // samples in a micro-batch, 1..4096
  Precision amp = Precision::kFloat32;
  int accumulate = 1;  // micro-batches in a step, 1..64
  Checkpointing checkpoint;
  OptimizerKind optimizer = OptimizerKind::kAdam;
  double learning_rate = 1e-3;  // > 0, at most kMaxLearningRate
  double clip_norm = 0;         // 0 = off, else gradients are clipped to this norm after unscaling
  uint64_t seed = 0;
  std::string data;  // a folder with CIFAR-10's binary version; "" = synthetic samples
  // The techniques of techniques.h, one row each:
  LossScaling loss_scaling;
  LearningRateRule learning_rate_rule = LearningRateRule::kNone;
  Pass pass = Pass::kTrain;
  OptimizerImplementation optimizer_implementation = OptimizerImplementation::kForLoop;
  bool in_place_relu = false;
  bool channels_last = false;
  bool zeroed_gradients = false;
  bool empty_cache = false;
  bool keep_losses = false;
  int ranks = 1;  // that train one model, each on batches of its own, 1..kMaxRanks; 1 = one process alone
  ZeroStage zero = ZeroStage::kOff;
  PipelineSchedule pipeline = PipelineSchedule::kOff;
  StageBalance split = StageBalance::kParameters;
  bool operator==(const TrainingSettings&) const = default;
};

// With the rule for accumulated steps.
double EffectiveLearningRate(const TrainingSettings& settings);
// Whether forward runs in half precision op by op.
bool UsesAutocast(const TrainingSettings& settings);
// Whether ranks share the optimizer's state; the gradients, too; the parameters, too.
bool SharesState(const TrainingSettings& settings);
bool SharesGradients(const TrainingSettings& settings);
bool SharesParameters(const TrainingSettings& settings);
// Whether each rank is a stage with layers of its own.
bool UsesPipeline(const TrainingSettings& settings);
// A recording may name a rank that its settings do not have: that counts as the first.
inline int RankAmong(const TrainingSettings& settings, int rank) { return rank < settings.ranks ? rank : 0; }
// Whether the loss is multiplied with a scale.
bool ScalesLoss(const TrainingSettings& settings);

inline constexpr int kMaxBatch = 4096;
inline constexpr int kMaxAccumulate = 64;
inline constexpr int kMaxSegments = 64;
inline constexpr int kMaxRanks = 1024;
inline constexpr double kMaxLearningRate = 100;

// --device phantom | cpu | cuda:N
enum class DeviceKind : uint8_t { kPhantom, kCpu, kCuda };
struct DeviceChoice {
  DeviceKind kind = DeviceKind::kPhantom;
  int index = 0;              // of a CUDA device
  std::string card = "h200";  // of a phantom
  bool operator==(const DeviceChoice&) const = default;
};

Result<Precision> PrecisionFromText(std::string_view text);
Result<OptimizerKind> OptimizerFromText(std::string_view text);
Result<Checkpointing> CheckpointingFromText(std::string_view text);
Result<DeviceChoice> DeviceFromText(std::string_view device, std::string_view card);
std::string TextOf(Precision precision);
std::string TextOf(OptimizerKind optimizer);
std::string TitleOf(OptimizerKind optimizer);  // "SGD with momentum"
std::string TextOf(const Checkpointing& checkpoint);
std::string TitleOf(const Checkpointing& checkpoint);  // "none", "by layer", "13 segments"
std::string TextOf(const DeviceChoice& device);        // "phantom", "cpu", "cuda:0"
// Whether a run's device is one: what its kernels would have computed is zero, and a loss says nothing.
bool IsPhantom(std::string_view device);

// The first thing that is out of range, as a sentence that names the option and what it may be. Whether there
// is a network of that name, FindNetwork says.
Status Validate(const TrainingSettings& settings);

// One line of JSON; FromJson(ToJson(x)) == x. A technique of techniques.h is told where it differs from the
// default. Missing keys keep their defaults, unknown ones are an error, and so is what Validate refuses.
std::string ToJson(const TrainingSettings& settings);
Result<TrainingSettings> SettingsFromJson(std::string_view json);

// What changed, for a marker on the timeline: "fp16 on, batch 64 → 128". Empty if nothing did.
std::string DescribeChange(const TrainingSettings& before, const TrainingSettings& after);

}  // namespace tidemark::networks
