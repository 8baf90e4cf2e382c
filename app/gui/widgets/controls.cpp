#include "app/gui/widgets/controls.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/translation.h"
#include "profiler/base/format.h"

namespace tidemark::gui {
namespace {

// What is disabled fades, as Dear ImGui's own controls do.
Color Faded(Color color) { return color.WithAlpha(color.alpha / 255.0 * ImGui::GetStyle().Alpha); }
TextStyle Faded(const TextStyle& style) { return Colored(style, Faded(style.color)); }

// The whole width that is left, as a rectangle of the given height at the cursor.
ImRect RowHere(float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  return {at, ImVec2(at.x + ImGui::GetContentRegionAvail().x, at.y + height)};
}

double RatioOf(const SliderLook& look, double value) {
  if (!look.logarithmic) return (value - look.minimum) / (look.maximum - look.minimum);
  return std::log(value / look.minimum) / std::log(look.maximum / look.minimum);
}

// Whole numbers; on a logarithmic track the powers of two, which people look for, catch the mouse nearby.
double Snapped(const SliderLook& look, double value) {
  const double power = std::exp2(std::round(std::log2(std::max(value, 1.0))));
  return look.logarithmic && std::abs(value / power - 1) < 0.06 ? power : std::round(value);
}

double ValueAt(const SliderLook& look, double ratio) {
  ratio = std::clamp(ratio, 0.0, 1.0);
  const double value = look.logarithmic ? look.minimum * std::pow(look.maximum / look.minimum, ratio)
                                        : look.minimum + ratio * (look.maximum - look.minimum);
  return std::clamp(look.whole ? Snapped(look, value) : value, look.minimum, look.maximum);
}

std::string TextOfValue(const SliderLook& look, double value) {
  if (look.maximum_text != nullptr && value >= look.maximum) return look.maximum_text;
  const std::string number = FormatDecimal(value, look.whole || value >= 100 ? 0 : look.decimals);
  return *look.suffix == 0 ? number : number + " " + look.suffix;
}

// The keys that move a slider which has the focus.
double NudgedByKeys(const SliderLook& look, double value, ImGuiID id) {
  if (ImGui::GetIO().KeyAlt) return value;  // turns a lesson's page
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_PageUp, ImGuiKey_PageDown}) {
    ImGui::SetKeyOwner(key, id);
  }
  const double step = look.whole ? 1.0 : std::max(value * 0.02, 1e-6);
  const double stride = ImGui::GetIO().KeyShift ? std::max(step, value * 0.1) : step;
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow, 0, id)) value -= stride;
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow, 0, id)) value += stride;
  if (ImGui::IsKeyPressed(ImGuiKey_PageUp, 0, id)) value *= 2;
  if (ImGui::IsKeyPressed(ImGuiKey_PageDown, 0, id)) value /= 2;
  value = std::clamp(value, look.minimum, look.maximum);
  return look.whole ? std::round(value) : value;
}

void DrawTrack(const ImRect& row, double ratio, bool hot) {
  const Palette& colors = Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float radius = Px(hot ? 8.0F : 7.0F);
  const float left = row.Min.x + Px(7);
  const float right = row.Max.x - Px(7);
  const float x = left + (right - left) * static_cast<float>(std::clamp(ratio, 0.0, 1.0));
  const float y = (row.Min.y + row.Max.y) / 2;
  const float half = Px(2);
  list->AddRectFilled({row.Min.x, y - half}, {row.Max.x, y + half}, U32(Faded(colors.raised)), half);
  list->AddRectFilled({row.Min.x, y - half}, {x, y + half}, U32(Faded(colors.accent)), half);
  list->AddCircleFilled({x, y}, radius, U32(Faded(colors.dark ? colors.text : colors.accent)));
  if (!colors.dark) list->AddCircleFilled({x, y}, radius - Px(2), U32(Faded(colors.panel)));
}

