// The window's own controls, in the look of the drawing: flat, quiet, each with its consequence under it. All
// of them can be reached with Tab and moved with the keyboard. UI thread, inside a frame.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/widgets/text.h"

namespace tidemark::gui {

// What a person did to a control in this frame. `changed`: the value moved (preview it). `committed`: they
// let go of it.
struct Edit {
  bool changed = false;
  bool committed = false;
};

// A choice among few, side by side over the whole width. `hints` (may be empty) are tooltips, one per label.
bool Segmented(const char* id, std::span<const char* const> labels, std::span<const std::string> hints,
               int* selected);

// How wide each of them is: all alike, as long as the longest label has room; else each as its label needs.
std::vector<float> WidthsOfSegments(std::span<const char* const> labels, float width);

// A label with a switch at the end of the row.
bool Toggle(const char* label, bool* on);

struct SliderLook {
  double minimum = 0;
  double maximum = 1;
  bool logarithmic = false;
  bool whole = true;                   // whole numbers
  const char* suffix = "";             // "×", after the number
  int decimals = 0;                    // of a number that is not whole
  const char* maximum_text = nullptr;  // shown instead of the number at the maximum
};
// Label left (explained as labels.h says), the value right (click it, or double-click the track, to type:
// what is no such number is not taken, which is told, as is what is out of range and clamped), the track
// below. With the keyboard: left and right by one, or by a fiftieth of a number that is not whole, with Shift
// by a tenth of it; Page Up and Page Down double and halve.
Edit Slider(const char* label, const SliderLook& look, double* value);

// A label with a drop-down at the end of the row. Between Begin (if true) and ImGui::EndCombo the caller puts
// the items. `help` is the label's tooltip, where labels.h has none for it. What is cut of `current` is told
// under the mouse, and is cut so that it is not mistaken for one of `others`.
bool BeginChoice(const char* label, const std::string& current, float label_share = 0.4F,
                 std::string_view help = {}, std::span<const std::string> others = {});
// The same without a label, `width` screen pixels wide.
bool BeginChoiceAlone(const char* id, const std::string& current, float width,
                      std::span<const std::string> others = {});
// One of its items; `size` as ImGui::Selectable has it.
bool Choice(std::string_view label, bool chosen, ImGuiSelectableFlags flags = 0, ImVec2 size = {0, 0});
// A line to type, ended by a 0; true: Enter was pressed, or what else `flags` ask for. `hint` while it is
// empty.
bool TextField(const char* id, std::string_view hint, std::span<char> text,
               ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue);
// The same, of what has just opened: it takes the keyboard, and what was typed before it could. `waits` is
// true until then, and text may change without being edited.
bool FirstTextField(const char* id, std::string_view hint, std::span<char> text, bool* waits);
// A number to type, not negative, written as `format` says; `%g` takes a point or a comma and an exponent,
// but not what may be a thousand as well ("1,470"). While something else stands in it that is told, Enter
// does not leave it, the value is what it was before, and false is returned.
bool NumberField(const char* id, ImGuiDataType type, void* value, const char* format);
// A TextField behind a label.
bool TextRow(const char* label, const char* hint, std::span<char> text, float label_share = 0.4F);

// The line under a control; "" leaves no gap. Pending figures are written as "…".
void Consequence(std::string_view text);
void Consequence(std::string_view text, Color color);

// Whether Escape was pressed in a dialog, and not in a list that was open over it, which that closes.
bool EscapePressed();

bool PrimaryButton(const char* label, ImVec2 size);
bool PlainButton(const char* label, ImVec2 size = {0, 0});

// A small square in a category's colour, or a round lamp; drawn at the cursor, before text on the same row.
void Swatch(Color color);
void Lamp(Color color);

// A thin line with air above and below.
void Rule();
// A label of a group of controls, explained as labels.h says.
void Label(const char* text);

}  // namespace tidemark::gui
