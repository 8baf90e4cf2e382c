#include "app/presenters/allocations/slow_motion.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "app/presenters/allocations/blocks.h"
#include "profiler/events/stack.h"
#include "profiler/events/tensor_names.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using events::Event;
using events::EventIndex;
using events::EventKind;
using events::Phase;

bool BeginsOperator(const Event& event) { return event.kind == EventKind::kScopeBegin && event.op != 0; }
bool EndsOperator(const Event& event) { return event.kind == EventKind::kScopeEnd && event.op != 0; }

// Of an operator, by its begin or its end.
OperatorStop StopFrom(EventIndex begin, EventIndex end, const Event& event, int64_t micro_batch) {
  return {begin, end, 0, event.phase, event.recompute != 0, micro_batch, event.layer, event.op, 0, 0, 0};
}

int64_t BytesAfter(const StepWalk& walk, EventIndex index) {
  return walk.bytes_after[static_cast<size_t>(index - walk.begin)];
}

void AddHeights(StepWalk& walk, int64_t bytes_before) {
  for (OperatorStop& stop : walk.stops) {
    stop.bytes_before = std::exchange(bytes_before, BytesAfter(walk, stop.end - 1));
    stop.bytes_after = bytes_before;
    stop.highest = stop.begin;
    for (EventIndex index = stop.begin; index < stop.end; ++index) {
      if (BytesAfter(walk, index) >= BytesAfter(walk, stop.highest)) stop.highest = index;
    }
    stop.bytes_highest = std::max(stop.bytes_before, BytesAfter(walk, stop.highest));
    walk.bytes_highest = std::max(walk.bytes_highest, stop.bytes_highest);
  }
}

// A free that is requested and completed later counts once, at the request.
bool LetsGo(const StepWalk& walk, const Event& event, EventIndex index) {
  if (event.kind == EventKind::kFreeRequested) return true;
  if (event.kind != EventKind::kFreeCompleted) return false;
  const int64_t before = index == walk.begin ? INT64_MAX : BytesAfter(walk, index - 1);
  return event.rounded_bytes == 0 || BytesAfter(walk, index) < before;
}

std::string RoleOf(Category category) {
  switch (category) {
    case Category::kActivation:
      return "kept for backward";
    case Category::kGradient:
      return "a parameter's gradient";
    case Category::kAutocastCache:
      return "a weight's copy in low precision";
    case Category::kWorkspace:
      return "a library's scratch memory";
    case Category::kOptimizerState:
      return "the optimizer keeps it";
    case Category::kInput:
      return "the batch";
    case Category::kOutput:
      return "left by the model's call";
    default:
      return std::string(events::NameOf(category));
  }
}

// What has no name is called after who made it, and in no layer also after what it holds.
std::string MadeBy(const timeline::View& view, const Event& birth, Category category) {
  const std::string layer = events::LayerInWords(view.name(birth.layer));
  if (layer.empty()) {
    timeline::LiveBlock block = BlockBornAt(birth, 0);
    block.category = category;
    return BlockTitle(view, block);
  }
  const bool backward = birth.phase == Phase::kBackward && birth.recompute == 0;
  return backward ? "gradient from " + layer + "'s backward" : "result of " + layer;
}

class ChangeList {
 public:
  ChangeList(const timeline::View& view, const StepWalk& walk) : view_(view), walk_(walk) {}

  std::vector<BlockChange> Of(const OperatorStop& stop) {
    for (EventIndex index = walk_.begin; index < stop.begin; ++index) NoteBirth(index);
    for (EventIndex index = stop.begin; index < stop.end; ++index) {
      NoteBirth(index);
      Add(index);
    }
    for (EventIndex index = stop.end; index < walk_.end; ++index) LookAhead(view_.event(index));
    for (BlockChange& change : changes_) {
      if (change.change == Change::kPasses && change.role == "temporary") change.role = "needed only inside";
    }
    return std::move(changes_);
  }

 private:
  void NoteBirth(EventIndex index) {
    const Event& event = view_.event(index);
    if (event.kind == EventKind::kAllocate) births_[event.address] = index;
  }

  std::string TitleOf(const Event& event) const {
    if (event.name != 0) return std::string(view_.name(event.name));
    const auto birth = births_.find(event.address);
    return birth == births_.end() ? std::string(events::NameOf(event.category))
                                  : MadeBy(view_, view_.event(birth->second), event.category);
  }

  BlockChange ChangeOf(Change change, const Event& event) const {
    return {change,         TitleOf(event),      RoleOf(event.category),
            event.category, event.rounded_bytes, event.address};
  }

  // Of what is unknown any word is better than none (timeline/settled_state.h).
  void Settle(BlockChange& known, const Event& event) const {
    if (known.category == Category::kUnknown && event.category != Category::kUnknown)
      known = ChangeOf(known.change, event);
  }

  void Add(EventIndex index) {
    const Event& event = view_.event(index);
    const auto here = open_.find(event.address);
    if (event.kind == EventKind::kAllocate) {
      open_[event.address] = changes_.size();
      changes_.push_back(ChangeOf(Change::kComes, event));
    } else if (event.kind == EventKind::kCategorize && here != open_.end()) {
      const Change change = changes_[here->second].change;
      changes_[here->second] = ChangeOf(change, event);
    } else if (event.kind == EventKind::kCategorize) {
      open_[event.address] = changes_.size();
      changes_.push_back(ChangeOf(Change::kBecomes, event));
    } else if (LetsGo(walk_, event, index)) {
      if (here == open_.end()) {
        changes_.push_back(ChangeOf(Change::kGoes, event));
        return;
      }
      BlockChange& known = changes_[here->second];
      Settle(known, event);
      known.change = known.change == Change::kComes ? Change::kPasses : Change::kGoes;
      open_.erase(here);
    }
  }

