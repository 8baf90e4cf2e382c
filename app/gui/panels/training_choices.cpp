#include "app/gui/panels/training_choices.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/translation.h"
#include "profiler/networks/script_files.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {

namespace {

using networks::DeviceChoice;
using networks::DeviceKind;
using networks::OptimizerKind;
using networks::TrainingSettings;

std::string TitleOf(const RunControlsInput& input, const DeviceChoice& device) {
  if (device.kind == DeviceKind::kCpu) return "CPU";
  if (device.kind == DeviceKind::kCuda) {
    const auto index = static_cast<size_t>(device.index);
    const bool known = index < input.cuda_devices->size();
    return "cuda:" + std::to_string(device.index) + (known ? " · " + (*input.cuda_devices)[index] : "");
  }
  for (const phantom::Card& card : *input.cards) {
    if (card.name == device.card) return "Phantom · " + session::ShortCardTitle(card.title);
  }
  return "Phantom · " + device.card;
}

DeviceChoice WithCuda(const RunControlsInput& input, size_t index) {
  DeviceChoice choice = input.device;
  choice.kind = DeviceKind::kCuda;
  choice.index = static_cast<int>(index);
  return choice;
}

std::vector<std::string> DeviceTitles(const RunControlsInput& input) {
  std::vector<std::string> titles;
  for (size_t i = 0; i < input.cuda_devices->size(); ++i)
    titles.push_back(TitleOf(input, WithCuda(input, i)));
  for (const phantom::Card& card : *input.cards)
    titles.push_back(TitleOf(input, {DeviceKind::kPhantom, 0, card.name}));
  return titles;
}

void Heading(const char* text) {
  ImGui::PushFont(nullptr, kSmallTextSize);
  ImGui::TextDisabled("%s", std::string(Translated(text)).c_str());
  ImGui::PopFont();
}

void DeviceItem(const RunControlsInput& input, const DeviceChoice& choice, const std::string& label,
                const std::string& memory, CommandQueue& queue) {
  const bool chosen = choice == input.device;
  const float both = Measure(Words(), label).x + Measure(SmallMuted(), memory).x + Px(32);
  const float width = std::max({ImGui::GetContentRegionAvail().x, Px(250), both});
  if (Choice(label, chosen, 0, {width, 0})) queue.Push(ChooseDevice{choice});
  if (chosen) ImGui::SetItemDefaultFocus();
  const ImVec2 corner = ImGui::GetItemRectMax();
  const float middle = (ImGui::GetItemRectMin().y + corner.y) / 2;
  DrawText(ImGui::GetWindowDrawList(), {corner.x - Px(8), middle - Px(kSmallTextSize) / 2 - Px(1)},
           SmallMuted(), memory, Align::kRight);
}

}  // namespace

std::string_view HelpOfPrice(std::string_view text) {
  if (text.find("at peak") == std::string_view::npos) return "";
  return "Predicted: the phantom trains three steps either way (four where two networks take turns), and "
         "this is the difference of their peaks.";
}

void Price(const std::string& text) {
  Consequence(text);
  if (!text.empty()) Tooltip(HelpOfPrice(text));
}

void ChooseDeviceRow(const RunControlsInput& input, CommandQueue& queue) {
  if (!BeginChoice("Device", TitleOf(input, input.device), 0.3F, {}, DeviceTitles(input))) return;
  Heading("This machine");
  for (size_t i = 0; i < input.cuda_devices->size(); ++i) {
    const DeviceChoice choice = WithCuda(input, i);
    DeviceItem(input, choice, TitleOf(input, choice), "", queue);
  }
  if (input.cuda_devices->empty()) {
    ImGui::BeginDisabled();
    Choice("CUDA: no NVIDIA driver here", false);
    ImGui::EndDisabled();
  }
  DeviceChoice cpu = input.device;
  cpu.kind = DeviceKind::kCpu;
  DeviceItem(input, cpu, "CPU", "computes for real", queue);
  Heading("A GPU that is not there");
  for (const phantom::Card& card : *input.cards) {
    const DeviceChoice choice{DeviceKind::kPhantom, 0, card.name};
    DeviceItem(input, choice, session::ShortCardTitle(card.title), session::CardSize(card.memory_bytes),
               queue);
  }
  ImGui::EndCombo();
}

