// What the window has searched for, and of what run: what stands out in it, what fits on the card, what other
// settings of PyTorch's allocator would do, techniques and sweeps (searches/).
#include <utility>

#include "app/gui/application.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {

void Application::ReadRecordedSettings() {
  const std::string* told =
      IsRecording(input_) && input_.view != nullptr ? timeline::LatestSettings(*input_.view) : nullptr;
  const std::string settings_json = told == nullptr ? "" : *told;
  if (settings_json == recorded_json_) return;
  recorded_json_ = settings_json;
  input_.recorded.reset();
  if (recorded_json_.empty()) return;
  const auto settings = networks::SettingsFromJson(recorded_json_);
  if (settings) input_.recorded = *settings;
}

void Application::LookForFindings() {
  if (input_.view == nullptr || input_.view->empty()) return;
  const auto card = session::CardOf(input_.description.device_name, input_.description.device_bytes, cards_);
  const CardMemory memory = card ? CardMemory{card->memory_bytes, card->context_bytes} : CardMemory{};
  findings_.Look({input_.view, state_.unit, memory}, GoesOn(input_));
}

void Application::AskForPlans() {
  const bool are_prices_shown = frame_ != nullptr && frame_->checkpointing.shown;
  const phantom::Card* const card = phantom::CardNamed(cards_, CardOfNextRun(input_));
  if (are_prices_shown)
    planner_.AskForPrices(input_.settings, card == nullptr ? std::nullopt : std::optional(*card), networks_);
  planner_.AskForBudgets();
}

std::optional<TriedRun> Application::RunToTry() const {
  const std::optional<phantom::Card> card = CardToReplayOn(input_);
  if (!card || input_.view == nullptr || input_.view->empty()) return std::nullopt;
  return TriedRun{input_.view, {*card, input_.description.allocator_settings}, input_.description};
}

// Of what was tried, the last row is plotted.
void Application::TryOther(const OtherSetup& wanted) {
  const std::optional<TriedRun> run = RunToTry();
  if (!run) return;
  trials_.TryOther(*run, wanted, [this] {
    const Trials& found = trials_.found();
    state_.what_if.plotted = static_cast<int>(found.settings.size() + found.setups.size()) - 1;
  });
}

void Application::TryAllocatorSettings() {
  if (const std::optional<TriedRun> run = RunToTry())
    trials_.TryAll(*run, [this] { state_.what_if.plotted = -1; });
}

std::optional<phantom::Card> Application::CardOfOrder(const session::ProgramOrder& order) const {
  const phantom::Card* const known = phantom::CardNamed(cards_, order.card.value_or(""));
  if (known == nullptr) return std::nullopt;
  phantom::Card card = *known;
  card.memory_bytes = BytesFromText(order.memory).value_or(card.memory_bytes);
  return card;
}

void Application::TryTechniques() {
  const session::ProgramOrder* const order = shown_.order();
  const std::optional<phantom::Card> card = order == nullptr ? std::nullopt : CardOfOrder(*order);
  if (!card) return;
  techniques_.Begin(*card, [this](bool is_cancelled) {
    if (is_cancelled) AddLogLine(presenters::LogLevel::kInfo, "No more techniques are tried, as asked.");
  });
  shell_.raise_panel = "fit";
}

// What one that goes on has found so far would be lost: a run of the program for each value.
void Application::Sweep(const session::SweepOrder& order) {
  const ProgramSweep* const before = sweep_.shown();
  if (before == nullptr || !before->goes_on) return BeginSweep(order);
  consent_.Ask({.title = "The sweep of " + before->Program() + " still runs",
                .explanation = "Another one ends it, and takes its curve away.",
                .choices = {{"Let it run", HeldAnswer::kStays}, {"End it", HeldAnswer::kGoesOn}},
                .overtaken = "The sweep of " + before->Program() + " runs on: the other was not started."},
               [this, order] { BeginSweep(order); });
}

void Application::BeginSweep(const session::SweepOrder& order) {
  RememberCard(order.program);
  const std::optional<phantom::Card> card = CardOfOrder(order.program);
  if (!card) return;
  const bool begins =
      sweep_.Begin(order, *card, [this, order](const SweepRunner::End& end) { TakeEndOfSweep(order, end); });
  if (begins) shell_.raise_panel = "sweep";
}

// Where nothing came of it, the person is asked again.
void Application::TakeEndOfSweep(const session::SweepOrder& order, const SweepRunner::End& end) {
  if (end.is_cancelled) return AddLogLine(presenters::LogLevel::kInfo, "The sweep was ended, as asked.");
  if (end.error.empty()) return;
  if (end.has_points) return AddLogLine(presenters::LogLevel::kError, end.error);
  AskAgain({order, end.error, end.faulty});
}

}  // namespace tidemark::gui
