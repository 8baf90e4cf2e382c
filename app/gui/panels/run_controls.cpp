#include "app/gui/panels/run_controls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/gui/panels/training_choices.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/translation.h"
#include "profiler/networks/cifar10.h"
#include "profiler/networks/techniques.h"

namespace tidemark::gui {
namespace {

using networks::CheckpointMode;
using networks::Precision;
using networks::TrainingSettings;

constexpr double kMarkSeconds = 4;  // of a control that was looked for
constexpr double kFastest = 2000;   // the pace slider's end: as fast as it goes
constexpr float kMargin = 16;       // the panel's

// Sliders: while one is dragged the draft holds its value; letting go sends it.
void Settle(const Edit& edit, const TrainingSettings& changed, RunControlsState& state, CommandQueue& queue) {
  if (edit.changed) state.draft = changed;
  if (edit.committed) {
    queue.Push(ChangeSettings{changed});
    state.draft.reset();
  }
}

void BatchRow(const RunControlsInput& input, const TrainingSettings& settings, RunControlsState& state,
              CommandQueue& queue) {
  TrainingSettings changed = settings;
  double batch = settings.batch;
  const Edit edit =
      Slider("Batch", {.minimum = 1, .maximum = networks::kMaxBatch, .logarithmic = true}, &batch);
  changed.batch = static_cast<int>(batch);
  Settle(edit, changed, state, queue);
  Price(input.consequences.batch);
}

void AccumulateRow(const RunControlsInput& input, const TrainingSettings& settings, RunControlsState& state,
                   CommandQueue& queue) {
  TrainingSettings changed = settings;
  double accumulate = settings.accumulate;
  const Edit edit = Slider(
      "Accumulate", {.minimum = 1, .maximum = networks::kMaxAccumulate, .logarithmic = true, .suffix = "×"},
      &accumulate);
  changed.accumulate = static_cast<int>(accumulate);
  Settle(edit, changed, state, queue);
  Consequence(input.consequences.accumulate);
}

void PrecisionRow(const RunControlsInput& input, const TrainingSettings& settings, CommandQueue& queue) {
  static constexpr std::array kLabels = {"off", "fp16", "bf16", "pure fp16"};
  Label("Mixed precision");
  int selected = static_cast<int>(settings.amp);
  if (Segmented("precision", kLabels, input.consequences.precision_hints, &selected)) {
    TrainingSettings changed = settings;
    changed.amp = static_cast<Precision>(selected);
    queue.Push(ChangeSettings{changed});
  }
  Price(input.consequences.precision);
}

void CheckpointSize(const RunControlsInput& input, const networks::Network& network,
                    const TrainingSettings& settings, RunControlsState& state, CommandQueue& queue) {
  const networks::Checkpointing& now = settings.checkpoint;
  TrainingSettings changed = settings;
  if (now.mode == CheckpointMode::kBudget) {
    constexpr double kMegabyte = 1e6;
    double megabytes = static_cast<double>(now.budget_bytes) / kMegabyte;
    const double most = std::max(2.0, static_cast<double>(input.consequences.unchecked_bytes) / kMegabyte);
    const Edit edit =
        Slider("Budget", {.minimum = 1, .maximum = most, .logarithmic = true, .suffix = "MB"}, &megabytes);
    changed.checkpoint.budget_bytes = static_cast<int64_t>(megabytes * kMegabyte);
    Settle(edit, changed, state, queue);
  } else if (now.mode == CheckpointMode::kSegments || now.mode == CheckpointMode::kEvery) {
    const double most =
        std::clamp(static_cast<double>(network.layers.size()), 2.0, double{networks::kMaxSegments});
    double number = now.segments;
    const char* label = now.mode == CheckpointMode::kEvery ? "Layers in a segment" : "Segments";
    const Edit edit = Slider(label, {.minimum = 1, .maximum = most}, &number);
    changed.checkpoint.segments = static_cast<int>(number);
    Settle(edit, changed, state, queue);
  }
}

void CheckpointRow(const RunControlsInput& input, const TrainingSettings& settings, RunControlsState& state,
                   CommandQueue& queue) {
  static constexpr std::array kLabels = {"none", "√N", "layers", "K", "by K", "budget"};
  Label("Checkpointing");
  const networks::Network* network = networks::NetworkNamed(*input.networks, settings.network);
  if (network == nullptr) return;
  if (!network->script.empty()) return Consequence("none: a TorchScript file runs in one piece");
  const std::vector<networks::Checkpointing> choices =
      presenters::CheckpointChoices(*network, settings, input.consequences.unchecked_bytes);
  int selected =
      static_cast<int>(std::find(choices.begin(), choices.end(), settings.checkpoint) - choices.begin());
  if (Segmented("checkpointing", kLabels, input.consequences.checkpoint_hints, &selected)) {
    TrainingSettings changed = settings;
    changed.checkpoint = choices[static_cast<size_t>(selected)];
    queue.Push(ChangeSettings{changed});
  }
  CheckpointSize(input, *network, settings, state, queue);
  Price(input.consequences.checkpoint);
}

bool Names(const std::vector<std::string>& names, const char* name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// In the middle of the panel's margin and of the first line.
void DrawLock(ImDrawList* list, ImVec2 control) {
  TextStyle style = Colored(SmallMuted(), Colors().muted.WithAlpha(LeftByFading(control.y + Px(9))));
  style.size = kSmallTextSize - 2;
  DrawText(list, {control.x - Px(kMargin / 2), control.y + Px(3)}, style, icons::kLock, Align::kCenter);
}

// Draws a control as lessons and codes allow: not at all, greyed out with a lock, or with a line that points
// at it.
template <typename Draw>
void Control(const ControlAccess& access, RunControlsState& state, const char* name, const Draw& draw) {
  if (Names(access.hidden, name)) return;
  const bool locked = Names(access.locked, name);
  ImGui::BeginGroup();
  ImGui::BeginDisabled(locked);
  if (state.found == name && state.focus_in_frames > 0 && --state.focus_in_frames == 0)
    ImGui::SetKeyboardFocusHere();
  draw();
  ImGui::EndDisabled();
  ImGui::EndGroup();
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImVec2 high = ImGui::GetItemRectMax();
  if (locked) Tooltip("Locked by the lesson or the session code. Learn, Unlock all controls gives it back.");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float margin = Px(kMargin);
  list->PushClipRect({low.x - margin, list->GetClipRectMin().y}, {high.x + margin, list->GetClipRectMax().y});
  if (state.sought == name) {
    ImGui::SetScrollFromPosY((low.y + high.y) / 2 - ImGui::GetWindowPos().y);
    state.found = std::exchange(state.sought, "");
    state.marked_until = ImGui::GetTime() + kMarkSeconds;
  }
  const bool is_found = state.found == name && ImGui::GetTime() < state.marked_until;
  if (is_found) {
    list->AddRect(low - ImVec2(Px(5), Px(3)), high + ImVec2(Px(5), Px(1)), U32(Colors().accent), Px(4),
                  Px(1.5F));
  }
  if (Names(access.highlighted, name)) {
    list->AddRectFilled({low.x - Px(9), low.y}, {low.x - Px(6), high.y}, U32(Colors().accent), Px(2));
  }
  if (locked) DrawLock(list, low);
  list->PopClipRect();
}

// Words of a marker's sentence ("kept losses on") are a title here.
std::string TitleOf(const networks::Technique& technique) {
  std::string title = technique.title;
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

void TechniqueRow(const networks::Technique& technique, const TrainingSettings& settings,
                  CommandQueue& queue) {
  TrainingSettings changed = settings;
  const std::string now = technique.TextOf(settings);
  std::string chosen = now;
  const std::string help = InWordsOfControls(technique.help);
  ImGui::PushID(technique.key);
  if (technique.IsSwitch()) {
    bool on = now == technique.choices[1];
    if (Toggle(TitleOf(technique).c_str(), &on)) chosen = technique.choices[on ? 1 : 0];
    Tooltip(help);
  } else {
    const bool open = BeginChoice(TitleOf(technique).c_str(), now, 0.5F, help);
    if (!open) Tooltip(help);
    for (size_t choice = 0; open && choice < technique.choices.size(); ++choice) {
      const std::string text(technique.choices[choice]);
      if (Choice(text, text == now)) chosen = text;
    }
    if (open) ImGui::EndCombo();
  }
  ImGui::PopID();
  if (chosen != now && technique.Set(changed, chosen)) queue.Push(ChangeSettings{changed});
}

// What is seldom wanted is behind one line, which tells what of it is in use.
void TechniqueFold(const RunControlsInput& input, const TrainingSettings& settings, RunControlsState& state,
                   CommandQueue& queue) {
  std::string in_use;
  for (const networks::Technique& technique : networks::Techniques()) {
    if (!technique.IsInUse(settings)) continue;
    in_use += (in_use.empty() ? "" : ", ") + std::string(technique.title);
    if (!technique.IsSwitch()) in_use += " " + technique.TextOf(settings);
  }
  const bool is_sought = std::ranges::any_of(
      networks::Techniques(), [&](const networks::Technique& one) { return state.sought == one.key; });
  if (is_sought) ImGui::SetNextItemOpen(true);
  // Its arrow stands where all labels begin.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, ImGui::GetStyle().FramePadding.y));
  const bool open =
      ImGui::TreeNodeEx(TranslatedLabel("More techniques").c_str(),
                        ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_NoTreePushOnOpen);
  ImGui::PopStyleVar();
  if (!open) return Consequence(in_use);
  for (size_t index = 0; index < networks::Techniques().size(); ++index) {
    const networks::Technique& technique = networks::Techniques()[index];
    Control(input.access, state, technique.key, [&] { TechniqueRow(technique, settings, queue); });
    if (index < input.consequences.techniques.size()) Price(input.consequences.techniques[index]);
  }
}

// Above the controls, with a way out.
void DrawNote(const std::string& text, const char* offer, const std::optional<Command>& taken,
              CommandQueue& queue) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, U32(Colors().sunken));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(10), Px(8)));
  if (ImGui::BeginChild(offer, {0, 0},
                        ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding)) {
    PutWrapped(SmallMuted(), text);
    if (taken && PlainButton(offer)) queue.Push(*taken);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

// What is shown is not what these controls are of.
void DrawRecordingNote(const RunControlsInput& input, CommandQueue& queue) {
  const bool differs = input.recorded && *input.recorded != input.settings;
  std::string note = "Shown is " + input.recording + ", a recording. These controls are of the next run";
  if (input.recorded && !differs) note += ", and as it was trained";
  if (differs) note += "; against it they say: " + networks::DescribeChange(*input.recorded, input.settings);
  std::optional<Command> taken;
  if (differs) taken = ChangeSettings{*input.recorded};
  DrawNote(note + ".", "Take its settings", taken, queue);
}

// A run that is begun now begins with what a lesson was about.
void DrawLessonsNote(const RunControlsInput& input, CommandQueue& queue) {
  DrawNote("These settings are a lesson's. Back to yours: " + input.change_to_own + ".", "Back to yours",
           TakeOwnSettings{}, queue);
}

void RunButtons(const RunControlsInput& input, CommandQueue& queue) {
  const float width = ImGui::GetContentRegionAvail().x;
  const bool halted = !input.live;
  std::string label = std::string(icons::kPause) + "  Pause   Space###run";
  if (input.starting) {
    label = "Starting…###run";
  } else if (input.walks) {
    label = std::string(icons::kNext) + "  Next operator   Space###run";
  } else if (halted) {
    label = std::string(icons::kRun) + "  Start   Space###run";
  } else if (input.paused) {
    label = std::string(icons::kRun) + "  Run   Space###run";
  }
  ImGui::BeginDisabled(input.starting);
  if (PrimaryButton(label.c_str(), {width, Px(38)})) queue.Push(ActionId::kRunOrPause);
  ImGui::EndDisabled();
  const float gap = Px(8);
  const ImVec2 third((width - 2 * gap) / 3, Px(30));
  ImGui::BeginDisabled(!input.live || input.starting);
  for (const ActionId id : {ActionId::kStep, ActionId::kOperator, ActionId::kRestart}) {
    const char* name = id == ActionId::kStep ? "Step" : id == ActionId::kOperator ? "Operator" : "Restart";
    const bool has_room = Measure(Words(), "Operator").x + Px(20) <= third.x;
    const std::string icon = std::string(ActionOf(id).icon) + "###" + name;
    if (PlainButton(has_room ? name : icon.c_str(), third)) queue.Push(id);
    Tooltip(std::string(ActionOf(id).help) + "  (" + ActionOf(id).keys + ")");
    if (id != ActionId::kRestart) ImGui::SameLine(0, gap);
  }
  ImGui::EndDisabled();
}

void PaceRow(const RunControlsInput& input, CommandQueue& queue) {
  double pace = input.steps_per_second <= 0 ? kFastest : input.steps_per_second;
  const Edit edit = Slider("Pace",
                           {.minimum = 0.2,
                            .maximum = kFastest,
                            .logarithmic = true,
                            .whole = false,
                            .suffix = "steps/s",
                            .decimals = 1,
                            .maximum_text = "as fast as it goes"},
                           &pace);
  if (edit.changed) queue.Push(ChoosePace{pace >= kFastest ? 0.0 : pace});
  std::string now = " ";  // a line all the same: what starts and stops the run stays under the mouse
  if (input.waits_for_step) {
    now = "changed: in force with the next step";
  } else if (input.measured_pace && input.live && !input.paused) {
    now = fmt::format("now {:.{}f} steps/s", *input.measured_pace, *input.measured_pace < 10 ? 1 : 0);
  }
  Consequence(now);
}

// Of which some help names others as the command line does.
std::vector<NamedControl> MakeControls() {
  std::vector<NamedControl> controls = {
      {"card", "Device", "The card, real or phantom, or the CPU.", "--device"},
      {"network", "Network", "What is trained.", "--net"},
      {"data", "Data", "Synthetic samples, or CIFAR-10.", "--data"},
      {"optimizer", "Optimizer", "What it keeps for each parameter is memory.", "--optimizer"},
      {"batch", "Batch size", "Samples of a micro-batch: activations grow with it.", "--batch"},
      {"accumulate", "Gradient accumulation", "Micro-batches whose gradients are added before a step.",
       "--accumulate"},
      {"amp", "Mixed precision", "fp16 and bf16 by autocast, or all in pure fp16.", "--amp"},
      {"checkpoint", "Checkpointing", "Keeps less for backward and runs layers again.", "--checkpoint"},
      {"clip_norm", "Clip gradients", "Scales gradients down whose norm is too large.", "--clip"}};
  for (const networks::Technique& technique : networks::Techniques()) {
    controls.push_back({technique.key, TitleOf(technique), technique.help, technique.option});
  }
  controls.push_back({"learning_rate", "Learning rate", "Without effect on memory.", "--lr"});
  controls.push_back({"learning_rate", "Seed", "The same seed, the same weights and data.", "--seed"});
  controls.push_back({"kernels", "Kernels, copies, memsets", "A lane of them under the timeline."});
  return controls;
}

// Asked in every frame.
const std::vector<NamedControl>& ControlsOfOptions() {
  static const std::vector<NamedControl> controls = MakeControls();
  return controls;
}

}  // namespace

std::vector<NamedControl> NamedControls() {
  static const std::vector<NamedControl> controls = [] {
    std::vector<NamedControl> named = ControlsOfOptions();
    for (NamedControl& control : named) control.help = InWordsOfControls(control.help);
    return named;
  }();
  return controls;
}

std::string TitleOfControl(const std::string& name) {
  if (name == "learning_rate") return "Learning rate and seed";  // one row
  const std::vector<NamedControl>& controls = ControlsOfOptions();
  const auto control = std::ranges::find(controls, name, &NamedControl::name);
  return control == controls.end() ? name : control->title;
}

std::string InWordsOfControls(std::string_view sentence) {
  const std::vector<NamedControl>& controls = ControlsOfOptions();
  std::string words;
  while (!sentence.empty()) {
    const size_t option = std::min(sentence.find("--"), sentence.size());
    words += sentence.substr(0, option);
    sentence.remove_prefix(option);
    const size_t end = std::min(sentence.find_first_not_of("-abcdefghijklmnopqrstuvwxyz"), sentence.size());
    const std::string_view name = sentence.substr(0, end);
    const auto control = std::ranges::find(controls, name, &NamedControl::option);
    words += name.empty() || control == controls.end() ? std::string(name) : control->title;
    sentence.remove_prefix(end);
  }
  return words;
}

bool KernelsToggle(bool* on) {
  const bool changed = Toggle("Kernels, copies, memsets", on);
  Tooltip(
      "A lane under the timeline, through CUPTI. Starts the run anew. On a phantom how long they take is not "
      "known, and cuBLAS's and cuDNN's kernels are not there.");
  return changed;
}

namespace {

Color ColorOf(LampState lamp) {
  const Palette& colors = Colors();
  switch (lamp) {
    case LampState::kLive:
      return colors.good;
    case LampState::kTrouble:
      return colors.warning;
    case LampState::kLost:
      return colors.bad;
    default:
      return colors.muted.WithAlpha(0.6);
  }
}

// At the row's end; true: all of it has room there.
bool PutStatus(const TextStyle& style, const std::string& status) {
  ImGui::SameLine();
  const std::string shown = Fitted(style, status, ImGui::GetContentRegionAvail().x);
  PutRight(style, shown);
  return shown == status;
}

void DrawCaptureLine(const CaptureLine& line) {
  ImGui::BeginGroup();
  Lamp(ColorOf(line.lamp));
  ImGui::SameLine();
  Put(Words(), line.name);
  const bool is_well = line.lamp == LampState::kOff || line.lamp == LampState::kLive;
  const bool is_whole =
      PutStatus(is_well ? SmallMuted() : Colored(SmallMuted(), ColorOf(line.lamp)), line.status);
  ImGui::EndGroup();
  const std::string help(Translated(line.help));
  Tooltip(is_whole ? help : std::string(Translated(line.status)) + "\n" + help);
}

}  // namespace

void DrawCaptureList(const std::vector<CaptureLine>& capture) {
  Put(StrongWords(), "Capture");
  for (const CaptureLine& line : capture) {
    DrawCaptureLine(line);
    if (line.is_written_out) PutWrapped(SmallMuted(), line.help);
  }
}

float CaptureListHeight(const std::vector<CaptureLine>& capture) {
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  float height = static_cast<float>(capture.size() + 1) * (ImGui::GetTextLineHeight() + gap);
  for (const CaptureLine& line : capture) {
    if (!line.is_written_out) continue;
    height += MeasureWrapped(SmallMuted(), line.help, ImGui::GetContentRegionAvail().x).y + gap;
  }
  return height;
}

void DrawCaptureRow(const std::vector<CaptureLine>& capture) {
  Put(StrongWords(), "Capture");
  for (const CaptureLine& line : capture) {
    if (line.lamp == LampState::kLost) continue;
    ImGui::SameLine();
    Lamp(ColorOf(line.lamp));
    Tooltip(std::string(Translated(line.name)) + ": " + std::string(Translated(line.status)) + "\n" +
            std::string(Translated(line.help)));
  }
  const bool is_well = !capture.empty() && capture.front().lamp != LampState::kLost;
  if (is_well) PutStatus(SmallMuted(), capture.front().status);
  for (const CaptureLine& line : capture) {
    if (line.lamp == LampState::kLost) DrawCaptureLine(line);
  }
}

namespace {

// What starts and stops the run.
void DrawButtons(const RunControlsInput& input, RunControlsState& state, CommandQueue& queue) {
  const float top = ImGui::GetCursorPosY();
  Rule();
  RunButtons(input, queue);
  state.buttons_height = ImGui::GetCursorPosY() - top;
}

// How fast it goes and what is captured; in one row where the controls have no room otherwise.
void DrawPaceAndCapture(const RunControlsInput& input, float room, RunControlsState& state,
                        CommandQueue& queue) {
  const float top = ImGui::GetCursorPosY();
  PaceRow(input, queue);
  const float capture = ImGui::GetCursorPosY();
  const float whole_list = Px(20) + CaptureListHeight(input.capture);
  const float left = room - (state.footer_height() - state.capture_height) - state.controls_height;
  if (left >= Px(20) + ImGui::GetTextLineHeightWithSpacing()) Rule();
  if (left < whole_list) {
    DrawCaptureRow(input.capture);
  } else {
    DrawCaptureList(input.capture);
  }
  state.capture_height = ImGui::GetCursorPosY() - capture;
  Control(input.access, state, "kernels", [&] {
    bool kernels = input.kernels;
    ImGui::BeginDisabled(input.device.kind == networks::DeviceKind::kCpu || input.starting);
    if (KernelsToggle(&kernels)) queue.Push(RecordKernels{kernels});
    ImGui::EndDisabled();
  });
  state.pace_height = ImGui::GetCursorPosY() - top;
}

}  // namespace

void DrawRunControlsPanel(const RunControlsInput& input, RunControlsState& state, CommandQueue& queue) {
  const TrainingSettings settings = state.draft.value_or(input.settings);
  PanelTitle(input.recording.empty() ? "Run" : "Next run", "");
  if (!input.recording.empty()) DrawRecordingNote(input, queue);
  if (!input.change_to_own.empty()) DrawLessonsNote(input, queue);
  // What starts and stops the run stays in sight however small the window is. In a low one the rest is
  // scrolled with the controls; in one that is lower still the panel scrolls as a whole.
  const float room = ImGui::GetContentRegionAvail().y;
  const bool is_low = room - state.footer_height() < Px(160);
  const float left = room - (is_low ? state.buttons_height : state.footer_height());
  const float whole = std::max(Px(160), state.controls_height + (is_low ? state.pace_height : 0));
  BeginScrolled("controls", {0, left < Px(60) ? whole : std::min(whole, left)});
  Control(input.access, state, "card", [&] { ChooseDeviceRow(input, queue); });
  // Three lines, whatever is known: the controls below stay under the mouse when a prediction arrives.
  std::string fit = input.consequences.fit;
  for (auto lines = std::ranges::count(fit, '\n'); !fit.empty() && lines < 2; ++lines) fit += "\n ";
  if (input.tells_fit_later) fit = "A page of this lesson asks for it first.";
  Consequence(fit, input.consequences.fits ? Colors().muted : Colors().bad);
  Control(input.access, state, "network", [&] { ChooseNetworkRow(input, settings, queue); });
  const networks::Network* network = networks::NetworkNamed(*input.networks, settings.network);
  if (network != nullptr && !network->script.empty())
    Control(input.access, state, "network", [&] { SampleRow(*network, state, queue); });
  if (network != nullptr && networks::TakesCifar10(*network))
    Control(input.access, state, "data", [&] { ChooseDataRow(settings, queue); });
  Control(input.access, state, "optimizer", [&] { ChooseOptimizerRow(input, settings, queue); });
  Rule();
  Control(input.access, state, "batch", [&] { BatchRow(input, settings, state, queue); });
  Control(input.access, state, "accumulate", [&] { AccumulateRow(input, settings, state, queue); });
  Control(input.access, state, "amp", [&] { PrecisionRow(input, settings, queue); });
  Control(input.access, state, "checkpoint", [&] { CheckpointRow(input, settings, state, queue); });
  Control(input.access, state, "clip_norm", [&] { ClipRow(input, settings, queue); });
  TechniqueFold(input, settings, state, queue);
  Control(input.access, state, "learning_rate", [&] { NumberRow(input, settings, queue); });
  state.controls_height = ImGui::GetCursorPosY() + Px(4);
  if (is_low) DrawPaceAndCapture(input, room, state, queue);
  EndScrolled();
  DrawButtons(input, state, queue);
  if (!is_low) DrawPaceAndCapture(input, room, state, queue);
}

}  // namespace tidemark::gui
