// What a page of a lesson, a figure in it, or a session code is about: training settings and a card, written
// as "batch=128 amp=fp16 card=t4" with the keys and values of networks::ToJson. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::lessons {

struct Situation {
  networks::TrainingSettings settings;
  std::string card = "h200";
  bool operator==(const Situation&) const = default;
};

struct SettingChange {
  std::string key;    // of SettingNames()
  std::string value;  // any text: a path may have blanks and commas
  bool operator==(const SettingChange&) const = default;
};

// Errors: a key that is no setting, a value that it cannot take. Whether there is such a network or card is
// not looked up.
Result<Situation> Changed(const Situation& from, const std::vector<SettingChange>& changes);
// The same, written as KEY=VALUE, separated by spaces or commas. Errors: also a word that is none.
Result<Situation> Changed(const Situation& from, std::string_view words);
// Whether all of it is so: KEY=VALUE, or KEY>=NUMBER, written alike. Errors: as above, and a number that is
// none.
Result<bool> Holds(const Situation& now, std::string_view words);
// What changes the first into the second, so that Changed(from, ChangesBetween(from, to)) == to.
std::vector<SettingChange> ChangesBetween(const Situation& from, const Situation& to);
// For people: "batch=128 amp=fp16".
std::string TextOf(const std::vector<SettingChange>& changes);

// The names of what can be set: a setting's key, or "card".
std::vector<std::string> SettingNames();
// Of what a person can lock: these, and "kernels", whether they are told.
std::vector<std::string> ControlNames();
// `wanted`, but with the values of `held` for the settings in `locked`; other names are ignored.
networks::TrainingSettings KeepLocked(const networks::TrainingSettings& held,
                                      const networks::TrainingSettings& wanted,
                                      const std::vector<std::string>& locked);

// The words of a line, at spaces and commas.
std::vector<std::string> WordsOf(std::string_view text);

}  // namespace tidemark::lessons
