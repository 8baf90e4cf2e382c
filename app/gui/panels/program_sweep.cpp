#include "app/gui/panels/program_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/panels/curve_axes.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

using session::SweepPoint;

// Of what ended without a figure, on the card's line if memory ran out, else at the bottom.
struct Curves {
  std::vector<CurveDot> allocated;
  std::vector<CurveDot> taken;
  std::vector<CurveDot> without;
};

Curves CurvesOf(const ProgramSweep& sweep) {
  Curves curves;
  for (const SweepPoint& point : sweep.points) {
    const auto value = static_cast<double>(point.value);
    if (point.has_peaks) {
      curves.allocated.push_back({value, point.allocated_peak_bytes, false});
      curves.taken.push_back({value, sweep.TakenBytes(point), !sweep.Fits(point)});
    } else if (point.out_of_memory) {
      curves.without.push_back({value, sweep.card.memory_bytes, true});
    } else {
      curves.without.push_back({value, 0, false});
    }
  }
  for (auto* dots : {&curves.allocated, &curves.taken, &curves.without})
    std::ranges::sort(*dots, {}, &CurveDot::value);
  return curves;
}

CurveAxes AxesOf(const ProgramSweep& sweep, const Curves& curves, const ImRect& plot) {
  const auto [least, most] = std::ranges::minmax(sweep.values);
  const double first = std::max(0.5, static_cast<double>(least));  // there is no ratio to 0
  return AxesFor(plot, first, std::max(first, static_cast<double>(most)),
                 std::array{&curves.allocated, &curves.taken}, sweep.CardOnAxis());
}

std::string TextOf(const ProgramSweep& sweep, const SweepPoint& point, ByteUnit unit) {
  std::string text = fmt::format("--{} {}\n", sweep.option, point.value);
  if (point.has_peaks) {
    text += "allocated " + FormatExactBytes(point.allocated_peak_bytes) + "\nreserved " +
            FormatExactBytes(point.reserved_peak_bytes);
    if (point.least_reserved_bytes < point.most_reserved_bytes) {
      text += fmt::format(" ({}, by the order of the driver's addresses)",
                          FormatRange(point.least_reserved_bytes, point.most_reserved_bytes, unit));
    }
    text += "\nof the card, with the context, " + FormatExactBytes(sweep.TakenBytes(point));
    text += sweep.Fits(point) ? "" : "\nmay not fit";
  } else {
    text += (point.out_of_memory ? "does not fit: " : "") + point.sentence;
  }
  return text + fmt::format("\nClick: run the program with --{} {}.", sweep.option, point.value);
}

const SweepPoint* NearestTo(const ProgramSweep& sweep, const CurveAxes& axes, float x) {
  const auto distance = [&](const SweepPoint& point) {
    return std::abs(axes.X(static_cast<double>(point.value)) - x);
  };
  const auto nearest = std::ranges::min_element(sweep.points, {}, distance);
  return nearest == sweep.points.end() || distance(*nearest) > Px(14) ? nullptr : &*nearest;
}

void Pick(const ProgramSweepInput& input, const CurveAxes& axes, CommandQueue& queue) {
  const ProgramSweep& sweep = *input.sweep;
  ImGui::SetCursorScreenPos(axes.plot.Min - ImVec2(Px(8), 0));
  ImGui::InvisibleButton("sweep", axes.plot.GetSize() + ImVec2(Px(16), Px(8)));  // rings lie on its edge
  if (!ImGui::IsItemHovered()) return;
  const SweepPoint* const point = NearestTo(sweep, axes, ImGui::GetIO().MousePos.x);
  if (point == nullptr) return;
  const float x = std::round(axes.X(static_cast<double>(point->value)));
  ImGui::GetWindowDrawList()->AddLine({x, axes.plot.Min.y}, {x, axes.plot.Max.y},
                                      U32(Colors().text.WithAlpha(0.6)), Px(1.5F));
  TooltipBeside({x - Px(6), axes.plot.Min.y}, {x + Px(6), axes.plot.Max.y},
                TextOf(sweep, *point, input.unit));
  if (!ImGui::IsItemClicked()) return;
  session::ProgramOrder order = sweep.order.program;
  order.argument = session::ProgramArgument{sweep.option, point->value};
  queue.Push(StartProgram{std::move(order)});
}