// The one number that is being typed, of all sliders.
struct Typing {
  ImGuiID id = 0;
  std::array<char, 32> text{};
  std::string before;  // as it was when the typing began
  ImGuiID wanted = 0;  // by Enter or a double click on its track
  struct {
    ImGuiID track = 0;
    double before = 0;  // its value
  } first_click;
};
Typing& CurrentTyping() {
  static Typing typing;
  return typing;
}

// As "1,470": a thousand to half of the world, a fraction to the other half. "0,001" is one to all of it.
bool MayBeThousands(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t comma = text.find(',');
  if (comma == 0 || comma > 3 || text.size() != comma + 4 || text.front() == '0') return false;
  return text.find_first_not_of(kDigits) == comma &&
         text.find_first_not_of(kDigits, comma + 1) == std::string_view::npos;
}

// As programs read it: a comma is half of the world's point.
std::string WithPoint(std::string_view text) {
  std::string number(text);
  std::ranges::replace(number, ',', '.');
  return number;
}

// How a number is written that a field takes.
struct NumberKind {
  bool is_whole = true;
  bool has_exponent = false;

  // Why `text` is none.
  std::string InWords(std::string_view text) const {
    if (is_whole) return "Only digits are taken.";
    if (MayBeThousands(text)) {
      std::string thousands(text);
      std::erase(thousands, ',');
      return fmt::format("{} may be {} or {}: write one of these.", text, thousands,
                         std::strtod(WithPoint(text).c_str(), nullptr));
    }
    return has_exponent ? "Only digits, a point or a comma, and an exponent (1e-3) are taken."
                        : "Only digits and a point or a comma are taken.";
  }
};

template <typename Number>
std::optional<Number> AllOf(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// None where it is written otherwise: a sum, say, of which nobody is to get another number.
std::optional<double> NumberIn(std::string_view text, const NumberKind& kind) {
  const std::string_view letters = kind.is_whole       ? "0123456789"
                                   : kind.has_exponent ? "0123456789.,eE+-"
                                                       : "0123456789.,";
  if (text.find_first_not_of(letters) != std::string_view::npos || text.starts_with('-')) return std::nullopt;
  return MayBeThousands(text) ? std::nullopt : AllOf<double>(WithPoint(text));
}

// Of a field that is typed into, before it is drawn: what is no number stays in it, with the reason under it.
void KeepFromEnter() {
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_KeypadEnter})
    ImGui::SetKeyOwner(key, ImGui::GetID("no number"), ImGuiInputFlags_LockThisFrame);
}

// What is typed, and what of that the slider can be.
struct TypedNumber {
  double typed = 0;
  double taken = 0;
};
std::optional<TypedNumber> NumberIn(const Typing& typing, const SliderLook& look) {
  const std::optional<double> typed = NumberIn(typing.text.data(), {.is_whole = look.whole});
  if (!typed) return std::nullopt;
  return TypedNumber{*typed, std::clamp(*typed, look.minimum, look.maximum)};
}

void TypeInto(const ImRect& box, ImGuiID id, const SliderLook& look) {
  Typing& typing = CurrentTyping();
  if (typing.text.front() != 0 && !NumberIn(typing, look)) KeepFromEnter();
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(Px(4), Px(3)));
  ImGui::TempInputText(box, id, "##typed", typing.text.data(), typing.text.size());
  ImGui::PopStyleVar();
  const std::optional<TypedNumber> number = NumberIn(typing, look);
  const bool is_empty = typing.text.front() == 0;
  if (is_empty || (number && number->typed == number->taken)) return;
  const std::string range =
      "It goes from " + TextOfValue(look, look.minimum) + " to " + TextOfValue(look, look.maximum);
  TellBeside(box.Min, box.Max,
             number ? range + ": " + TextOfValue(look, number->taken) + " is taken."
                    : NumberKind{.is_whole = look.whole}.InWords(typing.text.data()) + " " + range + ". " +
                          std::string(typing.before) + " stays.");
}

void BeginTyping(ImGuiID id, const SliderLook& look, double value) {
  Typing& typing = CurrentTyping();
  typing = {};
  typing.id = id;
  std::snprintf(typing.text.data(), typing.text.size(), look.whole ? "%.0f" : "%.4g", value);
  typing.before = typing.text.data();
}

