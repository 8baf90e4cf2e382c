#include "app/gui/background/program_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "app/presenters/run/program_facts.h"
#include "profiler/base/csv.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

std::optional<int64_t> ProgramSweep::LargestThatFits() const {
  std::optional<int64_t> largest;
  for (const session::SweepPoint& point : points) {
    if (Fits(point)) largest = std::max(largest.value_or(point.value), point.value);
  }
  return largest;
}

std::string ProgramSweep::AsCsv() const {
  std::string csv = fmt::format(
      "{},allocated_peak_bytes,reserved_peak_bytes,least_reserved_bytes,most_reserved_bytes,taken_bytes,fits,"
      "out_of_memory,ended_by\n",
      CsvField(option));
  for (const session::SweepPoint& point : points) {
    const std::string figures =
        point.has_peaks
            ? fmt::format("{},{},{},{},{}", point.allocated_peak_bytes, point.reserved_peak_bytes,
                          point.least_reserved_bytes, point.most_reserved_bytes, TakenBytes(point))
            : ",,,,";
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{}\n", point.value, figures, Fits(point),
                   point.out_of_memory, CsvField(point.sentence));
  }
  return csv;
}

// The script; else what is started.
std::string ProgramSweep::Program() const {
  std::istringstream words(order.program.command);
  std::string first;
  for (std::string word; words >> word;) {
    if (word.ends_with(".py")) return std::filesystem::path(word).filename().string();
    if (first.empty()) first = std::filesystem::path(word).filename().string();
  }
  return first;
}

std::string ProgramSweep::Summary() const {
  std::string text =
      fmt::format("{} of {} {}", points.size(), values.size(), values.size() == 1 ? "run" : "runs");
  if (!goes_on && points.size() < values.size()) text += ", stopped";
  const std::optional<int64_t> largest = LargestThatFits();
  if (!largest) return text;
  const bool do_all_fit = std::ranges::all_of(points, [&](const auto& point) { return Fits(point); });
  if (!goes_on && do_all_fit) return text + " · all fit, up to " + FormatNumber(*largest);
  return text + " · the largest that fits" + (goes_on ? " so far: " : ": ") + FormatNumber(*largest);
}

std::string ProgramSweep::Doubt() const {
  std::vector<std::optional<int64_t>> peaks;
  peaks.reserve(points.size());
  for (const session::SweepPoint& point : points) {
    peaks.push_back(point.has_peaks ? std::optional(point.allocated_peak_bytes) : std::nullopt);
  }
  return goes_on ? "" : presenters::DoubtOfSweep(option, peaks);
}

std::string ProgramSweep::WhyNoCurve() const {
  const auto has_failed = [](const session::SweepPoint& point) {
    return !point.has_peaks && !point.out_of_memory;
  };
  if (goes_on || points.empty() || !std::ranges::all_of(points, has_failed)) return "";
  return fmt::format("Every run failed, so there is no curve. With --{} {}: {}", option, points.front().value,
                     points.front().sentence);
}

int64_t ProgramSweep::CardOnAxis() const {
  constexpr int64_t kFar = 8;  // times the highest: with it that would lie in the lower half
  int64_t highest = 0;
  for (const session::SweepPoint& point : points) {
    if (point.out_of_memory) return card.memory_bytes;
    if (point.has_peaks) highest = std::max(highest, TakenBytes(point));
  }
  return highest > 0 && card.memory_bytes / kFar > highest ? 0 : card.memory_bytes;
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
