#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "app/gui/shell/pick_list.h"
#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"

namespace tidemark::gui {
namespace {

constexpr ImGuiWindowFlags kBarFlags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                       ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoSavedSettings |
                                       ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoMove;

bool IsBad(const Toast& toast) {
  return toast.level == presenters::LogLevel::kError || toast.level == presenters::LogLevel::kWarning;
}

float ButtonWidth(const std::string& label) { return Measure(Words(), label).x + Px(28); }

// Of a toast, once the mouse has left it.
constexpr std::chrono::seconds kStays{2};

// Notices lie over the panels, and under what a person has opened on top of all.
void KeepOverPanels() {
  if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
    ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
}

float BannerButtonsWidth(const Banner& banner) {
  float width = Px(32 + 16);  // the one that closes it
  if (banner.again) width += ButtonWidth(banner.again_label) + ImGui::GetStyle().ItemSpacing.x;
  if (!banner.smaller_label.empty())
    width += ButtonWidth(banner.smaller_label) + ImGui::GetStyle().ItemSpacing.x;
  return width;
}

void DrawBannerButtons(const Banner& banner, ShellState& shell, CommandQueue& queue) {
  if (!banner.smaller_label.empty()) {
    const bool ready = banner.smaller.has_value();
    ImGui::BeginDisabled(!ready);
    const ImVec2 size(ButtonWidth(banner.smaller_label), 0);
    if (PrimaryButton((banner.smaller_label + "###smaller").c_str(), size) && ready)
      queue.Push(StartAgain{*banner.smaller});
    ImGui::EndDisabled();
    Tooltip(
        "The largest batch that the phantom says fits on this card without PyTorch emptying its cache in "
        "between. What fits names larger ones, too, that fit only so.");
    ImGui::SameLine();
  }
  if (banner.again) {
    if (PlainButton(banner.again_label.c_str(), {ButtonWidth(banner.again_label), 0}))
      queue.Push(StartAgain{*banner.again});
    ImGui::SameLine();
  }
  if (PlainButton((std::string(icons::kClose) + "###close banner").c_str(), {Px(32), 0}))
    shell.banner_closed = true;
  Tooltip("Close this line. Everything recorded stays.");
}

// A job's line in a bar of little room: its button is a cross.
constexpr float kLeastWidth = 200;
constexpr float kShortWidth = 300;
constexpr const char* kShortCancel = "###Cancel";

bool IsShort(float width) { return width < Px(kShortWidth); }

// What a job's line takes beside its bar and its title.
float BesideBar(float width) { return (IsShort(width) ? Px(30) : ButtonWidth("Cancel")) + Px(16 + 16 + 14); }

// As wide as the titles leave it.
float BarWidth(const std::vector<JobLine>& jobs, float width) {
  float widest = 0;
  for (const JobLine& job : jobs) widest = std::max(widest, Measure(Words(), job.title).x);
  const float least = Px(IsShort(width) ? 50 : 80);
  const float most = std::clamp(width * 0.35F, least, Px(280));
  return std::clamp(width - BesideBar(width) - widest - 1, least, most);
}

// Each with its title beside its bar.
void DrawJobLines(const std::vector<JobLine>& jobs, float width) {
  const float bar = BarWidth(jobs, width);
  const float titles = width - bar - BesideBar(width);
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobLine& job = jobs[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::AlignTextToFramePadding();
    const std::string title = Fitted(Words(), job.title, titles);
    ImGui::SetCursorPosX(Px(16) + titles - Measure(Words(), title).x);
    Put(Words(), title);
    if (title != job.title) Tooltip(job.title);
    ImGui::SameLine(titles + Px(16 + 14));
    DrawProgress(job, bar, IsShort(width));
    ImGui::PopID();
  }
}

float LowestForNotices() {
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  return viewport->WorkPos.y + viewport->WorkSize.y - Px(12);
}

// `width` is what it takes on one line. Between the panels at the sides; where that is too narrow from there
// to the right, and where this is, too, over all of them.
ImRect RoomForBanner(float width) {
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const float top = viewport->WorkPos.y;
  const float bottom = LowestForNotices();
  const float right_edge = viewport->Pos.x + viewport->Size.x - Px(12);
  const float least = std::min(width, Px(820));  // a few lines beside its buttons
  const ImRect middle = MiddleOfPanels();
  for (const float right : {middle.Max.x, right_edge}) {
    if (right - middle.Min.x >= least) return {middle.Min.x, top, right, bottom};
  }
  return {viewport->Pos.x + Px(12), top, right_edge, bottom};
}

// Over the panels' bottom: what they hold ends above it.
void Cover(const ImRect& place, ImRect* covered) {
  if (covered->GetWidth() == 0) *covered = place;
  covered->Add(place);
}

struct ToastLook {
  TextStyle style;
  ImVec2 text;  // its size
  ImVec2 padding;
  ImVec2 anchor;  // of its box, at this share of that:
  ImVec2 pivot;
  bool is_in_bar = true;
};

// On one line of the menu bar, else on two smaller ones, else over the panels' bottom.
ToastLook LookOfToast(const std::string& text, const BarRoom& room, const ImRect& covered) {
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const float in_bar = room.right - room.left - Px(2 * 14);
  const ImVec2 anchor(room.right, viewport->Pos.y + room.height / 2);
  const ImVec2 on_one = {Measure(Words(), text).x, Px(kTextSize)};
  if (on_one.x <= in_bar) return {Words(), on_one, {Px(14), Px(6)}, anchor, {1, 0.5F}};
  const ImVec2 on_two = MeasureWrapped(SmallMuted(), text, std::max(in_bar, 1.0F));
  if (on_two.x <= in_bar && on_two.y < 2.5F * Pixels(SmallMuted()))
    return {SmallMuted(), on_two, {Px(14), Px(4)}, anchor, {1, 0.5F}};
  const float width = std::min(Px(700), viewport->Size.x - Px(2 * (12 + 14)));
  const ImVec2 bottom(std::floor(viewport->GetCenter().x), covered.Min.y);
  return {Words(), MeasureWrapped(Words(), text, width), {Px(14), Px(8)}, bottom, {0.5F, 1}, false};
}

// In a low window its first sentences, as many as leave the panels room; the first in any case.
std::string InRoom(const TextStyle& style, const std::string& sentence, float wrap) {
  const float most = std::max(Px(48), ImGui::GetMainViewport()->Size.y * 0.12F);
  std::string shown = sentence;
  while (style.face->CalcTextSizeA(Pixels(style), 1e9F, wrap, shown.c_str()).y > most) {
    const size_t end = shown.rfind(". ");
    if (end == std::string::npos) break;
    shown.resize(end + 1);
  }
  return shown == sentence ? shown : shown + " …";
}

}  // namespace

ImRect DrawBanner(const ShellInput& input, ShellState& shell, CommandQueue& queue) {
  const Banner& banner = input.banner;
  if (banner.sentence.empty() || shell.banner_closed) return {0, LowestForNotices(), 0, LowestForNotices()};
  const Palette& colors = Colors();
  const Color color = banner.bad ? colors.bad : colors.text;
  const TextStyle style = Colored(Words(), color);
  const float icon = Px(50);
  const float buttons = BannerButtonsWidth(banner);
  const float beside_text = icon + Px(20) + buttons;
  const ImRect room = RoomForBanner(beside_text + Measure(style, banner.sentence).x);
  const float wrap = std::min(Px(1100), room.GetWidth()) - beside_text;
  const std::string shown = InRoom(style, banner.sentence, wrap);
  const ImVec2 text = style.face->CalcTextSizeA(Pixels(style), 1e9F, wrap, shown.c_str());
  const float width = beside_text + text.x;
  const float height = std::max(Px(50), text.y + Px(24));
  const ImVec2 at(std::floor(room.GetCenter().x - width / 2), room.Max.y - height);
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, U32(banner.bad ? colors.bad_fill : colors.raised));
  ImGui::PushStyleColor(ImGuiCol_Border, U32(color.WithAlpha(0.4)));
  if (ImGui::Begin("Notice###banner", nullptr, kBarFlags | ImGuiWindowFlags_NoFocusOnAppearing)) {
    KeepOverPanels();
    ImDrawList* list = ImGui::GetWindowDrawList();
    DrawText(list, {at.x + Px(22), at.y + (height - Px(kTextSize)) / 2}, style,
             banner.bad ? icons::kWarning : icons::kInfo);
    const ImVec2 corner(at.x + icon, at.y + (height - text.y) / 2);
    list->AddText(style.face, Pixels(style), corner, U32(color), shown.c_str(), nullptr, wrap);
    std::string told = shown == banner.sentence ? "" : banner.sentence;
    if (!banner.exact.empty()) told += (told.empty() ? "" : "\n") + banner.exact;
    TooltipOver(corner, corner + text, told);
    ImGui::SetCursorPos({width - buttons, (height - ImGui::GetFrameHeight()) / 2});
    DrawBannerButtons(banner, shell, queue);
  }
  ImGui::End();
  ImGui::PopStyleColor(2);
  return {at - ImVec2(0, Px(8)), at + ImVec2(width, height)};
}

