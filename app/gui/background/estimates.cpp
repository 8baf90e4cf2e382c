#include "app/gui/background/estimates.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiler/advice/step_time.h"
#include "profiler/networks/script_files.h"

namespace tidemark::gui {
namespace {

// Of whole estimates (67 KB of ResNet-50), and of single figures, whose keys take most.
constexpr size_t kMostTextbooks = 200;
constexpr size_t kMostFigures = 20'000;

std::string KeyOf(const networks::TrainingSettings& settings, int rank) {
  return std::to_string(rank) + networks::ToJson(textbook::WhatCounts(settings));
}

}  // namespace

void Estimates::BeginFrame() {
  asked_ = false;
  if (textbooks_.size() > kMostTextbooks ||
      std::max({totals_.size(), step_seconds_.size(), parsed_.size()}) > kMostFigures)
    LetGo();
}

// What is asked for again is computed, or planned, anew.
void Estimates::LetGo() {
  std::erase_if(planned_, [this](const std::string& key) { return textbooks_.contains(key); });
  textbooks_.clear();
  totals_.clear();
  step_seconds_.clear();
  parsed_.clear();
}

void Estimates::Forget() {
  predictor_.Forget();
  LetGo();
  wanted_.clear();
  planned_.clear();
  ++edition_;
}

std::optional<session::Prediction> Estimates::Phantom(const networks::TrainingSettings& settings,
                                                      const session::PhantomSetup& setup) {
  if (std::optional<session::Prediction> known = predictor_.Find(settings, setup)) return known;
  // A recording may name a TorchScript file that nobody has opened here; it is not run to predict it.
  const bool is_opened = networks::NetworkNamed(*networks_, settings.network) != nullptr;
  if (asked_ || (!is_opened && !networks::CheckNamedByFile(settings.network))) return std::nullopt;
  asked_ = true;
  predictor_.Ask(settings, setup);
  return std::nullopt;
}

const textbook::Estimate* Estimates::Textbook(const networks::TrainingSettings& settings, int rank) {
  rank = networks::RankAmong(settings, rank);
  const std::string key = KeyOf(settings, rank);
  if (const auto known = textbooks_.find(key); known != textbooks_.end()) return &known->second;
  const networks::Network* const network = networks::NetworkNamed(*networks_, settings.network);
  if (network == nullptr) return nullptr;
  if (settings.checkpoint.mode == networks::CheckpointMode::kBudget) {
    if (!given_up_ && planned_.insert(key).second) wanted_.push_back({*network, settings, rank});
    return nullptr;
  }
  return &textbooks_.emplace(key, textbook::EstimateMemory(*network, settings, rank)).first->second;
}

std::optional<int64_t> Estimates::TextbookBytes(const networks::TrainingSettings& settings, int rank) {
  rank = networks::RankAmong(settings, rank);
  const std::string key = KeyOf(settings, rank);
  if (const auto known = totals_.find(key); known != totals_.end()) return known->second;
  if (settings.checkpoint.mode == networks::CheckpointMode::kBudget || textbooks_.contains(key)) {
    const textbook::Estimate* const whole = Textbook(settings, rank);
    return whole == nullptr ? std::nullopt : std::optional(whole->total_bytes);
  }
  const networks::Network* const network = networks::NetworkNamed(*networks_, settings.network);
  if (network == nullptr) return std::nullopt;
  return totals_.emplace(key, textbook::EstimateMemory(*network, settings, rank).total_bytes).first->second;
}

std::optional<double> Estimates::StepSeconds(const networks::TrainingSettings& settings,
                                             const phantom::Card& card) {
  const networks::Network* const network = networks::NetworkNamed(*networks_, settings.network);
  if (network == nullptr || settings.checkpoint.mode == networks::CheckpointMode::kBudget)
    return std::nullopt;
  const auto [known, is_new] = step_seconds_.try_emplace(card.name + networks::ToJson(settings));
  if (is_new) known->second = advice::EstimateStepTime(*network, settings, card).total();
  return known->second;
}

std::vector<WantedPlan> Estimates::TakeWanted(size_t most) {
  const auto begin = wanted_.end() - static_cast<std::ptrdiff_t>(std::min(most, wanted_.size()));
  std::vector<WantedPlan> taken(std::make_move_iterator(begin), std::make_move_iterator(wanted_.end()));
  wanted_.erase(begin, wanted_.end());
  std::ranges::reverse(taken);
  return taken;
}

void Estimates::GiveUpPlans() {
  given_up_ = true;
  wanted_.clear();
  std::erase_if(planned_, [this](const std::string& key) { return !textbooks_.contains(key); });
}

void Estimates::PlanAgain() {
  given_up_ = false;
  for (const WantedPlan& plan : wanted_) planned_.erase(KeyOf(plan.settings, plan.rank));
  if (!wanted_.empty()) ++kept_;  // so that who still wants one of them looks again
  wanted_.clear();
}

void Estimates::Keep(const WantedPlan& plan, textbook::Estimate estimate) {
  if (std::ranges::find(*networks_, plan.network) == networks_->end()) return;  // of what is there no more
  textbooks_.insert_or_assign(KeyOf(plan.settings, plan.rank), std::move(estimate));
  ++kept_;
}

const networks::TrainingSettings* Estimates::Parsed(const std::string& settings_json) {
  auto known = parsed_.find(settings_json);
  if (known == parsed_.end()) {
    std::optional<networks::TrainingSettings> settings;
    if (Result<networks::TrainingSettings> read = networks::SettingsFromJson(settings_json)) settings = *read;
    known = parsed_.emplace(settings_json, settings).first;
  }
  return known->second ? &*known->second : nullptr;
}

const textbook::Estimate* Estimates::Textbook(const std::string& settings_json, int rank) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? nullptr : Textbook(*settings, rank);
}

std::optional<int64_t> Estimates::TextbookBytes(const std::string& settings_json, int rank) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? std::nullopt : TextbookBytes(*settings, rank);
}

bool Estimates::PhantomSpeaksFor(int rank, const std::string& settings_json) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return rank == 0 || settings == nullptr || !networks::UsesPipeline(*settings);
}

std::optional<session::Prediction> Estimates::Phantom(const std::string& settings_json,
                                                      const session::PhantomSetup& setup) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? std::nullopt : Phantom(*settings, setup);
}

}  // namespace tidemark::gui
