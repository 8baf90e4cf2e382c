// What a change of settings did to a run, told from the run itself: the step before it beside one after it.
// Pure functions.
#pragma once

#include <optional>
#include <string>

#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// The second complete step after the change beside the last one before it: the first one after may still make
// state, or let go of old.
struct SettingsChange {
  std::string text;  // "fp16 on"
  timeline::Step before;
  timeline::Step after;
  // How many times as long a step takes: by the median of at most eight steps on either side, where there are
  // three of each, they compute (a phantom's do not), and the middle halves of both lie apart.
  std::optional<double> times_as_long;
  timeline::Series level = timeline::Series::kAllocated;  // View::peak_level(), whose peaks are compared
};

// Nothing until that step is complete, and where settings did not change. O(log steps).
std::optional<SettingsChange> ChangeAt(const timeline::View& view, const timeline::Marker& marker);
// The last of the view. O(markers since then · log steps).
std::optional<SettingsChange> LatestChange(const timeline::View& view);

// Those in force at an event, and those that a run had last; none where it tells of none.
std::optional<networks::TrainingSettings> SettingsInForce(const timeline::View& view,
                                                          events::EventIndex index);
std::optional<networks::TrainingSettings> LastSettings(const timeline::View& view);
// How the settings that two runs had last differ: "fp16 on", of the second. "" where they do not, or one
// tells of none.
std::string SettingsDifference(const timeline::View& first, const timeline::View& second);

// Whether the latest step ran with these settings; false where there is none, or it tells of none. What is
// chosen while no run goes, or between two steps, has not been tried.
bool GoesWith(const timeline::View& view, const networks::TrainingSettings& settings);

// ", time × 1.30"; "" of what nobody would notice.
std::string PriceOfTime(double times_as_long);
// "−45.4 MB at peak, time × 0.62".
std::string ConsequenceOf(const SettingsChange& change, ByteUnit unit);

}  // namespace tidemark::presenters
