#include "app/presenters/moment/layer_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/base/natural_order.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/computed_types.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

struct AliveOfLayer {
  events::NameId id = 0;  // the first that has this name; 0: it has allocated none of it
  int64_t saved_bytes = 0;
  int64_t temporary_bytes = 0;
  int64_t parameter_bytes = 0;
  int64_t gradient_bytes = 0;
  int64_t optimizer_bytes = 0;
  int64_t workspace_bytes = 0;
  double all_bytes = 0;
};

struct Alive {
  std::map<std::string_view, AliveOfLayer, NaturalOrder> by_layer;  // LayerOf
  double all_bytes = 0;
};

Alive AliveByLayer(const timeline::View& view, const timeline::State& state) {
  Alive alive;
  for (const timeline::LiveBlock& block : timeline::CountedBlocks(state)) {
    const auto bytes = static_cast<double>(block.rounded_bytes);
    alive.all_bytes += bytes;
    AliveOfLayer& layer = alive.by_layer[LayerOf(view, block)];
    if (layer.id == 0) layer.id = block.layer;
    layer.all_bytes += bytes;
    if (block.category == events::Category::kActivation) AddTo(layer.saved_bytes, block.rounded_bytes);
    if (block.category == events::Category::kTemporary) AddTo(layer.temporary_bytes, block.rounded_bytes);
    if (block.category == events::Category::kParameter) AddTo(layer.parameter_bytes, block.rounded_bytes);
    if (block.category == events::Category::kGradient) AddTo(layer.gradient_bytes, block.rounded_bytes);
    if (block.category == events::Category::kOptimizerState)
      AddTo(layer.optimizer_bytes, block.rounded_bytes);
    if (block.category == events::Category::kWorkspace) AddTo(layer.workspace_bytes, block.rounded_bytes);
  }
  return alive;
}

std::map<std::string, std::string> TypesAt(const timeline::View& view,
                                           const std::optional<PeakMoment>& moment) {
  const timeline::Step* step = StepOfTypes(view, moment);
  return step == nullptr ? std::map<std::string, std::string>() : timeline::ComputedTypes(view, *step);
}

void Measure(const Alive& alive, LayerRow& row) {
  const auto found = alive.by_layer.find(row.name);
  const AliveOfLayer layer = found == alive.by_layer.end() ? AliveOfLayer() : found->second;
  row.measured_saved_bytes = layer.saved_bytes;
  row.measured_temporary_bytes = layer.temporary_bytes;
  row.measured_parameter_bytes = layer.parameter_bytes;
  row.measured_gradient_bytes = layer.gradient_bytes;
  row.measured_optimizer_bytes = layer.optimizer_bytes;
  row.measured_workspace_bytes = layer.workspace_bytes;
  if (alive.all_bytes <= 0) return;
  row.share_of_peak = layer.all_bytes / alive.all_bytes;
  double told_bytes = 0;
  for (const int64_t bytes : {layer.saved_bytes, layer.temporary_bytes, layer.parameter_bytes,
                              layer.gradient_bytes, layer.optimizer_bytes, layer.workspace_bytes})
    told_bytes += static_cast<double>(bytes);
  constexpr double kMost = 0x1p62;  // of what a damaged recording claims
  row.other_bytes = static_cast<int64_t>(std::clamp(layer.all_bytes - told_bytes, 0.0, kMost));
}

}  // namespace

const timeline::Step* StepOfTypes(const timeline::View& view, const std::optional<PeakMoment>& moment) {
  const timeline::Step* step = moment ? timeline::StepAt(view, moment->index) : nullptr;
  return step != nullptr ? step : timeline::LastCompleteStep(view);
}

std::string PartsInWords(const LayerRow& row, ByteUnit unit) {
  std::array<std::pair<int64_t, std::string_view>, 7> parts = {
      {{row.measured_saved_bytes.value_or(0), "kept for backward"},
       {row.measured_temporary_bytes.value_or(0), "temporary"},
       {row.measured_parameter_bytes.value_or(0), "parameters"},
       {row.measured_gradient_bytes.value_or(0), "gradient"},
       {row.measured_optimizer_bytes.value_or(0), "optimizer state"},
       {row.measured_workspace_bytes.value_or(0), "workspace"},
       {row.other_bytes, "other: inputs, outputs, copies of autocast's, and what is not known"}}};
  std::ranges::stable_sort(parts, std::ranges::greater(), &std::pair<int64_t, std::string_view>::first);
  std::string text;
  for (const auto& [bytes, what] : parts) {
    if (bytes > 0) text += (text.empty() ? "" : "\n") + FormatBytes(bytes, unit) + " " + std::string(what);
  }
  return text;
}

std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const textbook::Estimate& textbook,
                                     const std::optional<PeakMoment>& peak) {
  const bool is_measured = peak && view.tells_blocks();
  Alive alive;
  if (is_measured) alive = AliveByLayer(view, timeline::SettledStateAt(view, peak->index, peak->step_end));
  const std::map<std::string, std::string> types = TypesAt(view, peak);
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
                 {},
                 {},
                 layer.recomputed_bytes,
                 0,
                 0,
                 layer.formula,
                 layer.counts_with,
                 {},
                 {}};
    if (const auto type = types.find(layer.name); type != types.end()) row.computed_in = type->second;
    if (is_measured) Measure(alive, row);
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
  Alive alive = AliveByLayer(view, timeline::SettledStateAt(view, moment->index, moment->step_end));
  alive.by_layer.erase("");
  std::vector<std::pair<std::string_view, AliveOfLayer>> layers(alive.by_layer.begin(), alive.by_layer.end());
  std::ranges::stable_sort(layers, {}, [](const auto& layer) {
    const bool has_run = layer.second.id != 0;
    return std::pair(!has_run, layer.second.id);
  });
  const std::map<std::string, std::string> types = TypesAt(view, moment);
  std::vector<LayerRow> rows;
  for (const auto& layer : layers) {
    LayerRow row;
    row.name = layer.first;
    if (const auto type = types.find(row.name); type != types.end()) row.computed_in = type->second;
    Measure(alive, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tidemark::presenters
