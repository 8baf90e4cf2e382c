#include "profiler/textbook/data_parallel.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "profiler/networks/layer_kinds.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {
namespace {

constexpr int64_t kFirstBucketBytes = int64_t{1} << 20;
constexpr int64_t kBucketBytes = int64_t{25} << 20;

// An N-th, of which the last rank may have less.
int64_t Share(int64_t bytes, int64_t ranks) { return (bytes + ranks - 1) / ranks; }

}  // namespace

std::vector<int64_t> GradientBuckets(const networks::Network& network,
                                     const networks::TrainingSettings& settings) {
  if (settings.ranks == 1 || settings.pass != networks::Pass::kTrain) return {};
  std::vector<int64_t> buckets;
  int64_t filled = 0;
  const auto close = [&] {
    if (filled > 0) buckets.push_back(filled);
    filled = 0;
  };
  for (auto layer = network.layers.rbegin(); layer != network.layers.rend(); ++layer) {
    for (const int64_t values : networks::ParameterSizes(*layer)) {
      filled += values * ValueBytes(settings);
      if (filled >= (buckets.empty() ? kFirstBucketBytes : kBucketBytes)) close();
    }
  }
  close();
  return buckets;
}

std::vector<int> OwnersOf(const std::vector<int64_t>& tensor_sizes, int ranks) {
  std::vector<size_t> by_size(tensor_sizes.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::ranges::stable_sort(by_size, std::ranges::greater(),
                           [&](size_t tensor) { return tensor_sizes[tensor]; });
  std::vector<int64_t> filled(static_cast<size_t>(ranks));
  std::vector<int> owners(tensor_sizes.size());
  for (const size_t tensor : by_size) {
    const auto least = std::ranges::min_element(filled);
    *least += tensor_sizes[tensor];
    owners[tensor] = static_cast<int>(least - filled.begin());
  }
  return owners;
}

int64_t ParametersOfRank0(const networks::Network& network, const networks::TrainingSettings& settings) {
  if (!networks::SharesState(settings)) return network.parameters();
  std::vector<int64_t> sizes;
  for (const networks::Layer& layer : network.layers) {
    const std::vector<int64_t> of_layer = networks::ParameterSizes(layer);
    sizes.insert(sizes.end(), of_layer.begin(), of_layer.end());
  }
  const std::vector<int> owners = OwnersOf(sizes, settings.ranks);
  int64_t own = 0;
  for (size_t tensor = 0; tensor < sizes.size(); ++tensor) own += owners[tensor] == 0 ? sizes[tensor] : 0;
  return own;
}

Shares SharesUnderZero(const Estimate& estimate, int stage, int64_t ranks) {
  Shares shares{estimate.parameters_bytes, estimate.gradients_bytes, estimate.optimizer_bytes};
  if (stage >= 1) shares.optimizer_bytes = Share(shares.optimizer_bytes, ranks);
  if (stage >= 2) shares.gradients_bytes = Share(shares.gradients_bytes, ranks);
  if (stage >= 3) shares.parameters_bytes = Share(shares.parameters_bytes, ranks);
  return shares;
}

}  // namespace tidemark::textbook