  // A gradient is told to be one, and gets its name, only when it is accumulated; what a program's blocks
  // hold is found out later still.
  void LookAhead(const Event& event) {
    const auto here = open_.find(event.address);
    if (here == open_.end()) return;
    BlockChange& known = changes_[here->second];
    if (known.change != Change::kBecomes) Settle(known, event);
    if (event.kind == EventKind::kFreeRequested || event.kind == EventKind::kFreeCompleted) {
      open_.erase(here);
    } else if (event.kind == EventKind::kCategorize && known.change == Change::kComes && event.name != 0) {
      known.title = view_.name(event.name);
      if (event.category != Category::kGradient) return;
      known.category = event.category;
      known.role = RoleOf(event.category);
    }
  }

  const timeline::View& view_;
  const StepWalk& walk_;
  std::unordered_map<uint64_t, EventIndex> births_;  // by address, the latest in this step
  std::unordered_map<uint64_t, size_t> open_;  // by address, blocks that the stop has changed and not freed
  std::vector<BlockChange> changes_;
};

bool LetsAnythingGo(const timeline::View& view, EventIndex begin, EventIndex end) {
  for (EventIndex index = begin; index < end; ++index) {
    const EventKind kind = view.event(index).kind;
    if (kind == EventKind::kFreeRequested || kind == EventKind::kFreeCompleted) return true;
  }
  return false;
}

}  // namespace

std::vector<StopColumn> ColumnsOf(const std::vector<OperatorStop>& stops, size_t most) {
  const size_t count = std::min(stops.size(), most);
  std::vector<StopColumn> columns(count);
  for (size_t i = 0; i < count; ++i) {
    StopColumn& column = columns[i];
    column.first = i * stops.size() / count;
    column.end = (i + 1) * stops.size() / count;
    const auto first = stops.begin() + static_cast<std::ptrdiff_t>(column.first);
    const auto end = stops.begin() + static_cast<std::ptrdiff_t>(column.end);
    const auto highest = std::ranges::max_element(first, end, {}, &OperatorStop::bytes_highest);
    column.phase = highest->phase;
    column.bytes_highest = highest->bytes_highest;
    column.bytes_after = std::prev(end)->bytes_after;
  }
  return columns;
}

std::optional<StepWalk> WalkStep(const timeline::View& view, const timeline::Step& step,
                                 const Progress& progress) {
  constexpr EventIndex kBetweenLooks = 1 << 14;
  StepWalk walk;
  walk.step = step.number;
  walk.begin = std::max(step.begin, view.first());
  walk.end = std::min(step.complete ? step.end + 1 : step.end, view.end());
  if (walk.begin >= walk.end) return walk;
  std::vector<timeline::Bucket> buckets(static_cast<size_t>(walk.end - walk.begin));
  view.Envelope(timeline::Series::kAllocated, walk.begin, walk.end, buckets);
  for (const timeline::Bucket& bucket : buckets) walk.bytes_after.push_back(bucket.last);
  int64_t micro_batch = -1;
  for (EventIndex index = walk.begin; index < walk.end; ++index) {
    if (progress && (index - walk.begin) % kBetweenLooks == 0 &&
        !progress(static_cast<double>(index - walk.begin) / static_cast<double>(walk.end - walk.begin)))
      return std::nullopt;
    const Event& event = view.event(index);
    if (event.kind == EventKind::kMicroBatchBegin) micro_batch = event.bytes;
    if (walk.stops.empty() && EndsOperator(event))
      walk.stops.push_back(StopFrom(walk.begin, walk.end, event, micro_batch));
    if (!BeginsOperator(event)) continue;
    if (walk.stops.empty() && LetsAnythingGo(view, walk.begin, index)) {
      walk.stops.push_back({walk.begin, index, 0, view.event(walk.begin).phase, false, -1, 0, 0, 0, 0, 0});
    }
    if (!walk.stops.empty()) walk.stops.back().end = index;
    walk.stops.push_back(StopFrom(walk.stops.empty() ? walk.begin : index, walk.end, event, micro_batch));
  }
  AddHeights(walk, buckets.front().first);
  return walk;
}

size_t StopAt(const StepWalk& walk, EventIndex moment) {
  const auto after =
      std::upper_bound(walk.stops.begin(), walk.stops.end(), moment,
                       [](EventIndex index, const OperatorStop& stop) { return index < stop.begin; });
  return after == walk.stops.begin() ? 0 : static_cast<size_t>(after - walk.stops.begin()) - 1;
}

std::string TitleOf(const timeline::View& view, const OperatorStop& stop) {
  if (stop.op == 0) return "gradients are let go";
  const std::string layer = events::LayerInWords(view.name(stop.layer));
  const std::string phase = stop.recompute ? "forward again" : std::string(events::NameOf(stop.phase));
  return layer.empty() ? phase : layer + " " + phase;
}

std::string StackOf(const timeline::View& view, const OperatorStop& stop) {
  for (EventIndex index = stop.begin; index < stop.end; ++index) {
    const Event& event = view.event(index);
    const std::string_view stack = view.name(event.op);
    const bool is_told = events::FramesOf(stack).size() > 1 || !events::FileOfFrame(stack).empty();
    if (event.kind == EventKind::kAllocate && is_told) return StackLines(stack);
  }
  return "";
}

std::vector<BlockChange> ChangesAt(const timeline::View& view, const StepWalk& walk, size_t stop) {
  return ChangeList(view, walk).Of(walk.stops[stop]);
}

}  // namespace tidemark::presenters
