// How far the order of the driver's addresses, which nobody knows beforehand, moves what a run on the phantom
// reserves, and what it allocates: the run's requests, replayed in other orders. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/replay/replay.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

struct ReservedBand {
  phantom::ReservedBand bytes;
  // PyTorch frees all it had cached when the card is full, and what is reserved jumps from there on. Whether
  // it does so in some order of addresses, or would if an order moved it by as much again, one segment at
  // least: of several cards the fullest. Of a run that survived a request for which there was no room by the
  // latter alone; not of a run that ended at one: that tells it.
  bool at_the_cliff = false;
  // Reserved at the peak where blocks that wait for other streams come back with the end of their step only,
  // all of the cards at most: when one is full PyTorch waits for them. None where no block waited, no step
  // is complete, or the run ended at a request for which there was no room.
  std::optional<int64_t> late_frees_bytes = std::nullopt;
};

// Why there is none of a card that fails on purpose.
inline constexpr std::string_view kNoBandOfFaults = "Faults were asked for, which move it as well.";

// `card` with the memory that the run had. The allocator is that of the torch which its replayer was built
// for, with the settings in `environment` (child_environment.h) and the order of addresses that the run had.
Result<ReservedBand> ReservedBandOf(const timeline::View& view, const phantom::Card& card,
                                    const AllocatorOf& allocator = {},
                                    const std::vector<std::string>& environment = {},
                                    const Progress& progress = {});

}  // namespace tidemark::session
