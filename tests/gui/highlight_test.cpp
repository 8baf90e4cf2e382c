#include "app/gui/view/highlight.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

using events::EventIndex;

// From the bottom of the block to its top; nothing where it is not lit.
std::optional<std::pair<int64_t, int64_t>> LitAt(const std::vector<HighlightSpan>& spans, EventIndex index) {
  const double middle = static_cast<double>(index) + 0.5;
  const auto found = std::ranges::find_if(
      spans, [middle](const HighlightSpan& span) { return span.begin <= middle && middle < span.end; });
  if (found == spans.end()) return std::nullopt;
  return std::pair(found->bottom_bytes, found->top_bytes);
}

}  // namespace

TEST_CASE("A block is lit where it lies, also while one below it, or it itself, waits to be freed") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 5120);
  stream.Allocate(0x2000, 512);
  const EventIndex born = stream.latest();
  stream.RequestFree(0x1000);
  const EventIndex below_goes = stream.latest();
  stream.Free(0x1000);
  stream.RequestFree(0x2000);
  const EventIndex goes = stream.latest();
  stream.Allocate(0x3000, 4096);
  stream.Free(0x2000);
  const auto view = stream.Publish();
  presenters::TimelinePlotRequest request;
  request.visible = presenters::WholeRange(*view, request.axis);
  request.columns = static_cast<int>(view->end());
  const presenters::TimelinePlot plot = presenters::MakeTimelinePlot(*view, {}, request);
  const presenters::StackedMoment seen(*view, born);
  const auto spans = HighlightOf(plot, LookIntoStack(*view, seen, *seen.BornAt(born)));
  CHECK(LitAt(spans, born) == std::pair<int64_t, int64_t>(5120, 5632));
  CHECK(LitAt(spans, below_goes) == std::pair<int64_t, int64_t>(0, 512));
  CHECK(LitAt(spans, below_goes + 1) == std::pair<int64_t, int64_t>(0, 512));
  CHECK_FALSE(LitAt(spans, goes));
  CHECK_FALSE(LitAt(spans, goes + 1));
}

}  // namespace tidemark::gui
