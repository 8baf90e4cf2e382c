#include "app/presenters/comparison/stream_comparison.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "app/presenters/comparison/alignment.h"
#include "app/presenters/comparison/stretches.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;
using timeline::Step;
using timeline::View;

constexpr int64_t kNoStep = -1;

bool IsAllocation(const Event& event) { return event.kind == EventKind::kAllocate; }
bool IsNewSegment(const Event& event) {
  return event.kind == EventKind::kSegmentAllocate || event.kind == EventKind::kSegmentMap;
}

// Each step with what comes before it since the one before has ended, for a snapshot knows where steps end
// only; then what comes after the last, which may be nothing. A last one that was told to begin and asked for
// nothing is no step.
std::vector<Stretch> StepStretches(const View& view, bool by_step) {
  std::vector<Stretch> stretches;
  const ComparedPart part = ComparedPartOf(view);
  EventIndex begin = part.begin;
  for (size_t i = part.first_step; i < view.steps().size(); ++i) {
    const Step& step = view.steps()[i];
    if (!by_step || (!step.complete && !AsksForMemory(view, {step.begin, step.end}))) continue;
    const EventIndex end = std::max(begin, step.complete ? step.end + 1 : step.end);
    stretches.push_back({begin, end, step.number});
    begin = end;
  }
  stretches.push_back({begin, view.end(), kNoStep});
  return stretches;
}

struct Requests {
  std::vector<int64_t> sizes;
  std::vector<EventIndex> events;
  EventIndex end = 0;

  void Clear(EventIndex new_end) {
    sizes.clear();
    events.clear();
    end = new_end;
  }
  void Add(int64_t size, EventIndex event) {
    sizes.push_back(size);
    events.push_back(event);
  }
  EventIndex EventAt(size_t place) const { return place < events.size() ? events[place] : end; }
};

void AddComparison(const Requests& a, const Requests& b, const Progress& progress,
                   StreamComparison& comparison) {
  const Alignment alignment = Align(a.sizes, b.sizes, kSameAfterGap, progress);
  comparison.agreed += alignment.agreed;
  comparison.of_a += a.sizes.size();
  comparison.of_b += b.sizes.size();
  for (const AlignmentGap& gap : alignment.gaps)
    comparison.differences.push_back({a.EventAt(gap.a), b.EventAt(gap.b), gap.only_a, gap.only_b});
}

class StreamComparer {
 public:
  StreamComparer(const View& a, const View& b, StreamsCompared& result, const Progress& progress)
      : a_(a), b_(b), result_(result), progress_(progress) {}

  bool is_given_up() const { return is_given_up_; }

  void CompareSteps(ComparedSteps which) {
    PairStretches(
        StepStretches(a_, result_.by_step), StepStretches(b_, result_.by_step),
        [&](const Stretch& a, const Stretch& b) {
          const bool is_tail = a.key == kNoStep;
          // What follows a step that only one has is in both no more.
          if (is_tail && which == ComparedSteps::kInBoth && result_.steps_only_a + result_.steps_only_b > 0)
            return;
          if (!is_tail) ++result_.steps_in_both;
          ComparePhases(a, b);
          AddRanges(a, b);
        },
        [&](const Stretch& a, const Stretch& b) {
          ++(a.begin < a.end ? result_.steps_only_a : result_.steps_only_b);
          if (which == ComparedSteps::kInBoth) return;
          CompareRequests(a, b);
          AddRanges(a, b);
        });
  }

 private:
  void AddRanges(const Stretch& a, const Stretch& b) {
    if (!result_.ranges.empty() && result_.ranges.back().a.end == a.begin &&
        result_.ranges.back().b.end == b.begin) {
      result_.ranges.back().a.end = a.end;
      result_.ranges.back().b.end = b.end;
    } else {
      result_.ranges.push_back({{a.begin, a.end}, {b.begin, b.end}});
    }
  }

  void ComparePhases(const Stretch& a, const Stretch& b) {
    const auto compare = [this](const Stretch& in_a, const Stretch& in_b) { CompareRequests(in_a, in_b); };
    PairStretches(PhaseStretches(a_, a, result_.by_phase), PhaseStretches(b_, b, result_.by_phase), compare,
                  compare);
  }

  void CompareRequests(const Stretch& a, const Stretch& b) {
    if (!GoesOn()) return;
    Collect(a_, a, allocations_a_, segments_a_);
    Collect(b_, b, allocations_b_, segments_b_);
    const Progress goes_on = [this](double) { return GoesOn(); };
    AddComparison(allocations_a_, allocations_b_, goes_on, result_.allocations);
    AddComparison(segments_a_, segments_b_, goes_on, result_.segments);
  }

  void Collect(const View& view, const Stretch& stretch, Requests& allocations, Requests& segments) {
    allocations.Clear(stretch.end);
    segments.Clear(stretch.end);
    constexpr uint64_t kBetween = 1 << 12;
    for (EventIndex index = stretch.begin; index < stretch.end; ++index) {
      if (++looked_at_ % kBetween == 0 && !GoesOn()) return;
      const Event& event = view.event(index);
      if (IsAllocation(event))
        allocations.Add(result_.by_requested() ? event.bytes : event.rounded_bytes, index);
      if (IsNewSegment(event)) segments.Add(event.bytes, index);
    }
  }

  bool GoesOn() {
    if (!progress_ || is_given_up_) return !is_given_up_;
    const uint64_t all = (a_.end() - a_.first()) + (b_.end() - b_.first());
    is_given_up_ =
        !progress_(static_cast<double>(looked_at_) / static_cast<double>(std::max<uint64_t>(1, all)));
    return !is_given_up_;
  }

