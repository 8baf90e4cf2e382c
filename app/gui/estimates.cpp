#include "app/gui/estimates.h"

namespace tidemark::gui {
namespace {

// Settings that differ only in what takes no memory share one answer.
networks::TrainingSettings WhatMatters(networks::TrainingSettings settings) {
  const networks::TrainingSettings defaults;
  settings.learning_rate = defaults.learning_rate;
  settings.seed = defaults.seed;
  settings.clip_norm = settings.clip_norm > 0 ? 1.0 : 0.0;
  return settings;
}

}  // namespace

std::optional<session::Prediction> Estimates::Phantom(const networks::TrainingSettings& settings,
                                                      const std::string& card) {
  const networks::TrainingSettings question = WhatMatters(settings);
  const std::string key = card + " " + networks::ToJson(question);
  if (const auto known = predictions_.find(key); known != predictions_.end()) return known->second;
  if (asked_) return std::nullopt;
  std::optional<session::Prediction> answer = predictor_.Ask(question, card);
  if (!answer) {
    asked_ = true;
    return std::nullopt;
  }
  ++version_;
  predictions_.emplace(key, *answer);
  return answer;
}

const textbook::Estimate* Estimates::Textbook(const networks::TrainingSettings& settings) {
  const std::string key = networks::ToJson(WhatMatters(settings));
  if (const auto known = textbooks_.find(key); known != textbooks_.end()) return &known->second;
  for (const networks::Network& network : *networks_) {
    if (network.name != settings.network) continue;
    return &textbooks_.emplace(key, textbook::EstimateMemory(network, settings)).first->second;
  }
  return nullptr;
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

const textbook::Estimate* Estimates::Textbook(const std::string& settings_json) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? nullptr : Textbook(*settings);
}

std::optional<session::Prediction> Estimates::Phantom(const std::string& settings_json,
                                                      const std::string& card) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? std::nullopt : Phantom(*settings, card);
}

}  // namespace tidemark::gui
