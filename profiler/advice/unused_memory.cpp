#include "profiler/advice/unused_memory.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/advice/examined_steps.h"
#include "profiler/base/saturating.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/free_lists.h"
#include "profiler/timeline/steps.h"

namespace tidemark::advice {
namespace {

using timeline::EventIndex;
using timeline::Series;
using timeline::Step;
using timeline::ValueOf;
using timeline::View;

// PyTorch's own remark on fragmentation speaks of "reserved but unallocated" that is large; here it is large
// from a tenth of what is reserved.
constexpr int64_t kFragmentedShare = 10;
// Of a card that nobody told, as a snapshot's, nobody would change anything for less than a fifth of what is
// reserved.
constexpr int64_t kFragmentedShareOfAnyCard = 5;
// For what is smaller than 10 MiB PyTorch takes 20 MiB at once (c10/cuda/CUDACachingAllocator.h,
// kLargeBuffer): what the latest of such segments has left is for the next requests.
constexpr int64_t kRestOfSegment = int64_t{20} << 20;

// `pool`: the private one that asked, 0 = none.
std::string AdviceAgainst(timeline::Barrier barrier, uint8_t pool) {
  switch (barrier) {
    case timeline::Barrier::kHeldBack:
      return "Call torch.cuda.empty_cache() just before a capture begins, or a torch.cuda.MemPool is used.";
    case timeline::Barrier::kSize:
      return "Blocks of 1 MiB and less hold these segments: let go of what is not needed of them, or keep "
             "many small tensors in a large one.";
    case timeline::Barrier::kStream:
      return "Make tensors on one stream, outside of torch.cuda.stream(), and let others use them "
             "(Tensor.record_stream): what is freed then serves every later request.";
    case timeline::Barrier::kPool:
      break;
  }
  if (pool != 0)
    return "Capture early, or fill the pool, while the card has room, and call torch.cuda.empty_cache() just "
           "before.";
  return "CUDA graphs that always run in the order of their capture can share a pool "
         "(torch.cuda.graph(graph, pool=first.pool())). Let go of graphs and pools that are not needed any "
         "more: their memory is given back then. A torch.cuda.MemPool made with use_on_oom=True lends what "
         "it has free.";
}

class UnusedSearch {
 public:
  UnusedSearch(const View& view, ByteUnit unit, int64_t card_bytes)
      : view_(view), unit_(unit), card_bytes_(card_bytes) {}

  std::optional<Finding> Find() const {
    const EventIndex begin = BeginOfSettings();
    std::vector<session::Shortage> shortages = session::ShortagesIn(view_);
    std::erase_if(shortages, [&](const session::Shortage& shortage) { return shortage.index < begin; });
    for (const session::Shortage& shortage : shortages) {
      if (std::optional<Finding> finding = FreeAt(shortage)) return finding;
    }
    // PyTorch had given back what it could: what was reserved before was for other settings, or is gone.
    if (!shortages.empty() && !shortages.back().survived) return {};
    return UnusedSince(begin, shortages);
  }

 private:
  // What was reserved at the most, and never in use.
  std::optional<Finding> UnusedSince(EventIndex begin,
                                     const std::vector<session::Shortage>& shortages) const {
    const View::Peak peak = view_.PeakIn(Series::kReserved, begin, view_.end());
    const int64_t reserved = ValueOf(peak.values, Series::kReserved);
    if (begin > view_.first() && ValueOf(view_.ValuesAt(begin), Series::kReserved) >= reserved &&
        HighestAllocated(view_.first(), begin) > HighestAllocated(begin, view_.end()))
      return {};  // it is of earlier settings, which needed more
    const EventIndex highest = timeline::HighestMoment(view_, begin, view_.end());
    const EventIndex fullest = FullestWhileReserved(peak.index);
    std::vector<EventIndex> moments{highest, peak.index, fullest};
    for (const session::Shortage& shortage : shortages) moments.push_back(shortage.index);
    // A capture may have had the most allocated, in memory that is its graph's from then on.
    if (const Step* const last = timeline::LastCompleteStep(view_)) moments.push_back(last->peak);
    const Use most = MostUseAt(moments);
    const int64_t unused = SaturatingDifference(reserved, most.bytes());
    const int64_t least =
        card_bytes_ == 0 ? reserved / kFragmentedShareOfAnyCard : card_bytes_ / kShareOfCard;
    if (unused < least || unused < std::max(kRestOfSegment, reserved / kFragmentedShare)) return {};
    const std::string evidence = Size(reserved) + " were reserved at most, and " + UseOf(most, highest) +
                                 ": " + Size(unused) + " lay in gaps and in segments of other sizes";
    const int64_t of_streams = std::min(BarredIn(view_.StateAt(fullest))[timeline::Barrier::kStream], unused);
    if (of_streams <= unused / 2) return Fragmentation(unused, peak.index, evidence + ".");
    return Finding{FindingKind::kOutOfReach,
                   evidence + ", " + Size(of_streams) + " of it in memory of other streams.",
                   AdviceAgainst(timeline::Barrier::kStream, 0),
                   unused,
                   peak.index,
                   {}};
  }

  // With what private pools have free: a graph takes it whenever it is replayed, and nobody tells of it.
  struct Use {
    // With what was freed and still waited for another stream: no request could have it.
    int64_t taken = 0;
    timeline::BarredBytes barred{};

    int64_t of_pools() const { return barred[timeline::Barrier::kPool]; }
    int64_t bytes() const { return SaturatingSum(taken, of_pools()); }
  };