  const View& a_;
  const View& b_;
  StreamsCompared& result_;
  const Progress& progress_;
  uint64_t looked_at_ = 0;  // events
  bool is_given_up_ = false;
  Requests allocations_a_, allocations_b_, segments_a_, segments_b_;  // kept for their memory
};

// The allocations of a run, one after the other.
class AllocationWalk {
 public:
  AllocationWalk(const View& view, EventRange range) : view_(view), at_(range.begin), end_(range.end) {
    Settle();
  }

  bool IsBefore(EventIndex index) const { return at_ < std::min(index, end_); }
  EventIndex Take() {
    const EventIndex taken = at_++;
    Settle();
    return taken;
  }
  void Skip(uint64_t count) {
    for (; count > 0; --count) Take();
  }

 private:
  void Settle() {
    while (at_ < end_ && !IsAllocation(view_.event(at_))) ++at_;
  }

  const View& view_;
  EventIndex at_;
  EventIndex end_;
};

// From their beginnings to their ends, whatever they call a step or a phase.
bool AskForTheSame(const View& a, const View& b, const StreamsCompared& result) {
  if (result.allocations.of_a != result.allocations.of_b) return false;
  const auto size_of = [&](const Event& event) {
    return result.by_requested() ? event.bytes : event.rounded_bytes;
  };
  AllocationWalk in_a(a, {ComparedPartOf(a).begin, a.end()});
  AllocationWalk in_b(b, {ComparedPartOf(b).begin, b.end()});
  while (in_a.IsBefore(a.end()) && in_b.IsBefore(b.end())) {
    if (size_of(a.event(in_a.Take())) != size_of(b.event(in_b.Take()))) return false;
  }
  return !in_a.IsBefore(a.end()) && !in_b.IsBefore(b.end());
}

std::vector<EventIndex> FreesBetween(const View& view, EventIndex after, EventIndex end) {
  std::vector<EventIndex> frees;
  for (EventIndex index = after + 1; index < end; ++index) {
    if (view.event(index).kind == EventKind::kFreeCompleted) frees.push_back(index);
  }
  return frees;
}

// Where as many come from one allocation to the next in both.
void AddFreesBetween(const View& a, const View& b, SameEvent last, SameEvent next,
                     std::vector<SameEvent>& same) {
  const std::vector<EventIndex> in_a = FreesBetween(a, last.a, next.a);
  const std::vector<EventIndex> in_b = FreesBetween(b, last.b, next.b);
  if (in_a.size() != in_b.size()) return;
  for (size_t i = 0; i < in_a.size(); ++i) same.push_back({in_a[i], in_b[i]});
}

}  // namespace

std::vector<EventRange> StreamsCompared::RangesOf(EventRange RangePair::*side) const {
  std::vector<EventRange> all;
  std::ranges::transform(ranges, std::back_inserter(all),
                         [side](const RangePair& pair) { return pair.*side; });
  return all;
}

std::vector<SameEvent> SameEvents(const View& a, const View& b, const StreamsCompared& streams) {
  constexpr uint64_t kMost = 1 << 20;
  const uint64_t stride = streams.allocations.agreed / kMost + 1;
  std::vector<SameEvent> same;
  uint64_t met = 0;
  auto difference = streams.allocations.differences.begin();
  for (const RangePair& range : streams.ranges) {
    AllocationWalk in_a(a, range.a);
    AllocationWalk in_b(b, range.b);
    std::optional<SameEvent> last;
    const auto add = [&](const SameEvent& next) {
      if (met++ % stride != 0) return;
      if (stride == 1 && last) AddFreesBetween(a, b, *last, next, same);
      same.push_back(next);
      last = next;
    };
    const auto take_until = [&](EventIndex end_a, EventIndex end_b) {
      while (in_a.IsBefore(end_a) && in_b.IsBefore(end_b)) add({in_a.Take(), in_b.Take()});
    };
    for (; difference != streams.allocations.differences.end() && difference->a <= range.a.end &&
           difference->b <= range.b.end;
         ++difference) {
      take_until(difference->a, difference->b);
      in_a.Skip(difference->only_a);
      in_b.Skip(difference->only_b);
    }
    take_until(range.a.end, range.b.end);
    if (stride == 1 && last) AddFreesBetween(a, b, *last, {range.a.end, range.b.end}, same);
  }
  return same;
}

bool AsksForMemory(const View& view, EventRange range) {
  for (EventIndex index = range.begin; index < range.end; ++index) {
    const Event& event = view.event(index);
    if (IsAllocation(event) || IsNewSegment(event)) return true;
  }
  return false;
}

StreamsCompared CompareStreams(const View& a, const View& b, ComparedSteps steps, const Progress& progress) {
  StreamsCompared result;
  result.by_step = !a.steps().empty() && !b.steps().empty();
  result.by_phase = TellsPhases(a) && TellsPhases(b);
  result.requested_known_a = a.tells_requested();
  result.requested_known_b = b.tells_requested();
  result.blocks_known = a.tells_blocks() && b.tells_blocks();
  const ComparedPart part_a = ComparedPartOf(a);
  const ComparedPart part_b = ComparedPartOf(b);
  result.begun_anew_a = !part_a.is_whole();
  result.begun_anew_b = !part_b.is_whole();
  StreamsCompared throughout = result;
  StreamComparer comparer(a, b, result, progress);
  comparer.CompareSteps(steps);
  if (comparer.is_given_up()) return result;
  const bool was_parted = result.by_step || result.by_phase;
  if (!was_parted || result.allocations.differences.empty() || !AskForTheSame(a, b, result)) return result;
  throughout.by_step = throughout.by_phase = false;
  const Progress still_wanted = [&](double) { return !progress || progress(1); };
  StreamComparer(a, b, throughout, still_wanted).CompareSteps(steps);
  return throughout;
}

}  // namespace tidemark::presenters
