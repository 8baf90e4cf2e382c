// What may go wrong on a card, for programs that are to be seen coping with it: written on the command line,
// read by the device. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

// A request is one for memory of the driver (cudaMalloc, cuMemCreate, a growing pool), counted from 1. 0 =
// never.
struct Faults {
  int64_t failing_request = 0;
  bool later_ones_fail_too = false;  // else PyTorch frees what it had cached, and its second try succeeds
  int64_t largest_piece_bytes = 0;   // free memory is in pieces, none of them larger; 0 = in one
  int64_t request_delay_ns = 0;
  int64_t taken_bytes = 0;  // by another process,
  int64_t taken_after = 0;  // once so many requests have been answered

  bool operator==(const Faults&) const = default;
};

// "out-of-memory=37", "out-of-memory=37.." (and all later ones), "fragmentation=64MiB", "slow-driver=2ms" (or
// us), "other-process=20GiB" and "other-process=20GiB@100"; several with commas between them.
Result<Faults> FaultsFromText(std::string_view text);

inline constexpr std::string_view kOutOfMemoryFault = "out-of-memory";
inline constexpr std::string_view kFragmentationFault = "fragmentation";
inline constexpr std::string_view kSlowDriverFault = "slow-driver";
inline constexpr std::string_view kOtherProcessFault = "other-process";

// How a sentence begins that says that a fault of this kind has struck.
std::string FaultStruck(std::string_view kind);
// What `notes` (sentences that the device told, those among them) leave unsaid of the faults in `text`: that
// they were asked for, so that the figures are those of a card that fails, and which did not happen.
std::vector<std::string> FaultNotes(std::string_view text, const std::vector<std::string>& notes);

// Whether these notes are of a run on such a card.
bool SpeakOfFaults(const std::vector<std::string>& notes);

}  // namespace tidemark::phantom
