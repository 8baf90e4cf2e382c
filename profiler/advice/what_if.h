// A recording's requests, replayed with other settings of PyTorch's allocator or on a card of another size:
// what would have been reserved, and whether it would have run out of memory. Any thread; each replay takes a
// process of its own, some 20 ms and 0.4 us for each request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/replay/replay.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

struct AllocatorSetup {
  phantom::Card card;    // with the memory that it has
  std::string settings;  // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own
  // The state that it begins with: what another run asked for in the same process before, and gave back, is
  // cached. None: nothing is.
  std::shared_ptr<const std::vector<phantom::Request>> after = {};
  std::string after_title = {};                         // of that run
  std::optional<phantom::AddressOrder> addresses = {};  // none: in the order that the run's driver had
};
// `own` with what is said: another card, its memory (0 = all that the card has), settings ("" = as they
// were).
AllocatorSetup Otherwise(AllocatorSetup own, const std::optional<phantom::Card>& card, int64_t memory_bytes,
                         const std::string& settings);
// It begins with what is cached after `before`, a run on `card`. Fails as ReplayedRun::Of.
Status BeginAfter(const timeline::View& before, const phantom::Card& card, AllocatorSetup& setup);

struct WhatIf {
  phantom::Replayed before;  // with the run's own setup
  phantom::Replayed after;
  // Whether `before` has the peaks that were recorded. Where not, the run did what requests do not hold (CUDA
  // graphs, say) or had another allocator, and only the difference tells something.
  bool is_as_recorded = false;
  bool ends_at_failure = false;  // the run did, so nobody knows what it would have asked for after that
};

inline constexpr const char* kNotAsRecorded =
    "Replayed as it was, the run does not come to the peaks that were recorded: trust the difference.";
inline constexpr const char* kEndsAtFailure =
    "The run ended when memory ran out, so this is of what it had asked for until then; what it would have "
    "asked for after that is not known.";

inline constexpr const char* kNoneMakesRoom = "None of the allocator's settings that were tried makes room.";

// One run, replayed once as it was and then as often as asked otherwise. Every replay has its curves.
class ReplayedRun {
 public:
  // Fails with a sentence where the view lacks the run's beginning or PyTorch refuses the settings.
  // `progress`, here and below, may end it, which is an error.
  static Result<ReplayedRun> Of(const timeline::View& view, const AllocatorSetup& own,
                                const session::AllocatorOf& allocator = {}, const Progress& progress = {});
  Result<WhatIf> With(const AllocatorSetup& other, const Progress& progress = {}) const;

 private:
  ReplayedRun(std::vector<phantom::Request> requests, session::AllocatorOf allocator)
      : requests_(std::move(requests)), allocator_(std::move(allocator)) {}
  Result<phantom::Replayed> Replay(const AllocatorSetup& setup, const Progress& progress) const;

  std::vector<phantom::Request> requests_;
  session::AllocatorOf allocator_;
  phantom::Replayed before_;
  bool is_as_recorded_ = false;
  bool ends_at_failure_ = false;
};

// The settings that are tried where nobody names any: one for each of the allocator's ways (PyTorch's notes
// on CUDA semantics, "Optimizing memory usage with PYTORCH_CUDA_ALLOC_CONF"). PyTorch only collects where a
// fraction is set.
inline constexpr const char* kTriedSettings[] = {
    "expandable_segments:True", "max_split_size_mb:128",
    "garbage_collection_threshold:0.8,per_process_memory_fraction:0.95", "roundup_power2_divisions:4"};
struct AllocatorTrial {
  std::string settings;
  WhatIf outcome;
};
struct AllocatorTrials {
  std::vector<AllocatorTrial> trials;
  std::string error;  // why there are none, or not all: an older PyTorch may not know a setting
};
// Each in the place of the settings of `other`, which is mostly as `own`, the run's. `progress` (0..1) may
// return false to cancel.
AllocatorTrials TrySettings(const timeline::View& view, const AllocatorSetup& own, AllocatorSetup other,
                            const session::AllocatorOf& allocator = {}, const Progress& progress = {});
// Those in which nothing failed, the one that reserves least first.
std::vector<AllocatorTrial> WithRoom(std::vector<AllocatorTrial> trials);

// What one of those does for the run: "has room for all that it asked for, 14.29 GiB reserved"; of one that
// ended where memory ran out, "gets past the request that failed, 14.29 GiB reserved until then".
std::string RoomOf(const WhatIf& outcome, ByteUnit unit);
inline constexpr const char* kRestIsNotKnown =
    "Whether the rest of the step would fit is not known, since the run ended before it.";

// What the run asks for, or asked for until it ended, is not all there. Its peaks are then those of a run
// that did without, and no saving.
bool DoesNotFit(const WhatIf& outcome);
// "It does not fit: 7 of its requests fail."
std::string FailureInWords(const WhatIf& outcome);

// Without failing more often.
bool ReservesLess(const WhatIf& outcome);

// What trials say of a run's fragmentation, a sentence; "" where there are none.
std::string AdviceOf(const std::vector<AllocatorTrial>& trials, ByteUnit unit);

// Of settings that cannot change anything as they are: why, and what to add; "" of others.
std::string WhyWithoutEffect(const std::string& settings);

// Of both curves; at least 1.
int64_t HighestBytes(const WhatIf& outcome);

// Reserved at most beyond what was ever allocated.
int64_t UnusedBytes(const phantom::Replayed& replayed);

}  // namespace tidemark::advice
