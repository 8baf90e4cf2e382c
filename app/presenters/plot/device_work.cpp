#include "app/presenters/plot/device_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "app/presenters/plot/plot_columns.h"
#include "profiler/base/format.h"
#include "profiler/base/saturating.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;
using timeline::DeviceWork;
using timeline::DeviceWorkPage;
using timeline::View;

int64_t BusyOf(const DeviceWorkPage& page) {
  int64_t busy_ns = 0;
  for (const int64_t kind : page.busy_ns) busy_ns = SaturatingSum(busy_ns, kind);
  return busy_ns;
}

// When each column begins, and when the last ends.
std::vector<int64_t> EdgesOf(const View& view, TimeAxis axis, const std::vector<PlotColumn>& columns) {
  const auto time_at = [&](double position) {
    return axis == TimeAxis::kEvents ? view.TimeOf(static_cast<events::EventIndex>(position))
                                     : TimeAtPosition(view, position);
  };
  std::vector<int64_t> edges;
  edges.reserve(columns.size() + 1);
  for (const PlotColumn& column : columns) edges.push_back(time_at(column.begin));
  edges.push_back(time_at(columns.back().end));
  // On the axis of events, works of after the last event lie under it.
  const bool at_the_end = axis == TimeAxis::kEvents && columns.back().end >= static_cast<double>(view.end());
  if (at_the_end && !view.device_work().empty())
    edges.back() = std::max(edges.back(), SaturatingSum(view.device_work().back().latest_ns, 1));
  return edges;
}

class LaneMaker {
 public:
  LaneMaker(const View& view, TimeAxis axis, const std::vector<PlotColumn>& columns)
      : plotted_(columns), edges_(EdgesOf(view, axis, columns)) {
    lane_.columns.resize(columns.size());
    for (size_t k = 0; k < columns.size(); ++k)
      lane_.columns[k].width_ns = SaturatingDifference(edges_[k + 1], edges_[k]);
  }

  void Add(const DeviceWorkPage& page) {
    if (page.end_ns < edges_.front() || page.begin_ns >= edges_.back()) return;
    const size_t column = ColumnOf(page.begin_ns);
    if (page.begin_ns >= edges_.front() && page.end_ns < edges_[column + 1]) return AddWhole(page, column);
    for (size_t i = 0; i < page.count; ++i) AddOne(page.items[i]);
  }

  DeviceLane Finished() { return std::move(lane_); }

 private:
  // Of a time before the last edge.
  size_t ColumnOf(int64_t time_ns) const {
    const auto after = std::upper_bound(edges_.begin() + 1, edges_.end() - 1, time_ns);
    return static_cast<size_t>(after - edges_.begin()) - 1;
  }

  void AddWhole(const DeviceWorkPage& page, size_t column) {
    WorkColumn& into = lane_.columns[column];
    for (size_t kind = 0; kind < page.counts.size(); ++kind) into.counts[kind] += page.counts[kind];
    into.busy_ns = SaturatingSum(into.busy_ns, BusyOf(page));
    into.bytes = SaturatingSum(into.bytes, page.bytes);
    KeepLongest(page.items[page.longest], into);
  }

  void AddOne(const DeviceWork& work) {
    if (work.end_ns() < edges_.front() || work.begin_ns >= edges_.back()) return;
    const size_t first = ColumnOf(work.begin_ns);
    const size_t last = ColumnOf(std::min(work.end_ns(), edges_.back() - 1));
    if (last >= first + 2 && lane_.slices.size() < kMostSlices) {
      lane_.slices.push_back({PositionAt(first, work.begin_ns), PositionAt(last, work.end_ns()), work});
      return;
    }
    WorkColumn& into = lane_.columns[first];
    ++into.counts[KindIndex(work)];
    into.busy_ns = SaturatingSum(into.busy_ns, work.duration_ns);
    into.bytes = SaturatingSum(into.bytes, work.bytes);
    KeepLongest(work, into);
  }

  static void KeepLongest(const DeviceWork& work, WorkColumn& into) {
    if (into.longest.begin_ns == 0 || work.duration_ns > into.longest.duration_ns) into.longest = work;
  }

  double PositionAt(size_t column, int64_t time_ns) const {
    const double share = edges_[column + 1] == edges_[column]
                             ? 0
                             : std::clamp(static_cast<double>(time_ns - edges_[column]) /
                                              static_cast<double>(edges_[column + 1] - edges_[column]),
                                          0.0, 1.0);
    return plotted_[column].begin + share * (plotted_[column].end - plotted_[column].begin);
  }

  const std::vector<PlotColumn>& plotted_;
  const std::vector<int64_t> edges_;
  DeviceLane lane_;
};

}  // namespace

WorkTotals TotalsOfWork(const View& view, size_t most_names) {
  WorkTotals totals;
  std::map<std::pair<EventKind, events::NameId>, WorkTotal> by_name;
  for (const DeviceWorkPage& page : view.device_work()) {
    for (size_t kind = 0; kind < page.counts.size(); ++kind) totals.counts[kind] += page.counts[kind];
    totals.duration_ns = SaturatingSum(totals.duration_ns, BusyOf(page));
    for (size_t i = 0; i < page.count; ++i) {
      const DeviceWork& work = page.items[i];
      WorkTotal& total = by_name[{work.kind, work.name}];
      if (total.count++ == 0) total.name = TitleOf(view, work);
      total.kind = work.kind;
      total.duration_ns = SaturatingSum(total.duration_ns, work.duration_ns);
      total.bytes = SaturatingSum(total.bytes, work.bytes);
    }
  }
  for (auto& [key, total] : by_name) totals.longest.push_back(std::move(total));
  std::ranges::stable_sort(totals.longest, [](const WorkTotal& a, const WorkTotal& b) {
    return std::pair(a.duration_ns, a.count) > std::pair(b.duration_ns, b.count);
  });
  totals.longest.resize(std::min(totals.longest.size(), most_names));
  return totals;
}

std::string CountsText(const std::array<int64_t, timeline::kDeviceWorkKinds>& counts) {
  static constexpr std::array<std::pair<const char*, const char*>, timeline::kDeviceWorkKinds> kWords = {
      {{"kernel", "kernels"}, {"memory copy", "memory copies"}, {"memset", "memsets"}}};
  std::string text;
  for (size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] == 0) continue;
    text += (text.empty() ? "" : ", ") + FormatNumber(counts[kind]) + " " +
            (counts[kind] == 1 ? kWords[kind].first : kWords[kind].second);
  }
  return text;
}

std::string TitleOf(const View& view, const DeviceWork& work) {
  if (work.kind == EventKind::kMemorySet) return "memset";
  const std::string name(view.name(work.name));
  return work.kind == EventKind::kMemoryCopy ? "copy " + name : name;
}

DeviceLane MakeDeviceLane(const View& view, TimeAxis axis, const std::vector<PlotColumn>& columns) {
  if (columns.empty() || view.empty() || view.device_work().empty()) return {};
  LaneMaker maker(view, axis, columns);
  for (const DeviceWorkPage& page : view.device_work()) maker.Add(page);
  return maker.Finished();
}

}  // namespace tidemark::presenters
