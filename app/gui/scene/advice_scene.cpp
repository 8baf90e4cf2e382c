#include "app/gui/scene/advice_scene.h"

#include <algorithm>
#include <utility>

#include "app/presenters/moment/untold_blocks.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/shortage.h"

namespace tidemark::gui {
namespace {

// What ran out had less than it needed, and stands at the line of what it had at least: the card's, or its
// own limit. None of a run of another network, or on another card, than is looked at.
std::optional<presenters::MeasuredPeak> OnCard(std::optional<presenters::MeasuredPeak> measured,
                                               const SceneInput& input, int64_t card_bytes) {
  if (!measured || CardThatRan(input) != CardOfNextRun(input)) return std::nullopt;
  if (!measured->settings || measured->settings->network != input.settings.network) return std::nullopt;
  const int64_t limit = input.description.device_bytes;
  const int64_t had = limit > 0 ? std::min(limit, card_bytes) : card_bytes;
  if (measured->ran_out) measured->bytes = std::max(measured->bytes, had);
  return measured;
}

// The phantom is asked for what is planned, one way after the other.
void PrepareCheckpointing(const SceneInput& input, ViewState& state, Estimates& estimates,
                          const std::optional<presenters::MeasuredPeak>& measured, Frame& frame) {
  CheckpointingInput& panel = frame.checkpointing;
  panel = {};
  panel.shown = std::exchange(state.checkpointing.drawn, false);
  panel.unit = state.unit;
  panel.settings = input.settings;
  panel.glossary = &input.book->glossary;
  panel.empty_reason = "The ways to checkpoint this network are being planned.";
  const CheckpointPrices& prices = *input.prices;
  panel.planning = prices.planned_for.has_value();
  const std::string card = CardOfNextRun(input);
  panel.cancelled = prices.cancelled_for && prices.cancelled_for->settings == input.settings;
  if (!panel.shown || !prices.made_for || prices.made_for->settings.network != input.settings.network) return;
  panel.on_phantom = networks::IsPhantom(input.description.device);
  panel.locked = std::ranges::count(input.access.locked, "checkpoint") > 0;
  if (const phantom::Card* known = phantom::CardNamed(*input.cards, card))
    panel.card_bytes = known->memory_bytes;
  panel.measured = OnCard(measured, input, panel.card_bytes);
  networks::TrainingSettings settings = prices.made_for->settings;
  for (const PricedWay& way : prices.ways) {
    const textbook::CurvePoint& point = way.point;
    panel.ways.push_back({point.checkpoint, point.saved_bytes, point.total_bytes, point.share_run_again,
                          way.step_seconds, point.is_best, std::nullopt, false});
    if (card.empty()) continue;
    settings.checkpoint = point.checkpoint;
    const std::optional<session::Prediction> answer = estimates.Phantom(settings, {card, input.allocator});
    if (!answer || (!answer->sentence.empty() && !answer->out_of_memory)) continue;
    // It was ended before its peak: all that is known is that the card has less.
    panel.ways.back().phantom_bytes = answer->out_of_memory
                                          ? std::max(answer->allocated_peak_bytes, panel.card_bytes)
                                          : answer->allocated_peak_bytes;
    panel.ways.back().does_not_fit = answer->out_of_memory;
  }
}

void PrepareFit(const SceneInput& input, ByteUnit unit, Frame& frame) {
  const bool is_program = presenters::IsProgram(input.description);
  const presenters::FitSubject subject = FitSubjectOf(input);
  frame.fit.advice = input.fit;
  frame.fit.settings = input.settings;
  frame.fit.card_title = subject.card ? session::ShortCardTitle(subject.card->title) : "";
  presenters::FitSubject beside = subject;
  beside.settings = input.settings;  // a proposal would change those
  frame.fit.found_for_other =
      input.fit->question ? presenters::FoundForOther(*input.fit->question, beside, unit) : "";
  frame.fit.can_search = !is_program && subject.card;
  frame.fit.is_program = is_program && !input.description.command.empty();
  frame.fit.allocator = input.allocator;
  frame.fit.live = input.live;
  frame.fit.unit = unit;
  ProgramTechniquesInput& techniques = frame.fit.techniques;
  techniques = {input.techniques_to_try, input.techniques, false, unit};
  techniques.was_started_elsewhere = frame.fit.is_program && !techniques.can_try() &&
                                     input.origin == RunOrigin::kBegun &&
                                     networks::IsPhantom(input.description.device);
  const bool is_empty = input.view == nullptr || input.view->empty();
  WhatIfInput& what_if = frame.fit.what_if;
  what_if.trials = input.trials;
  what_if.cards = input.cards;
  const std::optional<phantom::Card> card = CardToReplayOn(input);
  what_if.card = card ? card->name : "";
  what_if.card_is_named =
      session::CardOf(input.description.device_name, input.description.device_bytes, *input.cards)
          .has_value();
  what_if.limit_bytes =
      session::IsLimited(input.description, *input.cards) ? input.description.device_bytes : 0;
  what_if.settings = subject.settings;
  what_if.allocator = input.allocator;
  what_if.can_try = card && !is_empty;
  what_if.can_start = frame.fit.can_search;
  what_if.unit = unit;
  frame.findings.fit = input.fit;
  frame.findings.trials = input.trials;
  frame.findings.can_search = frame.fit.can_search;
  frame.findings.is_program = frame.fit.is_program;
  frame.findings.fit_command =
      is_program && !is_empty
          ? presenters::FitCommand(input.description, input.view->devices().size(), *input.cards)
          : "";
  frame.findings.can_try_techniques = techniques.can_try();
  frame.findings.can_try = frame.fit.what_if.can_try;
  frame.findings.may_make_room = frame.findings.can_try && input.findings != nullptr &&
                                 input.findings->shortage &&
                                 session::IsForWantOfSegments(input.findings->shortage->shortage);
  frame.findings.is_answered = input.fit->answer && IsOf(*input.fit->question, RunSubjectOf(input));
  frame.findings.found = input.findings;
  frame.findings.glossary = &input.book->glossary;
  const bool is_untold = !is_empty && !input.view->tells_blocks();
  frame.findings.empty_reason = is_empty    ? "Findings appear as soon as there are events to look at."
                                : is_untold ? presenters::WhyUntold(*input.view)
                                            : "";
}

}  // namespace

void AdviceScene::Prepare(const SceneInput& input, ViewState& state, Estimates& estimates,
                          const std::optional<presenters::MeasuredPeak>& measured, Frame& frame) {
  PrepareFit(input, state.unit, frame);
  frame.sweep = {input.sweep, state.unit};
  PrepareBatch(input, state, estimates, measured, frame);
  PrepareCheckpointing(input, state, estimates, measured, frame);
}

// Of our own networks, on the card that is chosen.
void AdviceScene::PrepareBatch(const SceneInput& input, ViewState& state, Estimates& estimates,
                               const std::optional<presenters::MeasuredPeak>& measured, Frame& frame) {
  BatchInput& batch = frame.batch;
  batch = {};
  batch.unit = state.unit;
  batch.settings = input.settings;
  batch.empty_reason = input.settings.checkpoint.mode == networks::CheckpointMode::kBudget
                           ? "What is kept for backward is being planned; the curve follows."
                           : "The textbook knows no network of this name, so that there is no curve to draw.";
  if (!std::exchange(state.batch.drawn, false)) return;
  networks::TrainingSettings looked_at = state.run_controls.draft.value_or(input.settings);
  if (state.batch.dragged) looked_at.batch = *state.batch.dragged;
  const std::string card = CardOfNextRun(input);
  batch_curve_.Continue(
      {looked_at, {card, input.allocator}, estimates.edition()},
      [&](const networks::TrainingSettings& settings) { return estimates.TextbookBytes(settings); },
      [&](const networks::TrainingSettings& settings) {
        return estimates.Phantom(settings, {card, input.allocator});
      });
  batch.curve = &batch_curve_;
  batch.batch = looked_at.batch;
  batch.locked = std::ranges::count(input.access.locked, "batch") > 0;
  if (const phantom::Card* known = phantom::CardNamed(*input.cards, card))
    batch.card_bytes = known->memory_bytes;
  batch.measured = OnCard(measured, input, batch.card_bytes);
  batch.on_phantom = networks::IsPhantom(input.description.device);
}

}  // namespace tidemark::gui