void ChooseNetworkRow(const RunControlsInput& input, const TrainingSettings& settings, CommandQueue& queue) {
  const networks::Network* const chosen = networks::NetworkNamed(*input.networks, settings.network);
  if (BeginChoice("Network", chosen == nullptr ? settings.network : chosen->title, 0.3F)) {
    for (const networks::Network& network : *input.networks) {
      if (Choice(WholeLabel(network.title), network.name == settings.network))
        queue.Push(ChangeSettings{presenters::WithNetwork(settings, chosen, network)});
      Tooltip(network.description);
    }
    ImGui::EndCombo();
  }
  Consequence(input.consequences.network);
}

// What one sample is, of a TorchScript file, which does not tell.
void SampleRow(const networks::Network& network, RunControlsState& state, CommandQueue& queue) {
  if (std::exchange(state.sample_of, network.name) != network.name) {
    const std::string shape = networks::SampleTextOf(network.input);
    state.sample.fill(0);
    shape.copy(state.sample.data(), state.sample.size() - 1);
  }
  if (TextRow("Sample", "3x224x224, or 128 tokens", state.sample, 0.3F))
    queue.Push(OpenRecording{networks::ScriptNameWith(network.script, state.sample.data())});
  ExplainLabel("Sample");
}

void ChooseDataRow(const TrainingSettings& settings, CommandQueue& queue) {
  const bool is_synthetic = settings.data.empty();
  if (BeginChoice("Data", is_synthetic ? "synthetic" : "CIFAR-10", 0.3F)) {
    if (Choice("synthetic", is_synthetic)) {
      TrainingSettings changed = settings;
      changed.data.clear();
      queue.Push(ChangeSettings{changed});
    }
    if (Choice("CIFAR-10 in a folder…", !is_synthetic)) queue.Push(ActionId::kChooseData);
    ImGui::EndCombo();
  }
  if (!is_synthetic) Consequence(settings.data);
}

void ChooseOptimizerRow(const RunControlsInput& input, const TrainingSettings& settings,
                        CommandQueue& queue) {
  static constexpr std::array kChoices = {
      std::pair{OptimizerKind::kSgd, "SGD"},         std::pair{OptimizerKind::kMomentum, "Momentum"},
      std::pair{OptimizerKind::kAdam, "Adam"},       std::pair{OptimizerKind::kAdamW, "AdamW"},
      std::pair{OptimizerKind::kAdagrad, "Adagrad"}, std::pair{OptimizerKind::kRmsprop, "RMSprop"}};
  const char* title = "";
  for (const auto& [kind, name] : kChoices) {
    if (kind == settings.optimizer) title = name;
  }
  if (BeginChoice("Optimizer", title, 0.3F)) {
    for (const auto& [kind, name] : kChoices) {
      TrainingSettings changed = settings;
      changed.optimizer = kind;
      if (Choice(name, kind == settings.optimizer)) queue.Push(ChangeSettings{changed});
    }
    ImGui::EndCombo();
  }
  Price(input.consequences.optimizer);
}

void ClipRow(const RunControlsInput& input, const TrainingSettings& settings, CommandQueue& queue) {
  bool on = settings.clip_norm > 0;
  char label[64];
  std::snprintf(label, sizeof label, "Clip gradients at %.3g###clip", on ? settings.clip_norm : 1.0);
  if (Toggle(label, &on)) {
    TrainingSettings changed = settings;
    changed.clip_norm = on ? 1.0 : 0.0;
    queue.Push(ChangeSettings{changed});
  }
  ExplainLabel("Clip gradients");
  Price(input.consequences.clip);
}

namespace {

// A label and a small field behind it, `width` wide together.
bool Field(const char* label, float width, ImGuiDataType type, void* value, const char* format) {
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  Put(Words(), label);
  ExplainLabel(label);
  ImGui::SameLine(left + Measure(Words(), label).x + Px(8));
  ImGui::SetNextItemWidth(width - Measure(Words(), label).x - Px(8));
  ImGui::PushID(label);
  NumberField("##field", type, value, format);
  const bool done = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::PopID();
  return done;
}

}  // namespace

void NumberRow(const RunControlsInput& input, const TrainingSettings& settings, CommandQueue& queue) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float gap = Px(16);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(Px(8), Px(4)));
  TrainingSettings changed = settings;
  const float first = (room - gap) * 0.6F;
  if (Field("Learning rate", first, ImGuiDataType_Double, &changed.learning_rate, "%g"))
    queue.Push(ChangeSettings{changed});
  Tooltip(input.consequences.learning_rate);
  ImGui::SameLine(0, gap);
  changed = settings;
  if (Field("Seed", room - gap - first, ImGuiDataType_U64, &changed.seed, "%llu"))
    queue.Push(ChangeSettings{changed});
  Tooltip(input.consequences.seed);
  ImGui::PopStyleVar();
}

}  // namespace tidemark::gui
