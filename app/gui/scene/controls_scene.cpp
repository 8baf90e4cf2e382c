#include "app/gui/scene/controls_scene.h"

#include <algorithm>
#include <utility>

#include "app/gui/background/lookup.h"
#include "app/gui/scene/capture_lines.h"
#include "app/presenters/moment/settings_change.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/saturating.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

std::optional<double> PaceOf(const timeline::View& view) {
  const auto& steps = view.steps();
  const size_t end = timeline::StepsUntilLastComplete(view);
  if (end < 3) return std::nullopt;
  const size_t begin = end - std::min<size_t>(end, 9);
  const int64_t ns = SaturatingDifference(steps[end - 1].begin_ns, steps[begin].begin_ns);
  const double seconds = static_cast<double>(ns) / 1e9;
  if (seconds <= 0) return std::nullopt;
  return static_cast<double>(end - 1 - begin) / seconds;
}

// The CPU's memory is laid out by the system, and what another card's phantom needs says nothing about a GPU.
session::Prediction NoPrediction(const std::string& why) {
  session::Prediction prediction;
  prediction.sentence = why;
  return prediction;
}

// As many lines, so that nothing below them moves.
std::string UnspokenLines(const std::string& text) {
  std::string lines = text.empty() ? "" : "?";
  for (auto more = std::ranges::count(text, '\n'); more > 0; --more) lines += "\n ";
  return lines;
}

// What the controls would tell of the answer to a lesson's question; what they can be set to stays.
presenters::Consequences Unspoken(presenters::Consequences consequences) {
  for (std::string* line : {&consequences.network, &consequences.optimizer, &consequences.batch,
                            &consequences.accumulate, &consequences.precision, &consequences.checkpoint})
    *line = UnspokenLines(*line);
  for (std::string& line : consequences.techniques) line = UnspokenLines(line);
  for (auto* lines : {&consequences.precision_hints, &consequences.checkpoint_hints}) {
    for (std::string& line : *lines) line.clear();
  }
  consequences.fit.clear();
  return consequences;
}

// What is held of the card would be the answer, too.
std::vector<CaptureLine> Unspoken(std::vector<CaptureLine> lines) {
  for (CaptureLine& line : lines) {
    if (!line.tells_bytes) continue;
    line.status = "?";
    line.help = "First your prediction, in the Learn panel.";
  }
  return lines;
}

// An opened file tells of a program, and is none that ran or ended here.
const char* StateOfProgram(const SceneInput& input) {
  if (GoesOn(input)) return "runs";
  return IsRecording(input) ? "an opened file" : "has ended";
}

// What our own controls would set is nothing to a program.
void PrepareProgram(const SceneInput& input, ByteUnit unit, Frame& frame) {
  frame.program.reset();
  if (input.view == nullptr || !presenters::IsProgram(input.description)) return;
  frame.program = {presenters::MakeProgramFacts(*input.view, input.description, input.status, *input.cards,
                                                input.replays, input.band, unit),
                   StateOfProgram(input), input.can_stop};
}

}  // namespace

presenters::ConsequenceQuestion ControlsScene::QuestionOf(const SceneInput& input, const ViewState& state) {
  presenters::ConsequenceQuestion question;
  question.settings = state.run_controls.draft.value_or(input.settings);
  question.unit = state.unit;
  question.allocator = input.allocator;
  question.network = networks::NetworkNamed(*input.networks, question.settings.network);
  if (input.device.kind == networks::DeviceKind::kCpu) {
    question.why_unpredicted = "on the CPU: measured, not predicted";
  } else {
    question.card = phantom::CardNamed(*input.cards, ChosenCard(input));
    if (question.card == nullptr)
      question.why_unpredicted = "this GPU is none of the known cards: measured, not predicted";
  }
  if (input.view != nullptr) {
    CountSkippedSteps(*input.view);
    question.skipped_steps = skipped_steps_;
    const auto& steps = input.view->steps();
    for (size_t i = steps.size() - std::min<size_t>(2, steps.size()); i < steps.size(); ++i) {
      if (steps[i].loss_scale) question.loss_scale = steps[i].loss_scale;
      const bool computes = steps[i].loss.value_or(0) != 0;  // a phantom does not
      if (computes && steps[i].vanished_gradients) question.vanished_gradients = steps[i].vanished_gradients;
    }
  }
  return question;
}

void ControlsScene::Prepare(const SceneInput& input, const ViewState& state, Estimates& estimates,
                            Frame& frame) {
  RunControlsInput& controls = frame.run_controls;
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
  controls.walks = state.slow_motion.active;
  controls.waits_for_step = input.live && controls.paused && input.view != nullptr &&
                            !input.view->steps().empty() &&
                            !presenters::GoesWith(*input.view, input.settings);
  controls.measured_pace = input.view == nullptr ? std::nullopt : PaceOf(*input.view);
  constexpr timeline::EventIndex kMostTakenAFrame = kMostLookedAtInAFrame / 2;  // lookups have the other half
  if (input.view != nullptr) captured_.Take(*input.view, kMostTakenAFrame);
  controls.capture = CaptureLines(input, captured_, state.unit);
  if (frame.veiled || frame.timeline.untold != 0) controls.capture = Unspoken(std::move(controls.capture));
  controls.kernels = input.kernels;
  controls.access = input.access;
  controls.recording = input.recording;
  controls.recorded = input.recorded;
  controls.change_to_own = input.change_to_own;
  PrepareProgram(input, state.unit, frame);

  PrepareConsequences(QuestionOf(input, state), estimates);
  controls.consequences = frame.awaits_prediction ? Unspoken(consequences_) : consequences_;
  if (frame.timeline.untold != 0) controls.consequences.fit.clear();  // a sum with what is not told
  controls.tells_fit_later = controls.consequences.fit.empty() && !consequences_.fit.empty();
}

void ControlsScene::PrepareConsequences(const presenters::ConsequenceQuestion& question,
                                        Estimates& estimates) {
  const bool same = consequences_asked_ == question && consequences_estimates_ == estimates.version();
  if (same && consequences_known_) return;
  bool all_known = true;
  presenters::ConsequenceSources sources;
  sources.phantom = [&](const networks::TrainingSettings& settings) {
    const auto answer = question.card == nullptr
                            ? std::optional(NoPrediction(question.why_unpredicted))
                            : estimates.Phantom(settings, {question.card->name, question.allocator});
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
  consequences_ = presenters::DescribeConsequences(question, sources);
  consequences_asked_ = question;
  consequences_estimates_ = estimates.version();
  consequences_known_ = all_known;
}

void ControlsScene::CountSkippedSteps(const timeline::View& view) {
  // The oldest leave at the front.
  const auto& steps = view.steps();
  auto step =
      std::lower_bound(steps.begin(), steps.end(), steps_counted_to_,
                       [](const timeline::Step& item, timeline::EventIndex at) { return item.begin < at; });
  for (; step != steps.end(); ++step) {
    if (!step->complete) continue;
    skipped_steps_ += step->skipped ? 1 : 0;
    steps_counted_to_ = step->begin + 1;
  }
}

}  // namespace tidemark::gui
