// What is told at the latest peak, where a test needs no moment of its own.
#pragma once

#include <optional>
#include <vector>

#include "app/presenters/moment/breakdown.h"
#include "app/presenters/moment/bridge.h"
#include "app/presenters/moment/layer_table.h"
#include "app/presenters/moment/peak_moment.h"

namespace tidemark::presenters {

inline Breakdown BreakdownAtPeak(const timeline::View& view,
                                 const std::optional<textbook::Estimate>& textbook = {},
                                 const std::optional<session::Prediction>& phantom = {}) {
  return MakeBreakdown(view, textbook, phantom, LatestPeak(view));
}

// There must be one.
inline Bridge BridgeAtPeak(const timeline::View& view, const textbook::Estimate& textbook) {
  return MakeBridge(view, textbook, LatestPeak(view).value());
}

inline std::vector<LayerRow> LayersAtPeak(const timeline::View& view, const textbook::Estimate& textbook) {
  return MakeLayerTable(view, textbook, LatestPeak(view));
}

}  // namespace tidemark::presenters