ImGuiID TypedId() { return ImGui::GetID("##typed"); }

// The number at the end of the label's row: click it, or press Enter on the track, and type. True once, when
// the typing has ended in a new value.
bool TypedValue(const SliderLook& look, double* value) {
  Typing& typing = CurrentTyping();
  const std::string text = TextOfValue(look, *value);
  const float width = std::max(Px(72), Measure(StrongWords(), text).x + Px(14));
  const ImGuiID id = TypedId();
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  const ImRect box(right - width, at.y - Px(3), right, at.y + Px(kTextSize) + Px(6));
  ImGui::SetCursorScreenPos(box.Min);
  if (typing.id == id && ImGui::TempInputIsActive(id)) {
    TypeInto(box, id, look);
    return false;
  }
  if (typing.id == id) {  // it has ended
    typing.id = 0;
    const std::optional<TypedNumber> number = NumberIn(typing, look);
    if (number && typing.before != typing.text.data()) {
      *value = number->taken;
      return true;
    }
  }
  const bool clicked = ImGui::InvisibleButton("##typed", box.GetSize());
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    ImGui::GetWindowDrawList()->AddRectFilled(box.Min, box.Max, U32(Colors().raised), Px(4));
  }
  Tooltip("Click to type a value; or double-click the slider, or press Enter on it.");
  if (clicked || typing.wanted == id) {
    BeginTyping(id, look, *value);
    ImGui::SetCursorScreenPos(box.Min);
    TypeInto(box, id, look);
    return false;
  }
  DrawText(ImGui::GetWindowDrawList(), {box.Max.x, at.y}, StrongWords(), text, Align::kRight);
  return false;
}

}  // namespace

std::vector<float> WidthsOfSegments(std::span<const char* const> labels, float width) {
  std::vector<float> widths;
  widths.reserve(labels.size());
  float sum = 0;
  for (const char* label : labels) {
    widths.push_back(Measure(StrongWords(), label).x);
    sum += widths.back();
  }
  const auto count = static_cast<float>(labels.size());
  const bool fit_alike = std::ranges::max(widths) <= width / count - Px(8);
  const float more = (width - sum) / count;
  for (float& each : widths) each = fit_alike ? width / count : each + more;
  return widths;
}

bool Segmented(const char* id, std::span<const char* const> labels, std::span<const std::string> hints,
               int* selected) {
  const Palette& colors = Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImRect row = RowHere(Px(28));
  const std::vector<float> widths = WidthsOfSegments(labels, row.GetWidth());
  float right = row.Min.x;
  list->AddRectFilled(row.Min, row.Max, U32(Faded(colors.raised)), Px(6));
  ImGui::PushID(id);
  bool changed = false;
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const float left = std::exchange(right, right + widths[static_cast<size_t>(i)]);
    const ImRect cell(left, row.Min.y, right, row.Max.y);
    ImGui::SetCursorScreenPos(cell.Min);
    const bool clicked =
        ImGui::InvisibleButton(labels[static_cast<size_t>(i)], cell.GetSize(), ImGuiButtonFlags_EnableNav);
    const bool chosen = *selected == i;
    if (chosen) {
      list->AddRectFilled({cell.Min.x + Px(2), cell.Min.y + Px(2)}, {cell.Max.x - Px(2), cell.Max.y - Px(2)},
                          U32(Faded(colors.accent_fill)), Px(5));
    } else if (ImGui::IsItemHovered()) {
      list->AddRectFilled({cell.Min.x + Px(2), cell.Min.y + Px(2)}, {cell.Max.x - Px(2), cell.Max.y - Px(2)},
                          U32(Faded(colors.hovered)), Px(5));
    }
    if (static_cast<size_t>(i) < hints.size()) Tooltip(hints[static_cast<size_t>(i)]);
    TextStyle style = chosen ? Colored(StrongWords(), colors.text_on_accent) : MutedWords();
    const char* label = labels[static_cast<size_t>(i)];
    if (Measure(style, label).x > cell.GetWidth() - Px(6)) style.size = kSmallTextSize;
    DrawText(list, {cell.GetCenter().x, cell.GetCenter().y - Px(style.size) / 2 - Px(1)}, Faded(style), label,
             Align::kCenter);
    if (clicked && !chosen) {
      *selected = i;
      changed = true;
    }
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos({row.Min.x, row.Max.y});
  ImGui::Dummy({row.GetWidth(), 0});
  return changed;
}

