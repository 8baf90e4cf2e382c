// What the controls of the run say: consequences of each choice, what is captured, what a program is.
#include <algorithm>
#include <utility>

#include "app/gui/scene.h"
#include "app/presenters/level_chain.h"
#include "app/presenters/program_facts.h"
#include "app/presenters/settings_change.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

const phantom::Card* CardNamed(const SceneInput& input, const std::string& name) {
  for (const phantom::Card& card : *input.cards) {
    if (card.name == name) return &card;
  }
  return nullptr;
}

std::optional<double> PaceOf(const timeline::View& view) {
  const auto& steps = view.steps();
  size_t end = steps.size();
  while (end > 0 && !steps[end - 1].complete) --end;
  if (end < 3) return std::nullopt;
  const size_t begin = end - std::min<size_t>(end, 9);
  const double seconds = static_cast<double>(steps[end - 1].begin_ns - steps[begin].begin_ns) / 1e9;
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(end - 1 - begin) / seconds;
}

const char* TitleOf(events::Source source) {
  switch (source) {
    case events::Source::kAllocator:
      return "PyTorch's reports";
    case events::Source::kDriver:
      return "CUDA driver";
    default:
      return "Card";
  }
}

// What the sources say of themselves: the beginning of it, and all of it where it is no good news.
void AddSourceLines(const timeline::View& view, bool runs, std::vector<CaptureLine>& lines) {
  for (const timeline::SourceState& source : view.sources()) {
    if (source.text.empty()) continue;
    const bool is_live = source.text.starts_with("live");
    const LampState lamp = !presenters::IsWell(source) ? LampState::kTrouble
                           : runs                      ? LampState::kLive
                                                       : LampState::kOff;
    const std::string standing = !runs ? "ended" : lamp == LampState::kTrouble ? "in part" : "live";
    lines.push_back({TitleOf(source.source),
                     is_live ? standing : source.text.substr(0, source.text.find_first_of(":,(")), lamp,
                     source.text, lamp == LampState::kTrouble});
  }
}

// What asked the driver for memory, where CUPTI tells.
void AddLibraryLines(const presenters::DriverLibraries& libraries, ByteUnit unit,
                     std::vector<CaptureLine>& lines) {
  constexpr size_t kMostLines = 3;
  const std::vector<presenters::LibraryMemory> largest = libraries.Largest();
  for (size_t i = 0; i < std::min(kMostLines, largest.size()); ++i) {
    const presenters::LibraryMemory& held = largest[i];
    lines.push_back({held.library, FormatBytes(held.last_bytes, unit), LampState::kOff,
                     "Held from the CUDA driver by what " + held.library +
                         " asked for, as CUPTI tells; at most " + FormatBytes(held.most_bytes, unit) + "."});
  }
}

std::vector<CaptureLine> CaptureLines(const SceneInput& input, const presenters::DriverLibraries& libraries,
                                      ByteUnit unit) {
  const bool runs = input.live || input.status.state <= session::RunState::kPaused;
  const bool live = runs && input.view != nullptr && !input.view->empty();
  const uint64_t lost = std::max(input.status.lost, input.view == nullptr ? 0 : input.view->health().lost);
  const std::string state = input.starting ? "starting" : live ? "live" : runs ? "waiting" : "ended";
  const LampState lamp = lost > 0 ? LampState::kLost : live ? LampState::kLive : LampState::kOff;
  std::vector<CaptureLine> lines;
  lines.push_back({"Allocator", state + " · " + FormatNumber(static_cast<int64_t>(lost)) + " lost", lamp,
                   "Every block and segment, from the allocator itself. Lost: events that the ring could not "
                   "take; they are counted, never silent."});
  lines.push_back({"Layers, operators, phases", state, live ? LampState::kLive : LampState::kOff,
                   "From the training loop and from PyTorch's operator callbacks."});
  lines.push_back({"Events", FormatNumber(static_cast<int64_t>(input.status.captured)),
                   live ? LampState::kLive : LampState::kOff, "Captured since the run began."});
  if (input.view != nullptr) AddSourceLines(*input.view, live, lines);
  AddLibraryLines(libraries, unit, lines);
  if (input.view != nullptr) {
    for (const std::string& sentence : timeline::DescribeHealth(input.view->health())) {
      lines.push_back({"Health", "incomplete", LampState::kLost, sentence, true});
    }
  }
  if (!input.status.recording_error.empty()) {
    lines.push_back({"Recording", "stopped", LampState::kLost, input.status.recording_error, true});
  }
  return lines;
}

// The CPU's memory is laid out by the system; what a phantom GPU needs says nothing about it.
session::Prediction NoPredictionForCpu() {
  session::Prediction prediction;
  prediction.sentence = "on the CPU: measured, not predicted";
  return prediction;
}

