// The window's words in another language: a table from each English text, as the window draws it, to what
// stands there instead. A text that the table lacks stays English. "#" in the table is a number, in the order
// of the text's: "step #" is "step 12", too; "*" is any words, such as a layer's name, which are looked up
// themselves: "selected: * (Esc)". What the table lacks as a whole is looked up piece by piece where " · " or
// a new line parts it. UI thread; O(log of the texts drawn lately), for a new one O(the table's with a "*").
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tidemark::gui {

using Translations = std::map<std::string, std::string, std::less<>>;

// From then on; an empty one leaves all English.
void UseTranslations(Translations translations);

// Holds until the next call.
std::string_view Translated(std::string_view text);
// Of a label as Dear ImGui takes it: what is behind "##" stays, and names the item.
std::string TranslatedLabel(std::string_view label);
// As a label that shows all of a file's or a program's text, also where "##" is in it.
std::string WholeLabel(std::string_view text);

}  // namespace tidemark::gui