bool Toggle(const char* label, bool* on) {
  const Palette& colors = Colors();
  const ImRect row = RowHere(Px(26));
  const bool clicked = ImGui::InvisibleButton(label, row.GetSize(), ImGuiButtonFlags_EnableNav);
  if (clicked) *on = !*on;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = row.GetCenter().y;
  const std::string_view words(label, static_cast<size_t>(ImGui::FindRenderedTextEnd(label) - label));
  const float width = Px(36);
  const std::string shown = Fitted(Words(), words, row.GetWidth() - width - Px(8));
  DrawText(list, {row.Min.x, middle - Px(kTextSize) / 2 - Px(1)}, Faded(Words()), shown);
  if (shown != words) Tooltip(words);
  const float half = Px(10);
  const ImRect pill(row.Max.x - width, middle - half, row.Max.x, middle + half);
  const Color fill = *on ? colors.accent_fill : (ImGui::IsItemHovered() ? colors.hovered : colors.raised);
  list->AddRectFilled(pill.Min, pill.Max, U32(Faded(fill)), half);
  if (!colors.dark && !*on) list->AddRect(pill.Min, pill.Max, U32(Faded(colors.border)), half);
  list->AddCircleFilled({*on ? pill.Max.x - half : pill.Min.x + half, middle}, Px(7.5F),
                        U32(Faded(colors.dark || *on ? Rgb(0xFFFFFF) : colors.muted)));
  return clicked;
}

Edit Slider(const char* label, const SliderLook& look, double* value) {
  ImGui::PushID(label);
  Edit edit;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  PutLabel(Words(), label);
  if (TypedValue(look, value)) edit = {true, true};
  // A field that is typed into would make the row higher.
  ImGui::SetCursorScreenPos({at.x, at.y + Px(kTextSize + 3) + ImGui::GetStyle().ItemSpacing.y});
  const ImRect row = RowHere(Px(18));
  ImGui::SetCursorScreenPos(row.Min);
  ImGui::InvisibleButton("##track", row.GetSize(), ImGuiButtonFlags_EnableNav);
  const ImGuiID id = ImGui::GetItemID();
  const bool active = ImGui::IsItemActive();
  const bool wants_to_type = ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (ImGui::IsItemActivated() && !wants_to_type) CurrentTyping().first_click = {id, *value};
  if (wants_to_type && CurrentTyping().first_click.track == id) {  // the first click has moved it
    *value = CurrentTyping().first_click.before;
    edit = {true, true};
    CurrentTyping().wanted = TypedId();
  } else if (active && ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    const float margin = Px(7);
    const double ratio = (ImGui::GetIO().MousePos.x - row.Min.x - margin) / (row.GetWidth() - 2 * margin);
    const double moved = ValueAt(look, ratio);
    edit.changed |= moved != *value;
    *value = moved;
  }
  edit.committed |= ImGui::IsItemDeactivated();
  if (ImGui::IsItemFocused()) {
    const double moved = NudgedByKeys(look, *value, id);
    if (moved != *value) edit = {true, true};
    *value = moved;
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
      CurrentTyping().wanted = TypedId();
  }
  DrawTrack(row, RatioOf(look, *value), active || ImGui::IsItemHovered());
  ImGui::RenderNavCursor(row, id);
  ImGui::PopID();
  return edit;
}

namespace {

// A label, and behind it the next item as wide as what is left, which is returned.
float PutLabelOf(const char* label, float label_share, std::string_view help) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  Put(MutedWords(), label);
  Tooltip(help.empty() ? MeaningOfLabel(label) : std::string(help));
  const float label_width = std::max(width * label_share, Measure(MutedWords(), label).x + Px(10));
  ImGui::SameLine(left + label_width);
  ImGui::SetNextItemWidth(width - label_width);
  return width - label_width;
}

}  // namespace

