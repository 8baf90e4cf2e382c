#include "app/presenters/picture/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "app/presenters/comparison/same_place.h"
#include "app/presenters/comparison/stream_comparison.h"
#include "app/presenters/moment/breakdown.h"
#include "app/presenters/moment/memory_map.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/picture/canvas.h"
#include "app/presenters/plot/axis_ticks.h"
#include "app/presenters/plot/compared_run.h"
#include "app/presenters/plot/line_labels.h"
#include "app/presenters/plot/plot_annotations.h"
#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
#include "profiler/base/utf8.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::presenters {
namespace {

using timeline::Series;

constexpr const char* kFailureColour = "#DA3D51";
constexpr const char* kBookmarkColour = "#0B6FB8";
constexpr size_t kPictureColumns = 1160;
constexpr double kLetterWidth = 7.6;  // of a name, on average

std::string InMegabytes(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMegabytes); }

// Of the vertical axis: whole bytes.
int64_t TickOf(int64_t highest_bytes) {
  return static_cast<int64_t>(std::max(1.0, RoundStep(static_cast<double>(highest_bytes), 8)));
}

// Whatever a recording claims, it does not run over.
int64_t TopAbove(int64_t highest_bytes, int64_t tick) {
  return SaturatingSum(highest_bytes / tick * tick, tick);
}

struct Plot {
  double left = 110;
  double top = Canvas::kTop;
  int width = Canvas::kWidth - 110 - Canvas::kMargin;
  int height = 420;
  VisibleRange sight = {};  // events

  double X(double position) const {
    return left + width * (position - sight.begin) / std::max(1.0, sight.end - sight.begin);
  }
  bool Shows(timeline::EventIndex event) const {
    const auto position = static_cast<double>(event);
    return position >= sight.begin && position < sight.end;
  }
};

void DrawGrid(const Plot& plot, int64_t top_bytes, int64_t tick, Canvas& canvas) {
  for (int64_t line = 0; line <= top_bytes / tick; ++line) {
    const int64_t bytes = line * tick;
    const double y =
        plot.top + plot.height - plot.height * static_cast<double>(bytes) / static_cast<double>(top_bytes);
    canvas.Line(plot.left, y, plot.left + plot.width, y, "#E4E7EB");
    canvas.Text(plot.left - 10, y + 5, InMegabytes(bytes), "text-anchor=\"end\" fill=\"#52606D\"");
  }
}

// Where steps begin, as far as their names have room.
void DrawSteps(const timeline::View& view, const Plot& plot, Canvas& canvas) {
  constexpr double kRoom = 80;
  double free_from = 0;
  for (const timeline::Step& step : view.steps()) {
    const double x = plot.X(static_cast<double>(step.begin));
    if (!plot.Shows(step.begin) || x < free_from || x > plot.left + plot.width - kRoom / 2) continue;
    free_from = x + kRoom;
    canvas.Line(x, plot.top + plot.height, x, plot.top + plot.height + 8, "#7B8794");
    canvas.Text(x + 4, plot.top + plot.height + 20, fmt::format("step {}", step.number), "fill=\"#52606D\"");
  }
}

// What the horizontal axis counts, beneath its end.
void NameAxis(std::string_view words, const Plot& plot, double below, Canvas& canvas) {
  canvas.Text(plot.left + plot.width, plot.top + plot.height + below, words,
              "text-anchor=\"end\" fill=\"#52606D\"");
}

// A legend's entries beside each other, in another row where the next has no room; the picture reaches below.
class Legend {
 public:
  Legend(double left, double baseline, Canvas& canvas)
      : left_(left), x_(left), y_(baseline), canvas_(canvas) {
    canvas_.Reach(y_ + kRow);
  }

  void Box(std::string_view text, std::string_view colour) {
    Begin(20, text);
    canvas_.Box(x_, y_ - 11, 13, 13, colour);
    End(20, text);
  }
  void Line(std::string_view text, std::string_view line_class) {
    Begin(34, text);
    canvas_.Shapes(x_, y_ - 5, fmt::format("<polyline class=\"{}\" points=\"0,0 26,0\"/>\n", line_class));
    End(34, text);
  }
  void Edge(std::string_view text, std::string_view colour) {
    Begin(8, text);
    canvas_.Line(x_, y_ - 13, x_, y_ + 4, colour);
    End(8, text);
  }
  void Categories(const std::array<bool, events::kCategoryCount>& used) {
    for (int i = 0; i < events::kCategoryCount; ++i) {
      const auto category = static_cast<events::Category>(i);
      if (used[static_cast<size_t>(i)]) Box(NameOf(category), ColourOf(category));
    }
  }
  void BeginRow() {
    x_ = left_;
    y_ += kRow;
    canvas_.Reach(y_ + kRow);
  }

