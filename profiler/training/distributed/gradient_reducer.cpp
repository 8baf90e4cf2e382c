#include "profiler/training/distributed/gradient_reducer.h"

#include <numeric>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::training {
namespace {

capture::BirthScope BucketsAreBorn() {
  return {events::Category::kCommunication, capture::Intern("gradient bucket")};
}

// One bucket of all parameters: in which order their gradients come is known after the first backward.
std::vector<std::vector<size_t>> FirstBuckets(size_t parameters) {
  std::vector<size_t> indices(parameters);
  std::iota(indices.begin(), indices.end(), size_t{0});
  return {std::move(indices)};
}

}  // namespace

class GradientReducer::Core {
 public:
  Core(const RankGroup& group, const std::vector<at::Tensor>& parameters)
      : reducer_(parameters, FirstBuckets(parameters.size()), group.shared_group(),
                 std::vector<bool>(parameters.size(), false), c10d::kDefaultBucketBytesCap,
                 /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/false, /*param_names=*/{},
                 c10d::kDefaultFirstBucketBytes, /*skip_all_reduce_unused_params=*/false,
                 /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/{}) {}

  c10d::Reducer& reducer() { return reducer_; }

 private:
  c10d::Reducer reducer_;
};

GradientReducer::GradientReducer(const RankGroup& group, const std::vector<at::Tensor>& parameters)
    : group_(group) {
  const capture::BirthScope birth = BucketsAreBorn();
  core_ = std::make_unique<Core>(group, parameters);
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::BeginForward() {
  c10d::Reducer& reducer = core_->reducer();
  reducer.prepare_for_forward();
  // The buckets so far are to go before there are new ones.
  if (reducer.should_rebuild_buckets()) group_.AwaitQuiet();
  const capture::BirthScope birth = BucketsAreBorn();
  reducer.rebuild_buckets();
}

void GradientReducer::EndForward() { core_->reducer().prepare_for_backward({}); }

}  // namespace tidemark::training
