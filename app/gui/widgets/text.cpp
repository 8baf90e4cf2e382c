#include "app/gui/widgets/text.h"

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/translation.h"

namespace tidemark::gui {
namespace {

// An empty view may point nowhere, and a null end is to ImGui that of a text that ends with 0.
std::string_view Pointed(std::string_view text) { return text.empty() ? std::string_view("") : text; }

void PutAsIs(const TextStyle& style, std::string_view text) {
  text = Pointed(text);
  ImGui::PushFont(style.face, style.size);
  ImGui::PushStyleColor(ImGuiCol_Text, U32(style.color));
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

}  // namespace

TextStyle Words() { return {Faces().words, kTextSize, Colors().text}; }
TextStyle MutedWords() { return {Faces().words, kTextSize, Colors().muted}; }
TextStyle SmallMuted() { return {Faces().words, kSmallTextSize, Colors().muted}; }
TextStyle StrongWords() { return {Faces().strong, kTextSize, Colors().text}; }
TextStyle TitleWords() { return {Faces().strong, kTitleSize, Colors().text}; }
TextStyle Numbers() { return {Faces().numbers, kTextSize, Colors().text}; }
TextStyle MutedNumbers() { return {Faces().numbers, kTextSize, Colors().muted}; }

TextStyle Colored(TextStyle style, Color color) {
  style.color = color;
  return style;
}

TextStyle Strongly(TextStyle style) {
  if (style.face == Faces().words) style.face = Faces().strong;
  return style;
}

float Pixels(const TextStyle& style) { return std::round(Px(style.size)); }

ImVec2 Measure(const TextStyle& style, std::string_view text) { return MeasureAsIs(style, Translated(text)); }

ImVec2 MeasureAsIs(const TextStyle& style, std::string_view text) {
  text = Pointed(text);
  return style.face->CalcTextSizeA(Pixels(style), 1e9F, 0.0F, text.data(), text.data() + text.size());
}

void DrawText(ImDrawList* list, ImVec2 at, const TextStyle& style, std::string_view text, Align align) {
  if (text.empty()) return;
  text = Translated(text);
  if (align != Align::kLeft) {
    const float width = MeasureAsIs(style, text).x;
    at.x -= align == Align::kRight ? width : width / 2;
  }
  DrawTextAsIs(list, at, style, text);
}

void DrawTextAsIs(ImDrawList* list, ImVec2 at, const TextStyle& style, std::string_view text) {
  if (text.empty()) return;
  at.x = static_cast<float>(static_cast<int>(at.x));
  at.y = static_cast<float>(static_cast<int>(at.y));
  list->AddText(style.face, Pixels(style), at, U32(style.color), text.data(), text.data() + text.size());
}

ImVec2 MeasureWrapped(const TextStyle& style, std::string_view text, float width) {
  text = Pointed(Translated(text));
  return style.face->CalcTextSizeA(Pixels(style), 1e9F, width, text.data(), text.data() + text.size());
}

void DrawWrapped(ImDrawList* list, ImVec2 at, const TextStyle& style, std::string_view text, float width) {
  text = Pointed(Translated(text));
  list->AddText(style.face, Pixels(style), at, U32(style.color), text.data(), text.data() + text.size(),
                width);
}

namespace {

bool IsInsideLetter(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

bool IsFigure(char letter) { return letter >= '0' && letter <= '9'; }

// "forward (net.py:22)"
bool IsLineOfCode(std::string_view text) {
  const size_t colon = text.rfind(':');
  return text.ends_with(')') && colon != std::string_view::npos && colon + 2 < text.size() &&
         std::ranges::all_of(text.substr(colon + 1, text.size() - colon - 2), IsFigure);
}

// Of a layer's or a tensor's name and of a path the end tells most, and of a line of code where it stands:
// what many have in common comes before it. One mark alone may be that of a file's ending.
bool EndTells(std::string_view text) {
  if (IsLineOfCode(text)) return true;
  const size_t blank = text.find(' ');
  const std::string_view name = text.substr(0, blank);
  if (name.empty() || IsFigure(name.front())) return false;
  const auto marks = std::ranges::count_if(name, [](char letter) { return letter == '.' || letter == '/'; });
  if (blank == std::string_view::npos) return marks > 1;
  return marks > 0 && text.find(' ', blank + 1) == std::string_view::npos;  // "fc.weight exp_avg"
}

constexpr std::string_view kCut = "…";

// A width that was added to others and taken out again is not quite what it was.
constexpr float kOfRounding = 0.01F;

bool HasRoom(const TextStyle& style, std::string_view text, float width) {
  return Measure(style, text).x <= width + kOfRounding;
}

// A text without a part of it, so that the rest fits: as many letters of its beginning as are asked for, and
// as many of its end as there is room for behind them.
class Cutting {
 public:
  Cutting(const TextStyle& style, std::string_view whole, float width) : whole_(whole) {
    float x = 0;
    for (size_t at = 0; at < whole.size();) {
      size_t end = at + 1;
      while (IsInsideLetter(whole, end)) ++end;
      letters_.push_back({at, x});
      x += MeasureAsIs(style, whole.substr(at, end - at)).x;
      at = end;
    }
    letters_.push_back({whole.size(), x});
    room_ = width - MeasureAsIs(style, kCut).x - kOfRounding;
    const auto beyond = std::ranges::upper_bound(letters_, room_, {}, &Letter::x);
    longest_ = static_cast<size_t>(std::max<std::ptrdiff_t>(1, beyond - letters_.begin())) - 1;
  }

  // As many letters as its beginning may have, which leaves no room for its end.
  size_t longest() const { return longest_; }
  std::string_view Head(size_t letters) const { return whole_.substr(0, letters_[letters].at); }
  std::string_view Tail(size_t letters_of_head) const {
    if (letters_of_head == longest_) return {};
    const float from = letters_.back().x - (room_ - letters_[letters_of_head].x);
    const auto first = std::ranges::lower_bound(letters_, from, {}, &Letter::x);
    return whole_.substr(first == letters_.end() ? whole_.size() : first->at);
  }
  std::string Cut(size_t letters_of_head) const {
    return std::string(Head(letters_of_head)).append(kCut).append(Tail(letters_of_head));
  }

 private:
  struct Letter {
    size_t at = 0;
    float x = 0;
  };
  std::string_view whole_;
  std::vector<Letter> letters_;  // and the end
  float room_ = 0;
  size_t longest_ = 0;
};

}  // namespace

std::string Fitted(const TextStyle& style, std::string_view text, float width) {
  if (HasRoom(style, text, width)) return std::string(text);
  const std::string_view whole = Translated(text);
  if (EndTells(whole)) return Cutting(style, whole, width).Cut(0);
  const float room = width - MeasureAsIs(style, kCut).x;
  const char* end = whole.data();
  if (room > 0) {
    style.face->CalcTextSizeA(Pixels(style), room, 0.0F, whole.data(), whole.data() + whole.size(), &end);
  }
  return std::string(whole.data(), end).append(kCut);
}

std::string FittedEnds(const TextStyle& style, std::string_view text, float width) {
  if (HasRoom(style, text, width)) return std::string(text);
  const Cutting cutting(style, Translated(text), width);
  return cutting.Cut(cutting.longest() / 2);
}

std::string FittedApart(const TextStyle& style, std::string_view text, std::span<const std::string> others,
                        float width) {
  std::string plain = Fitted(style, text, width);
  if (plain == text) return plain;
  const std::string_view whole = Translated(text);
  const Cutting cutting(style, whole, width);
  const size_t longest = cutting.longest();
  for (size_t tried = 0; tried <= longest; ++tried) {
    const size_t letters = EndTells(whole) ? tried : longest - tried;
    const auto looks_alike = [&](const std::string& other) {
      const std::string_view seen = Translated(other);
      return seen != whole && seen.starts_with(cutting.Head(letters)) &&
             seen.ends_with(cutting.Tail(letters));
    };
    if (std::ranges::none_of(others, looks_alike)) return cutting.Cut(letters);
  }
  return plain;
}

std::string JoinedFacts(std::initializer_list<std::string_view> facts) {
  std::string joined;
  for (const std::string_view fact : facts) {
    if (!fact.empty()) joined.append(joined.empty() ? "" : " · ").append(fact);
  }
  return joined;
}

std::string FittedFacts(const TextStyle& style, std::string_view facts, float width) {
  while (Measure(style, facts).x > width) {
    const size_t last = facts.rfind(" · ");
    if (last == std::string_view::npos) break;
    facts = facts.substr(0, last);
  }
  return Fitted(style, facts, width);
}

std::string WithoutMiddle(std::string_view text, size_t most) {
  constexpr std::string_view kGap = " … ";
  if (text.size() <= most || most <= kGap.size()) return std::string(text);
  size_t head = (most - kGap.size()) * 2 / 3;
  size_t tail = text.size() - (most - kGap.size() - head);
  while (head > 0 && IsInsideLetter(text, head)) --head;
  while (IsInsideLetter(text, tail)) ++tail;
  return std::string(text.substr(0, head)).append(kGap).append(text.substr(tail));
}

void Put(const TextStyle& style, std::string_view text) { PutAsIs(style, Translated(text)); }

std::string BrokenAtMarks(const TextStyle& style, std::string_view text, float width) {
  constexpr std::string_view kBlanks = " \n";
  constexpr std::string_view kEndsOfNames = ":=, \n";
  constexpr std::string_view kEndsOfParts = "_/:=, \n";  // where a name is too wide itself
  const auto until = [&](std::string_view ends) {
    const size_t end = text.find_first_of(ends);
    return std::string(text.substr(0, end == std::string_view::npos ? end : end + 1));
  };
  std::string broken;
  std::string line;  // what of a word is in it
  while (!text.empty()) {
    std::string piece = until(kEndsOfNames);
    if (MeasureAsIs(style, piece).x > width) piece = until(kEndsOfParts);
    if (!line.empty() && MeasureAsIs(style, line + piece).x > width) {
      broken += '\n';
      line.clear();
    }
    broken += piece;
    line += piece;
    if (kBlanks.find(piece.back()) != std::string_view::npos) line.clear();
    text.remove_prefix(piece.size());
  }
  return broken;
}

std::vector<std::string_view> WrappedLines(const TextStyle& style, std::string_view text, float width) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const char* end =
        style.face->CalcWordWrapPosition(Pixels(style), text.data(), text.data() + text.size(), width);
    size_t length = static_cast<size_t>(end - text.data());
    if (length == 0) length = text.size();
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  }
  return lines;
}

void PutWrapped(const TextStyle& style, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  PutAsIs(style, BrokenAtMarks(style, Translated(text), ImGui::GetContentRegionAvail().x));
  ImGui::PopTextWrapPos();
}

void PutNarrow(const TextStyle& style, std::string_view text, float width) {
  constexpr size_t kMost = 480;  // some six lines
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
  PutAsIs(style, WithoutMiddle(Translated(text), kMost));
  ImGui::PopTextWrapPos();
}

void PutRight(const TextStyle& style, std::string_view text) {
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, room - Measure(style, text).x));
  Put(style, text);
}