bool TextField(const char* id, std::string_view hint, std::span<char> text, ImGuiInputTextFlags flags) {
  return ImGui::InputTextWithHint(id, std::string(Translated(hint)).c_str(), text.data(), text.size(), flags);
}

namespace {

// What was typed in this frame, which ImGui gives to nobody where no field is active.
void TakeTyped(std::span<char> text) {
  ImGuiIO& io = ImGui::GetIO();
  size_t end = std::string_view(text.data()).size();
  for (const ImWchar letter : io.InputQueueCharacters) {
    char bytes[5] = {};
    const std::string_view utf8(bytes, static_cast<size_t>(ImTextCharToUtf8(bytes, letter)));
    if (letter < ' ' || end + utf8.size() >= text.size()) continue;
    std::ranges::copy(utf8, text.begin() + static_cast<std::ptrdiff_t>(end));
    end += utf8.size();
    text[end] = 0;
  }
  io.InputQueueCharacters.resize(0);
}

}  // namespace

bool FirstTextField(const char* id, std::string_view hint, std::span<char> text, bool* waits) {
  if (*waits) {
    TakeTyped(text);
    ImGui::SetKeyboardFocusHere();
  }
  const bool entered = TextField(id, hint, text);
  if (*waits && ImGui::IsItemActive()) {
    *waits = false;
    if (ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetItemID()))
      state->ReloadUserBufAndMoveToEnd();
  }
  return entered;
}

namespace {

// Of the one field of a number that is typed into: what it was when the typing began.
struct NumberBefore {
  ImGuiID field = 0;
  ImGuiDataTypeStorage value = {};
};
NumberBefore& BeforeTyping() {
  static NumberBefore before;
  return before;
}

std::string TextOf(ImGuiDataType type, const void* value, const char* format) {
  std::array<char, 64> text{};
  ImGui::DataTypeFormatString(text.data(), static_cast<int>(text.size()), type, value, format);
  return text.data();
}

}  // namespace

bool NumberField(const char* id, ImGuiDataType type, void* value, const char* format) {
  const bool has_exponent = std::string_view(format).ends_with('g');
  const NumberKind kind{.is_whole = !has_exponent, .has_exponent = has_exponent};
  const auto is_taken = [&](const char* typed) {
    return NumberIn(typed, kind) && (type != ImGuiDataType_U64 || AllOf<uint64_t>(typed).has_value());
  };
  const size_t size = ImGui::DataTypeGetInfo(type)->Size;
  ImGuiDataTypeStorage now;
  std::memcpy(&now, value, size);
  std::array<char, 64> text{};
  TextOf(type, value, format).copy(text.data(), text.size() - 1);
  const ImGuiInputTextState* const typing = ImGui::GetInputTextState(ImGui::GetID(id));
  const bool is_typed = typing != nullptr && ImGui::GetActiveID() == ImGui::GetID(id) && typing->TextLen > 0;
  if (is_typed && !is_taken(typing->TextA.Data)) KeepFromEnter();
  const bool is_edited = ImGui::InputText(id, text.data(), text.size(), ImGuiInputTextFlags_AutoSelectAll);
  if (ImGui::IsItemActivated()) BeforeTyping() = {ImGui::GetItemID(), now};
  const bool is_number = is_taken(text.data());
  if (is_edited && is_number)
    ImGui::DataTypeApplyFromText(WithPoint(text.data()).c_str(), type, value, format);
  if (is_number || (!is_edited && !ImGui::IsItemActive())) return true;
  // The click that leaves a field may begin another one's typing before this one is drawn.
  const bool is_mine = BeforeTyping().field == ImGui::GetItemID();
  std::memcpy(value, is_mine ? &BeforeTyping().value : &now, size);
  if (text.front() != 0) {
    TellBeside(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
               kind.InWords(text.data()) + " " + TextOf(type, value, format) + " stays.");
  }
  return false;
}

