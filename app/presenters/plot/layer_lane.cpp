#include "app/presenters/plot/layer_lane.h"

#include <algorithm>
#include <utility>

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventIndex;
using events::EventKind;

constexpr EventIndex kMostEvents = 4096;   // with more of them in sight layers are pixels wide
constexpr EventIndex kEventsBefore = 256;  // in which what reaches into sight has begun
constexpr int kPixelsPerLayer = 20;        // on average; narrower ones say nothing

// Ends what is open where another layer or phase begins.
class SpanJoiner {
 public:
  void At(double position, events::NameId layer, events::Phase phase) {
    if (open_.layer == layer && open_.phase == phase) return;
    Close(position);
    open_ = {position, position, layer, phase};
  }
  void Close(double position) {
    open_.end = position;
    if (open_.layer != 0 && open_.begin < position) spans_.push_back(open_);
    open_ = {};
  }
  std::vector<LayerSpan> Take() { return std::move(spans_); }

 private:
  LayerSpan open_;
  std::vector<LayerSpan> spans_;
};

}  // namespace

std::vector<LayerSpan> LayersInSight(const timeline::View& view, const TimelinePlotRequest& request) {
  if (view.empty()) return {};
  const EventIndex first = std::max(view.first(), IndexAtPosition(view, request.axis, request.visible.begin));
  const EventIndex last = std::min(view.end(), IndexAtPosition(view, request.axis, request.visible.end) + 1);
  if (first >= last || last - first > kMostEvents) return {};
  SpanJoiner joiner;
  for (EventIndex index = std::max(view.first(), first - std::min(first, kEventsBefore)); index < last;
       ++index) {
    const Event& event = view.event(index);
    const bool ends = event.kind == EventKind::kStepBegin || event.kind == EventKind::kStepEnd;
    const bool begins_operator = event.kind == EventKind::kScopeBegin && event.op != 0;
    if (ends || begins_operator)
      joiner.At(PositionOf(view, request.axis, index), ends ? 0 : event.layer, event.phase);
  }
  joiner.Close(PositionOf(view, request.axis, last - 1));
  std::vector<LayerSpan> spans = joiner.Take();
  std::erase_if(spans, [&](const LayerSpan& span) { return span.end <= request.visible.begin; });
  if (static_cast<int>(spans.size()) * kPixelsPerLayer > request.columns) return {};
  return spans;
}

}  // namespace tidemark::presenters