void DrawHeldQuestion(HeldQuestion& question, CommandQueue& queue) {
  std::optional<HeldAnswer> answer;
  if (BeginTopPopup("held", 520, &question.shown)) {
    Put(StrongWords(), question.title);
    PutWrapped(SmallMuted(), question.explanation);
    ImGui::Dummy({0, Px(4)});
    const auto count = static_cast<float>(question.choices.size());
    const float width = (ImGui::GetContentRegionAvail().x - (count - 1) * Px(10)) / count;
    if (ImGui::IsKeyPressed(ImGuiKey_Escape)) answer = HeldAnswer::kStays;
    for (const HeldQuestion::Choice& choice : question.choices) {
      const bool is_first = &choice == &question.choices.front();
      if (!is_first) ImGui::SameLine(0, Px(10));
      const auto button = is_first ? PrimaryButton : PlainButton;
      if (button(choice.label.c_str(), {width, 0})) answer = choice.answer;
      if (is_first && ImGui::IsWindowAppearing()) {
        ImGui::SetItemDefaultFocus();
        ImGui::SetNavCursorVisible(true);  // else Enter does not press it
      }
    }
    if (answer) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  } else {
    answer = HeldAnswer::kStays;  // by a click beside it
  }
  if (answer) queue.Push(AnswerHeld{*answer});
  question.open = question.shown = ImGui::IsPopupOpen("held");
}

