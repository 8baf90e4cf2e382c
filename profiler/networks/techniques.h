// The techniques that are no more than one choice each, as a table: a row here is all that the command line,
// JSON, markers and the window's fold need of one. The first choice is the usual. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::networks {

struct Technique {
  const char* key;                            // in JSON: "channels_last"
  const char* option;                         // on the command line: "--channels-last"
  const char* title;                          // in markers and the window: "channels last"
  const char* help;                           // a sentence
  std::span<const std::string_view> choices;  // all there are, or what the window offers where numbers may be
  std::string (*read)(const Technique& technique, const TrainingSettings& settings);
  Status (*write)(const Technique& technique, TrainingSettings& settings, std::string_view text);

  std::string TextOf(const TrainingSettings& settings) const { return read(*this, settings); }
  // Errors name the option and what it may be; nothing is changed then.
  Status Set(TrainingSettings& settings, std::string_view text) const { return write(*this, settings, text); }
  // Whether the setting differs from its default.
  bool IsInUse(const TrainingSettings& settings) const { return TextOf(settings) != TextOf({}); }
  // Whether it is off or on.
  bool IsSwitch() const { return choices.front() == "off" && choices.back() == "on"; }
};

std::span<const Technique> Techniques();

}  // namespace tidemark::networks
