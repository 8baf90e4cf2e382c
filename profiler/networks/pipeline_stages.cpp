#include "profiler/networks/pipeline_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "profiler/networks/layer_kinds.h"

namespace tidemark::networks {
namespace {

// Whether the layers on both sides share no weight that a cut would leave on more than two stages.
bool KeepsTablesTogether(const Network& network, size_t cut) {
  size_t sharing = 0;
  size_t parted = 0;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    const size_t table = network.layers[index].weights_of;
    if (table == kNetworkInput) continue;
    ++sharing;
    if (table < cut && index >= cut) ++parted;
  }
  return parted == 0 || sharing == 1;
}

bool MayCut(const Network& network, size_t cut) {
  if (BordersOf(network, 0, cut).outputs.size() != 1) return false;
  const std::vector<size_t> entering = BordersOf(network, cut, network.layers.size()).inputs;
  return entering.size() == 1 && entering.front() != kNetworkInput && KeepsTablesTogether(network, cut);
}

double SizeOf(const Layer& layer, StageBalance balance) {
  if (balance == StageBalance::kParameters) return static_cast<double>(layer.parameters());
  return IsView(layer) ? 0 : static_cast<double>(ElementCount(layer.output));
}

// The ways to cut off the first stages, by the place where the last of them ends.
class Partition {
 public:
  Partition(const Network& network, StageBalance balance) : places_(StageCuts(network)) {
    places_.insert(places_.begin(), 0);
    places_.push_back(network.layers.size());
    for (size_t place = 0; place + 1 < places_.size(); ++place) {
      double size = 0;
      for (size_t layer = places_[place]; layer < places_[place + 1]; ++layer)
        size += SizeOf(network.layers[layer], balance);
      sums_.push_back(sums_.back() + size);
    }
  }

  std::vector<Stage> Into(size_t stages) const {
    std::vector<std::vector<Way>> ways(stages + 1, std::vector<Way>(places_.size()));
    ways[0][0].squares = 0;
    for (size_t stage = 0; stage < stages; ++stage) {
      for (size_t from = stage; from + 1 < places_.size(); ++from) Extend(ways[stage], from, ways[stage + 1]);
    }
    std::vector<Stage> found(stages);
    size_t end = places_.size() - 1;
    for (size_t stage = stages; stage-- > 0;) {
      const size_t from = ways[stage + 1][end].from;
      found[stage] = {places_[from], places_[end]};
      end = from;
    }
    return found;
  }

 private:
  struct Way {
    double squares = std::numeric_limits<double>::infinity();
    size_t from = 0;
  };

  void Extend(const std::vector<Way>& before, size_t from, std::vector<Way>& after) const {
    for (size_t end = from + 1; end < places_.size(); ++end) {
      const double size = sums_[end] - sums_[from];
      const double squares = before[from].squares + size * size;
      if (squares < after[end].squares) after[end] = {squares, from};
    }
  }

  std::vector<size_t> places_;
  std::vector<double> sums_{0};  // of all layers before a place
};

}  // namespace

std::vector<size_t> StageCuts(const Network& network) {
  std::vector<size_t> cuts;
  for (const size_t group : GroupStarts(network)) {
    if (group > 0 && MayCut(network, group)) cuts.push_back(group);
  }
  return cuts;
}

std::vector<Stage> StagesOf(const Network& network, const TrainingSettings& settings) {
  if (!UsesPipeline(settings) || !CheckStages(network, settings)) return {};
  return Partition(network, settings.split).Into(static_cast<size_t>(settings.ranks));
}

Status CheckStages(const Network& network, const TrainingSettings& settings) {
  if (!UsesPipeline(settings)) return Done{};
  if (network.discriminator > 0) {
    return Error{
        fmt::format("{} is two networks against each other, which no pipeline splits. Choose another "
                    "network, or no pipeline.",
                    network.title)};
  }
  const size_t most = StageCuts(network).size() + 1;
  if (static_cast<size_t>(settings.ranks) <= most) return Done{};
  if (most == 1) {
    return Error{
        fmt::format("{} cannot be split: nowhere passes one tensor alone from its layers to those behind "
                    "them. Choose another network, or no pipeline.",
                    network.title)};
  }
  return Error{fmt::format(
      "{} can be split into {} stages at most, for a cut needs a place where one tensor alone passes, and "
      "there are {} ranks. Choose fewer.",
      network.title, most, settings.ranks)};
}

}  // namespace tidemark::networks
