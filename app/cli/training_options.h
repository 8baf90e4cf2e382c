// The options that `estimate` and `train` share: what is trained, and how.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::cli {

// The options as typed. Register() before parsing, Settings() and Device() after it.
class TrainingOptions {
 public:
  void Register(CLI::App& command);
  void RegisterDevice(CLI::App& command);

  Result<networks::TrainingSettings> Settings() const;
  Result<networks::DeviceChoice> Device() const;
  const std::string& card() const { return card_; }

 private:
  networks::TrainingSettings numbers_;  // those options that are plain numbers, and the network's name
  std::string amp_ = networks::TextOf(numbers_.amp);
  std::string checkpoint_ = networks::TextOf(numbers_.checkpoint);
  std::string optimizer_ = networks::TextOf(numbers_.optimizer);
  std::string device_ = networks::TextOf(networks::DeviceChoice{});
  std::string card_ = networks::DeviceChoice{}.card;
};

}  // namespace tidemark::cli
