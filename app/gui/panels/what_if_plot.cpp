#include "app/gui/panels/what_if_plot.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <vector>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/text.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

using phantom::ReplayColumn;
using Curve = std::vector<ReplayColumn>;

constexpr float kHeight = 110;

class Plot {
 public:
  Plot(const ImRect& area, int64_t highest)
      : area_(area), scale_(area.GetHeight() / static_cast<double>(highest)) {}

  float X(const Curve& curve, size_t column) const {
    return area_.Min.x + area_.GetWidth() * static_cast<float>(column) / static_cast<float>(curve.size());
  }
  float Y(int64_t bytes) const {
    return area_.Max.y - static_cast<float>(static_cast<double>(bytes) * scale_);
  }

  void Fill(const Curve& curve, int64_t ReplayColumn::*value, Color color) const {
    for (size_t i = 0; i < curve.size(); ++i) {
      list_->AddRectFilled({X(curve, i), Y(curve[i].*value)}, {X(curve, i + 1), area_.Max.y}, U32(color));
    }
  }
  void Line(const Curve& curve, int64_t ReplayColumn::*value, Color color, float width) const {
    std::vector<ImVec2> points;
    for (size_t i = 0; i < curve.size(); ++i) {
      points.push_back({X(curve, i), Y(curve[i].*value)});
      points.push_back({X(curve, i + 1), Y(curve[i].*value)});
    }
    list_->AddPolyline(points.data(), static_cast<int>(points.size()), U32(color), Px(width));
  }
  void MarkFailures(const Curve& curve, float y, Color color) const {
    for (size_t i = 0; i < curve.size(); ++i) {
      if (curve[i].failures > 0) list_->AddCircleFilled({X(curve, i), area_.Min.y + y}, Px(3), U32(color));
    }
  }

 private:
  ImRect area_;
  double scale_;
  ImDrawList* list_ = ImGui::GetWindowDrawList();
};

void Legend(Color color, const char* text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y + Pixels(SmallMuted()) / 2;
  ImGui::GetWindowDrawList()->AddLine({at.x, y}, {at.x + Px(14), y}, U32(color), Px(2));
  ImGui::Dummy({Px(16), 0});
  ImGui::SameLine(0, Px(4));
  Put(SmallMuted(), text);
}

std::string ColumnText(const Curve& curve, float share) {
  if (curve.empty()) return "–";
  const auto index = static_cast<size_t>(share * static_cast<float>(curve.size()));
  const ReplayColumn& column = curve[std::min(index, curve.size() - 1)];
  return fmt::format("reserved {}, allocated {}{}", FormatExactBytes(column.reserved_bytes),
                     FormatExactBytes(column.allocated_bytes), column.failures > 0 ? ", out of memory" : "");
}

}  // namespace

void DrawWhatIfPlot(const advice::WhatIf& outcome, ByteUnit unit) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::GetContentRegionAvail().x, Px(kHeight));
  ImGui::InvisibleButton("what-if", size);
  const int64_t highest = HighestBytes(outcome);
  const ImRect area({at.x, at.y + Px(18)}, at + size);
  const Plot plot(area, highest);
  ImGui::GetWindowDrawList()->AddRectFilled(area.Min, area.Max, U32(Colors().sunken), Px(3));
  plot.Fill(outcome.before.curve, &ReplayColumn::allocated_bytes, Colors().muted);
  plot.Line(outcome.after.curve, &ReplayColumn::allocated_bytes, Colors().good, 1);
  plot.Line(outcome.before.curve, &ReplayColumn::reserved_bytes, Colors().text, 1.5F);
  plot.Line(outcome.after.curve, &ReplayColumn::reserved_bytes, Colors().accent, 2);
  plot.MarkFailures(outcome.before.curve, Px(5), Colors().text);
  plot.MarkFailures(outcome.after.curve, Px(13), Colors().bad);
  DrawText(ImGui::GetWindowDrawList(), at, SmallMuted(), FormatBytes(highest, unit));
  if (ImGui::IsItemHovered()) {
    const float share = std::clamp((ImGui::GetIO().MousePos.x - at.x) / size.x, 0.0F, 1.0F);
    Tooltip("before: " + ColumnText(outcome.before.curve, share) +
            "\nafter: " + ColumnText(outcome.after.curve, share));
  }
  Legend(Colors().text, "reserved before");
  ImGui::SameLine(0, Px(12));
  Legend(Colors().accent, "reserved after");
  Legend(Colors().muted, "allocated before");
  ImGui::SameLine(0, Px(12));
  Legend(Colors().good, "allocated after");
  if (outcome.before.failures + outcome.after.failures == 0) return;
  Lamp(Colors().bad);
  ImGui::SameLine();
  Put(SmallMuted(), "out of memory");
}

}  // namespace tidemark::gui
