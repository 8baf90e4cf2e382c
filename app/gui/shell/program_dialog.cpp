#include "app/gui/shell/program_dialog.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/text.h"
#include "profiler/events/stack_languages.h"
#include "profiler/events/torch_versions.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

using session::ProgramField;

constexpr const char* kThisGpu = "this machine's GPU";
constexpr const char* kThisCpu = "this machine's CPU";

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

bool IsOnThisMachine(const std::string& card) { return card == kOwnGpu || card == kOwnCpu; }

bool IsOnPhantom(const ProgramDialogState& state) { return !IsOnThisMachine(state.card); }

// Below a field, and clear of the ring that tells its focus.
void ConsequenceOfField(std::string_view text) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + Px(3));
  Consequence(text);
}

// What follows from a choice, with as much room as what follows from any other takes: what comes below stays
// where it is.
void ConsequenceAmong(std::string_view chosen, std::initializer_list<std::string_view> others) {
  const float width = ImGui::GetContentRegionAvail().x;
  const auto height_of = [width](std::string_view text) {
    return MeasureWrapped(SmallMuted(), text, width).y;
  };
  float missing = 0;
  for (const std::string_view other : others)
    missing = std::max(missing, height_of(other) - height_of(chosen));
  ConsequenceOfField(chosen);
  if (missing > 0) ImGui::Dummy({0, missing - ImGui::GetStyle().ItemSpacing.y});
}

std::string TitleOf(const std::string& chosen, const std::vector<phantom::Card>& cards) {
  if (chosen == kOwnGpu) return kThisGpu;
  if (chosen == kOwnCpu) return kThisCpu;
  const phantom::Card* const card = phantom::CardNamed(cards, chosen);
  return "phantom " + (card == nullptr ? chosen : session::ShortCardTitle(card->title));
}

void OfferThisMachine(bool has_gpu, ProgramDialogState& state) {
  ImGui::BeginDisabled(!has_gpu);
  const std::string missing = has_gpu ? "" : ": no NVIDIA driver here";
  if (Choice(kThisGpu + missing, state.card == kOwnGpu)) state.card = kOwnGpu;
  ImGui::EndDisabled();
  if (Choice(kThisCpu, state.card == kOwnCpu)) state.card = kOwnCpu;
}

void ChooseCard(const std::vector<phantom::Card>& cards, bool has_gpu, ProgramDialogState& state) {
  static const std::string kOnPhantom =
      std::string(
          "Needs no GPU. Kernels compute nothing, every allocation happens. A Python program with "
          "torch ") +
      events::kTorchVersions + ".";
  constexpr std::string_view kOnGpu =
      "As it is, with kernels that compute. Any CUDA program; of a launcher's ranks all are shown, else the "
      "first process that uses CUDA.";
  constexpr std::string_view kOnCpu =
      "As it is, without a GPU. PyTorch's tensors on the CPU are told: what they hold, with no blocks or "
      "segments around them.";
  std::vector<std::string> titles;
  titles.reserve(cards.size());
  for (const phantom::Card& card : cards) titles.push_back(TitleOf(card.name, cards));
  if (BeginChoice("Runs on", TitleOf(state.card, cards), 0.3F, {}, titles)) {
    OfferThisMachine(has_gpu, state);
    for (const phantom::Card& card : cards) {
      const std::string title = TitleOf(card.name, cards) + " · " + session::CardSize(card.memory_bytes);
      if (Choice(title, state.card == card.name)) state.card = card.name;
    }
    ImGui::EndCombo();
  }
  ConsequenceAmong(IsOnPhantom(state)      ? kOnPhantom
                   : state.card == kOwnCpu ? kOnCpu
                                           : kOnGpu,
                   {kOnPhantom, kOnGpu, kOnCpu});
}

// What a phantom has instead of its card's own. True if Enter ended it.
bool ChooseMemory(ProgramDialogState& state) {
  ImGui::BeginDisabled(!IsOnPhantom(state));
  FocusIfWanted(state, ProgramField::kMemory);
  const bool entered = TextRow("Memory", "the card's own, or 16GiB, 24GB, …", state.memory, 0.3F);
  ImGui::EndDisabled();
  return entered;
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
  static const std::array<std::string, 3> kAmp = {"", "bf16", "fp16"};
  static const std::array<std::string, 2> kCheckpoint = {"", "blocks"};
  constexpr std::string_view kAsItIs =
      "The program runs as it is; what these would save shows without a change to it.";
  constexpr std::string_view kOtherwise =
      "As if its author had written it so: its allocations are those of such a program.";
  constexpr std::string_view kNotHere = "On this machine it runs as it is; a phantom can run it otherwise.";
  ImGui::BeginDisabled(!IsOnPhantom(state));
  Label("Mixed precision");
  ChooseAmong("##program amp", std::array{"as it is", "bf16", "fp16"}, kAmp, state.amp);
  Label("Checkpointing");
  ChooseAmong("##program checkpoint", std::array{"as it is", "blocks"}, kCheckpoint, state.checkpoint);
  ImGui::EndDisabled();
  const bool is_as_it_is = state.amp.empty() && state.checkpoint.empty();
  ConsequenceAmong(!IsOnPhantom(state) ? kNotHere
                   : is_as_it_is       ? kAsItIs
                                       : kOtherwise,
                   {kAsItIs, kOtherwise, kNotHere});
}

