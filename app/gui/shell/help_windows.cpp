#include <utility>

#include "app/gui/shell/shell_parts.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

constexpr std::pair<const char*, const char*> kWords[] = {
    {"textbook",
     "What one computes on paper, layer by layer, from shapes alone: parameters, gradients, optimizer state, "
     "activations, input. "
     "No allocator, no libraries, no temporaries."},
    {"phantom",
     "The same program, run by the real PyTorch on a GPU that does not exist. Every allocation happens, in "
     "order; no kernel runs. "
     "So it knows what PyTorch will ask for, without any GPU."},
    {"measured", "What this run's allocator reported, event by event."},
    {"requested", "The bytes that the program asked for."},
    {"allocated",
     "The blocks that PyTorch's allocator set aside for them, rounded up to multiples of 512 bytes. "
     "torch.cuda.memory_allocated()."},
    {"reserved",
     "The segments that the allocator took from the driver: allocated blocks, and what is kept for the next "
     "time. "
     "torch.cuda.memory_reserved()."},
    {"segment, block",
     "A segment is one piece of memory from the driver (2 MiB, 20 MiB or more). The allocator cuts it into "
     "blocks."},
    {"parameter", "The network's weights and biases."},
    {"gradient", "Of parameters, once accumulated into .grad; as large as the parameters."},
    {"optimizer state", "What the optimizer remembers: Adam keeps two moments for each parameter."},
    {"activation", "Outputs that forward keeps, because backward needs them."},
    {"temporary", "Everything an operator makes that nobody keeps; gradients of activations are among it."},
    {"workspace",
     "Scratch memory that a library (cuBLAS, cuDNN) asked for. cuDNN's are part of the phantom's prediction "
     "where "
     "cuDNN is installed."},
    {"autocast cache", "Half-precision copies of the weights that autocast keeps until the step ends."},
    {"micro-batch",
     "One of the parts into which accumulation cuts a batch; the gradients of all parts are added before the "
     "optimizer runs."},
    {"checkpointing",
     "Not keeping some activations, and computing them again in backward: less memory, more time."},
    {"the peak",
     "The moment of a step at which the most is allocated. If it does not fit, nothing else matters."},
    {"MB and MiB",
     "MB is 1,000,000 bytes; MiB is 1,048,576 bytes. Press U to switch; hover a figure for its exact bytes."},
};

bool BeginHelpWindow(const char* title, bool* open, float width, float height) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(Px(width), viewport->Size.x - Px(40)), std::min(Px(height), viewport->Size.y - Px(80))},
      ImGuiCond_Appearing);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, U32(Colors().panel));
  const bool visible = ImGui::Begin(
      title, open,
      ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  if (ImGui::IsWindowFocused() && ImGui::IsKeyPressed(ImGuiKey_Escape)) *open = false;
  return visible;
}

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
  if (BeginHelpWindow("Keys", open, 860, 640) &&
      ImGui::BeginTable("keys", 3, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_RowBg)) {
    ImGui::TableSetupColumn("keys", 0, Px(130));
    ImGui::TableSetupColumn("command", 0, Px(250));
    ImGui::TableSetupColumn("help", ImGuiTableColumnFlags_WidthStretch);
    for (const Action& action : Actions()) {
      if (*action.keys != 0) KeyRow(action.keys, action.label, action.help);
    }
    KeyRow("wheel", "Zoom the timeline", "About the mouse. With Shift: sideways.");
    KeyRow("drag", "Move the timeline", "");
    KeyRow("Shift + drag", "Measure between two moments; Shift + click ends it", "");
    KeyRow("double-click", "Show the whole run", "");
    KeyRow("click", "Pin a moment", "The memory map shows it.");
    KeyRow("arrow keys", "Move and zoom the timeline",
           "While the mouse is over it; and move the focused slider.");
    KeyRow("Tab", "Next control", "Enter presses it.");
    ImGui::EndTable();
  }
  ImGui::End();
}

void DrawGlossary(bool* open) {
  if (BeginHelpWindow("What is…", open, 720, 640)) {
    for (const auto& [word, meaning] : kWords) {
      Put(StrongWords(), word);
      PutWrapped(MutedWords(), meaning);
      ImGui::Dummy({0, Px(4)});
    }
  }
  ImGui::End();
}

void DrawAbout(bool* open) {
  if (BeginHelpWindow("About Tidemark", open, 520, 300)) {
    Put(TitleWords(), "Tidemark 0.1");
    PutWrapped(Words(),
               "Where does a neural network's GPU memory go, and what does each technique do to it? The "
               "tidemark is the line that the highest "
               "water leaves.");
    Rule();
    PutWrapped(MutedWords(), std::string("Drawn with Dear ImGui ") + IMGUI_VERSION +
                                 ", GLFW and OpenGL. Trains with LibTorch. Faces: Roboto, Inconsolata, Font "
                                 "Awesome.");
  }
  ImGui::End();
}

}  // namespace

void DrawHelpWindows(ShellState& shell) {
  if (shell.keys_open) DrawKeys(&shell.keys_open);
  if (shell.glossary_open) DrawGlossary(&shell.glossary_open);
  if (shell.about_open) DrawAbout(&shell.about_open);
}

}  // namespace tidemark::gui
