#include "profiler/textbook/data_parallel.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "profiler/networks/layer_kinds.h"
#include "profiler/textbook/saved_tensors.h"

namespace tidemark::textbook {
namespace {

using networks::LayerKind;

constexpr int64_t kFirstBucketBytes = int64_t{1} << 20;
constexpr int64_t kBucketBytes = int64_t{25} << 20;

// An N-th, of which the last rank may have less.
int64_t Share(int64_t bytes, int64_t ranks) { return (bytes + ranks - 1) / ranks; }

// Of each layer, whether another's weight is its table.
std::vector<bool> SharedTables(const networks::Network& network) {
  std::vector<bool> shared(network.layers.size());
  for (const networks::Layer& layer : network.layers) {
    if (layer.weights_of < shared.size()) shared[layer.weights_of] = true;
  }
  return shared;
}

// Of a layer's gradients the one that backward makes last, where that is more than a bias.
int64_t LastGradient(const networks::Layer& layer, const networks::TrainingSettings& settings) {
  if (networks::ParameterSizes(layer).size() == 1) return layer.parameters();
  if (networks::UsesAutocast(settings)) return 0;
  if (layer.kind == LayerKind::kLstm) return layer.parameters();  // views of one tensor
  return layer.kind == LayerKind::kLinear ? layer.weight_elements : 0;
}

int64_t Padded(const networks::Layer& layer, int64_t ranks) { return ShardOf(layer, ranks) * ranks; }

bool SavesNothing(const networks::Layer& layer) {
  constexpr std::array kKinds = {LayerKind::kAdd, LayerKind::kConcat, LayerKind::kUpsample,
                                 LayerKind::kToSequence};
  return networks::IsView(layer) || std::ranges::find(kKinds, layer.kind) != kKinds.end();
}

// The last layer of a piece that saved something is whole when its backward asks for that, and the piece runs
// again.
int64_t GatheredToRunAgain(const networks::Network& network, const networks::TrainingSettings& settings,
                           const std::vector<CheckpointPiece>& pieces,
                           const std::vector<bool>& is_shared_table) {
  int64_t most = 0;
  for (const CheckpointPiece& piece : pieces) {
    if (!piece.runs_again) continue;
    size_t last = piece.end - 1;
    while (last > piece.first && SavesNothing(network.layers[last])) --last;
    int64_t largest = 0;
    for (size_t index = piece.first; index < last; ++index) {
      if (!is_shared_table[index]) largest = std::max(largest, Padded(network.layers[index], settings.ranks));
    }
    most = std::max(most, largest + Padded(network.layers[last], settings.ranks));
  }
  return most;
}

}  // namespace

std::vector<int64_t> GradientBuckets(const networks::Network& network,
                                     const networks::TrainingSettings& settings) {
  const bool sends = settings.ranks > 1 && settings.pass == networks::Pass::kTrain;
  if (!sends || networks::SharesGradients(settings) || networks::UsesPipeline(settings)) return {};
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

int64_t ParametersOfRank(const networks::Network& network, const networks::TrainingSettings& settings,
                         int rank) {
  if (!networks::SharesState(settings)) return network.parameters();
  int64_t own = 0;
  if (networks::SharesGradients(settings)) {
    for (const networks::Layer& layer : network.layers) own += ShardOf(layer, settings.ranks);
    return own;
  }
  std::vector<int64_t> sizes;
  for (const networks::Layer& layer : network.layers) {
    const std::vector<int64_t> of_layer = networks::ParameterSizes(layer);
    sizes.insert(sizes.end(), of_layer.begin(), of_layer.end());
  }
  const std::vector<int> owners = OwnersOf(sizes, settings.ranks);
  for (size_t tensor = 0; tensor < sizes.size(); ++tensor) own += owners[tensor] == rank ? sizes[tensor] : 0;
  return own;
}

int64_t ShardOf(const networks::Layer& layer, int64_t ranks) { return Share(layer.parameters(), ranks); }

bool ShardsStay(const networks::TrainingSettings& settings) {
  return settings.accumulate > 1 || settings.zeroed_gradients;
}

LayerShards ShardLayers(const networks::Network& network, const networks::TrainingSettings& settings,
                        const std::vector<CheckpointPiece>& pieces) {
  const std::vector<bool> is_shared_table = SharedTables(network);
  const bool trains = settings.pass == networks::Pass::kTrain;
  LayerShards all;
  int64_t gradients_so_far = 0;
  int64_t most_gradients = 0;
  int64_t most_beside = 0;
  int64_t shared_table = 0;
  for (size_t index = network.layers.size(); index-- > 0;) {
    const networks::Layer& layer = network.layers[index];
    const int64_t whole = layer.parameters();
    const int64_t shard = ShardOf(layer, settings.ranks);
    const int64_t padded = Padded(layer, settings.ranks);
    const int64_t beside = std::max(whole, LastGradient(layer, settings) + shard);
    most_gradients = std::max(most_gradients, gradients_so_far + beside);
    gradients_so_far += shard;
    all.largest_layer = std::max(all.largest_layer, padded);
    most_beside = std::max(most_beside, beside);
    if (trains && is_shared_table[index]) {
      shared_table = std::max(shared_table, padded);
    } else {
      all.gathered = std::max(all.gathered, padded);
    }
  }
  if (trains)
    all.gathered = std::max(all.gathered, GatheredToRunAgain(network, settings, pieces, is_shared_table));
  all.gathered += shared_table;
  all.shards = gradients_so_far;
  all.gradients = ShardsStay(settings) ? all.shards + most_beside : std::max(most_gradients, all.shards);
  return all;
}

Shares SharesUnderZero(const Estimate& estimate, int stage, int64_t ranks) {
  Shares shares{estimate.parameters_bytes, estimate.gradients_bytes, estimate.optimizer_bytes};
  if (stage >= 1) shares.optimizer_bytes = Share(shares.optimizer_bytes, ranks);
  if (stage >= 2) shares.gradients_bytes = Share(shares.gradients_bytes, ranks);
  if (stage >= 3) shares.parameters_bytes = Share(shares.parameters_bytes, ranks);
  return shares;
}

}  // namespace tidemark::textbook
