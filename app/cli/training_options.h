// The options that `estimate` and `train` share: what is trained, and how.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

// The network's name with what a sample of it is (--input), which only TorchScript files are told.
Result<std::string> NetworkGiven(const std::string& network, const std::string& input);

struct Training {
  networks::TrainingSettings settings;
  networks::Network network;
};

// The options as typed. Register() before parsing, the others after it; each error is a sentence about an
// option.
class TrainingOptions {
 public:
  void Register(CLI::App& command);
  void RegisterDevice(CLI::App& command);

  // Settings that suit the network; its file is read.
  Result<Training> Asked() const;
  Result<phantom::Card> Card() const;
  Result<networks::DeviceChoice> Device() const;

  // The first of them that was typed and is about what is trained, "--net"; "" if there is none.
  static std::string TypedOn(const CLI::App& command);

  // The exit code for one of these errors: wrong usage, unless what the options are checked against
  // (networks, cards) cannot be read itself.
  int ExitCodeOfRefusal() const;

 private:
  // Of what each option says by itself.
  Result<networks::TrainingSettings> Settings() const;

  std::string network_;
  std::string input_;  // of a TorchScript file
  std::string batch_;
  std::string amp_;
  std::string accumulate_;
  std::string checkpoint_;
  std::string optimizer_;
  std::string learning_rate_;
  std::string clip_norm_;
  std::string seed_;
  std::string data_;
  std::vector<std::string> techniques_;  // as networks::Techniques()
  std::string device_;
  std::string card_;
};

}  // namespace tidemark::cli