 private:
  static constexpr double kRow = 24;
  static double WidthOf(double mark, std::string_view text) {
    return mark + 7.6 * static_cast<double>(text.size());
  }
  void Begin(double mark, std::string_view text) {
    if (x_ > left_ && x_ + WidthOf(mark, text) > Canvas::kWidth - Canvas::kMargin) BeginRow();
  }
  void End(double mark, std::string_view text) {
    canvas_.Text(x_ + mark, y_, text);
    x_ += WidthOf(mark, text) + 26;
  }

  double left_;
  double x_;
  double y_;
  Canvas& canvas_;
};

void AddTo(Legend& legend, const std::vector<CurveColumn>& curve) {
  std::array<bool, events::kCategoryCount> used{};
  for (const CurveColumn& column : curve) {
    for (size_t i = 0; i < used.size(); ++i) used[i] = used[i] || column.at_peak[i] > 0;
  }
  legend.Categories(used);
  if (const auto level = LevelInstead(curve)) legend.Box(NameOf(*level), ColourOf(std::nullopt));
  if (TellsReserved(curve)) legend.Line("reserved", "reserved");
}

// What lies over the curve, as the window has it.
TimelinePlot PlotOver(const timeline::View& view, const VisibleRange& sight, const PictureTheory& theory,
                      const std::optional<SecondRun>& second) {
  if (view.empty()) return {};
  TimelinePlot plot =
      MakeTimelinePlot(view, theory.estimates, {TimeAxis::kEvents, sight, static_cast<int>(kPictureColumns)});
  if (!second) return plot;
  const timeline::View& other = *second->view;
  std::vector<SameEvent> same;
  if (AlignByAllocations(view, other))
    same = SameEvents(view, other, CompareStreams(view, other, ComparedSteps::kAll));
  AddComparedRun(view, other, same, plot);
  return plot;
}

int64_t HighestOf(const std::vector<PlotLevel>& levels) {
  return levels.empty() ? 0 : std::ranges::max_element(levels, {}, &PlotLevel::bytes)->bytes;
}

// What the second run had allocated, interrupted where it has nothing like the first.
void DrawCompared(std::span<const PlotLevel> levels, const Plot& plot, int64_t top_bytes, Canvas& canvas) {
  const auto x = [&](double position) { return plot.X(std::floor(position)); };
  for (size_t begin = 0, end = 0; begin < levels.size(); begin = end) {
    std::string points;
    for (end = begin; end < levels.size() && (end == begin || levels[end].begin == levels[end - 1].end);
         ++end) {
      const double y = plot.top + plot.height -
                       plot.height * static_cast<double>(levels[end].bytes) / static_cast<double>(top_bytes);
      points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x(levels[end].begin), y, x(levels[end].end), y);
    }
    canvas.Shapes(0, 0, fmt::format("<polyline class=\"compared\" points=\"{}\"/>\n", points));
  }
}

void AddTo(Legend& legend, const SecondRun& second) {
  const Series level = second.view->peak_level();
  const auto peak = second.view->PeakIn(level, second.view->first(), second.view->end());
  legend.BeginRow();
  legend.Line(
      fmt::format("{}: at most {} {}", second.title, InMegabytes(ValueOf(peak.values, level)), HeldAs(level)),
      "compared");
}

// Textbook, phantom and card over the curve. A line far above it would leave the curve no height: it is told
// at the top instead.
class TheoryLines {
 public:
  TheoryLines(const VisibleRange& sight, const TimelinePlot& over, const session::Capacity& capacity,
              int64_t curve_bytes)
      : sight_(sight), textbook_(over.textbook), phantom_(over.phantom), capacity_(capacity) {
    highest_bytes_ = curve_bytes;
    const auto make_room = [&](int64_t bytes) {
      if (ReachesUpTo(bytes, curve_bytes)) highest_bytes_ = std::max(highest_bytes_, bytes);
    };
    for (const auto* levels : {&textbook_, &phantom_}) {
      for (const PlotLevel& level : *levels) make_room(level.bytes);
    }
    make_room(capacity_.bytes);
  }

