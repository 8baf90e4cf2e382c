#include "app/gui/program_sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::gui {

std::optional<int64_t> ProgramSweep::LargestThatFits() const {
  std::optional<int64_t> largest;
  for (const session::SweepPoint& point : points) {
    if (Fits(point)) largest = std::max(largest.value_or(point.value), point.value);
  }
  return largest;
}

void SweepInbox::Begin(const std::string& option, const std::vector<int64_t>& values) {
  const MutexLock lock(mutex_);
  option_ = option;
  values_ = values;
}

void SweepInbox::Add(const session::SweepPoint& point) {
  const MutexLock lock(mutex_);
  points_.push_back(point);
}

double SweepInbox::share() const {
  const MutexLock lock(mutex_);
  return values_.empty() ? 0 : static_cast<double>(points_.size()) / static_cast<double>(values_.size());
}

std::string SweepInbox::Title() const {
  const MutexLock lock(mutex_);
  return fmt::format("Sweep over --{}: {} of {} runs", option_, points_.size(), values_.size());
}

bool SweepInbox::MoveTo(ProgramSweep& sweep) {
  const MutexLock lock(mutex_);
  if (sweep.points.size() == points_.size() && sweep.values.size() == values_.size()) return false;
  sweep.option = option_;
  sweep.values = values_;
  sweep.points = points_;
  return true;
}

}  // namespace tidemark::gui
