// Layer by layer: what the textbook counts, and what of it is alive at a moment, in bytes. Pure functions,
// any thread. O(live blocks + chunks), and O(events of a step) for the types that layers computed in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/moment/peak_moment.h"
#include "profiler/base/format.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct LayerRow {
  std::string name;
  std::string output;
  int64_t parameters = 0;
  int64_t parameters_bytes = 0;
  int64_t activations_bytes = 0;                // textbook
  std::optional<int64_t> measured_saved_bytes;  // alive as activation at the peak, allocated by this layer
  std::optional<int64_t> measured_temporary_bytes;
  std::optional<int64_t> measured_parameter_bytes;
  std::optional<int64_t> measured_gradient_bytes;   // of its parameters
  std::optional<int64_t> measured_optimizer_bytes;  // what an optimizer keeps of them
  std::optional<int64_t> measured_workspace_bytes;
  int64_t recomputed_bytes = 0;  // textbook: made again in backward under checkpointing
  // What this layer allocated, and its parameters, of all that is alive at the peak; and what of it is none
  // of the measured figures above: inputs, outputs, copies of autocast's, what is not known.
  double share_of_peak = 0;
  int64_t other_bytes = 0;
  std::string formula;
  // Where the other figure of what is kept stands, if not in this row: the layer that the textbook counts
  // this one's result with (a ReLU's with the convolution before it), and the layer that allocated what the
  // textbook counts here.
  std::string counts_with;
  std::string allocated_by;
  std::string computed_in;  // under autocast: "float16", see timeline/computed_types.h; "" = nobody told
};
// What a layer's share is made of, a line each, the largest first: "68.2 MB workspace".
std::string PartsInWords(const LayerRow& row, ByteUnit unit);
// The step in whose types of numbers layers are said to have computed: the moment's, or the last complete one
// where it lies in none; null where none is.
const timeline::Step* StepOfTypes(const timeline::View& view, const std::optional<PeakMoment>& moment);
// As it stood at a moment; without one, or where nobody told of blocks, what is known on paper.
std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const textbook::Estimate& textbook,
                                     const std::optional<PeakMoment>& moment);
// Of a program, which no textbook knows: the layers that allocated what is alive, in the order in which the
// run met them first.
std::vector<LayerRow> MakeLayerTable(const timeline::View& view, const std::optional<PeakMoment>& moment);

}  // namespace tidemark::presenters
