#include "app/gui/shell/program_dialog.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/text.h"
#include "profiler/events/stack_languages.h"
#include "profiler/events/torch_versions.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

using session::ProgramField;

constexpr const char* kThisMachine = "this machine's GPU";

// As much of it as there is room for.
template <size_t kSize>
void SetText(std::string_view text, std::array<char, kSize>& field) {
  field = {};
  std::ranges::copy(text.substr(0, kSize - 1), field.begin());
}

// Before the field is drawn.
void FocusIfWanted(ProgramDialogState& state, ProgramField field) {
  if (state.focus != field) return;
  ImGui::SetKeyboardFocusHere();
  state.focus.reset();
}

bool IsOnPhantom(const ProgramDialogState& state) { return state.card != kOwnGpu; }

std::string TitleOf(const std::string& chosen, const std::vector<phantom::Card>& cards) {
  if (chosen == kOwnGpu) return kThisMachine;
  const phantom::Card* const card = phantom::CardNamed(cards, chosen);
  return "phantom " + (card == nullptr ? chosen : session::ShortCardTitle(card->title));
}

void ChooseCard(const std::vector<phantom::Card>& cards, ProgramDialogState& state) {
  std::vector<std::string> titles;
  for (const phantom::Card& card : cards) titles.push_back(TitleOf(card.name, cards));
  if (BeginChoice("Runs on", TitleOf(state.card, cards), 0.3F, {}, titles)) {
    if (Choice(kThisMachine, !IsOnPhantom(state))) state.card = kOwnGpu;
    for (const phantom::Card& card : cards) {
      const std::string title = TitleOf(card.name, cards) + " · " + session::CardSize(card.memory_bytes);
      if (Choice(title, state.card == card.name)) state.card = card.name;
    }
    ImGui::EndCombo();
  }
  Consequence(
      IsOnPhantom(state)
          ? std::string("Needs no GPU. Kernels compute nothing, every allocation happens. A Python program "
                        "with torch ") +
                events::kTorchVersions + "."
          : "As it is, with kernels that compute. Any CUDA program; of a launcher's ranks all are shown, "
            "else the first process that uses CUDA.");
}

// What a phantom has instead of its card's own. True if Enter ended it.
bool ChooseMemory(ProgramDialogState& state) {
  if (!IsOnPhantom(state)) return false;
  FocusIfWanted(state, ProgramField::kMemory);
  return TextRow("Memory", "the card's own, or 16GiB, 24GB, …", state.memory, 0.3F);
}

// Which of these words; the first is "as it is".
void ChooseAmong(const char* id, std::span<const char* const> labels, std::span<const std::string> words,
                 std::string& chosen) {
  const auto found = std::ranges::find(words, chosen);
  int selected = found == words.end() ? 0 : static_cast<int>(found - words.begin());
  if (Segmented(id, labels, {}, &selected)) chosen = words[static_cast<size_t>(selected)];
}

// What the program does not do itself, as if it did.
void ChooseTechniques(ProgramDialogState& state) {
  if (!IsOnPhantom(state)) return;
  static const std::array<std::string, 3> kAmp = {"", "bf16", "fp16"};
  static const std::array<std::string, 2> kCheckpoint = {"", "blocks"};
  Label("Mixed precision");
  ChooseAmong("##program amp", std::array{"as it is", "bf16", "fp16"}, kAmp, state.amp);
  Label("Checkpointing");
  ChooseAmong("##program checkpoint", std::array{"as it is", "blocks"}, kCheckpoint, state.checkpoint);
  Consequence(state.amp.empty() && state.checkpoint.empty()
                  ? "The program runs as it is; what these would save shows without a change to it."
                  : "As if its author had written it so: its allocations are those of such a program.");
}

// On a phantom they are told whatever is chosen.
void ChooseOperators(ProgramDialogState& state) {
  bool always = true;
  ImGui::BeginDisabled(IsOnPhantom(state));
  Toggle("PyTorch's operators", IsOnPhantom(state) ? &always : &state.operators);
  ImGui::EndDisabled();
  Consequence(IsOnPhantom(state)
                  ? "A phantom tells them, and which of them asked for memory, in any case."
                  : "And which of them asked for memory. Half a microsecond each; the first time with a "
                    "torch a library is built for it, which takes a minute.");
}

// What is told beside memory; each costs the program a little.
void ChooseLayers(ProgramDialogState& state) {
  ChooseOperators(state);
  Toggle("Lines of Python with each allocation", &state.python_stacks);
  Consequence("For the flame graph by code and the timeline by line of code. CPython 3.9 to 3.13.");
  Toggle("C++ functions with each segment", &state.native_stacks);
  Consequence("They are told in the memory map, of the segment under the mouse.");
  Toggle("Kernels, copies, memsets", &state.kernels);
  Consequence(IsOnPhantom(state)
                  ? "A lane under the timeline; on a phantom PyTorch's own, and without times."
                  : "A lane under the timeline, through CUPTI, which serves one tool at a time.");
}