void PutAtRowEnd(const TextStyle& style, std::string_view text) {
  ImGui::SameLine();
  PutRight(style, text);
}

namespace {

// On the side where there is more room, from `y` on towards the middle of the screen.
void PlaceTooltipAside(ImVec2 from, ImVec2 to, float y) {
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const bool is_right = screen.x - to.x > from.x;
  ImGui::SetNextWindowPos({is_right ? to.x + Px(6) : from.x - Px(6), y}, ImGuiCond_Always,
                          {is_right ? 0.0F : 1.0F, y < screen.y / 2 ? 0.0F : 1.0F});
}

void DrawTooltip(std::string_view text) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, Px(8));  // also over what has square corners
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(WidthOfTooltip());
  Put(Words(), text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

// The frame in which something was last told that the mouse did not ask for.
int& LastTold() {
  static int frame = -1;
  return frame;
}
// Beside that nothing that the mouse lies on is told.
bool IsTold() { return LastTold() >= 0 && ImGui::GetFrameCount() - LastTold() <= 1; }

bool WantsTooltip() {
  return !IsTold() &&
         ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled);
}

}  // namespace

float WidthOfTooltip() { return std::min(Px(360), ImGui::GetMainViewport()->Size.x * 0.42F); }

// How large it will be nobody knows before it is drawn, so it grows to where there is more room.
void PlaceTooltip(ImVec2 from, ImVec2 to) {
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  // The mouse may be elsewhere where the keyboard has the focus.
  ImVec2 mouse = ImGui::GetIO().MousePos;
  mouse.x = std::clamp(mouse.x, from.x, std::max(from.x, to.x));
  mouse.y = std::clamp(mouse.y, from.y, std::max(from.y, to.y));
  const float gap = Px(6);
  const ImVec2 toward(mouse.x < screen.x / 2 ? 0.0F : 1.0F, mouse.y < screen.y / 2 ? 0.0F : 1.0F);
  const float below = screen.y - to.y;
  const float enough = Px(180);  // for most
  if (std::max(below, from.y) < enough / 2) {
    PlaceTooltipAside(from, to, mouse.y);
  } else if (below >= enough || below >= from.y) {
    ImGui::SetNextWindowPos({mouse.x, to.y + gap}, ImGuiCond_Always, {toward.x, 0});
  } else {
    ImGui::SetNextWindowPos({mouse.x, from.y - gap}, ImGuiCond_Always, {toward.x, 1});
  }
}