  // Of so many moments the most.
  Use MostUseAt(const std::vector<EventIndex>& moments) const {
    Use most;
    for (const EventIndex moment : moments) {
      const timeline::State state = view_.StateAt(moment);
      const int64_t allocated = ValueOf(view_.ValuesAt(moment), Series::kAllocated);
      const Use use{SaturatingSum(allocated, timeline::WaitingBytes(state)), BarredIn(state)};
      if (use.bytes() > most.bytes()) most = use;
    }
    return most;
  }

  // "never more than 90.0 MB of it allocated, in step 2"
  std::string UseOf(const Use& use, EventIndex highest) const {
    const int64_t allocated = ValueOf(view_.ValuesAt(highest), Series::kAllocated);
    if (use.of_pools() > 0)
      return "of it at the fullest " + Size(use.taken) + " taken, beside " + Size(use.of_pools()) +
             " free in " + std::string(timeline::PoolsInWords(use.barred.owner_of_pools));
    return "never more than " + Size(allocated) + " of it allocated" +
           (use.taken > allocated
                ? ", beside " + Size(use.taken - allocated) + " that waited for another stream"
                : StepOf(highest));
  }

  // The first event's segment is not in use yet; as long as no less is reserved it may come to be.
  EventIndex FullestWhileReserved(EventIndex first) const {
    return view_.PeakIn(Series::kAllocated, first, timeline::EndWhileReserved(view_, first)).index;
  }

  static timeline::BarredBytes BarredIn(const timeline::State& state) {
    const timeline::Layout layout = timeline::LayOut(state);
    return timeline::BarredBy(timeline::BarriersToUsual(layout), layout);
  }

  std::string Size(int64_t bytes) const { return FormatBytes(bytes, unit_); }

  Finding Fragmentation(int64_t bytes, EventIndex moment, std::string evidence) const {
    const auto& segments = view_.StateAt(moment).segments;
    const bool grow_already = std::ranges::any_of(segments, &timeline::Segment::expandable);
    Finding finding{
        FindingKind::kFragmentation,
        std::move(evidence),
        grow_already ? "Segments grow already (expandable_segments): let sizes repeat from step to step, the "
                       "last, smaller batch dropped."
                     : "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets segments grow instead of "
                       "leaving gaps.",
        bytes,
        moment,
        {}};
    finding.can_be_tried = !grow_already;
    return finding;
  }

  // Where the steps with the settings of the last one begin.
  EventIndex BeginOfSettings() const {
    const auto& steps = view_.steps();
    for (size_t later = steps.size(); later > 1; --later) {
      if (steps[later - 1].settings != steps[later - 2].settings) return steps[later - 1].begin;
    }
    return view_.first();
  }

  // A request that other segments might have held, or what others had free.
  std::optional<Finding> FreeAt(const session::Shortage& shortage) const {
    std::optional<Finding> finding = PiecesAt(shortage);
    if (!finding) finding = OutOfReachAt(shortage);
    if (finding) finding->ran_out = !shortage.survived;
    return finding;
  }

  // `where` it was free: "in all".
  static std::string NotFoundThough(const session::Shortage& shortage, int64_t free_bytes,
                                    const std::string& where) {
    return session::BytesAsPyTorch(shortage.requested_bytes) + " were asked for and not found, though " +
           session::BytesAsPyTorch(free_bytes) + " were free " + where + ": ";
  }

  static std::string OfRestAfter(const session::Shortage& shortage) {
    return shortage.survived ? "" : " Whether the rest of the step would find room is not known by that.";
  }

  std::optional<Finding> PiecesAt(const session::Shortage& shortage) const {
    if (shortage.free_bytes >= shortage.requested_bytes || !session::IsForWantOfSegments(shortage)) return {};
    const int64_t in_reach = session::BytesInReach(shortage);
    const int64_t in_gaps = SaturatingDifference(in_reach, shortage.free_bytes);
    const bool is_all = in_gaps == shortage.cached_bytes;
    return Fragmentation(in_gaps, shortage.index,
                         NotFoundThough(shortage, in_reach, is_all ? "in all" : "within its reach") +
                             session::BytesAsPyTorch(in_gaps) +
                             " of it in gaps between blocks that are alive." + OfRestAfter(shortage));
  }

  static std::optional<Finding> OutOfReachAt(const session::Shortage& shortage) {
    const std::vector<session::BarredPart> parts = session::BarredPartsOf(shortage);
    if (parts.empty()) return {};
    // What to do about a pool depends on whether it asked itself.
    if (shortage.pool == events::kManyPools &&
        std::ranges::count(parts, timeline::Barrier::kPool, &session::BarredPart::barrier) > 0)
      return {};
    int64_t bytes = 0;
    for (const session::BarredPart& part : parts) bytes = SaturatingSum(bytes, part.bytes);
    const int64_t in_all = SaturatingSum(shortage.free_bytes, shortage.cached_bytes);
    return Finding{FindingKind::kOutOfReach,
                   NotFoundThough(shortage, in_all, "in all") + session::WhereBarred(shortage, parts) + "." +
                       OfRestAfter(shortage),
                   AdviceAgainst(parts.front().barrier, shortage.pool),
                   bytes,
                   shortage.index,
                   {}};
  }

  int64_t HighestAllocated(EventIndex begin, EventIndex end) const {
    return ValueOf(view_.PeakIn(Series::kAllocated, begin, end).values, Series::kAllocated);
  }

  // ", in step 42", or "" where the event lies in none.
  std::string StepOf(EventIndex index) const {
    const Step* const step = timeline::StepAt(view_, index);
    return step == nullptr ? "" : ", in step " + FormatNumber(step->number);
  }

  const View& view_;
  const ByteUnit unit_;
  const int64_t card_bytes_;
};

}  // namespace

std::optional<Finding> UnusedMemory(const View& view, ByteUnit unit, int64_t card_bytes) {
  return UnusedSearch(view, unit, card_bytes).Find();
}

}  // namespace tidemark::advice