void DrawWithout(ImDrawList* list, const CurveAxes& axes, const std::vector<CurveDot>& dots) {
  for (const CurveDot& dot : dots) {
    const Color color = dot.out_of_memory ? Colors().bad : Colors().muted;
    list->AddCircle({axes.X(dot.value), axes.Y(static_cast<double>(dot.bytes))}, Px(4), U32(color), 0, Px(2));
  }
}

// As a whole where the curves keep their room beside them, or else a line each.
void DrawNotes(const std::vector<std::string>& notes, ImVec2 room) {
  constexpr float kOfCurves = 170;
  const auto text = [](const std::string& note) { return "What to doubt: " + note; };
  float height = 0;
  for (const std::string& note : notes) height += MeasureWrapped(SmallMuted(), text(note), room.x).y + Px(4);
  const bool has_room = room.y - height >= Px(kOfCurves);
  for (const std::string& note : notes) {
    if (has_room) {
      PutWrapped(SmallMuted(), text(note));
      continue;
    }
    Put(SmallMuted(), Fitted(SmallMuted(), text(note), room.x));
    if (ImGui::IsItemHovered()) Tooltip(note);
  }
}

// Beside the buttons, which leave so much room, or else below them.
void DrawSummary(const std::string& summary, float room) {
  if (Measure(Words(), summary).x > room) return PutWrapped(Words(), summary);
  ImGui::SameLine(0, Px(10));
  ImGui::AlignTextToFramePadding();
  Put(Words(), summary);
}

void DrawFooter(const ProgramSweep& sweep, ImVec2 at, float width) {
  ImGui::SetCursorScreenPos(at);
  const bool has_failed = std::ranges::any_of(
      sweep.points, [](const SweepPoint& point) { return !point.has_peaks && !point.out_of_memory; });
  const std::string text = std::string("red: does not fit · ") + (has_failed ? "grey ring: failed · " : "") +
                           "click a point to run the program with it";
  Put(SmallMuted(), Fitted(SmallMuted(), text, width));
  if (ImGui::IsItemHovered()) Tooltip(sweep.order.program.command);
}

}  // namespace

void DrawProgramSweepPanel(const ProgramSweepInput& input, CommandQueue& queue) {
  const ProgramSweep& sweep = *input.sweep;
  PanelTitle(sweep.option.empty() ? "Sweep" : "Over --" + sweep.option,
             sweep.Program() + " · peak on a phantom " + session::ShortCardTitle(sweep.card.title));
  const float buttons = Px(72) + Px(10) + Px(88);
  const float width = ImGui::GetContentRegionAvail().x;
  if (PlainButton("Close###close sweep", {Px(72), 0})) queue.Push(CloseSweep{});
  Tooltip(sweep.goes_on ? "Ends the sweep and takes its curve away." : "Takes the curve away.");
  if (sweep.values.empty()) return EmptyReason("The program is being looked at; its first run loads torch.");
  ImGui::SameLine(0, Px(10));
  if (PlainButton("Copy CSV", {Px(88), 0})) queue.Push(CopySweep{});
  Tooltip("Copies what every run took, to the byte, as CSV.");
  DrawSummary(sweep.Summary(), width - buttons - Px(10));
  if (const std::string why = sweep.WhyNoCurve(); !why.empty()) return EmptyReason(why);
  if (const std::string doubt = sweep.Doubt(); !doubt.empty())
    PutWrapped(Colored(Words(), Colors().warning), doubt);
  DrawNotes(sweep.notes, ImGui::GetContentRegionAvail());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImRect area = PlotIn(at, room);
  if (area.GetWidth() < Px(60) || area.GetHeight() < Px(40)) return;
  const Curves curves = CurvesOf(sweep);
  const CurveAxes axes = AxesOf(sweep, curves, area);
  const int64_t card_bytes = sweep.CardOnAxis();
  std::vector<int64_t> values = sweep.values;
  std::ranges::sort(values);
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawAxes(list, axes, values, input.unit);
  DrawCurves(list, axes,
             std::array{Curve{&curves.taken, Colors().good, "of the card"},
                        Curve{&curves.allocated, Colors().accent, "allocated"}},
             card_bytes, input.unit);
  if (card_bytes == 0) {
    DrawText(list, {area.Max.x, area.Min.y}, SmallMuted(),
             "↑ the card has " + FormatBytes(sweep.card.memory_bytes, input.unit), Align::kRight);
  }
  DrawWithout(list, axes, curves.without);
  Pick(input, axes, queue);
  DrawFooter(sweep, {at.x, at.y + room.y - Px(18)}, room.x);
}

}  // namespace tidemark::gui