void TooltipBeside(ImVec2 from, ImVec2 to, std::string_view text) {
  if (text.empty()) return;
  PlaceTooltip(from, to);
  DrawTooltip(text);
}

void TellBeside(ImVec2 from, ImVec2 to, std::string_view text) {
  LastTold() = ImGui::GetFrameCount();
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const bool is_right = screen.x - from.x > WidthOfTooltip() + Px(32);
  const bool is_below = screen.y - to.y > Px(90);
  ImGui::SetNextWindowPos({is_right ? from.x : to.x, is_below ? to.y + Px(6) : from.y - Px(6)},
                          ImGuiCond_Always, {is_right ? 0.0F : 1.0F, is_below ? 0.0F : 1.0F});
  DrawTooltip(text);
}

void Tooltip(std::string_view text) {
  if (WantsTooltip()) TooltipBeside(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), text);
}

void TooltipAside(std::string_view text) {
  if (text.empty() || !WantsTooltip()) return;
  PlaceTooltipAside(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), ImGui::GetItemRectMin().y);
  DrawTooltip(text);
}

void TooltipOver(ImVec2 from, ImVec2 to, std::string_view text) {
  if (!IsTold() && ImGui::IsMouseHoveringRect(from, to) && ImGui::IsWindowHovered())
    TooltipBeside(from, to, text);
}

}  // namespace tidemark::gui
