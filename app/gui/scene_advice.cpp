// What the advising panels draw.
#include <algorithm>
#include <utility>

#include "app/gui/consequences.h"
#include "app/gui/scene.h"
#include "app/presenters/program_facts.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

constexpr size_t kOwners = 5;

// Findings look at a whole step: once a second is as often as anyone reads them.
constexpr std::chrono::seconds kFindingsEvery{1};

std::string PlaceOfShortage(const session::Shortage& shortage) {
  std::string place = shortage.step < 0 ? "" : "in step " + FormatNumber(shortage.step);
  if (shortage.phase == events::Phase::kIdle) return place;
  return place + (place.empty() ? "in " : ", ") + std::string(events::NameOf(shortage.phase));
}

int64_t UsableBytesOf(const SceneInput& input) {
  const auto card =
      session::CardOf(input.description.device_name, input.description.device_bytes, *input.cards);
  return card ? card->memory_bytes - card->context_bytes : 0;
}

}  // namespace

// Of our own networks, on the card that is chosen.
void Scene::PrepareBatch(const SceneInput& input, ViewState& state, Estimates& estimates) {
  BatchInput& batch = frame_.batch;
  batch = {};
  batch.unit = state.unit;
  batch.settings = input.settings;
  batch.empty_reason = "The textbook knows no network of this name, so that there is no curve to draw.";
  if (!std::exchange(state.batch.drawn, false)) return;
  const bool on_cpu = input.device.kind == networks::DeviceKind::kCpu;
  networks::TrainingSettings looked_at = state.run_controls.draft.value_or(input.settings);
  if (state.batch.dragged) looked_at.batch = *state.batch.dragged;
  const std::string card = on_cpu ? "" : CardFor(input);
  batch_curve_.Continue(
      {looked_at, card},
      [&](const networks::TrainingSettings& settings) -> std::optional<int64_t> {
        const textbook::Estimate* estimate = estimates.Textbook(settings);
        return estimate == nullptr ? std::nullopt : std::optional(estimate->total_bytes);
      },
      [&](const networks::TrainingSettings& settings) { return estimates.Phantom(settings, card); });
  batch.curve = &batch_curve_;
  batch.batch = looked_at.batch;
  batch.locked = std::ranges::count(input.access.locked, "batch") > 0;
  for (const phantom::Card& known : *input.cards) {
    if (!on_cpu && known.name == card) batch.card_bytes = known.memory_bytes;
  }
  for (const presenters::BreakdownRow& row : breakdown_.totals) {
    if (row.title == "allocated") batch.measured_bytes = row.measured_bytes;
  }
}

void Scene::PrepareAdvice(const SceneInput& input, ByteUnit unit) {
  const bool is_program = presenters::IsProgram(input.description);
  const bool has_card = input.device.kind != networks::DeviceKind::kCpu;
  const std::string card = CardFor(input);
  frame_.fit.advice = input.fit;
  frame_.fit.settings = input.settings;
  frame_.fit.card_title.clear();
  for (const phantom::Card& known : *input.cards) {
    if (has_card && known.name == card) frame_.fit.card_title = ShortCardTitle(known.title);
  }
  frame_.fit.can_search = !is_program && has_card;
  frame_.fit.can_try = has_card && view_ != nullptr && !view_->empty();
  frame_.fit.live = input.live;
  frame_.fit.unit = unit;
  frame_.findings.fit = input.fit;
  frame_.findings.can_search = frame_.fit.can_search;
  frame_.findings.unit = unit;
  frame_.findings.findings = &findings_;
  if (view_ == nullptr || view_->empty()) {
    frame_.findings.shortage.reset();
    findings_.clear();
    frame_.findings.empty_reason = "Findings appear as soon as there are events to look at.";
    return;
  }
  frame_.findings.empty_reason.clear();
  const auto now = Clock::now();
  // A program's run takes no commands, but goes on as ours do.
  const bool goes_on = input.live || input.status.state == session::RunState::kRunning;
  const bool is_due = view_ != findings_view_ && (!goes_on || now - findings_time_ > kFindingsEvery);
  if (!is_due && unit == findings_unit_) return;
  findings_view_ = view_;
  findings_unit_ = unit;
  findings_time_ = now;
  findings_ = advice::FindingsIn(*view_, unit);
  const std::vector<session::Shortage> shortages = session::ShortagesIn(*view_);
  frame_.findings.shortages = shortages.size();
  frame_.findings.shortage.reset();
  if (shortages.empty()) return;
  const session::Shortage& latest = shortages.back();
  frame_.findings.shortage =
      ShortagePage{latest, PlaceOfShortage(latest), session::WhyShort(latest, UsableBytesOf(input)),
                   advice::LargestOwners(*view_, latest.index, kOwners)};
}

}  // namespace tidemark::gui