  int64_t highest_bytes() const { return highest_bytes_; }

  void DrawLines(const Plot& plot, int64_t top_bytes, Canvas& canvas) const {
    VisitLevels(top_bytes, [&](const PlotLevel& level, std::string_view what, const std::string&) {
      const double y = Y(level, plot, top_bytes);
      canvas.Shapes(
          0, 0,
          fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", what,
                      X(level.begin, plot), y, X(level.end, plot), y));
    });
  }
  // Whether one of them goes through what is written there.
  bool Strike(const LabelBox& box, const Plot& plot, int64_t top_bytes) const {
    bool strikes = false;
    VisitLevels(top_bytes, [&](const PlotLevel& level, std::string_view, const std::string&) {
      const double y = Y(level, plot, top_bytes);
      const bool is_beside = X(level.end, plot) < box.left || box.right < X(level.begin, plot);
      strikes = strikes || (box.top <= y && y <= box.bottom && !is_beside);
    });
    return strikes;
  }
  // Over all lines. `taken`: where there are names already.
  void DrawNames(const Plot& plot, int64_t top_bytes, std::vector<LabelBox> taken, Canvas& canvas) const {
    VisitLevels(top_bytes, [&](const PlotLevel& level, std::string_view what, const std::string& name) {
      const auto place = PlaceOfName(name, level, plot, top_bytes, taken);
      if (!place) return;
      taken.push_back(*place);
      canvas.Text(place->right, place->bottom - 3, name, fmt::format("class=\"name {}\"", what));
    });
    const std::vector<std::string> above = AboveAxis(top_bytes);
    if (above.empty()) return;
    canvas.Text(plot.left + plot.width, plot.top - 8,
                fmt::format("{}, above the axis", fmt::join(above, " · ")),
                "text-anchor=\"end\" fill=\"#C22B3A\"");
  }

 private:
  // Of textbook and phantom the highest each.
  std::vector<std::string> AboveAxis(int64_t top_bytes) const {
    std::vector<std::string> above;
    const auto add = [&](const std::string& title, int64_t bytes) {
      if (bytes > top_bytes) above.push_back(title + " " + InMegabytes(bytes));
    };
    add("textbook", HighestOf(textbook_));
    add("phantom", HighestOf(phantom_));
    add(session::InWords(capacity_), capacity_.bytes);
    return above;
  }
  double X(double position, const Plot& plot) const {
    return plot.X(std::clamp(position, sight_.begin, sight_.end));
  }
  double Y(const PlotLevel& level, const Plot& plot, int64_t top_bytes) const {
    return plot.top + plot.height -
           plot.height * static_cast<double>(level.bytes) / static_cast<double>(top_bytes);
  }
  // Those below the top, what each is and what is written on it.
  template <typename Visit>
  void VisitLevels(int64_t top_bytes, Visit visit) const {
    const auto visit_level = [&](const PlotLevel& level, const char* what, const std::string& title) {
      if (level.bytes <= top_bytes) visit(level, what, title + " " + InMegabytes(level.bytes));
    };
    for (const PlotLevel& level : textbook_) visit_level(level, "textbook", "textbook");
    for (const PlotLevel& level : phantom_) visit_level(level, "phantom", "phantom");
    if (capacity_.bytes > 0)
      visit_level({sight_.begin, sight_.end, capacity_.bytes}, "card", capacity_.title());
  }
  std::optional<LabelBox> PlaceOfName(const std::string& name, const PlotLevel& level, const Plot& plot,
                                      int64_t top_bytes, std::span<const LabelBox> taken) const {
    constexpr double kRoomForName = 150;
    const double begin = X(level.begin, plot);
    const double end = X(level.end, plot) - 6;
    if (end - begin < kRoomForName) return std::nullopt;
    const double width = kLetterWidth * static_cast<double>(CountLetters(name));
    const std::array lefts = {end - width, begin + 6, (begin + end - width) / 2};
    const auto is_free = [&](const LabelBox& box) {
      return box.top >= plot.top && box.bottom <= plot.top + plot.height &&
             std::ranges::none_of(taken, [&](const LabelBox& other) { return other.Overlaps(box); });
    };
    return PlaceOfLabel({width, 16, Y(level, plot, top_bytes), 2, lefts}, {kAtLine.first, kAwayFromLine.end},
                        is_free);
  }

  VisibleRange sight_;
  std::vector<PlotLevel> textbook_;
  std::vector<PlotLevel> phantom_;
  session::Capacity capacity_;
  int64_t highest_bytes_ = 0;
};

