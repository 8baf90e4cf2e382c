#include "profiler/training/pipeline.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/saved_tensors.h"
#include "profiler/capture/torch/tensor_tags.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/training/structure_events.h"

namespace tidemark::training {
namespace {

using capture::Intern;
using events::Category;
using networks::TrainingSettings;

// What autocast makes of it is told by the stage that sends; where that is pretended, a GPU's rules say it.
at::ScalarType ExpectedType(const networks::Network::Passage& stage, const TrainingSettings& settings) {
  if (settings.amp == networks::Precision::kPureFloat16) return at::kHalf;
  if (!networks::UsesAutocast(settings) || !stage.received_is_half) return at::kFloat;
  return settings.amp == networks::Precision::kFloat16 ? at::kHalf : at::kBFloat16;
}

}  // namespace

Pipeline::Pipeline(const RankGroup& ranks, const networks::Network& stage, c10::Device device)
    : ranks_(ranks), stage_(stage.passage), input_(stage.input), device_(device) {
  Sum(0);  // the first thing that all do together
}

double Pipeline::Sum(double value) const {
  at::Tensor sum;
  {
    const capture::BirthScope birth(Category::kCommunication, Intern("sum over stages"));
    sum = at::full({}, value, at::dtype(at::kDouble).device(device_));
  }
  ranks_.Sum(sum);
  return sum.item<double>();
}

// One step of this stage.
class Pipeline::Step {
 public:
  Step(const Pipeline& pipeline, const TrainingSettings& settings, const Passes& passes)
      : ranks_(pipeline.ranks_),
        stage_(pipeline.stage_),
        settings_(settings),
        passes_(passes),
        format_(settings.channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous),
        sizes_{settings.batch} {
    sizes_.insert(sizes_.end(), pipeline.input_.begin(), pipeline.input_.end());
    const at::ScalarType expected = ExpectedType(stage_, settings);
    // The type is told when the stage before has computed its first forward: the first bubble.
    if (stage_.receives) EmitPhase(events::Phase::kIdle);
    const at::ScalarType type = stage_.receives ? ranks_.AwaitType(before(), expected) : expected;
    options_ = at::TensorOptions(pipeline.device_).dtype(type);
  }

  void Train();
  void Evaluate();

 private:
  using Passing = RankGroup::Passing;
  // A micro-batch between its forward and its backward.
  struct InFlight {
    at::Tensor received;
    at::Tensor result;
    std::vector<std::unique_ptr<capture::SavedTensor>> kept;
  };

  int before() const { return ranks_.rank() - 1; }
  int behind() const { return ranks_.rank() + 1; }
  void Forward();
  void Backward();
  void MakeRoom(std::vector<Passing>& passing);
  void SendOn(std::vector<Passing>& passing);
  void ReceiveGradient(std::vector<Passing>& passing);
  void Meet(std::vector<Passing> passing) const;
  // As both sides of a cut expect values to lie.
  at::MemoryFormat FormatOf(size_t dimensions) const {
    return dimensions == 4 ? format_ : at::MemoryFormat::Contiguous;
  }

