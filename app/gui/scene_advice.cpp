// What the advising panels draw.
#include <algorithm>
#include <utility>

#include "app/gui/consequences.h"
#include "app/gui/scene.h"
#include "app/presenters/program_facts.h"

namespace tidemark::gui {
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
  frame_.findings.found = input.findings;
  frame_.findings.glossary = &input.book->glossary;
  const bool is_empty = view_ == nullptr || view_->empty();
  frame_.findings.empty_reason = is_empty ? "Findings appear as soon as there are events to look at." : "";
}

}  // namespace tidemark::gui