// Where the card had no room, as far as their names have: below the line that would strike them through.
// Where those are.
std::vector<LabelBox> DrawFailures(const timeline::View& view, const Plot& plot, const TheoryLines& lines,
                                   int64_t top_bytes, Canvas& canvas) {
  constexpr double kRoom = 400;
  constexpr double kRow = 22;
  double free_from = 0;
  std::vector<LabelBox> names;
  for (const timeline::OutOfMemory& failure : view.out_of_memory()) {
    const double x = plot.X(static_cast<double>(failure.index));
    if (!plot.Shows(failure.index) || x < free_from) continue;
    free_from = x + kRoom;
    canvas.Line(x, plot.top, x, plot.top + plot.height, kFailureColour);
    const bool is_left = 2 * (x - plot.left) > plot.width;
    const double left = is_left ? x - kRoom : x;
    double baseline = plot.top + 30;
    const auto box = [&] { return LabelBox{left, baseline - 15, left + kRoom, baseline + 5}; };
    while (lines.Strike(box(), plot, top_bytes) && baseline + kRow < plot.top + plot.height) baseline += kRow;
    canvas.Text(is_left ? x - 6 : x + 6, baseline, TitleOfFailure(failure, ByteUnit::kMegabytes),
                fmt::format("fill=\"{}\" text-anchor=\"{}\"", kFailureColour, is_left ? "end" : "start"));
    names.push_back(box());
  }
  return names;
}

// Each with its name as low as it has to stand, to lie on no other.
void DrawBookmarks(std::span<const PlotMarker> bookmarks, const Plot& plot, const TheoryLines& lines,
                   int64_t top_bytes, std::vector<LabelBox>& taken, Canvas& canvas) {
  constexpr double kRow = 22;
  for (const PlotMarker& bookmark : bookmarks) {
    if (!plot.Shows(static_cast<timeline::EventIndex>(bookmark.position))) continue;
    const double x = plot.X(bookmark.position);
    canvas.Line(x, plot.top, x, plot.top + plot.height, kBookmarkColour);
    const double room = std::max(x - plot.left, plot.left + plot.width - x) - 12;
    const std::string name = CutToLetters(bookmark.text, static_cast<size_t>(room / kLetterWidth));
    const double width = 6 + kLetterWidth * static_cast<double>(CountLetters(name));
    const bool is_behind = x + width < plot.left + plot.width;
    LabelBox box{is_behind ? x : x - width, plot.top + 4, is_behind ? x + width : x, plot.top + 22};
    const auto lies_on = [&](const LabelBox& other) { return other.Overlaps(box); };
    const auto has_to_move = [&] {
      return std::ranges::any_of(taken, lies_on) || lines.Strike(box, plot, top_bytes);
    };
    for (; has_to_move() && box.bottom + kRow < plot.top + plot.height; box.bottom += kRow) box.top += kRow;
    taken.push_back(box);
    canvas.Text(is_behind ? x + 6 : x - 6, box.bottom - 4, name,
                fmt::format("class=\"name\" fill=\"{}\" style=\"text-anchor:{}\"", kBookmarkColour,
                            is_behind ? "start" : "end"));
  }
}

// One value over all columns, as SVG's points.
std::string PointsOf(const std::vector<phantom::ReplayColumn>& curve, int64_t phantom::ReplayColumn::*value,
                     const Plot& plot, int64_t top_bytes) {
  std::string points;
  for (size_t i = 0; i < curve.size(); ++i) {
    const double y =
        plot.height - plot.height * static_cast<double>(curve[i].*value) / static_cast<double>(top_bytes);
    for (const size_t edge : {i, i + 1}) {
      points += fmt::format("{:.1f},{:.1f} ",
                            static_cast<double>(edge) * plot.width / static_cast<double>(curve.size()), y);
    }
  }
  return points;
}

