#include "app/gui/estimates.h"

namespace tidemark::gui {
std::optional<session::Prediction> Estimates::Phantom(const networks::TrainingSettings& settings,
                                                      const std::string& card) {
  if (std::optional<session::Prediction> known = predictor_.Find(settings, card)) return known;
  if (asked_) return std::nullopt;
  asked_ = true;
  predictor_.Ask(settings, card);
  return std::nullopt;
}

const textbook::Estimate* Estimates::Textbook(const networks::TrainingSettings& settings, int rank) {
  const std::string key = std::to_string(rank) + networks::ToJson(settings);
  if (const auto known = textbooks_.find(key); known != textbooks_.end()) return &known->second;
  for (const networks::Network& network : *networks_) {
    if (network.name != settings.network) continue;
    return &textbooks_.emplace(key, textbook::EstimateMemory(network, settings, rank)).first->second;
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

const textbook::Estimate* Estimates::Textbook(const std::string& settings_json, int rank) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? nullptr : Textbook(*settings, rank);
}

bool Estimates::PhantomSpeaksFor(int rank, const std::string& settings_json) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return rank == 0 || settings == nullptr || !networks::UsesPipeline(*settings);
}

std::optional<session::Prediction> Estimates::Phantom(const std::string& settings_json,
                                                      const std::string& card) {
  const networks::TrainingSettings* settings = Parsed(settings_json);
  return settings == nullptr ? std::nullopt : Phantom(*settings, card);
}

}  // namespace tidemark::gui