// On a phantom they are told in any case: the switch is on, and stays so.
void ChooseOperators(ProgramDialogState& state) {
  constexpr const char* kOperators = "PyTorch's operators";
  constexpr std::string_view kInAnyCase =
      "A phantom tells them, and which of them asked for memory, in any case.";
  constexpr std::string_view kIfAsked =
      "And which of them asked for memory. Half a microsecond each; the first time with a torch a library is "
      "built for it, which takes a minute.";
  bool are_told = IsOnPhantom(state) || state.operators;
  ImGui::BeginDisabled(IsOnPhantom(state));
  if (Toggle(kOperators, &are_told)) state.operators = are_told;
  ImGui::EndDisabled();
  ConsequenceAmong(IsOnPhantom(state) ? kInAnyCase : kIfAsked, {kInAnyCase, kIfAsked});
}

// What is told beside memory; each costs the program a little.
void ChooseLayers(ProgramDialogState& state) {
  constexpr std::string_view kOnPhantom =
      "A lane under the timeline; on a phantom PyTorch's own, and without times.";
  constexpr std::string_view kOnGpu =
      "A lane under the timeline, through CUPTI, which serves one tool at a time.";
  ChooseOperators(state);
  Toggle("Lines of Python with each allocation", &state.python_stacks);
  Consequence("For the flame graph by code and the timeline by line of code. CPython 3.9 to 3.13.");
  Toggle("C++ functions with each segment", &state.native_stacks);
  Consequence("They are told in the memory map, of the segment under the mouse.");
  Toggle("Kernels, copies, memsets", &state.kernels);
  ConsequenceAmong(IsOnPhantom(state) ? kOnPhantom : kOnGpu, {kOnPhantom, kOnGpu});
}

// On this machine every run would take its time, one after the other. True if Enter ended it.
bool ChooseSweep(ProgramDialogState& state) {
  constexpr std::string_view kOnPhantom =
      "Runs it once for each value, with --batch 1, 2, 4, …, and draws its peak over them. Nothing else is "
      "recorded of these runs.";
  constexpr std::string_view kNotHere = "Sweeps run on a phantom.";
  Label("Sweep");
  ImGui::BeginDisabled(!IsOnPhantom(state));
  ImGui::SetNextItemWidth(-1);
  FocusIfWanted(state, ProgramField::kSweep);
  const bool entered = TextField("##sweep", "batch=1..512 or batch=8,24,96; empty: one run", state.sweep);
  ImGui::EndDisabled();
  ConsequenceAmong(IsOnPhantom(state) ? kOnPhantom : kNotHere, {kOnPhantom, kNotHere});
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
  order.cpu = state.card == kOwnCpu;
  order.recording = state.recording.data();
  order.kernels = state.kernels;
  order.operators = state.operators;
  if (state.python_stacks) order.stacks.emplace_back(events::kPythonStacks);
  if (state.native_stacks) order.stacks.emplace_back(events::kNativeStacks);
  if (Sweeps(state)) {
    state.swept = order.command;
    queue.Push(StartSweep{{std::move(order), state.sweep.data()}});
  } else {
    queue.Push(StartProgram{std::move(order)});
  }
  state.open = false;
  ImGui::CloseCurrentPopup();
}

// What can only be chosen of a phantom stays where it is on none.
void FillFrom(const session::SweepOrder& order, ProgramDialogState& state) {
  const session::ProgramOrder& program = order.program;
  SetText(program.command, state.command);
  SetText(program.recording, state.recording);
  state.card = CardOf(program);
  state.kernels = program.kernels;
  state.operators = program.operators;
  state.python_stacks = std::ranges::count(program.stacks, events::kPythonStacks) > 0;
  state.native_stacks = std::ranges::count(program.stacks, events::kNativeStacks) > 0;
  if (!program.card) return;
  SetText(program.memory, state.memory);
  SetText(order.range, state.sweep);
  state.amp = program.amp;
  state.checkpoint = program.checkpoint;
}