struct ReplayColours {
  std::string_view allocated;
  std::string_view reserved;
};
constexpr ReplayColours kBeforeColours{"#E4E7EB", "#7B8794"};
constexpr ReplayColours kAfterColours{"#1A8977", "#415DA0"};

void DrawLines(const std::vector<phantom::ReplayColumn>& curve, const Plot& plot, int64_t top_bytes,
               const ReplayColours& colours, bool filled, Canvas& canvas) {
  const std::string allocated = PointsOf(curve, &phantom::ReplayColumn::allocated_bytes, plot, top_bytes);
  std::string shapes = filled
                           ? fmt::format("<polygon fill=\"{}\" points=\"0,{} {}{},{}\"/>\n",
                                         colours.allocated, plot.height, allocated, plot.width, plot.height)
                           : fmt::format("<polyline fill=\"none\" stroke=\"{}\" points=\"{}\"/>\n",
                                         colours.allocated, allocated);
  shapes +=
      fmt::format("<polyline fill=\"none\" stroke-width=\"2\" stroke=\"{}\" points=\"{}\"/>\n",
                  colours.reserved, PointsOf(curve, &phantom::ReplayColumn::reserved_bytes, plot, top_bytes));
  for (size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].failures == 0) continue;
    shapes += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>\n",
                          (static_cast<double>(i) + 0.5) * plot.width / static_cast<double>(curve.size()),
                          filled ? 8 : 20, filled ? colours.reserved : kFailureColour);
  }
  canvas.Shapes(plot.left, plot.top, shapes);
}

struct BarRow {
  std::string name;
  std::string value;
  std::string colour;
  int64_t from = 0;
  int64_t bytes = 0;
  bool strong = false;

  int64_t until() const { return SaturatingSum(from, bytes); }
};

std::string BarPicture(std::string_view title, std::string_view subtitle, const std::vector<BarRow>& rows) {
  constexpr int kRowHeight = 40;
  constexpr double kLeft = 330;
  constexpr double kBars = Canvas::kWidth - kLeft - 230;
  Canvas canvas(Canvas::kTop + kRowHeight * static_cast<int>(rows.size()) + Canvas::kMargin, title, subtitle);
  int64_t highest = 1;
  for (const BarRow& row : rows) highest = std::max({highest, row.from, row.until()});
  const double scale = kBars / static_cast<double>(highest);
  double y = Canvas::kTop;
  for (const BarRow& row : rows) {
    const std::string weight = row.strong ? "font-weight=\"bold\"" : "";
    const double begin = kLeft + scale * static_cast<double>(std::min(row.from, row.until()));
    const double width = std::max(1.5, scale * std::abs(static_cast<double>(row.bytes)));
    canvas.Text(kLeft - 16, y + 19, row.name, "text-anchor=\"end\" " + weight);
    canvas.Box(begin, y, width, 26, row.colour);
    canvas.Text(begin + width + 10, y + 19, row.value, weight);
    y += kRowHeight;
  }
  return canvas.Finished();
}

constexpr std::string_view kFreeColour = "#E4E7EB";
constexpr std::string_view kSegmentColour = "#1F2933";

// The map cut into rows of equal length, one below the other.
class MapRows {
 public:
  MapRows(const MemoryMap& map, Canvas& canvas)
      : canvas_(canvas),
        row_bytes_(std::max<int64_t>(1, SaturatingSum(map.reserved_bytes, kRows - 1) / kRows)) {}

  static constexpr int kRows = 8;
  static constexpr int kRowHeight = 46;

