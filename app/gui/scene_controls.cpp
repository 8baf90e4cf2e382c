// What the controls of the run say: consequences of each choice, what is captured, what a program is.
#include <algorithm>
#include <utility>

#include "app/gui/scene.h"
#include "app/presenters/level_chain.h"
#include "app/presenters/program_facts.h"
#include "app/presenters/settings_change.h"
#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
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
  const int64_t ns = SaturatingDifference(steps[end - 1].begin_ns, steps[begin].begin_ns);
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(end - 1 - begin) / seconds;
}

const char* TitleOf(events::Source source) {
  switch (source) {
    case events::Source::kTrainer:
      return "Training";
    case events::Source::kAllocator:
      return "Allocator";
    case events::Source::kDriver:
      return "CUDA driver";
    case events::Source::kDevice:
      return "Card";
    default:
      return "Session";
  }
}

constexpr const char* kWhatIsLost =
    "Lost are events that the ring could not take: counted, never silent. The curves have gaps there.";

// What stands in the row of a source that lost nothing.
std::string StandingOf(const timeline::SourceState& source, bool runs) {
  if (source.text.starts_with("live")) {
    return !runs ? "ended" : presenters::IsWell(source) ? "live" : "in part";
  }
  if (source.text.starts_with("waiting")) return runs ? "waiting" : "told nothing";
  return source.text.substr(0, source.text.find_first_of(":,("));
}

// By what it says of itself, and of one that says nothing by what has come of it: `has_come`, in words.
CaptureLine SourceLine(const timeline::View& view, const timeline::SourceState& source,
                       const std::string& has_come, const char* help, bool runs) {
  CaptureLine line{TitleOf(source.source), "", LampState::kOff, source.text.empty() ? help : source.text};
  const bool is_well = source.text.empty() ? !has_come.empty() : source.text.starts_with("live");
  if (runs && is_well) line.lamp = LampState::kLive;
  if (source.text.empty()) {
    line.status = !has_come.empty() ? has_come : runs ? "waiting" : "told nothing";
  } else {
    line.status = StandingOf(source, runs);
    line.is_written_out = !presenters::IsWell(source);
    if (line.is_written_out) line.lamp = LampState::kTrouble;
  }
  if (source.lost > 0) {
    line.status = presenters::LostSince(view, source);
    line.lamp = LampState::kLost;
    line.help += std::string(" ") + kWhatIsLost;
  }
  return line;
}

timeline::SourceState StateOf(const timeline::View& view, events::Source source) {
  const auto& told = view.sources();
  const auto found = std::ranges::find(told, source, &timeline::SourceState::source);
  if (found != told.end()) return *found;
  timeline::SourceState nothing;
  nothing.source = source;
  return nothing;
}

// The allocator and the training have a row in any case, the others once they told or lost something.
void AddSourceLines(const timeline::View& view, const presenters::Captured& captured, bool runs,
                    std::vector<CaptureLine>& lines) {
  using events::Source;
  lines.push_back(SourceLine(view, StateOf(view, Source::kAllocator),
                             captured.blocks() ? (runs ? "live" : "ended") : "",
                             "Every block and segment, from the allocator itself.", runs));
  lines.push_back(
      SourceLine(view, StateOf(view, Source::kTrainer), captured.CourseText(),
                 "What has come of the training itself: its steps, phases and layers, and scopes: "
                 "operators, backward nodes and what a program marks through NVTX.",
                 runs));
  for (const timeline::SourceState& source : view.sources()) {
    if (source.source != Source::kAllocator && source.source != Source::kTrainer)
      lines.push_back(SourceLine(view, source, "", "", runs));
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
  if (const auto& managed = libraries.managed()) {
    lines.push_back({managed->library, FormatBytes(managed->last_bytes, unit), LampState::kOff,
                     "On the host or on the card, as its pages move, and in none of the levels; at most " +
                         FormatBytes(managed->most_bytes, unit) + "."});
  }
}

std::vector<CaptureLine> CaptureLines(const SceneInput& input, const presenters::Captured& captured,
                                      ByteUnit unit) {
  const bool runs = input.live || input.status.state <= session::RunState::kPaused;
  const bool live = runs && input.view != nullptr && !input.view->empty();
  std::vector<CaptureLine> lines;
  if (input.view != nullptr && !input.view->empty()) {
    AddSourceLines(*input.view, captured, runs, lines);
  } else {
    lines.push_back({"Allocator",
                     input.starting ? "starting"
                     : runs         ? "waiting"
                                    : "told nothing",
                     LampState::kOff, "Every block and segment, from the allocator itself."});
  }
  // Of all ranks, of which each tells its own sources.
  const uint64_t lost = std::max(input.status.lost, input.view == nullptr ? 0 : input.view->health().lost);
  lines.push_back({"Events",
                   FormatNumber(static_cast<int64_t>(input.status.captured)) + " · " +
                       FormatNumber(static_cast<int64_t>(lost)) + " lost",
                   live ? LampState::kLive : LampState::kOff,
                   std::string("Captured since the run began. ") + kWhatIsLost});
  AddLibraryLines(captured.libraries(), unit, lines);
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

// The CPU's memory is laid out by the system, and what another card's phantom needs says nothing about a GPU.
session::Prediction NoPrediction(const std::string& why) {
  session::Prediction prediction;
  prediction.sentence = why;
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
  if (input.device.kind == networks::DeviceKind::kCpu) {
    question.why_unpredicted = "on the CPU: measured, not predicted";
  } else {
    question.card = CardNamed(input, ChosenCard(input));
    if (question.card == nullptr)
      question.why_unpredicted = "this GPU is none of the known cards: measured, not predicted";
  }
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
  constexpr timeline::EventIndex kMostTakenAFrame = kMostLookedAtInAFrame / 2;  // lookups have the other half
  if (input.view != nullptr) captured_.Take(*input.view, kMostTakenAFrame);
  controls.capture = CaptureLines(input, captured_, state.unit);
  controls.kernels = input.kernels;
  controls.access = input.access;
  controls.recording = input.recording;
  controls.recorded = input.recorded;
  PrepareProgram(input, state.unit);

  const ConsequenceQuestion question = QuestionOfControls(input, state);
  const bool same = consequences_asked_ == question && consequences_estimates_ == estimates.version();
  if (!same || !consequences_known_) {
    bool all_known = true;
    ConsequenceSources sources;
    sources.phantom = [&](const networks::TrainingSettings& settings) {
      const auto answer = question.card == nullptr ? std::optional(NoPrediction(question.why_unpredicted))
                                                   : estimates.Phantom(settings, question.card->name);
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
