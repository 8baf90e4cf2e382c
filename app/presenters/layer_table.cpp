#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "app/presenters/tables.h"
#include "profiler/timeline/computed_types.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::presenters {
namespace {

struct AliveOfLayer {
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
    if (peak) {
      const AliveOfLayer& measured = alive[layer.name];
      row.measured_saved_bytes = measured.saved_bytes;
      row.measured_temporary_bytes = measured.temporary_bytes;
      row.measured_gradient_bytes = measured.gradient_bytes;
      row.measured_workspace_bytes = measured.workspace_bytes;
      if (allocated_bytes > 0) row.share_of_peak = measured.all_bytes / allocated_bytes;
    }
    rows.push_back(std::move(row));
  }
  for (const LayerRow& row : rows) {
    if (row.counts_with.empty() || row.measured_saved_bytes.value_or(0) == 0) continue;
    const auto counted = std::ranges::find(rows, row.counts_with, &LayerRow::name);
    if (counted != rows.end()) counted->allocated_by = row.name;
  }
  return rows;
}

}  // namespace tidemark::presenters
