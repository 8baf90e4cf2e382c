#include "profiler/timeline/device_peaks.h"

#include <algorithm>

#include "profiler/base/wrapping.h"

namespace tidemark::timeline {

void DevicePeaksBuilder::Apply(const events::Event& event, const Ledger::Outcome& outcome) {
  switch (outcome.effect) {
    case Effect::kReplace:
      Subtract(outcome.block);
      [[fallthrough]];
    case Effect::kAllocate:
      return Add({event.device, event.rounded_bytes, event.bytes, 0});
    case Effect::kFree:
      return Subtract(outcome.block);
    case Effect::kReserve:
      return Add({event.device, 0, 0, event.rounded_bytes});
    case Effect::kRelease:
      return Add({event.device, 0, 0, -event.rounded_bytes});
    default:
      return;
  }
}

DevicePeaks DevicePeaksBuilder::NowOn(uint8_t device) const {
  const auto found = std::ranges::find(now_, device, &DevicePeaks::device);
  return found == now_.end() ? DevicePeaks{device} : *found;
}

void DevicePeaksBuilder::Subtract(const LiveBlock& block) {
  Add({block.device, -block.rounded_bytes, -block.bytes, 0});
}

void DevicePeaksBuilder::Add(const DevicePeaks& change) {
  const auto place = std::ranges::lower_bound(now_, change.device, {}, &DevicePeaks::device) - now_.begin();
  if (place == std::ssize(now_) || now_[static_cast<size_t>(place)].device != change.device) {
    now_.insert(now_.begin() + place, {change.device});
    peaks_.insert(peaks_.begin() + place, {change.device});
  }
  DevicePeaks& now = now_[static_cast<size_t>(place)];
  DevicePeaks& peak = peaks_[static_cast<size_t>(place)];
  const auto move = [&](int64_t DevicePeaks::*member) {
    AddTo(now.*member, change.*member);
    peak.*member = std::max(peak.*member, now.*member);
  };
  move(&DevicePeaks::allocated_bytes);
  move(&DevicePeaks::requested_bytes);
  move(&DevicePeaks::reserved_bytes);
}

}  // namespace tidemark::timeline
