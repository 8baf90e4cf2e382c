#include "profiler/textbook/data_parallel.h"

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
    for (const int64_t values : {layer->weight_elements, layer->bias_elements}) {
      filled += values * ValueBytes(settings);
      if (filled >= (buckets.empty() ? kFirstBucketBytes : kBucketBytes)) close();
    }
  }
  close();
  return buckets;
}

Shares SharesUnderZero(const Estimate& estimate, int stage, int64_t ranks) {
  Shares shares{estimate.parameters_bytes, estimate.gradients_bytes, estimate.optimizer_bytes};
  if (stage >= 1) shares.optimizer_bytes = Share(shares.optimizer_bytes, ranks);
  if (stage >= 2) shares.gradients_bytes = Share(shares.gradients_bytes, ranks);
  if (stage >= 3) shares.parameters_bytes = Share(shares.parameters_bytes, ranks);
  return shares;
}

}  // namespace tidemark::textbook
