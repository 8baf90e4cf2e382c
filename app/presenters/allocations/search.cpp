#include "app/presenters/allocations/search.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

#include "app/presenters/allocations/allocations.h"
#include "app/presenters/allocations/blocks.h"
#include "profiler/base/natural_order.h"
#include "profiler/events/cuda_graphs.h"
#include "profiler/events/stack.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::View;
using HitKind = SearchHit::Kind;

bool Holds(std::string_view text, std::string_view words) { return HoldsWord(LowerCase(text), words); }

std::string EventTitle(EventIndex index) { return "event " + FormatNumber(static_cast<int64_t>(index)); }

std::optional<uint64_t> NumberIn(std::string_view query) {
  for (const std::string_view lead : {"step", "event"}) {
    if (query.starts_with(lead)) query.remove_prefix(lead.size());
  }
  while (!query.empty() && (query.front() == ' ' || query.front() == '#')) query.remove_prefix(1);
  uint64_t number = 0;
  const auto [end, failure] = std::from_chars(query.data(), query.data() + query.size(), number);
  if (failure != std::errc() || end != query.data() + query.size()) return std::nullopt;
  return number;
}

// A frame over all stacks that it is in.
struct FoundFrame {
  int64_t largest = 0;
  bool has_inner = false;  // it called another one in one of them
};
using FoundFrames = std::map<std::string, FoundFrame, NaturalOrder>;

// A dozen of each kind, in the order in which they are looked for.
class Searcher {
 public:
  Searcher(const View& view, std::string_view query, ByteUnit unit)
      : view_(view), words_(LowerCase(query)), unit_(unit) {}

  std::vector<SearchHit> Take() { return std::move(hits_); }

  void Bookmarks(const std::vector<NamedMoment>& bookmarks) {
    for (const NamedMoment& bookmark : bookmarks) {
      if (Holds(bookmark.text, words_))
        Add({HitKind::kBookmark,
             bookmark.text,
             "bookmark · " + EventTitle(bookmark.index),
             bookmark.index,
             {}});
    }
  }

  void Numbers() {
    const std::optional<uint64_t> number = NumberIn(words_);
    if (!number) return;
    const auto& steps = view_.steps();
    for (size_t i = steps.size(); i-- > 0 && !words_.starts_with("event");) {
      if (steps[i].number < 0 || static_cast<uint64_t>(steps[i].number) != *number) continue;
      const timeline::Series level = view_.peak_level();
      const int64_t peak = timeline::ValueOf(steps[i].at_peak, level);
      Add({HitKind::kStep,
           "step " + FormatNumber(steps[i].number),
           "its peak: " + FormatBytes(peak, unit_) + " " + std::string(NameOf(level)),
           steps[i].peak,
           {}});
    }
    if (*number >= view_.first() && *number < view_.end() && !words_.starts_with("step"))
      Add({HitKind::kEvent,
           EventTitle(*number),
           std::string(events::NameOf(view_.event(*number).kind)),
           *number,
           {}});
  }

  void Markers() {
    const auto& markers = view_.markers();
    for (size_t i = markers.size(); i-- > 0;) {
      if (Holds(markers[i].text, words_))
        Add({HitKind::kMarker,
             markers[i].text,
             "marker · " + EventTitle(markers[i].index),
             markers[i].index,
             {}});
    }
  }

  void Failures() {
    if (!Holds("CUDA out of memory", words_) && !Holds("OOM", words_)) return;
    const auto& failures = view_.out_of_memory();
    for (size_t i = failures.size(); i-- > 0;) {
      Add({HitKind::kMarker,
           "out of memory",
           FormatBytes(failures[i].requested_bytes, unit_) + " asked for · " + EventTitle(failures[i].index),
           failures[i].index,
           {}});
    }
  }

  std::string WhoseReplay(EventIndex index) const {
    const int64_t graph = events::GraphOfReplay(view_.name(view_.event(index).op));
    return graph == 0 ? "of a CUDA graph" : "of CUDA graph " + FormatNumber(graph);
  }

  // The newest, as of markers.
  void Replays() {
    const auto& replays = view_.graph_replays();
    const std::string of_all = " of " + FormatNumber(static_cast<int64_t>(replays.size()));
    if (!Holds("replay of a CUDA graph", words_) && !Holds("replays of CUDA graphs", words_) &&
        !Holds(events::kGraphReplay, words_))
      return;
    for (size_t i = replays.size(); i > 0 && replays.size() - i < kMostHitsOfAKind; --i) {
      const EventIndex index = replays[i - 1];
      Add({HitKind::kReplay,
           "replay " + FormatNumber(static_cast<int64_t>(i)) + of_all,
           WhoseReplay(index) + " · " + EventTitle(index),
           index,
           {}});
    }
  }

  void Categories() {
    for (int i = 0; i < events::kCategoryCount; ++i) {
      const auto category = static_cast<events::Category>(i);
      if (Holds(events::NameOf(category), words_))
        Add({HitKind::kCategory, std::string(events::NameOf(category)), "category", std::nullopt,
             CategorySelected(category)});
    }
  }

