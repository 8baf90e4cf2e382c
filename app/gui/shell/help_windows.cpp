#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {

bool BeginOwnWindow(const char* title, ImVec2 size, bool* open) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(Px(size.x), viewport->Size.x - Px(40)), std::min(Px(size.y), viewport->Size.y - Px(80))},
      ImGuiCond_Appearing);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, U32(Colors().panel));
  const bool visible = ImGui::Begin(
      title, open,
      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  if (ImGui::IsWindowFocused() && ImGui::IsKeyPressed(ImGuiKey_Escape)) *open = false;
  return visible;
}

namespace {

void KeyRow(const char* keys, const char* label, const char* help) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  Put(Colored(StrongWords(), Colors().accent), keys);
  ImGui::TableNextColumn();
  Put(Words(), label);
  ImGui::TableNextColumn();
  PutWrapped(MutedWords(), help);
}

void DrawKeys(bool* open) {
  if (BeginOwnWindow("Keys", {860, 640}, open) &&
      ImGui::BeginTable("keys", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg)) {
    ImGui::TableSetupColumn("keys", 0, Px(130));
    ImGui::TableSetupColumn("command", 0, Px(250));
    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
    for (const Action& action : Actions()) {
      if (*action.keys != 0) KeyRow(action.keys, action.label, action.help);
    }
    KeyRow("wheel", "Zoom the timeline", "About the mouse. With Shift: sideways.");
    KeyRow("Ctrl + wheel", "Magnify the vertical axis", "F shows all of it again.");
    KeyRow("drag", "Move the timeline", "");
    KeyRow("Shift + drag", "Measure between two moments", "Shift + click ends it.");
    KeyRow("double-click", "Show the whole run", "");
    KeyRow("click", "Pin a moment", "The memory map shows it.");
    KeyRow("arrow keys", "Move and zoom the timeline",
           "While the mouse is over it, or it has the focus; and move the focused slider.");
    KeyRow("Tab", "Next control", "Enter presses it, or goes into a table; on a slider it takes a number.");
    KeyRow("arrow keys", "Rows of a table",
           "Once Enter has gone into it. Home and Up lead to its titles, where Enter sorts, again the other "
           "way round; Esc leaves.");
    KeyRow("Page Up, Page Down", "A page of a table or a text", "Of the one that has the focus.");
    KeyRow("Ctrl+Tab", "Another panel", "While Ctrl is held each Tab goes to the next one; with Shift back.");
    ImGui::EndTable();
  }
  ImGui::End();
}

void DrawGlossary(const lessons::Glossary& glossary, bool* open) {
  if (BeginOwnWindow("What is…", {720, 640}, open)) {
    for (const lessons::Term& term : glossary.terms()) {
      Put(StrongWords(), term.forms.front());
      PutWrapped(MutedWords(), term.meaning);
      ImGui::Dummy({0, Px(4)});
    }
  }
  ImGui::End();
}

void DrawAbout(bool* open) {
  if (BeginOwnWindow("About Tidemark", {520, 300}, open)) {
    Put(TitleWords(), "Tidemark 0.1");
    PutWrapped(Words(),
               "Where does a neural network's GPU memory go, and what does each technique do to it? The "
               "tidemark is the line that the highest water leaves.");
    Rule();
    PutWrapped(MutedWords(), std::string("Drawn with Dear ImGui ") + IMGUI_VERSION +
                                 ", GLFW and OpenGL. Trains with LibTorch. Faces: Roboto, Inconsolata, Font "
                                 "Awesome.");
  }
  ImGui::End();
}

}  // namespace

void DrawHelpWindows(const lessons::Glossary* glossary, ShellState& shell) {
  if (shell.keys_open) DrawKeys(&shell.keys_open);
  if (shell.glossary_open && glossary != nullptr) DrawGlossary(*glossary, &shell.glossary_open);
  if (shell.about_open) DrawAbout(&shell.about_open);
}

}  // namespace tidemark::gui
