// How the fake trainer behaves: chosen by the number of micro-batches in its settings, less one.
#pragma once

#include <cstdint>

namespace tidemark::session {

enum FakeBehaviour : int {
  kObeys,            // steps of kFakeStepEvents events, a step limit, pauses, restarts, a stop
  kAborts,           // says something on stderr and aborts after three steps
  kExitsQuietly,     // with code 3
  kRunsOutOfMemory,  // an event and a report
  kMeetsUnmodelled,  // as a stand-in that refuses a function
  kFloods,           // pushes as fast as it can, without asking whether there is room
  kIgnoresStop,      // and everything else
  kTalksNonsense,    // a report that is none
  kClosesChannel,    // and lives on
  kNeverStarts,      // ends before it says that it has started
  kFinishesAndHangs,
};

inline constexpr int kFakeStepEvents = 12;
inline constexpr int64_t kFakeBlockBytes = 1 << 20;  // allocated twice in a step, three times in the first

}  // namespace tidemark::session