// On this machine's GPU every run would take its time, one after the other. True if Enter ended it.
bool ChooseSweep(ProgramDialogState& state) {
  Label("Sweep");
  ImGui::BeginDisabled(!IsOnPhantom(state));
  ImGui::SetNextItemWidth(-1);
  FocusIfWanted(state, ProgramField::kSweep);
  const bool entered = TextField("##sweep", "batch=1..512 or batch=8,24,96; empty: one run", state.sweep);
  ImGui::EndDisabled();
  Consequence(IsOnPhantom(state)
                  ? "Runs it once for each value, with --batch 1, 2, 4, …, and draws its peak over them. "
                    "Nothing else is recorded of these runs."
                  : "Sweeps run on a phantom.");
  return entered;
}

bool Sweeps(const ProgramDialogState& state) { return IsOnPhantom(state) && state.sweep.front() != 0; }

void Start(ProgramDialogState& state, CommandQueue& queue) {
  if (state.command.front() == 0) return void(state.focus = ProgramField::kCommand);
  session::ProgramOrder order;
  order.command = state.command.data();
  if (IsOnPhantom(state)) order.card = state.card;
  if (IsOnPhantom(state)) order.memory = state.memory.data();
  if (IsOnPhantom(state)) order.amp = state.amp;
  if (IsOnPhantom(state)) order.checkpoint = state.checkpoint;
  order.recording = state.recording.data();
  order.kernels = state.kernels;
  order.operators = state.operators;
  if (state.python_stacks) order.stacks.emplace_back(events::kPythonStacks);
  if (state.native_stacks) order.stacks.emplace_back(events::kNativeStacks);
  if (Sweeps(state)) {
    queue.Push(StartSweep{{std::move(order), state.sweep.data()}});
  } else {
    queue.Push(StartProgram{std::move(order)});
  }
  state.open = false;
  ImGui::CloseCurrentPopup();
}

void DrawContent(const std::vector<phantom::Card>& cards, ProgramDialogState& state, CommandQueue& queue) {
  Put(TitleWords(), "Run a program");
  Label("Command");
  FocusIfWanted(state, ProgramField::kCommand);
  ImGui::SetNextItemWidth(-1);
  bool entered = TextField("##command", "python train.py --batch 64", state.command);
  Consequence("As in a terminal, from the folder that Tidemark was started in. Its output appears there.");
  ChooseCard(cards, state);
  entered = ChooseMemory(state) || entered;
  ChooseTechniques(state);
  ChooseLayers(state);
  Label("Recording");
  ImGui::SetNextItemWidth(-1);
  FocusIfWanted(state, ProgramField::kRecording);
  entered = TextField("##recording", "run.tide; empty: not kept", state.recording) || entered;
  entered = ChooseSweep(state) || entered;
  Consequence(state.trouble, Colors().warning);
  ImGui::BeginDisabled(state.command.front() == 0);
  if (PrimaryButton("Start", {Px(110), 0}) || entered) Start(state, queue);
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (PlainButton("Cancel", {Px(110), 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    state.open = false;
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

std::string CardToBeginWith(const std::string& last, const std::vector<phantom::Card>& cards, bool has_gpu) {
  constexpr const char* kCommonCard = "rtx-4090";
  if (last == kOwnGpu || phantom::CardNamed(cards, last) != nullptr) return last;
  return has_gpu ? kOwnGpu : kCommonCard;
}

void FillFrom(const events::RunDescription& shown, const std::vector<phantom::Card>& cards, bool has_gpu,
              ProgramDialogState& state) {
  if (shown.command.empty() || shown.command == state.filled_from) return;
  state.filled_from = shown.command;
  if (shown.command == state.command.data()) return;  // it was started from here
  SetText(shown.command, state.command);
  const bool was_phantom = shown.device == "phantom";
  const auto card = session::CardOf(shown.device_name, shown.device_bytes, cards);
  if (!was_phantom && has_gpu) {
    state.card = kOwnGpu;
  } else if (card) {
    state.card = card->name;
  }
  const bool is_limited = session::IsLimited(shown, cards);
  SetText(is_limited ? std::to_string(shown.device_bytes >> 20) + "MiB" : "", state.memory);
}

void OpenProgramDialog(ProgramDialogState& state, const std::string& trouble, ProgramField field) {
  state.open = true;
  state.trouble = trouble;
  state.focus = field;
}

void DrawProgramDialog(const std::vector<phantom::Card>& cards, ProgramDialogState& state,
                       CommandQueue& queue) {
  if (!ImGui::IsPopupOpen("program dialog")) {
    ImGui::OpenPopup("program dialog");
    if (!state.focus) state.focus = ProgramField::kCommand;  // it comes back after another
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(Px(520), viewport->Size.x - Px(40)), 0});
  if (ImGui::BeginPopupModal(
          "program dialog", nullptr,
          ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize)) {
    DrawContent(cards, state, queue);
    ImGui::EndPopup();
  }
}

}  // namespace tidemark::gui
