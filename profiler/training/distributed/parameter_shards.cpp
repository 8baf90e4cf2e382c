#include "profiler/training/distributed/parameter_shards.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <utility>

#include "profiler/base/check.h"

namespace tidemark::training {

ParameterShards::ParameterShards(const RankGroup& group, std::vector<at::Tensor> parameters,
                                 std::vector<int> owners)
    : group_(group), parameters_(std::move(parameters)), owners_(std::move(owners)) {
  TIDEMARK_CHECK(parameters_.size() == owners_.size());
}

std::vector<at::Tensor> ParameterShards::own() const {
  std::vector<at::Tensor> own;
  for (size_t index = 0; index < parameters_.size(); ++index) {
    if (owners_[index] == group_.rank()) own.push_back(parameters_[index]);
  }
  return own;
}

void ParameterShards::Share() const {
  std::vector<c10::intrusive_ptr<c10d::Work>> sent;
  for (size_t index = 0; index < parameters_.size(); ++index) {
    std::vector<at::Tensor> values = {parameters_[index].detach()};
    c10d::BroadcastOptions options;
    options.rootRank = owners_[index];
    sent.push_back(group_.group().broadcast(values, options));
  }
  for (const auto& work : sent) work->wait();
}

}  // namespace tidemark::training