  // Layers, operators and allocations: one walk over all events, from the newest. False if it was given up.
  bool Events(const Progress& progress) {
    const std::string text = words_.starts_with("0x") ? "at:" + words_ : words_;
    ReadFilter read = ReadAllocationFilter(text);
    const AllocationsOf allocations(view_);
    AllocationMatcher matcher(view_, std::move(read.filter));
    std::vector<Allocation> found;
    const bool asks = read.unreadable.empty();
    for (EventIndex index = view_.end(); index-- > view_.first();) {
      if (index % kEventsBetweenReports == 0 && !progress(Share(index))) return false;
      const events::Event& event = view_.event(index);
      if (event.kind != events::EventKind::kAllocate) continue;
      NoteLargest(event.layer, event.rounded_bytes, largest_of_layer_);
      NoteLargest(event.op, event.rounded_bytes, largest_of_stack_);
      if (!asks || found.size() == kMostHitsOfAKind) continue;
      const Allocation allocation = allocations.Born(event, index);
      if (matcher.Fits(allocation)) found.push_back(allocation);
    }
    AddOwners();
    for (const Allocation& allocation : found) {
      const timeline::LiveBlock& block = allocation.block;
      Add({HitKind::kAllocation, BlockTitle(view_, block),
           FormatBytes(block.bytes, unit_) + " · born at " + EventTitle(block.born), block.born,
           AllocationSelected(block.born)});
    }
    return true;
  }

 private:
  using LargestOf = std::unordered_map<events::NameId, int64_t>;
  static constexpr uint64_t kEventsBetweenReports = 8192;

  double Share(EventIndex index) const {
    return static_cast<double>(view_.end() - index) / static_cast<double>(view_.end() - view_.first());
  }
  static void NoteLargest(events::NameId id, int64_t bytes, LargestOf& largest) {
    if (id == 0) return;
    int64_t& most = largest[id];
    most = std::max(most, bytes);
  }
  // And how large the largest block was.
  void AddOwners() {
    std::map<std::string, int64_t, NaturalOrder> layers;  // different ids may have the same name
    for (const auto& [id, bytes] : largest_of_layer_) {
      if (!Holds(view_.name(id), words_)) continue;
      int64_t& largest = layers[std::string(view_.name(id))];
      largest = std::max(largest, bytes);
    }
    FoundFrames frames;
    for (const auto& [id, bytes] : largest_of_stack_) NoteFrames(id, bytes, frames);
    for (const auto& [name, bytes] : layers)
      Add({HitKind::kLayer, name, "layer · largest block " + FormatBytes(bytes, unit_), std::nullopt,
           LayerSelected(name)});
    for (const auto& [name, found] : frames)
      Add({HitKind::kOperator, name,
           KindOf(name, found) + " · largest block " + FormatBytes(found.largest, unit_), std::nullopt,
           IsOperator(name, found) ? OperatorSelected(name) : FrameSelected(name)});
  }
  static bool IsOperator(const std::string& name, const FoundFrame& found) {
    return !found.has_inner && events::FileOfFrame(name).empty();
  }
  static std::string KindOf(const std::string& name, const FoundFrame& found) {
    if (!events::FileOfFrame(name).empty()) return "line of code";
    return IsOperator(name, found) ? "operator" : "frame";
  }
  // Of a stack each frame that holds the words.
  void NoteFrames(events::NameId id, int64_t bytes, FoundFrames& found) const {
    const std::vector<std::string_view> frames = events::FramesOf(view_.name(id));
    for (size_t i = 0; i < frames.size(); ++i) {
      if (!Holds(frames[i], words_)) continue;
      FoundFrame& of_name = found[std::string(frames[i])];
      of_name.largest = std::max(of_name.largest, bytes);
      of_name.has_inner |= i > 0;
    }
  }
  void Add(SearchHit hit) {
    if (++counts_[hit.kind] <= kMostHitsOfAKind) hits_.push_back(std::move(hit));
  }

  const View& view_;
  const std::string words_;
  const ByteUnit unit_;
  LargestOf largest_of_layer_;
  LargestOf largest_of_stack_;
  std::map<HitKind, size_t> counts_;
  std::vector<SearchHit> hits_;
};

}  // namespace

std::optional<std::vector<SearchHit>> Search(const View& view, std::string_view query,
                                             const std::vector<NamedMoment>& bookmarks, ByteUnit unit,
                                             const Progress& progress) {
  while (!query.empty() && query.front() == ' ') query.remove_prefix(1);
  while (!query.empty() && query.back() == ' ') query.remove_suffix(1);
  Searcher searcher(view, query, unit);
  searcher.Bookmarks(bookmarks);
  if (query.empty() || view.empty()) return searcher.Take();
  searcher.Numbers();
  searcher.Markers();
  searcher.Failures();
  searcher.Replays();
  searcher.Categories();
  if (!searcher.Events(progress)) return std::nullopt;
  return searcher.Take();
}

}  // namespace tidemark::presenters
