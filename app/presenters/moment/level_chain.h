// The answers to "how much memory?" at one moment, from tensors to the card, each with what lies between it
// and the one before. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct LevelRow {
  std::string title;  // a level: "reserved"; a gap: "cached by PyTorch"
  int64_t bytes = 0;
  std::optional<timeline::Series> level = {};  // none: a gap
  int64_t away_ns = 0;                         // SampledLevel's

  bool is_gap() const { return !level; }
};

// requested ≤ allocated ≤ reserved ≤ driver ≤ process ≤ card, as far as they were told of (requested: where
// it is not the same as allocated, as it is of a recorder that sees blocks only), right after the first event
// at which View::peak_level() was largest in [begin, end). `process` and `card` are samples (SampledLevel): a
// gap below 0 comes from that, and is shown as it is. What CUPTI takes for itself is a gap of its own where
// it was told (CuptiShare).
std::vector<LevelRow> MakeLevelChain(const timeline::View& view, timeline::EventIndex begin,
                                     timeline::EventIndex end);
// At the run's peak (PeakOfRun).
std::vector<LevelRow> MakeLevelChain(const timeline::View& view);
// Whether the levels that a gap of a chain lies between are of one moment: process and card are sampled
// beside each other, what is below them is known at every event.
bool IsKnown(const std::vector<LevelRow>& chain, std::vector<LevelRow>::const_iterator gap);

// process and card: the card is asked ten times a second.
bool IsSampled(timeline::Series series);
// What the card tells.
struct SampledLevel {
  int64_t bytes = 0;
  // How long after the moment it was asked, below 0 before it, where the process held more or less of the
  // card then; 0 where it held as much.
  int64_t away_ns = 0;
  bool is_of_run_before = false;  // training began anew, and the card was not asked since

  bool is_of_moment() const { return away_ns == 0 && !is_of_run_before; }
};
// Of the sample before an event and the one after it, within 0.2 s, that at which the process held more
// nearly what it holds at the event; the one before counts only if training has not begun anew between.
// O(log events · envelopes).
SampledLevel SampleAt(const timeline::View& view, timeline::EventIndex index, timeline::Series series);
// The one before, whatever comes after it.
SampledLevel SampleBefore(const timeline::View& view, timeline::EventIndex index, timeline::Series series);
// ", told 80 ms later"; "" where it is of the moment.
std::string AwayText(int64_t away_ns);

// How much of the gap below what the process holds CUPTI took for itself, at the least: View::cupti_bytes(),
// where kernels are recorded; 0 where the gap is smaller, for then it is of a sample from before. O(pages of
// kernels).
int64_t CuptiShare(const timeline::View& view, int64_t gap_bytes);

// One level right after an event; 0 where nobody told, or has not yet, or the card was not asked while the
// process held what it holds then.
int64_t LevelAt(const timeline::View& view, timeline::EventIndex index, timeline::Series series);

// What a library holds of the driver's level, where CUPTI tells who asked for memory: its records come up to
// 50 ms after the level has changed, so that they say how much was held, and not at which moment.
struct LibraryMemory {
  std::string library;     // "libc10_cuda.so"
  int64_t most_bytes = 0;  // at once
  int64_t last_bytes = 0;
};
// Told of a run's events one by one, in their order. One thread.
class DriverLibraries {
 public:
  void Take(const timeline::View& view, const events::Event& event);
  // The largest first. O(libraries).
  std::vector<LibraryMemory> Largest() const;
  // Managed memory, which is none of the driver's level (events/driver_memory.h), under its name; none if
  // nobody told of any.
  const std::optional<LibraryMemory>& managed() const { return managed_; }

 private:
  std::map<events::NameId, LibraryMemory> libraries_;
  std::optional<LibraryMemory> managed_;
};
// Of a whole run. O(events).
DriverLibraries DriverMemoryByLibrary(const timeline::View& view);

// Whether nothing is wrong with a source: its state begins with "live", and says no ", but", or it is
// "waiting" for the program to begin.
bool IsWell(const timeline::SourceState& state);

// "lost 12 events since 0.300 s" of the run; "" where it lost none.
std::string LostSince(const timeline::View& view, const timeline::SourceState& state);

// "driver: live (CUPTI 13.0); lost 12 events since 0.300 s", for each source that told of itself.
std::vector<std::string> SourceLines(const timeline::View& view);

// "12 events were lost (allocator, driver), the first after 0.300 s; the curves have gaps there."; "" where
// none were.
std::string LossText(const timeline::View& view);

}  // namespace tidemark::presenters
