// What the GPU did besides holding memory, as it is told and drawn: a line of totals, and a lane under the
// timeline. Pure functions. Totals: O(works). A lane: O(pages · log columns), and O(log columns) for each
// work of a page that lies in several columns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/presenters/plot/timeline_plot.h"
#include "profiler/timeline/device_work.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// What one function, or one kind of copy, took in all.
struct WorkTotal {
  std::string name;
  events::EventKind kind = events::EventKind::kKernel;
  int64_t count = 0;
  int64_t duration_ns = 0;
  int64_t bytes = 0;
};

struct WorkTotals {
  std::array<int64_t, timeline::kDeviceWorkKinds> counts{};
  int64_t duration_ns = 0;         // 0 where nothing computes, as on a phantom
  std::vector<WorkTotal> longest;  // by duration, then by count
};
WorkTotals TotalsOfWork(const timeline::View& view, size_t most_names);

// "12 kernels, 3 memory copies, 1 memset"; "" of none.
std::string CountsText(const std::array<int64_t, timeline::kDeviceWorkKinds>& counts);
// "memset", "vectorized_elementwise_kernel<...>", "copy host to device".
std::string TitleOf(const timeline::View& view, const timeline::DeviceWork& work);

// A work that is at least two columns wide.
struct WorkSlice {
  double begin = 0;  // positions on the axis
  double end = 0;
  timeline::DeviceWork work;
};

// The others, of a column of the plot.
struct WorkColumn {
  std::array<int64_t, timeline::kDeviceWorkKinds> counts{};
  int64_t busy_ns = 0;
  int64_t width_ns = 0;
  int64_t bytes = 0;
  timeline::DeviceWork longest;

  int64_t count() const { return counts[0] + counts[1] + counts[2]; }
};

struct DeviceLane {
  std::vector<WorkColumn> columns;  // one for each of the plot's; empty = the run tells of no work
  std::vector<WorkSlice> slices;    // at most kMostSlices
};
inline constexpr size_t kMostSlices = 4096;

DeviceLane MakeDeviceLane(const timeline::View& view, TimeAxis axis, const std::vector<PlotColumn>& columns);

}  // namespace tidemark::presenters
