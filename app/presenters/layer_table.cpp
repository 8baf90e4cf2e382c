#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/presenters/tables.h"
#include "profiler/timeline/computed_types.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::presenters {
namespace {

struct AliveOfLayer {
  events::NameId id = 0;  // the first that has this name
  int64_t saved_bytes = 0;
  int64_t temporary_bytes = 0;
  int64_t gradient_bytes = 0;
  int64_t workspace_bytes = 0;
  double all_bytes = 0;
};

std::map<std::string_view, AliveOfLayer> AliveByLayer(const timeline::View& view,
                                                      const timeline::State& state) {
  std::map<std::string_view, AliveOfLayer> layers;
  for (const timeline::LiveBlock& block : state.blocks) {
    if (block.pending_free) continue;
    AliveOfLayer& layer = layers[view.name(block.layer)];
    if (layer.id == 0) layer.id = block.layer;
    layer.all_bytes += static_cast<double>(block.rounded_bytes);
    if (block.category == events::Category::kActivation)
      timeline::AddTo(layer.saved_bytes, block.rounded_bytes);
    if (block.category == events::Category::kTemporary)
      timeline::AddTo(layer.temporary_bytes, block.rounded_bytes);
    if (block.category == events::Category::kGradient)
      timeline::AddTo(layer.gradient_bytes, block.rounded_bytes);
    if (block.category == events::Category::kWorkspace)
      timeline::AddTo(layer.workspace_bytes, block.rounded_bytes);
  }
  return layers;
}

std::map<std::string, std::string> TypesOfLastStep(const timeline::View& view) {
  const auto& steps = view.steps();
  for (size_t index = steps.size(); index-- > 0;) {
    if (steps[index].complete) return timeline::ComputedTypes(view, steps[index]);
  }
  return {};
}

void Measure(const AliveOfLayer& alive, double allocated_bytes, LayerRow& row) {
  row.measured_saved_bytes = alive.saved_bytes;
  row.measured_temporary_bytes = alive.temporary_bytes;
  row.measured_gradient_bytes = alive.gradient_bytes;
  row.measured_workspace_bytes = alive.workspace_bytes;
  if (allocated_bytes > 0) row.share_of_peak = alive.all_bytes / allocated_bytes;
}

}  // namespace

std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const textbook::Estimate& textbook) {
  return MakeLayerTable(view, textbook, LatestPeak(view));
}

std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const textbook::Estimate& textbook,
                                     const std::optional<PeakMoment>& peak) {
  std::map<std::string_view, AliveOfLayer> alive;
  double allocated_bytes = 0;
  if (peak) {
    const timeline::State state = timeline::SettledStateAt(view, peak->index, peak->step_end);
    alive = AliveByLayer(view, state);
    for (const auto& [name, layer] : alive) allocated_bytes += layer.all_bytes;
  }
  const std::map<std::string, std::string> types = TypesOfLastStep(view);
  std::vector<LayerRow> rows;
  for (const textbook::LayerEstimate& layer : textbook.layers) {
    LayerRow row{layer.name,
                 layer.output,
                 layer.parameters,
                 layer.parameters_bytes,
                 layer.activations_bytes,
                 {},
                 {},
                 {},
                 {},
                 layer.recomputed_bytes,
                 0,
                 layer.formula,
                 layer.counts_with,
                 {},
                 {}};
    if (const auto type = types.find(layer.name); type != types.end()) row.computed_in = type->second;
    if (peak) Measure(alive[layer.name], allocated_bytes, row);
    rows.push_back(std::move(row));
  }
  for (const LayerRow& row : rows) {
    if (row.counts_with.empty() || row.measured_saved_bytes.value_or(0) == 0) continue;
    const auto counted = std::ranges::find(rows, row.counts_with, &LayerRow::name);
    if (counted != rows.end()) counted->allocated_by = row.name;
  }
  return rows;
}

std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const std::optional<PeakMoment>& moment) {
  if (!moment) return {};
  const timeline::State state = timeline::SettledStateAt(view, moment->index, moment->step_end);
  std::map<std::string_view, AliveOfLayer> alive = AliveByLayer(view, state);
  double allocated_bytes = 0;
  for (const auto& [name, layer] : alive) allocated_bytes += layer.all_bytes;
  alive.erase("");
  std::vector<std::pair<std::string_view, AliveOfLayer>> layers(alive.begin(), alive.end());
  std::ranges::sort(layers, {}, [](const auto& layer) { return layer.second.id; });
  const std::map<std::string, std::string> types = TypesOfLastStep(view);
  std::vector<LayerRow> rows;
  for (const auto& [name, layer] : layers) {
    LayerRow row;
    row.name = name;
    if (const auto type = types.find(row.name); type != types.end()) row.computed_in = type->second;
    Measure(layer, allocated_bytes, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tidemark::presenters