// True if Enter ended what was typed.
bool DrawFields(const std::vector<phantom::Card>& cards, bool has_gpu, ProgramDialogState& state) {
  Label("Command");
  FocusIfWanted(state, ProgramField::kCommand);
  ImGui::SetNextItemWidth(-1);
  ImGui::PushFont(Faces().numbers, 0.0F);  // in which two hyphens are two
  bool entered = TextField("##command", "python train.py --batch 64", state.command);
  ImGui::PopFont();
  ConsequenceOfField(
      "As in a terminal, from the folder that Tidemark was started in. Its output appears there.");
  ChooseCard(cards, has_gpu, state);
  entered = ChooseMemory(state) || entered;
  ChooseTechniques(state);
  ChooseLayers(state);
  Label("Recording");
  ImGui::SetNextItemWidth(-1);
  FocusIfWanted(state, ProgramField::kRecording);
  entered =
      TextField("##recording", "run.tide; empty: to be saved or kept later", state.recording) || entered;
  LeaveSweepBehind(state);
  return ChooseSweep(state) || entered;
}

// What they and what is said above them take, with the room before each.
float ButtonsHeight(const ProgramDialogState& state) {
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float width = ImGui::GetContentRegionAvail().x;
  const float trouble =
      state.trouble.empty() ? 0 : gap + MeasureWrapped(SmallMuted(), state.trouble, width).y;
  return trouble + gap + ImGui::GetFrameHeight();
}

void DrawButtons(bool entered, ProgramDialogState& state, CommandQueue& queue) {
  Consequence(state.trouble, Colors().warning);
  ImGui::BeginDisabled(state.command.front() == 0);
  const char* const start = Sweeps(state) ? "Sweep###start" : "Start###start";
  if (PrimaryButton(start, {Px(110), 0}) || entered) Start(state, queue);
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (PlainButton("Cancel", {Px(110), 0}) || EscapePressed()) {
    state.open = false;
    ImGui::CloseCurrentPopup();
  }
}

// The buttons stay in sight however low the window is.
void DrawContent(const std::vector<phantom::Card>& cards, bool has_gpu, float most_height,
                 ProgramDialogState& state, CommandQueue& queue) {
  Put(TitleWords(), "Run a program");
  const float room =
      most_height - ImGui::GetCursorPosY() - ButtonsHeight(state) - ImGui::GetStyle().WindowPadding.y;
  bool entered = false;
  if (BeginScrolled("fields", {0, room}, Scrolled::kFromHeight)) entered = DrawFields(cards, has_gpu, state);
  EndScrolled();
  DrawButtons(entered, state, queue);
}

}  // namespace

std::string CardToBeginWith(const std::string& last, const networks::DeviceChoice& device,
                            const std::vector<phantom::Card>& cards, bool has_gpu) {
  const bool is_there =
      last == kOwnGpu ? has_gpu : last == kOwnCpu || phantom::CardNamed(cards, last) != nullptr;
  if (is_there) return last;
  if (device.kind == networks::DeviceKind::kPhantom) return device.card;
  return device.kind == networks::DeviceKind::kCpu ? kOwnCpu : kOwnGpu;
}

std::string CardOf(const session::ProgramOrder& order) {
  return order.card.value_or(order.cpu ? kOwnCpu : kOwnGpu);
}

void FillFrom(const events::RunDescription& shown, const std::vector<phantom::Card>& cards, bool has_gpu,
              ProgramDialogState& state) {
  if (shown.command.empty() || shown.command == state.filled_from) return;
  state.filled_from = shown.command;
  if (shown.command == state.command.data()) return;  // it was started from here
  SetText(shown.command, state.command);
  const bool was_phantom = shown.device == "phantom";
  const auto card = session::CardOf(shown.device_name, shown.device_bytes, cards);
  if (shown.device == "cpu") {
    state.card = kOwnCpu;
  } else if (!was_phantom && has_gpu) {
    state.card = kOwnGpu;
  } else if (card) {
    state.card = card->name;
  }
  const bool is_limited = session::IsLimited(shown, cards);
  SetText(is_limited ? std::to_string(shown.device_bytes >> 20) + "MiB" : "", state.memory);
}

void LeaveSweepBehind(ProgramDialogState& state) {
  if (state.swept.empty() || state.swept == state.command.data()) return;
  state.sweep.front() = 0;
  state.swept.clear();
}

void OpenProgramDialog(ProgramDialogState& state) {
  state.open = true;
  state.trouble.clear();
  state.focus = ProgramField::kCommand;
}

void OpenProgramDialog(ProgramDialogState& state, const RefusedOrder& refused) {
  FillFrom(refused.order, state);
  state.open = true;
  state.trouble = refused.trouble;
  state.focus = refused.field;
}

void DrawProgramDialog(const std::vector<phantom::Card>& cards, bool has_gpu, ProgramDialogState& state,
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
    DrawContent(cards, has_gpu, viewport->WorkSize.y - Px(40), state, queue);
    ImGui::EndPopup();
  }
}

}  // namespace tidemark::gui
