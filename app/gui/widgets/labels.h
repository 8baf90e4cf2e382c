// What the words mean that stand before figures, over columns, at lines and on controls: one sentence each,
// under the mouse; of a word that has no other meaning in its place, the dictionary's (terms.h). tests/gui
// walks the table, and the window's tests end with asking whether any panel drew a label that has none. UI
// thread, inside a frame.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "app/gui/widgets/text.h"

namespace tidemark::gui {

struct LabelMeaning {
  std::string_view label;
  std::string_view sentence;
};
std::span<const LabelMeaning> LabelMeanings();

// "" where there is none, which UnexplainedLabels tells from then on. O(labels).
std::string MeaningOfLabel(std::string_view label);
const std::set<std::string>& UnexplainedLabels();

// What a run's own figures are called: on a phantom nothing is measured.
inline const char* WordForRun(bool on_phantom) { return on_phantom ? "this run" : "measured"; }

// The tooltip of the item before it.
void ExplainLabel(std::string_view label);
// A label as text: its terms underlined, and under the mouse what it means; `label` where it is known by
// another name.
void PutLabel(const TextStyle& style, std::string_view text, Align align = Align::kLeft,
              std::string_view label = {});

}  // namespace tidemark::gui