  void Fill(int64_t begin, int64_t bytes, std::string_view colour, std::string_view attributes) {
    for (const int64_t end = SaturatingSum(begin, bytes); begin < end;) {
      const int64_t row = begin / row_bytes_;
      const int64_t part = std::min(end, SaturatingProduct(row + 1, row_bytes_)) - begin;
      canvas_.Box(X(begin - row * row_bytes_) + Canvas::kMargin, Y(row), X(part), kRowHeight - 8, colour,
                  attributes);
      begin += part;
    }
  }
  void Mark(int64_t at) {
    const int64_t row = at / row_bytes_;
    const double x = X(at - row * row_bytes_) + Canvas::kMargin;
    canvas_.Line(x, Y(row) - 3, x, Y(row) + kRowHeight - 5, kSegmentColour);
  }
  // How much memory a row stands for, below the last.
  void DrawScale() {
    constexpr double kRoomForName = 90;
    const double y = Y(kRows) - 4;
    const auto tick =
        std::max<int64_t>(1, static_cast<int64_t>(RoundStep(static_cast<double>(row_bytes_), 8)));
    canvas_.Line(Canvas::kMargin, y, Canvas::kMargin + X(row_bytes_), y, "#7B8794");
    for (int64_t at = 0; at <= row_bytes_; at += tick) {
      const double x = Canvas::kMargin + X(at);
      canvas_.Line(x, y, x, y + 6, "#7B8794");
      if (x > Canvas::kWidth - Canvas::kMargin - kRoomForName / 2) continue;
      canvas_.Text(x, y + 22, at == 0 ? "0" : InMegabytes(at), "fill=\"#52606D\"");
    }
    canvas_.Text(Canvas::kWidth - Canvas::kMargin, y + 42, "each row " + InMegabytes(row_bytes_),
                 "text-anchor=\"end\" fill=\"#52606D\"");
  }

 private:
  double X(int64_t bytes) const {
    return static_cast<double>(bytes) / static_cast<double>(row_bytes_) *
           (Canvas::kWidth - 2 * Canvas::kMargin);
  }
  static double Y(int64_t row) { return Canvas::kTop + static_cast<double>(row) * kRowHeight; }

  Canvas& canvas_;
  int64_t row_bytes_;
};

}  // namespace

std::string TimelinePicture(const timeline::View& view, std::string_view title, const PictureTheory& theory,
                            const std::optional<SecondRun>& second, const PictureSight& sight) {
  const auto [begin, end] = sight.range.value_or(EventRange{view.first(), view.end()});
  const Plot plot{.sight = {static_cast<double>(begin), static_cast<double>(end)}};
  const std::vector<CurveColumn> curve = CurveOf(view, kPictureColumns, EventRange{begin, end});
  const TimelinePlot over = PlotOver(view, plot.sight, theory, second);
  const TheoryLines lines(plot.sight, over, theory.capacity,
                          std::max(HighestOf(curve), HighestOf(over.compared)));
  const int64_t tick = TickOf(lines.highest_bytes());
  const int64_t top_bytes = TopAbove(lines.highest_bytes(), tick);
  const Series level = view.peak_level();
  const auto peak = view.PeakIn(level, begin, end);
  Canvas canvas(Canvas::kTop + plot.height, title,
                fmt::format("At most {} {}, over {} events", InMegabytes(ValueOf(peak.values, level)),
                            HeldAs(level), FormatNumber(static_cast<int64_t>(end - begin))));
  DrawGrid(plot, top_bytes, tick, canvas);
  canvas.Shapes(plot.left, plot.top, CurveShapes(curve, plot.width, plot.height, top_bytes));
  DrawCompared(over.compared, plot, top_bytes, canvas);
  lines.DrawLines(plot, top_bytes, canvas);
  std::vector<LabelBox> names = DrawFailures(view, plot, lines, top_bytes, canvas);
  DrawBookmarks(sight.bookmarks, plot, lines, top_bytes, names, canvas);
  lines.DrawNames(plot, top_bytes, std::move(names), canvas);
  DrawSteps(view, plot, canvas);
  NameAxis("events, in their order →", plot, 38, canvas);
  Legend legend(plot.left, plot.top + plot.height + 56, canvas);
  AddTo(legend, curve);
  if (second) AddTo(legend, *second);
  return canvas.Finished();
}

