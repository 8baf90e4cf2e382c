#include "app/gui/panels/checkpointing_labels.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/gui/widgets/label_places.h"

namespace tidemark::gui {
namespace {

using networks::CheckpointMode;

constexpr double kAir = 1.15;         // above the highest point, for its label
constexpr double kFarAboveCurve = 2;  // times the highest point: a card's line beyond would flatten the curve
constexpr float kGap = 11;            // between a point and its label

struct Labelling {
  LabelPlaces places;
  std::vector<PriceLabel> labels;

  void Add(const std::string& text, const TextStyle& style, std::span<const ImVec2> corners) {
    const auto place = places.TakeFirst(Measure(style, text), corners);
    if (place) labels.push_back({*place, text, style});
  }
};

void TakeDot(LabelPlaces& places, ImVec2 at) {
  const ImVec2 half(Px(7), Px(7));
  places.Take({at - half, at + half});
}

void TakeDots(const CheckpointingInput& input, const PriceAxes& axes, LabelPlaces& places) {
  for (const CheckpointWay& way : input.ways) {
    const float x = axes.X(way.share_run_again);
    TakeDot(places, {x, axes.Y(way.total_bytes)});
    if (way.phantom_bytes) TakeDot(places, {x, axes.Y(*way.phantom_bytes)});
    if (input.measured && way.checkpoint == input.settings.checkpoint)
      TakeDot(places, {x, axes.Y(input.measured->bytes)});
  }
}

void LabelCard(const CheckpointingInput& input, const PriceAxes& axes, Labelling& labelling) {
  if (input.card_bytes <= 0) return;
  const TextStyle style = Colored(SmallMuted(), Colors().bad);
  const bool far_above = IsCardFarAbove(input, axes);
  const std::string size = FormatBytes(input.card_bytes, input.unit);
  const std::string text =
      Fitted(style, far_above ? "the card's " + size + " are far above" : "the card has " + size,
             axes.plot.GetWidth());
  const ImVec2 room = Measure(style, text);
  const float line = axes.Y(input.card_bytes);
  std::vector<ImVec2> corners;
  for (const float top : {(far_above ? axes.plot.Min.y : line) - room.y - Px(2), line + Px(3)}) {
    for (const float share : {1.0F, 0.0F, 0.5F, 0.75F, 0.25F})
      corners.push_back({axes.plot.Min.x + share * (axes.plot.GetWidth() - room.x), top});
  }
  if (!far_above) labelling.places.TakeLine({axes.plot.Min.x, line}, {axes.plot.Max.x, line});
  labelling.Add(text, style, corners);
}

void LabelCurve(const std::vector<ImVec2>& line, const char* name, Color color, Labelling& labelling) {
  const TextStyle style = Colored(SmallMuted(), color);
  labelling.Add(name, style, CornersAround(line, Measure(style, name), Px(kGap)));
}

// From the fewest bytes on.
void LabelWays(const CheckpointingInput& input, const PriceAxes& axes, Labelling& labelling) {
  for (const CheckpointWay& way : input.ways) {
    if (way.checkpoint.mode == CheckpointMode::kBudget || way.share_run_again <= 0) continue;
    const std::string title = networks::TitleOf(way.checkpoint);
    const ImVec2 at(axes.X(way.share_run_again), axes.Y(way.total_bytes));
    labelling.Add(title, SmallMuted(), CornersAround({&at, 1}, Measure(SmallMuted(), title), Px(kGap)));
  }
}

}  // namespace

float PriceAxes::X(double share) const {
  const float inset = Px(12);  // room for the dots at either end
  return plot.Min.x + inset + (plot.GetWidth() - 2 * inset) * static_cast<float>(share);
}

float PriceAxes::Y(int64_t bytes) const {
  const double share = std::clamp(static_cast<double>(bytes) / most, 0.0, 1.0);
  return plot.Max.y - plot.GetHeight() * static_cast<float>(share);
}

PriceAxes PriceAxesFor(const CheckpointingInput& input, const ImRect& plot) {
  int64_t highest = input.measured ? input.measured->bytes : 1;
  for (const CheckpointWay& way : input.ways)
    highest = std::max({highest, way.total_bytes, way.phantom_bytes.value_or(0)});
  double most = static_cast<double>(highest) * kAir;
  const double card = static_cast<double>(input.card_bytes);
  if (card < static_cast<double>(highest) * kFarAboveCurve) most = std::max(most, card * kAir);
  return {plot, most};
}

std::vector<ImVec2> FrontierOf(const CheckpointingInput& input, const PriceAxes& axes, bool phantom) {
  std::vector<ImVec2> line;
  for (const CheckpointWay& way : input.ways) {
    if (!way.is_best || (phantom && (!way.phantom_bytes || way.does_not_fit))) continue;
    line.push_back({axes.X(way.share_run_again), axes.Y(phantom ? *way.phantom_bytes : way.total_bytes)});
  }
  return line;
}

std::vector<PriceLabel> PriceLabelsOf(const CheckpointingInput& input, const PriceAxes& axes) {
  const ImVec2 air(0, Px(20));  // between the plot and the line above it
  Labelling labelling{LabelPlaces({axes.plot.Min - air, axes.plot.Max}), {}};
  const std::vector<ImVec2> textbook = FrontierOf(input, axes, false);
  const std::vector<ImVec2> phantom = FrontierOf(input, axes, true);
  TakeDots(input, axes, labelling.places);
  for (const auto* line : {&textbook, &phantom}) {
    for (size_t i = 1; i < line->size(); ++i) labelling.places.TakeLine((*line)[i - 1], (*line)[i]);
  }
  LabelCard(input, axes, labelling);
  LabelCurve(phantom, "phantom", Colors().accent, labelling);
  LabelCurve(textbook, "textbook", Colors().theory, labelling);
  LabelWays(input, axes, labelling);
  return std::move(labelling.labels);
}

}  // namespace tidemark::gui