  const RankGroup& ranks_;
  const networks::Network::Passage& stage_;
  const TrainingSettings& settings_;
  const Passes& passes_;
  const at::MemoryFormat format_;
  std::vector<int64_t> sizes_;  // of what is received
  at::TensorOptions options_;
  std::deque<InFlight> in_flight_;
  at::Tensor received_;   // for the next forward
  at::Tensor gradient_;   // for the next backward
  at::Tensor returning_;  // the gradient that goes back
  int64_t forwards_ = 0;
  int64_t sent_ = 0;
};

void Pipeline::Step::MakeRoom(std::vector<Passing>& passing) {
  if (!stage_.receives) return;
  const capture::BirthScope birth(Category::kActivation, Intern("output of the stage before"));
  received_ = at::empty(sizes_, options_, FormatOf(sizes_.size()));
  passing.push_back({received_, before(), /*comes=*/true});
}

// What the newest micro-batch gave, unless that has gone; its type ahead of the first one.
void Pipeline::Step::SendOn(std::vector<Passing>& passing) {
  if (!stage_.sends || sent_ == forwards_) return;
  const at::Tensor& result = in_flight_.back().result;
  if (sent_++ == 0) ranks_.TellType(behind(), result.scalar_type());
  passing.push_back({result, behind(), /*comes=*/false});
}

void Pipeline::Step::ReceiveGradient(std::vector<Passing>& passing) {
  if (!stage_.sends) return;
  const at::Tensor& result = in_flight_.front().result;
  const capture::BirthScope birth(Category::kCommunication, Intern("gradient from the stage behind"));
  gradient_ = at::empty(result.sizes(), result.options().requires_grad(false),
                        FormatOf(static_cast<size_t>(result.dim())));
  passing.push_back({gradient_, behind(), /*comes=*/true});
}

void Pipeline::Step::Meet(std::vector<Passing> passing) const {
  if (passing.empty()) return;
  EmitPhase(events::Phase::kIdle);
  const at::NoGradGuard no_grad;
  for (Passing& each : passing) {
    if (!each.comes)
      each.tensor = each.tensor.detach().contiguous(FormatOf(static_cast<size_t>(each.tensor.dim())));
  }
  ranks_.Pass(passing);
}

void Pipeline::Step::Forward() {
  InFlight& run = in_flight_.emplace_back();
  run.received = std::exchange(received_, {});
  at::Tensor input = run.received;
  const bool builds_graph = at::GradMode::is_enabled();
  if (input.defined() && builds_graph) {
    run.kept.push_back(std::make_unique<capture::SavedTensor>(run.received));
    // Of a leaf that needs a gradient autocast would keep a copy, as of a weight.
    input = run.received.requires_grad_().view_as(run.received);
  }
  run.result = passes_.forward(input);
  if (stage_.sends && builds_graph) run.kept.push_back(std::make_unique<capture::SavedTensor>(run.result));
  ++forwards_;
}

void Pipeline::Step::Backward() {
  InFlight& run = in_flight_.front();
  passes_.backward(run.result, gradient_);
  gradient_.reset();
  if (stage_.receives) {
    returning_ = run.received.grad();
    capture::Tag(returning_, Category::kCommunication, Intern("gradient for the stage before"));
  }
  in_flight_.pop_front();
}

void Pipeline::Step::Train() {
  const int64_t warm_up = textbook::MicroBatchesInFlight(settings_, ranks_.rank());
  while (forwards_ < warm_up) {
    std::vector<Passing> to_behind;
    SendOn(to_behind);
    Meet(std::move(to_behind));
    std::vector<Passing> from_before;
    MakeRoom(from_before);
    Meet(std::move(from_before));
    Forward();
  }
  for (int64_t backwards = 0; backwards < settings_.accumulate; ++backwards) {
    std::vector<Passing> with_behind;
    SendOn(with_behind);
    ReceiveGradient(with_behind);
    Meet(std::move(with_behind));
    Backward();
    const bool goes_on = forwards_ < settings_.accumulate;
    std::vector<Passing> with_before;
    if (stage_.receives) with_before.push_back({returning_, before(), /*comes=*/false});
    if (goes_on) MakeRoom(with_before);
    Meet(std::move(with_before));
    returning_.reset();
    if (goes_on) Forward();
  }
}

void Pipeline::Step::Evaluate() {
  while (forwards_ < settings_.accumulate) {
    std::vector<Passing> from_before;
    MakeRoom(from_before);
    Meet(std::move(from_before));
    Forward();
    std::vector<Passing> to_behind;
    SendOn(to_behind);
    Meet(std::move(to_behind));
    in_flight_.clear();
  }
}

void Pipeline::Run(const TrainingSettings& settings, const Passes& passes) const {
  Step step(*this, settings, passes);
  if (settings.pass == networks::Pass::kTrain) {
    step.Train();
  } else {
    step.Evaluate();
  }
}

void Pipeline::ShareValues(const at::Tensor& weight) const {
  const bool comes = stage_.shared_with < ranks_.rank();
  ranks_.Pass({{weight.detach(), stage_.shared_with, comes}});
}

void Pipeline::ShareGradient(const at::Tensor& weight) const {
  const at::NoGradGuard no_grad;
  at::Tensor& own = weight.mutable_grad();
  at::Tensor others;
  {
    const capture::BirthScope birth(Category::kCommunication, Intern("gradient of the shared weight"));
    others = at::empty_like(own);
  }
  ranks_.Pass({{own, stage_.shared_with, /*comes=*/false}, {others, stage_.shared_with, /*comes=*/true}});
  own.add_(others);
}

}  // namespace tidemark::training