std::string WhatIfPicture(const advice::WhatIf& outcome, const SetupTitles& setups, std::string_view title) {
  const Plot plot;
  const int64_t highest = HighestBytes(outcome);
  const int64_t tick = TickOf(highest);
  const int64_t top_bytes = TopAbove(highest, tick);
  Canvas canvas(Canvas::kTop + plot.height + 80, title,
                fmt::format("The same requests, before: {}; after: {}", setups.before, setups.after));
  if (advice::DoesNotFit(outcome)) {
    canvas.Text(plot.left, plot.top - 8, "After: " + advice::FailureInWords(outcome),
                fmt::format("fill=\"{}\"", kFailureColour));
  }
  DrawGrid(plot, top_bytes, tick, canvas);
  DrawLines(outcome.before.curve, plot, top_bytes, kBeforeColours, true, canvas);
  DrawLines(outcome.after.curve, plot, top_bytes, kAfterColours, false, canvas);
  NameAxis("requests to the allocator, in their order →", plot, 18, canvas);
  Legend legend(plot.left, plot.top + plot.height + 40, canvas);
  const std::pair<std::string_view, std::string_view> entries[] = {
      {"reserved before", kBeforeColours.reserved},
      {"reserved after", kAfterColours.reserved},
      {"allocated before", kBeforeColours.allocated},
      {"allocated after", kAfterColours.allocated},
      {"out of memory after", kFailureColour}};
  for (const auto& [text, colour] : entries) legend.Box(text, colour);
  return canvas.Finished();
}

std::string BreakdownPicture(const timeline::View& view, std::string_view title) {
  const Breakdown breakdown = MakeBreakdown(view, std::nullopt, std::nullopt, PeakOfRun(view));
  std::vector<BarRow> rows;
  for (const auto* part : {&breakdown.rows, &breakdown.totals}) {
    for (const BreakdownRow& row : *part) {
      if (!row.measured_bytes) continue;
      rows.push_back({row.title, InMegabytes(*row.measured_bytes), ColourOf(row.category), 0,
                      *row.measured_bytes, part == &breakdown.totals});
    }
  }
  return BarPicture(title, "Where memory goes, " + breakdown.moment, rows);
}

std::string BridgePicture(const Bridge& bridge, std::string_view title) {
  std::vector<BarRow> rows;
  for (const BridgeStep& step : bridge.steps) {
    const bool is_level = step.kind == BridgeStep::Kind::kLevel;
    const std::string sign = is_level ? "" : step.bytes < 0 ? "−" : "+";
    rows.push_back({step.name, sign + InMegabytes(SaturatingMagnitude(step.bytes)), ColourOf(step.category),
                    is_level ? 0 : step.from_bytes, step.bytes, is_level});
  }
  return BarPicture(title, BridgeTitle(bridge), rows);
}

Result<std::string> MapPicture(const timeline::View& view, std::string_view title) {
  const std::optional<PeakMoment> peak = PeakOfRun(view);  // as the breakdown
  const timeline::State state =
      peak ? timeline::SettledStateAt(view, peak->index, peak->step_end) : timeline::State{};
  const MemoryMap map = MakeMemoryMap(state);
  if (map.segments.empty())
    return Error{
        "The map shows segments and their blocks, and nobody reported segments in this run. Choose "
        "the timeline or the breakdown."};
  const std::string told =
      fmt::format("{} segment{}, {} reserved, {:.1f} % of it free",
                  FormatNumber(static_cast<int64_t>(map.segments.size())),
                  map.segments.size() == 1 ? "" : "s", InMegabytes(map.reserved_bytes), 100 * map.share_free);
  constexpr int kRowsEnd = Canvas::kTop + MapRows::kRows * MapRows::kRowHeight;
  Canvas canvas(kRowsEnd + 84, title,
                fmt::format("Memory map {} (event {}): {}", peak->title,
                            FormatNumber(static_cast<int64_t>(state.index)), told));
  MapRows rows(map, canvas);
  std::array<bool, events::kCategoryCount> used{};
  for (const MapSegment& segment : map.segments) {
    rows.Fill(segment.position_bytes, segment.bytes, kFreeColour, "");
    for (const MapBlock& block : segment.blocks) {
      used[static_cast<size_t>(block.category)] = true;
      rows.Fill(segment.position_bytes + block.offset_bytes, block.bytes, ColourOf(block.category),
                "stroke=\"#FFFFFF\" stroke-width=\"0.5\"");
    }
    rows.Mark(segment.position_bytes);
  }
  rows.DrawScale();
  Legend legend(Canvas::kMargin, kRowsEnd + 56, canvas);
  legend.Categories(used);
  legend.Box("free", kFreeColour);
  legend.Edge("a segment begins", kSegmentColour);
  return canvas.Finished();
}

}  // namespace tidemark::presenters