void DrawProgress(const JobLine& job, float width, bool is_short) {
  const float time = static_cast<float>(ImGui::GetTime());
  const float row = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(row + (ImGui::GetFrameHeight() - Px(18)) / 2);  // in the middle of the button's height
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, U32(Colors().accent_fill));
  ImGui::ProgressBar(job.progress < 0 ? -time * 0.5F : static_cast<float>(job.progress), {width, Px(18)},
                     job.progress < 0 ? "" : nullptr);
  ImGui::PopStyleColor();
  if (job.cancel == nullptr) return;
  ImGui::SameLine();
  ImGui::SetCursorPosY(row);
  const std::string cross = std::string(icons::kClose) + kShortCancel;
  if (is_short ? PlainButton(cross.c_str(), {Px(30), 0}) : PlainButton("Cancel")) *job.cancel = true;
  if (is_short) Tooltip("Cancel");
}

void DrawJobs(const ShellInput& input, bool has_toast, BarRoom* room, ImRect* covered) {
  if (input.jobs.empty()) return;
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const float in_bar = (room->right - room->left) * (has_toast ? 0.5F : 1.0F);
  const bool is_in_bar = in_bar >= Px(kLeastWidth);
  const float width = std::min(Px(700), is_in_bar ? in_bar : viewport->Size.x - Px(24));
  if (is_in_bar) {
    ImGui::SetNextWindowPos({room->right, viewport->Pos.y}, ImGuiCond_Always, {1, 0});
  } else {
    ImGui::SetNextWindowPos({viewport->GetCenter().x, covered->Min.y}, ImGuiCond_Always, {0.5F, 1.0F});
  }
  const float above = is_in_bar ? (room->height - ImGui::GetFrameHeight()) / 2 : Px(8);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, viewport->Size.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(16), above));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const Color of_bar = Colors().dark ? Colors().panel : Colors().background;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, U32(is_in_bar ? of_bar : Colors().sunken));
  if (ImGui::Begin("What goes on###jobs", nullptr,
                   kBarFlags | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing)) {
    KeepOverPanels();
    DrawJobLines(input.jobs, width);
  }
  const ImRect place = ImGui::GetCurrentWindow()->Rect();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  if (is_in_bar) {
    room->right = place.Min.x;
  } else {
    Cover(place, covered);
  }
}

Toast ToastOf(std::string text, presenters::LogLevel level) {
  Toast toast{std::move(text), level, {}};
  const std::chrono::seconds is_read_in(IsBad(toast) ? 8 : 4);
  toast.until = std::chrono::steady_clock::now() + is_read_in;
  return toast;
}

void DrawToasts(ShellState& shell, const BarRoom& room, ImRect* covered) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(shell.toasts, [now](const Toast& toast) { return toast.until < now; });
  if (shell.toasts.empty()) return;
  const auto latest_bad = std::ranges::find_if(shell.toasts.rbegin(), shell.toasts.rend(), IsBad);
  Toast& toast = latest_bad == shell.toasts.rend() ? shell.toasts.back() : *latest_bad;
  const Color color = IsBad(toast) ? Colors().bad : Colors().good;
  const ToastLook look = LookOfToast(toast.text, room, *covered);
  const ImVec2 size = look.text + 2 * look.padding;
  const ImVec2 at(look.anchor.x - size.x * look.pivot.x, look.anchor.y - size.y * look.pivot.y);
  ImGui::SetNextWindowPos(at);
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, U32(IsBad(toast) ? Colors().bad_fill : Colors().good_fill));
  ImGui::PushStyleColor(ImGuiCol_Border, U32(color.WithAlpha(0.4)));
  ImGui::Begin("##toast", nullptr, kBarFlags | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleColor(2);
  KeepOverPanels();
  DrawWrapped(ImGui::GetWindowDrawList(), at + look.padding, Colored(look.style, color), toast.text,
              look.text.x + 1);
  if (ImGui::IsWindowHovered()) {
    toast.until = ImGui::IsMouseClicked(ImGuiMouseButton_Left) ? now : std::max(toast.until, now + kStays);
    TooltipBeside(at, at + size, "Stays while the mouse is on it; a click closes it. The Run log keeps it.");
  }
  ImGui::End();
  if (!look.is_in_bar) Cover({at - ImVec2(0, Px(8)), at + size}, covered);
}

}  // namespace tidemark::gui
