#include "app/gui/shell/shell.h"

#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "app/gui/shell/shell_parts.h"
#include "app/gui/view/panel_table.h"

namespace tidemark::gui {
namespace {

// A program has none, and a session code may hide some.
std::vector<NamedControl> ControlsOf(const Frame& frame) {
  if (frame.program) return {};
  std::vector<NamedControl> controls = NamedControls();
  std::erase_if(controls, [&](const NamedControl& control) {
    return std::ranges::count(frame.run_controls.access.hidden, control.name) > 0;
  });
  return controls;
}

// Back and forward as in a browser, where no lesson has these keys for its pages.
void PushBrowsersKeys(const ShellInput& input, CommandQueue& queue) {
  const ImGuiID owner = ImGui::GetID("window keys");
  const auto pressed = [owner](ImGuiKey arrow) {
    return ImGui::Shortcut(ImGuiMod_Alt | arrow, ImGuiInputFlags_RouteGlobal, owner);
  };
  if (input.can_go_back && pressed(ImGuiKey_LeftArrow)) queue.Push(ActionId::kBack);
  if (input.can_go_forward && pressed(ImGuiKey_RightArrow)) queue.Push(ActionId::kForward);
}

// Something that the keyboard goes to, in the last frame: a recorded program's facts are read only.
bool CanBeEntered(const ImGuiWindow& window) { return window.DC.NavLayersActiveMaskNext != 0; }

// Of those that were in front in the last frame.
ImGuiWindow* FirstPanel() {
  for (const Panel& panel : Panels()) {
    ImGuiWindow* const window = ImGui::FindWindowByName(("###" + std::string(panel.name)).c_str());
    const bool is_in_front = window != nullptr && window->WasActive && window->DockTabIsVisible;
    if (is_in_front && CanBeEntered(*window)) return window;
  }
  return nullptr;
}

// Dear ImGui only goes on from an item: at the window's first, which is drawn in this frame, and in sight.
void Enter(ImGuiWindow* window) {
  ImGui::FocusWindow(window);
  ImGui::NavInitWindow(window, true);
  ImGui::SetNavCursorVisible(true);
}

// With the keyboard, as into a table.
bool HasGoneIntoPart() {
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  const ImGuiWindow* const window = keys.NavWindow;
  return keys.NavCursorVisible && window != nullptr && window != window->RootWindow &&
         (window->ChildFlags & ImGuiChildFlags_NavFlattened) == 0;
}

// Into what has the focus as a whole, as a panel that was just shown, or with something that only a mouse can
// press, as a plot; and into the first panel where nothing has it that could be entered, as in a window that
// has just opened.
void EnterByTab(const ShellState& shell) {
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  const bool goes_on = keys.NavId != 0 && shell.focus_is_of_keys;
  if (goes_on || !ImGui::IsKeyPressed(ImGuiKey_Tab) || ImGui::GetIO().KeyCtrl) return;
  const bool is_in_one = keys.NavWindow != nullptr &&
                         (keys.NavWindow->Flags & ImGuiWindowFlags_NoNavFocus) == 0 &&
                         CanBeEntered(*keys.NavWindow);
  ImGuiWindow* const window = is_in_one ? keys.NavWindow : FirstPanel();
  if (window != nullptr) Enter(window);
}

// Whoever has answered a dialog with the keyboard goes on with it where they were, and sees that.
void ShowFocusAfterDialog(ShellState& shell) {
  const bool has_dialog = shell.held.open || shell.file_dialog.open || shell.program_dialog.open;
  const bool has_closed = std::exchange(shell.has_dialog, has_dialog) && !has_dialog;
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  if (!has_closed || !keys.NavCursorVisible || keys.NavId != 0) return;
  ImGuiWindow* const before = ImGui::FindWindowByID(shell.focused_panel);
  const bool is_there = before != nullptr && before->WasActive && before->DockTabIsVisible;
  ImGuiWindow* const panel = is_there ? before : FirstPanel();
  if (panel != nullptr) Enter(panel);
}

// What has closed leaves the focus to the panel that had it before: Dear ImGui would choose a window that may
// lie behind other tabs, and bring it to the front.
void GiveFocusBack(ShellState& shell) {
  const ImGuiWindow* const focused = ImGui::GetCurrentContext()->NavWindow;
  if (focused == nullptr) return;
  const auto is_in_front = [](const ImGuiWindow& window) {
    return window.Active && window.DockIsActive && window.DockTabIsVisible;
  };
  if (is_in_front(*focused->RootWindow)) shell.focused_panel = focused->RootWindow->ID;
  if (focused->Active) return;
  ImGuiWindow* const panel = ImGui::FindWindowByID(shell.focused_panel);
  const bool is_there = panel != nullptr && is_in_front(*panel);
  ImGui::FocusWindow(is_there ? panel : nullptr, ImGuiFocusRequestFlags_RestoreFocusedChild);
}

// One at a time, for each would close the others as it opens: what asks whether something may be lost before
// all, and what a person is busy with before what comes up by itself. Those that wait come after it.
void DrawDialog(const ShellInput& input, ShellState& shell, ViewState& view, CommandQueue& queue) {
  if (shell.held.open) return DrawHeldQuestion(shell.held, queue);
  if (shell.file_dialog.open) return DrawFileDialog(shell.file_dialog, view.last_folder, queue);
  if (shell.program_dialog.open) DrawProgramDialog(*input.cards, input.has_gpu, shell.program_dialog, queue);
}

// A chord with Ctrl is meant; arrows and letters alone have other uses, too, where theirs can't be done.
bool IsToldOf(const Action& action) { return (action.chord & ImGuiMod_Ctrl) != 0; }

}  // namespace

bool IsEnabled(ActionId action, const ShellInput& input) {
  switch (action) {
    case ActionId::kUndo:
      return input.can_undo;
    case ActionId::kRedo:
      return input.can_redo;
    case ActionId::kBack:
      return input.can_go_back;
    case ActionId::kForward:
      return input.can_go_forward;
    case ActionId::kStep:
    case ActionId::kOperator:
      return input.live;
    case ActionId::kRestart:
      return input.can_restart;
    case ActionId::kStop:
      return input.can_stop;
    case ActionId::kLayoutBefore:
      return input.has_layout_before;
    case ActionId::kRankStrip:
      return input.ranks.opened != nullptr;
    case ActionId::kRunProgram:
      return input.starts_programs;
    case ActionId::kEarlierRuns:
      return input.has_kept_runs;
    case ActionId::kCompareWith:
      return input.has_view;
    case ActionId::kStopComparing:
      return input.compares;
    case ActionId::kRunOrPause:
      return input.can_run;
    case ActionId::kUnlock:
      return input.has_locks;
    case ActionId::kSlowMotion:
      return input.can_walk || input.in_slow_motion;
    case ActionId::kNextOperator:
    case ActionId::kPreviousOperator:
    case ActionId::kFirstOperator:
    case ActionId::kLastOperator:
      return input.in_slow_motion;
    case ActionId::kNextPage:
    case ActionId::kPreviousPage:
      return input.in_lesson;
    case ActionId::kBackToOwn:
      return input.is_set_up_to_learn;
    case ActionId::kStartOver:
      return input.has_answers;
    case ActionId::kSave:
    case ActionId::kExport:
    case ActionId::kBookmark:
      return input.has_view && input.has_run;
    case ActionId::kFit:
    case ActionId::kGoToPeak:
    case ActionId::kStackBy:
    case ActionId::kSearch:
      return input.has_view;
    default:
      return true;
  }
}

void PushKeys(const ShellInput& input, ShellState& shell, CommandQueue& queue) {
  // So are the arrows with Alt: they would move the focus, or what has it, beside turning the page or looking
  // back.
  const bool turns = ImGui::GetIO().KeyAlt;
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow}) {
    if (turns) ImGui::SetKeyOwner(key, ImGui::GetID("window keys"), ImGuiInputFlags_LockThisFrame);
  }
  // What is open on top takes the keys; above all Escape, which closes it.
  if (shell.file_dialog.open || shell.program_dialog.open || shell.palette.open) return;
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return;
  // Space is ours: ImGui's navigation would press the focused button with it, as it does in a dialog (Enter
  // does that everywhere).
  ImGui::SetKeyOwner(ImGuiKey_Space, ImGui::GetID("window keys"), ImGuiInputFlags_LockThisFrame);
  for (const Action& action : Actions()) {
    const bool is_enabled = IsEnabled(action.id, input);
    if (action.chord == 0 || (!is_enabled && !IsToldOf(action))) continue;
    if (action.id == ActionId::kUnpin && HasGoneIntoPart()) continue;  // Escape leaves that first
    // A text that is being typed takes Backspace for itself.
    const bool looks_back = action.id == ActionId::kBack || action.id == ActionId::kForward;
    if (looks_back && ImGui::GetIO().WantTextInput) continue;
    const bool is_ours = action.id == ActionId::kRunOrPause || action.id == ActionId::kPreviousOperator ||
                         action.id == ActionId::kNextPage || action.id == ActionId::kPreviousPage;
    const ImGuiID owner = is_ours ? ImGui::GetID("window keys") : 0;
    if (!ImGui::Shortcut(action.chord, ImGuiInputFlags_RouteGlobal, owner)) continue;
    if (is_enabled) {
      queue.Push(action.id);
    } else {
      shell.toasts.push_back(ToastOf(WhyNot(action.id), presenters::LogLevel::kInfo));
    }
  }
  if (!input.in_lesson) PushBrowsersKeys(input, queue);
  if (input.can_go_back && ImGui::IsMouseClicked(3)) queue.Push(ActionId::kBack);  // the side buttons
  if (input.can_go_forward && ImGui::IsMouseClicked(4)) queue.Push(ActionId::kForward);
  // The other half of the world redoes with it.
  constexpr ImGuiKeyChord kOtherRedo = ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z;
  if (input.can_redo && ImGui::Shortcut(kOtherRedo, ImGuiInputFlags_RouteGlobal)) {
    queue.Push(ActionId::kRedo);
  }
}