bool TextRow(const char* label, const char* hint, std::span<char> text, float label_share) {
  PutLabelOf(label, label_share, "");
  const std::string id = std::string("##") + label;
  return TextField(id.c_str(), hint, text);
}

bool BeginChoice(const char* label, const std::string& current, float label_share, std::string_view help,
                 std::span<const std::string> others) {
  const float width = PutLabelOf(label, label_share, help);
  return BeginChoiceAlone((std::string("##") + label).c_str(), current, width, others);
}

bool BeginChoiceAlone(const char* id, const std::string& current, float width,
                      std::span<const std::string> others) {
  ImGui::SetNextItemWidth(width);
  const float height = ImGui::GetFrameHeight();
  const ImRect box(ImGui::GetCursorScreenPos(), ImGui::GetCursorScreenPos() + ImVec2(width, height));
  ImDrawList* list = ImGui::GetWindowDrawList();  // an open list has one of its own
  const bool open = ImGui::BeginCombo(id, "", ImGuiComboFlags_HeightLarge | ImGuiComboFlags_NoArrowButton);
  const float y = box.Min.y + (height - Px(kTextSize)) / 2 - Px(1);
  const std::string shown = FittedApart(Words(), current, others, box.GetWidth() - Px(36));
  if (!open && shown != current) Tooltip(current);
  DrawText(list, {box.Min.x + Px(11), y}, Words(), shown);
  DrawText(list, {box.Max.x - Px(9), y + Px(2)}, SmallMuted(), icons::kDown, Align::kRight);
  return open;
}

bool Choice(std::string_view label, bool chosen, ImGuiSelectableFlags flags, ImVec2 size) {
  return ImGui::Selectable(TranslatedLabel(label).c_str(), chosen, flags, size);
}

void Consequence(std::string_view text) { Consequence(text, Colors().muted); }

void Consequence(std::string_view text, Color color) {
  if (text.empty()) return;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - Px(4));
  PutWrapped(Colored(SmallMuted(), color), text);
}

bool EscapePressed() {
  // Before this frame began Dear ImGui has closed it.
  const ImGuiID id = ImGui::GetID("list was open");
  ImGuiStorage* const kept = ImGui::GetStateStorage();
  const bool was_list_open = kept->GetBool(id);
  kept->SetBool(id, ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId));
  return !was_list_open && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
}

bool PrimaryButton(const char* label, ImVec2 size) {
  const Palette& colors = Colors();
  Color hovered = colors.accent_fill;
  hovered.green = static_cast<uint8_t>(std::min(255, hovered.green + 14));
  hovered.blue = static_cast<uint8_t>(std::min(255, hovered.blue + 14));
  ImGui::PushStyleColor(ImGuiCol_Button, U32(colors.accent_fill));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, U32(hovered));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, U32(colors.accent_fill));
  ImGui::PushStyleColor(ImGuiCol_Text, U32(colors.text_on_accent));
  ImGui::PushFont(Faces().strong, 0.0F);
  const bool clicked = ImGui::Button(TranslatedLabel(label).c_str(), size);
  ImGui::PopFont();
  ImGui::PopStyleColor(4);
  return clicked;
}

bool PlainButton(const char* label, ImVec2 size) {
  return ImGui::Button(TranslatedLabel(label).c_str(), size);
}

void Swatch(Color color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = Px(10);
  const float top = at.y + (ImGui::GetTextLineHeight() - side) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + side, top + side}, U32(color), Px(2));
  ImGui::Dummy({side, ImGui::GetTextLineHeight()});
}

void Lamp(Color color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float radius = Px(4.5F);
  ImGui::GetWindowDrawList()->AddCircleFilled(
      {at.x + radius, at.y + ImGui::GetTextLineHeight() / 2 + Px(0.5F)}, radius, U32(color));
  ImGui::Dummy({2 * radius, ImGui::GetTextLineHeight()});
}

void Rule() {
  ImGui::Dummy({0, Px(2)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y},
                                      U32(Colors().border));
  ImGui::Dummy({0, Px(4)});
}

void Label(const char* text) { PutLabel(Words(), text); }

}  // namespace tidemark::gui