// What the controls would tell of the answer to a lesson's question; what they can be set to stays.
Consequences Unspoken(Consequences consequences) {
  for (std::string* line :
       {&consequences.network, &consequences.optimizer, &consequences.batch, &consequences.accumulate,
        &consequences.precision, &consequences.checkpoint, &consequences.fit})
    line->clear();
  for (auto* lines :
       {&consequences.precision_hints, &consequences.checkpoint_hints, &consequences.techniques}) {
    for (std::string& line : *lines) line.clear();
  }
  return consequences;
}

}  // namespace

ConsequenceQuestion Scene::QuestionOfControls(const SceneInput& input, const ViewState& state) {
  ConsequenceQuestion question;
  question.settings = state.run_controls.draft.value_or(input.settings);
  question.unit = state.unit;
  for (const networks::Network& network : *input.networks) {
    if (network.name == question.settings.network) question.network = &network;
  }
  if (input.device.kind != networks::DeviceKind::kCpu) question.card = CardNamed(input, input.device.card);
  if (view_ != nullptr) {
    CountSkippedSteps();
    question.skipped_steps = skipped_steps_;
    const auto& steps = view_->steps();
    for (size_t i = steps.size() - std::min<size_t>(2, steps.size()); i < steps.size(); ++i) {
      if (steps[i].loss_scale) question.loss_scale = steps[i].loss_scale;
      const bool computes = steps[i].loss.value_or(0) != 0;  // a phantom does not
      if (computes && steps[i].vanished_gradients) question.vanished_gradients = steps[i].vanished_gradients;
    }
  }
  return question;
}

void Scene::PrepareControls(const SceneInput& input, const ViewState& state, Estimates& estimates) {
  RunControlsInput& controls = frame_.run_controls;
  controls.networks = input.networks;
  controls.cards = input.cards;
  controls.cuda_devices = input.cuda_devices;
  controls.settings = input.settings;
  controls.device = input.device;
  controls.steps_per_second = input.steps_per_second;
  controls.live = input.live;
  controls.unit = state.unit;
  controls.starting = input.starting;
  controls.paused = input.status.state == session::RunState::kPaused;
  controls.waits_for_step = input.live && controls.paused && view_ != nullptr && !view_->steps().empty() &&
                            !presenters::GoesWith(*view_, input.settings);
  controls.measured_pace = view_ == nullptr ? std::nullopt : PaceOf(*view_);
  constexpr timeline::EventIndex kMostTakenAFrame = 20'000;
  if (input.view != nullptr) driver_libraries_.Take(*input.view, kMostTakenAFrame);
  controls.capture = CaptureLines(input, driver_libraries_, state.unit);
  controls.kernels = input.kernels;
  controls.access = input.access;
  controls.recording = input.recording;
  controls.recorded = input.recorded;
  PrepareProgram(input, state.unit);

  const ConsequenceQuestion question = QuestionOfControls(input, state);
  const std::string card_name = input.device.card;
  const bool on_cpu = input.device.kind == networks::DeviceKind::kCpu;
  const bool same = consequences_asked_ == question && consequences_estimates_ == estimates.version();
  if (!same || !consequences_known_) {
    bool all_known = true;
    ConsequenceSources sources;
    sources.phantom = [&](const networks::TrainingSettings& settings) {
      const auto answer =
          on_cpu ? std::optional(NoPredictionForCpu()) : estimates.Phantom(settings, card_name);
      all_known = all_known && answer.has_value();
      return answer;
    };
    sources.textbook = [&](const networks::TrainingSettings& settings, int rank) {
      const textbook::Estimate* estimate = estimates.Textbook(settings, rank);
      all_known = all_known && estimate != nullptr;
      return estimate;
    };
    sources.step_seconds = [&](const networks::TrainingSettings& settings) {
      return question.card == nullptr ? std::nullopt : estimates.StepSeconds(settings, *question.card);
    };
    consequences_ = DescribeConsequences(question, sources);
    consequences_asked_ = question;
    consequences_estimates_ = estimates.version();
    consequences_known_ = all_known;
  }
  controls.consequences = frame_.veiled ? Unspoken(consequences_) : consequences_;
}

// What our own controls would set is nothing to a program.
void Scene::PrepareProgram(const SceneInput& input, ByteUnit unit) {
  frame_.program.reset();
  if (view_ == nullptr || !presenters::IsProgram(input.description)) return;
  frame_.program = {
      presenters::MakeProgramFacts(*view_, input.description, input.status, *input.cards, input.band, unit),
      input.status.state <= session::RunState::kPaused, input.can_stop};
}

void Scene::CountSkippedSteps() {
  const auto& steps = view_->steps();
  while (steps_counted_ < steps.size() && steps[steps_counted_].complete) {
    skipped_steps_ += steps[steps_counted_].skipped ? 1 : 0;
    ++steps_counted_;
  }
}

}  // namespace tidemark::gui