void DrawShell(const ShellInput& input, const Frame& frame, ShellState& shell, ViewState& view,
               CommandQueue& queue) {
  PushKeys(input, shell, queue);
  EnterByTab(shell);
  ShowFocusAfterDialog(shell);
  const bool has_toast = !shell.toasts.empty() && !input.in_picture;
  BarRoom room = DrawMenuBar(input, frame, has_toast || !input.jobs.empty(), view, queue);
  if (view.rank_strip) DrawRanks(input.ranks, queue);
  const ImRect banner = DrawBanner(input, shell, queue);
  ImRect covered(banner.Min, banner.Min);  // nothing yet: the banner covers no panel
  DrawJobs(input, has_toast, &room, &covered);
  if (has_toast) DrawToasts(shell, room, &covered);
  DrawPanels(frame, banner, covered, shell, view, queue);
  DrawHelpWindows(input.glossary, shell);
  if (shell.class_open) DrawClassWindow(input.of_code, &shell.class_open, queue);
  if (shell.colors.open) DrawColorsWindow(view.own_colors, shell.colors);
  DrawCommandPalette({[&](ActionId action) { return IsEnabled(action, input); }, ControlsOf(frame), frame,
                      *input.lessons, *input.samples, view},
                     shell.palette, queue);
  DrawSearch(input.search, shell.search, queue);
  DrawBookmarkWindow(shell.bookmark, queue);
  DrawDialog(input, shell, view, queue);
  GiveFocusBack(shell);
  shell.focus_is_of_keys = ImGui::GetCurrentContext()->NavIdIsAlive;
}

}  // namespace tidemark::gui
