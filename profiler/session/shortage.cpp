#include "profiler/session/shortage.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"
#include "profiler/events/tensor_names.h"
#include "profiler/session/one_card.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/steps.h"

namespace tidemark::session {

using timeline::Series;

namespace {

// CUDACachingAllocator.cpp: kMinLargeAlloc, kLargeBuffer, kRoundLarge.
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kRoundLarge = 2 * kMiB;
constexpr int64_t kLargeRequest = 10 * kMiB;
constexpr int64_t kLargeSegment = 20 * kMiB;

int64_t RoundUp(int64_t bytes, int64_t multiple) {
  return SaturatingSum(bytes, multiple - 1) / multiple * multiple;
}

// What an error's message asks for, as of the numbers in it, is less; what a program goes on with is more.
constexpr int64_t kOfMessage = kMiB;

bool IsAllocatedBetween(const timeline::View& view, timeline::EventIndex begin, timeline::EventIndex end,
                        int64_t more_than = 0) {
  int64_t bytes = 0;
  for (timeline::EventIndex at = std::max(begin, view.first()); at < end && bytes <= more_than; ++at) {
    const events::Event event = view.event(at);
    if (event.kind == events::EventKind::kAllocate) bytes = SaturatingSum(bytes, event.rounded_bytes);
  }
  return bytes > more_than;
}

// An error that unwinds an optimizer's step ends that, too, and with it the step; but it only frees.
bool IsProofOfGoingOn(const timeline::View& view, const timeline::Step& step, timeline::EventIndex failure) {
  if (!step.complete || step.end <= failure) return false;
  const bool ends_with_failure = failure >= view.first() && step.begin <= failure &&
                                 view.event(failure).phase == events::Phase::kOptimizer;
  return !ends_with_failure || IsAllocatedBetween(view, failure + 1, step.end);
}

// Where no step came to its end, as in programs without an optimizer, and after the last one, as in an
// evaluation, what is allocated tells.
bool WentOnAfter(const timeline::View& view, timeline::EventIndex failure) {
  const auto& steps = view.steps();
  if (std::ranges::none_of(steps, &timeline::Step::complete))
    return IsAllocatedBetween(view, failure + 1, view.end());
  const auto is_proof = [&](const timeline::Step& step) { return IsProofOfGoingOn(view, step, failure); };
  if (std::ranges::any_of(steps, is_proof)) return true;
  return timeline::StepAt(view, failure) == nullptr &&
         IsAllocatedBetween(view, failure + 1, view.end(), kOfMessage);
}

bool WouldHaveRoomAfterWaiting(const Shortage& shortage) {
  return SaturatingSum(BytesInReach(shortage), shortage.waiting_bytes) >= shortage.requested_bytes;
}

// Nine tenths.
bool IsNearlyAll(int64_t part, int64_t whole) { return part / 9 >= whole / 10; }

bool IsWhileLoading(const timeline::View& view, const timeline::State& state,
                    const timeline::OutOfMemory& failure) {
  if (!view.steps().empty() && view.steps()[0].begin <= failure.index) return false;
  int64_t parameter_bytes = 0;
  for (const timeline::LiveBlock& block : timeline::CountedBlocks(state)) {
    if (block.category == events::Category::kParameter && block.device == failure.device)
      parameter_bytes = SaturatingSum(parameter_bytes, block.rounded_bytes);
  }
  return parameter_bytes > 0 && IsNearlyAll(parameter_bytes, failure.allocated_bytes);
}

bool HasExpandableSegments(const timeline::View& view, timeline::EventIndex moment) {
  return std::ranges::any_of(view.StateAt(moment).segments, &timeline::Segment::expandable);
}

void TellPlace(const timeline::View& view, Shortage& shortage) {
  if (const timeline::Step* const step = timeline::StepAt(view, shortage.index)) {
    shortage.step = step->number;
  } else if (const timeline::Step* const before = timeline::LatestStepAt(view, shortage.index)) {
    shortage.step_before = before->number;
  }
  const events::Event event = view.event(shortage.index);
  shortage.phase = event.phase;
  shortage.op = events::InnermostFrame(view.name(event.op));
  shortage.layer = view.name(event.layer);
}

void TellBarred(const timeline::View& view, uint8_t device, const timeline::State& state,
                Shortage& shortage) {
  const events::Event event = view.event(shortage.index);
  shortage.pool = event.pool;
  const bool is_small = shortage.requested_bytes <= timeline::kLargestSmallRequest;
  const uint8_t pool = event.pool == events::kManyPools ? uint8_t{0} : event.pool;
  shortage.barred = timeline::BarredFrom({event.stream, device, pool, is_small}, timeline::LayOut(state));
}

}  // namespace

std::vector<Shortage> ShortagesIn(const timeline::View& view) {
  std::vector<Shortage> shortages;
  if (view.out_of_memory().empty()) return shortages;
  const bool of_several_cards = view.devices().size() > 1;
  const bool expandable = HasExpandableSegments(view, view.out_of_memory()[0].index);
  for (const timeline::OutOfMemory& failure : view.out_of_memory()) {
    Shortage shortage;
    shortage.index = failure.index;
    TellPlace(view, shortage);
    shortage.requested_bytes = failure.requested_bytes;
    shortage.free_bytes = failure.free_bytes;
    if (of_several_cards) shortage.device = failure.device;
    shortage.allocated_bytes = failure.allocated_bytes;
    const timeline::State state = view.StateAt(failure.index);
    shortage.waiting_bytes = timeline::WaitingBytes(state, failure.device);
    shortage.tells_segments = failure.reserved_bytes > 0;
    if (shortage.tells_segments)
      shortage.cached_bytes = SaturatingDifference(
          SaturatingDifference(failure.reserved_bytes, failure.allocated_bytes), shortage.waiting_bytes);
    shortage.driver_bytes = BytesFromDriver(shortage.requested_bytes, expandable);
    TellBarred(view, failure.device, state, shortage);
    shortage.while_loading = IsWhileLoading(view, state, failure);
    shortage.survived = WentOnAfter(view, failure.index);
    shortages.push_back(shortage);
  }
  return shortages;
}

int64_t BytesFromDriver(int64_t requested_bytes, bool expandable) {
  if (requested_bytes <= timeline::kLargestSmallRequest) return timeline::kSmallSegment;
  if (expandable) return RoundUp(requested_bytes, kLargeSegment);
  return requested_bytes < kLargeRequest ? kLargeSegment : RoundUp(requested_bytes, kRoundLarge);
}

// Of the CPU's memory nobody tells what is free.
bool IsOfPool(const Shortage& shortage) { return !shortage.tells_segments && shortage.free_bytes > 0; }

int64_t OutsidePyTorch(const Shortage& shortage, int64_t card_bytes) {
  const int64_t reserved =
      SaturatingSum(shortage.allocated_bytes, SaturatingSum(shortage.waiting_bytes, shortage.cached_bytes));
  return std::max<int64_t>(0, SaturatingDifference(card_bytes, SaturatingSum(reserved, shortage.free_bytes)));
}

int64_t BytesOutOfReach(const Shortage& shortage) {
  return std::min(shortage.cached_bytes,
                  std::accumulate(shortage.barred.begin(), shortage.barred.end(), int64_t{0}, SaturatingSum));
}

namespace {

// The largest first.
std::vector<BarredPart> AllBarredParts(const Shortage& shortage) {
  std::vector<BarredPart> parts;
  for (size_t i = 0; i < shortage.barred.size(); ++i) {
    if (shortage.barred[i] > 0) parts.push_back({static_cast<timeline::Barrier>(i), shortage.barred[i]});
  }
  std::ranges::stable_sort(parts, std::ranges::greater(), &BarredPart::bytes);
  return parts;
}

}  // namespace

int64_t BytesInReach(const Shortage& shortage) {
  const int64_t cached = SaturatingDifference(shortage.cached_bytes, BytesOutOfReach(shortage));
  return SaturatingSum(shortage.free_bytes, cached);
}

bool IsForWantOfSegments(const Shortage& shortage) {
  return shortage.free_bytes < shortage.driver_bytes && BytesInReach(shortage) >= shortage.requested_bytes;
}

std::vector<BarredPart> BarredPartsOf(const Shortage& shortage) {
  std::vector<BarredPart> parts = AllBarredParts(shortage);
  int64_t bytes = BytesInReach(shortage);
  if (shortage.free_bytes >= shortage.requested_bytes || bytes >= shortage.requested_bytes) return {};
  size_t needed = 0;
  while (needed < parts.size() && bytes < shortage.requested_bytes)
    bytes = SaturatingSum(bytes, parts[needed++].bytes);
  parts.resize(bytes < shortage.requested_bytes ? 0 : needed);
  return parts;
}

namespace {

std::string PlaceBarredBy(timeline::Barrier barrier, const Shortage& shortage) {
  switch (barrier) {
    case timeline::Barrier::kHeldBack:
      return "in empty segments that PyTorch does not give back to the card while a CUDA graph is captured "
             "or a torch.cuda.MemPool is in use";
    case timeline::Barrier::kSize:
      return "in segments for requests of another size (those of 1 MiB and less have their own)";
    case timeline::Barrier::kStream:
      return "in memory of another stream";
    case timeline::Barrier::kPool:
      if (shortage.pool == events::kManyPools)
        return "in private pools (whether one of them asked is not told)";
      if (shortage.pool != 0) return "outside of the private pool that asked";
      return std::string("in ").append(timeline::PoolsInWords(shortage.barred.owner_of_pools));
  }
  return "";
}

}  // namespace

std::string WhereBarred(const Shortage& shortage, const std::vector<BarredPart>& parts) {
  std::string text;
  for (const BarredPart& part : parts) {
    text += (text.empty() ? "" : ", ") + BytesAsPyTorch(part.bytes) + (text.empty() ? " of it " : " ") +
            PlaceBarredBy(part.barrier, shortage);
  }
  return text;
}

const timeline::OutOfMemory* FailureThatEnded(const timeline::View& view, timeline::EventIndex begin) {
  const auto& failures = view.out_of_memory();
  if (failures.empty()) return nullptr;
  const timeline::OutOfMemory& last = failures.back();
  return last.index < begin || WentOnAfter(view, last.index) ? nullptr : &last;
}

bool WentOnAfterFailures(const timeline::View& view, timeline::EventIndex begin) {
  return FailureThatEnded(view, begin) == nullptr;
}

std::string BytesAsPyTorch(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }

std::string PlaceOf(const Shortage& shortage) {
  std::string place;
  const auto add = [&place](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
  if (shortage.device) add("on " + TitleOfCard(*shortage.device));
  if (shortage.step >= 0) add("in step " + FormatNumber(shortage.step));
  if (shortage.step_before >= 0) add("after step " + FormatNumber(shortage.step_before));
  if (shortage.phase != events::Phase::kIdle) {
    add((shortage.step < 0 ? "in " : "") + std::string(events::NameOf(shortage.phase)));
  }
  if (!shortage.op.empty())
    add("in " + shortage.op + (shortage.layer.empty() ? "" : " of " + events::LayerInWords(shortage.layer)));
  if (shortage.op.empty() && !shortage.layer.empty()) add("in " + events::LayerInWords(shortage.layer));
  return place;
}

namespace {

std::string_view RuleBehind(timeline::Barrier barrier, uint8_t asking_pool) {
  const bool is_pool = barrier == timeline::Barrier::kPool;
  if (barrier == timeline::Barrier::kHeldBack || (is_pool && asking_pool == events::kManyPools)) return ".";
  if (is_pool && asking_pool != 0) return ": PyTorch serves a pool's requests from its own memory only.";
  return ": PyTorch uses it for nothing else.";
}

std::string BarredCause(const Shortage& shortage, const std::vector<BarredPart>& parts) {
  if (parts.size() > 1)
    return "Enough was free in all, but " + WhereBarred(shortage, parts) +
           ": PyTorch serves a request only from its own memory.";
  const timeline::Barrier barrier = parts[0].barrier;
  return BytesAsPyTorch(parts[0].bytes) + " were free, but " + PlaceBarredBy(barrier, shortage) +
         std::string(RuleBehind(barrier, shortage.pool));
}

// What is out of reach is told where one would take it for the room that lacked.
std::string FragmentedCause(const Shortage& shortage) {
  const std::string pieces =
      ", but in pieces: segments that hold live blocks cannot be given back (fragmentation).";
  const int64_t out_of_reach = BytesOutOfReach(shortage);
  if (out_of_reach < shortage.requested_bytes) return "Enough was free in all" + pieces;
  const std::vector<BarredPart> parts = AllBarredParts(shortage);
  return BytesAsPyTorch(BytesInReach(shortage)) + " were free within its reach" + pieces +
         " Out of it were " + BytesAsPyTorch(out_of_reach) + " more" +
         (parts.size() == 1 ? " " + PlaceBarredBy(parts[0].barrier, shortage)
                            : ": " + WhereBarred(shortage, parts)) +
         ".";
}

// Beyond 1 MiB, and exactly 1 GiB in MiB (c10/cuda/CUDACachingAllocator.cpp, format_size).
std::string SizeInMessage(int64_t bytes) {
  constexpr int64_t kGiB = 1024 * kMiB;
  return bytes <= kGiB ? fmt::format("{:.2f} MiB", static_cast<double>(bytes) / static_cast<double>(kMiB))
                       : fmt::format("{:.2f} GiB", static_cast<double>(bytes) / static_cast<double>(kGiB));
}

// PyTorch says what it tried to get of the driver, and the same where segments are expandable, which take
// other amounts (malloc's alloc_size there).
int64_t BytesInMessage(const Shortage& shortage) {
  return BytesFromDriver(shortage.requested_bytes, /*expandable=*/false);
}

// Whether that is another figure than what was asked for, as a person reads them.
bool HasOtherFigureInMessage(const Shortage& shortage) {
  return shortage.tells_segments && shortage.requested_bytes > 0 &&
         SizeInMessage(BytesInMessage(shortage)) != SizeInMessage(shortage.requested_bytes);
}

// Then the cause tells what PyTorch takes.
bool HasRoomButForRounding(const Shortage& shortage) {
  return shortage.free_bytes >= shortage.requested_bytes && shortage.free_bytes < shortage.driver_bytes;
}

std::string FigureOfMessage(const Shortage& shortage) {
  if (!HasOtherFigureInMessage(shortage)) return "";
  if (HasRoomButForRounding(shortage))
    return " PyTorch's message says \"Tried to allocate " + SizeInMessage(BytesInMessage(shortage)) + "\".";
  const int64_t tried = BytesInMessage(shortage);
  const bool is_taken = tried == shortage.driver_bytes;
  return " PyTorch's message says \"Tried to allocate " + SizeInMessage(tried) + "\": what it " +
         (is_taken ? "takes" : "would take") + " of the driver for " +
         BytesAsPyTorch(shortage.requested_bytes) + (is_taken ? "." : " without expandable segments.");
}

std::string CauseOf(const Shortage& shortage, int64_t usable_bytes) {
  if (usable_bytes > 0 && shortage.requested_bytes > usable_bytes) {
    return "One request for more than the whole card has.";
  }
  if (IsOfPool(shortage)) {
    return "Neither the card nor what the driver's pool keeps had room for it (backend:cudaMallocAsync); how "
           "much the pool keeps is not told.";
  }
  if (shortage.free_bytes >= shortage.driver_bytes) {
    return "So much was free: a limit that the program set itself (set_per_process_memory_fraction), or a "
           "fault that was asked for, stood in the way.";
  }
  if (HasRoomButForRounding(shortage)) {
    return "For a request of that size PyTorch takes " + BytesAsPyTorch(shortage.driver_bytes) +
           " of the driver, and so much was not free.";
  }
  const bool has_enough_pieces = IsForWantOfSegments(shortage);
  if (has_enough_pieces && usable_bytes > 0 && IsNearlyAll(shortage.allocated_bytes, usable_bytes)) {
    return "What was alive took nearly all that the card has beside the context: " +
           BytesAsPyTorch(shortage.allocated_bytes) + " of " + BytesAsPyTorch(usable_bytes) +
           ". What was left would have held this request, had it been in one piece.";
  }
  if (has_enough_pieces) return FragmentedCause(shortage);
  if (const std::vector<BarredPart> parts = BarredPartsOf(shortage); !parts.empty()) {
    return BarredCause(shortage, parts);
  }
  if (WouldHaveRoomAfterWaiting(shortage)) {
    return BytesAsPyTorch(shortage.waiting_bytes) +
           " were freed and still waited for another stream that had used them; with them there would have "
           "been room. PyTorch waits for such streams before it gives up, but not while a CUDA graph is "
           "captured: free what another stream has used before the capture begins.";
  }
  return "What was alive left no room.";
}

}  // namespace

std::string WhyShort(const Shortage& shortage, int64_t usable_bytes) {
  return CauseOf(shortage, usable_bytes) +
         (shortage.while_loading ? " Nothing had run forward yet, and nearly all of it are parameters: what "
                                   "a forward keeps, and in training gradients and what the optimizer "
                                   "keeps, come on top."
                                 : "") +
         FigureOfMessage(shortage);
}

}  // namespace tidemark::session
