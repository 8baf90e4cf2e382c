#include "profiler/training/distributed/sharded_layers.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::training {
namespace {

using capture::BirthScope;
using events::Category;

// A parameter's place in the flat tensor; its memory has no gaps, whatever the order of its dimensions.
at::Tensor PlaceIn(const at::Tensor& flat, const at::Tensor& parameter, int64_t offset) {
  return flat.as_strided(parameter.sizes(), parameter.strides(), offset);
}

}  // namespace

// A layer, as one flat tensor.
class ShardedLayers::Unit {
 public:
  Unit(const RankGroup& group, std::string layer, const std::vector<at::Tensor>& parameters,
       bool parameters_too);

  const std::string& layer() const { return layer_; }
  const at::Tensor& shard() const { return shard_; }

  at::Tensor Run(const std::function<at::Tensor()>& run);
  void EndBackward();
  void GatherInPlace() const;

 private:
  // Gathered while it runs, and however that ends not after, unless its backward has begun.
  class Forward {
   public:
    explicit Forward(Unit& unit) : unit_(unit) { unit_.Gather(); }
    ~Forward() {
      if (!unit_.in_backward_) unit_.Release();
    }
    Forward(const Forward&) = delete;
    Forward& operator=(const Forward&) = delete;

   private:
    Unit& unit_;
  };

  void Adopt();
  void ListenForGradients();
  void Gather();
  void Release();
  void Reduce();

  const RankGroup& group_;
  const std::string layer_;
  const bool parameters_too_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;  // else only graphs keep them
  at::Tensor flat_;  // without memory while it is not gathered
  size_t flat_bytes_ = 0;
  at::Tensor shard_;
  size_t gradients_ = 0;  // of this backward, so far
  bool in_backward_ = false;
};

ShardedLayers::Unit::Unit(const RankGroup& group, std::string layer,
                          const std::vector<at::Tensor>& parameters, bool parameters_too)
    : group_(group), layer_(std::move(layer)), parameters_too_(parameters_too), parameters_(parameters) {
  // As cuDNN wants those of an LSTM, or it would copy them each time: all matrices, then all biases.
  std::ranges::stable_partition(parameters_, [](const at::Tensor& parameter) { return parameter.dim() > 1; });
  const at::NoGradGuard no_grad;
  Adopt();
  const at::Tensor lent = Lent(flat_);
  std::vector<at::Tensor> values = {lent};
  group_.group().broadcast(values, {})->wait();
  const int64_t elements = flat_.numel() / group_.world();
  shard_ = flat_.narrow(0, group_.rank() * elements, elements);
  if (parameters_too_) {
    const BirthScope birth(Category::kParameter, 0);
    shard_ = shard_.clone();
    Release();
  }
  shard_ = shard_.detach().requires_grad_();
  ListenForGradients();
}

// The parameters move into the flat tensor.
void ShardedLayers::Unit::Adopt() {
  int64_t elements = 0;
  for (const at::Tensor& parameter : parameters_) elements += parameter.numel();
  const int64_t world = group_.world();
  const BirthScope birth(Category::kParameter, 0);
  flat_ = at::zeros({(elements + world - 1) / world * world}, parameters_.front().options());
  flat_bytes_ = flat_.storage().nbytes();
  int64_t offset = 0;
  for (at::Tensor& parameter : parameters_) {
    const at::Tensor place = PlaceIn(flat_, parameter, offset);
    place.copy_(parameter);
    offset += parameter.numel();
    parameter.set_data(place);
  }
}

void ShardedLayers::Unit::ListenForGradients() {
  for (const at::Tensor& parameter : parameters_) {
    accumulators_.push_back(torch::autograd::impl::grad_accumulator(parameter));
    accumulators_.back()->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
        [this](const torch::autograd::variable_list& outputs, const torch::autograd::variable_list&) {
          if (++gradients_ == parameters_.size()) Reduce();
          return outputs;
        }));
  }
}

