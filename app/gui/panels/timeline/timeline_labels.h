// What is written over the timeline's chart, so that no two texts lie on each other. Used by the panel's own
// sources only. UI thread, inside a frame.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/timeline/timeline_parts.h"
#include "app/gui/widgets/text.h"
#include "app/presenters/plot/line_labels.h"

namespace tidemark::gui {

// Channels of the chart's draw list: labels lie above lines.
inline constexpr int kLineChannel = 0;
inline constexpr int kLabelChannel = 1;

// "1,344 events in sight": of the run, where the axis goes on beyond its ends. "" = nothing of it.
std::string SightInWords(presenters::TimeAxis axis, const presenters::VisibleRange& visible,
                         const presenters::VisibleRange& whole);

// How much of the plot's width the stack covers at a height, wherever that is: found once, and asked for
// every place that a label is tried at. O(columns · log columns), each answer O(log columns).
class StackCover {
 public:
  StackCover(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot);
  float ShareAt(float y) const;

 private:
  struct Top {
    float y = 0;
    float share = 0;  // of all columns that reach as high as that
  };
  std::vector<Top> tops_;  // the highest first
};

// The labels that the chart carries so far: no two lie on each other. It is full of curves, so that a label
// rather lies on one than is left out; in charts of a few lines (widgets/label_places.h) it is left out.
struct TimelineLabels {
  const presenters::TimelinePlot* plot =
      nullptr;  // on whose curves labels lie only where no other place is free
  std::vector<ImRect> places;
  // Of markers, the pin, what is measured and the card, in pixels: those, too, labels cross only where no
  // other place is free.
  std::vector<float> vertical_lines;
  std::vector<float> horizontal_lines;
  std::string explained;  // what the label under the mouse means; "" = none is there
  float measured_top = std::numeric_limits<float>::max();  // of the label of a measure; else far below
  // Where the stack moves under them what it covers is judged over all of the plot, so that none jumps as it
  // does.
  std::optional<StackCover> moving_stack;

  bool Overlap(const ImRect& place) const;
  bool CrossLine(const ImRect& place) const;
  void Take(const ImRect& place,
            std::string_view label);  // as widgets/labels.h names it; "" = needs no words
  void Explain(const ImRect& place, const std::string& words);  // under the mouse
};

// The events that the cursors lie on, as positions on the axis, in the person's order; none without cursors.
std::optional<presenters::VisibleRange> PositionsOfCursors(const TimelineInput& input,
                                                           const TimelineState& state);
void NoteLines(const TimelineInput& input, const TimelineGeometry& geometry, const TimelineState& state,
               TimelineLabels* labels);

// What is written at one in a plot that is so wide: cut only where its shorter text has no room either.
std::string FittedMarker(const TextStyle& style, const presenters::PlotMarker& marker, float plot_width);
// Of those with one text that are nearer to each other than `reach` pixels one, which says how many they are.
std::vector<presenters::PlotMarker> Joined(const TimelineGeometry& geometry,
                                           std::span<const presenters::PlotMarker> markers, float reach);

// Whether a label there would be struck through: by what is reserved, a level, a second run, or the card's
// figures.
bool CrossesCurve(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot,
                  const ImRect& place);
// Whether a label there would lie on no line and on no block of the stack.
bool IsClear(const TimelineGeometry& geometry, const presenters::TimelinePlot& plot, const ImRect& place);

// At its line on clear ground, or one or two rows from it on such; at the line with half of it on the stack,
// or with all, but on no other line; further from the line on clear ground; at the line on others; or further
// from it, since others' labels have all of that.
enum class Ground : uint8_t { kClear, kClearAway, kHalfClear, kOnStack, kClearFar, kAny, kAway };
inline constexpr Ground kGrounds[] = {Ground::kClear,   Ground::kClearAway, Ground::kHalfClear,
                                      Ground::kOnStack, Ground::kClearFar,  Ground::kAny,
                                      Ground::kAway};
// Rows from the line that such a place may lie in.
presenters::LabelRows RowsOf(Ground ground);
// Room for a label of `size` near (x, y): above the line, below it, and then further along it.
std::optional<ImRect> FindPlaceOn(Ground ground, const TimelineGeometry& geometry,
                                  const TimelineLabels& labels, ImVec2 size, float y,
                                  std::initializer_list<float> lefts);
// On the first of kGrounds that has room.
std::optional<ImRect> FindPlace(const TimelineGeometry& geometry, const TimelineLabels& labels, ImVec2 size,
                                float y, std::initializer_list<float> lefts);

// Of a line's columns the first that suits its label: at the right, the left, in the middle, and then between
// those; nothing where none of some seventeen does.
std::optional<size_t> ColumnForLabel(size_t columns, const std::function<bool(size_t)>& suits);

// The latest of a line in sight that is held: what its label tells, so that no two lines' labels tell of
// different moments, and only where the line stands at that. 0 of a line that holds nothing.
int64_t LatestHeld(std::span<const int64_t> bytes);
// What a line's label says where the line is at `bytes`: its title, and the latest size, with when it was
// told, where that is drawn as high.
std::string TextOnLine(const TimelineGeometry& geometry, const std::string& title, int64_t latest_bytes,
                       int64_t bytes, ByteUnit unit, const std::string& when_told = "");
// Where it has room nowhere else: a title alone on a slope leaves open what it is a title of.
std::string TextBesideLatest(const std::string& title, int64_t most_bytes, ByteUnit unit);

// The second run's: the most of what is seen of it, and of all of it where that is more.
std::string TextOfCompared(const std::string& title, int64_t seen_bytes, int64_t peak_bytes, ByteUnit unit);

// A text on a ground of its own, above all lines, whichever is drawn first.
void DrawChip(ImDrawList* list, const ImRect& place, const TextStyle& style, const std::string& text,
              Color fill);
// The same without a ground: a rim around its letters parts it from the stack that is seen between them.
void DrawRimmed(ImDrawList* list, const ImRect& place, const TextStyle& style, const std::string& text);
// From a label to what it is of: dots, since a line in the colour of a curve would be read as a spike of it.
void DrawPointer(ImDrawList* list, ImVec2 from, ImVec2 to, Color color);
// The label of a line that goes through `at`, which rounds so many bytes; one that is away from it points
// there.
void DrawLineLabel(ImDrawList* list, const ImRect& place, ImVec2 at, const TextStyle& style,
                   const std::string& text, int64_t bytes, std::string_view label, TimelineLabels* labels);
ImVec2 ChipSize(const TextStyle& style, const std::string& text);
// Cut where the plot is narrower than it: the mouse tells all of it.
std::string FittedLabel(const TimelineGeometry& geometry, const TextStyle& style, const std::string& text);

// A text as those of the levels, at (x, y), or elsewhere at that height; `label` is what explains it. False
// where there is no room.
bool DrawLabel(ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at, const std::string& text,
               Color color, std::string_view label, TimelineLabels* labels);
// Only there, and on such ground.
bool DrawLabelHere(Ground ground, ImDrawList* list, const TimelineGeometry& geometry, ImVec2 at,
                   const std::string& text, int64_t bytes, Color color, std::string_view label,
                   TimelineLabels* labels);

}  // namespace tidemark::gui