void ShardedLayers::Unit::Gather() {
  c10::StorageImpl& storage = *flat_.storage().unsafeGetStorageImpl();
  if (storage.nbytes() > 0) return;
  const BirthScope birth(Category::kParameter, capture::Intern(layer_ + ", gathered"));
  storage.set_data_ptr_noswap(storage.allocator()->allocate(flat_bytes_));
  storage.set_nbytes(flat_bytes_);
  GatherInPlace();
}

void ShardedLayers::Unit::GatherInPlace() const {
  at::Tensor whole = Lent(flat_);
  at::Tensor own = Lent(shard_.detach());
  group_.group()._allgather_base(whole, own)->wait();
}

// Views of it, those that backward has saved among them, stay, and find their values again once it is
// gathered.
void ShardedLayers::Unit::Release() {
  if (!parameters_too_) return;
  c10::StorageImpl& storage = *flat_.storage().unsafeGetStorageImpl();
  storage.set_data_ptr_noswap(c10::DataPtr(nullptr, storage.device()));
  storage.set_nbytes(0);
}

at::Tensor ShardedLayers::Unit::Run(const std::function<at::Tensor()>& run) {
  if (!parameters_too_) return run();
  const Forward forward(*this);
  at::Tensor output = run();
  if (output.requires_grad()) {
    output.register_hook([this](const at::Tensor& /*gradient*/) {
      in_backward_ = true;
      Gather();
    });
  }
  return output;
}

void ShardedLayers::Unit::Reduce() {
  const at::NoGradGuard no_grad;
  gradients_ = 0;
  in_backward_ = false;
  Release();
  at::Tensor bucket;
  {
    const BirthScope birth(Category::kCommunication, capture::Intern(layer_ + ", its gradients in a bucket"));
    bucket = at::zeros(flat_.sizes(), flat_.options());
  }
  int64_t offset = 0;
  for (at::Tensor& parameter : parameters_) {
    at::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined()) PlaceIn(bucket, parameter, offset).copy_(gradient);
    gradient.reset();
    offset += parameter.numel();
  }
  bucket.div_(group_.world());  // before the sum, as DistributedDataParallel: it overflows later in float16
  at::Tensor reduced;
  {
    const BirthScope birth(Category::kGradient, capture::Intern(layer_ + ".shard.grad"));
    reduced = at::empty(shard_.sizes(), shard_.options().requires_grad(false));
  }
  at::Tensor own = Lent(reduced);
  at::Tensor whole = Lent(bucket);
  group_.group()._reduce_scatter_base(own, whole)->wait();
  at::Tensor& gradient = shard_.mutable_grad();
  if (gradient.defined()) {
    gradient.add_(reduced);
  } else {
    gradient = std::move(reduced);
  }
}

// A parameter that nothing depended on got no gradient: on no rank, for all run the same network.
void ShardedLayers::Unit::EndBackward() {
  if (gradients_ > 0) Reduce();
  in_backward_ = false;
  Release();
}

ShardedLayers::ShardedLayers(const RankGroup& group, bool parameters_too)
    : group_(group), parameters_too_(parameters_too) {}

ShardedLayers::~ShardedLayers() = default;

void ShardedLayers::Add(const std::string& layer, const std::vector<at::Tensor>& parameters) {
  if (parameters.empty()) return;
  units_.push_back(std::make_unique<Unit>(group_, layer, parameters, parameters_too_));
  shards_.push_back(units_.back()->shard());
}

void ShardedLayers::TagMemory() {
  for (const auto& unit : units_) tags_.emplace_back(unit->shard(), unit->layer(), "shard");
}

ShardedLayers::Unit* ShardedLayers::Find(const std::string& layer) {
  const auto found = std::ranges::find_if(units_, [&](const auto& unit) { return unit->layer() == layer; });
  return found == units_.end() ? nullptr : found->get();
}

at::Tensor ShardedLayers::Run(const std::string& layer, const std::function<at::Tensor()>& run) {
  Unit* const unit = Find(layer);
  return unit == nullptr ? run() : unit->Run(run);
}

void ShardedLayers::EndBackward() {
  for (const auto& unit : units_) unit->EndBackward();
}

void ShardedLayers::ShareUpdates() {
  if (parameters_too_) return;
  for (const auto& unit : units_) unit->GatherInPlace();
}

}  // namespace tidemark::training
