#include "profiler/lessons/situation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "profiler/base/check.h"
#include "profiler/base/choices.h"
#include "profiler/networks/techniques.h"

namespace tidemark::lessons {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kCard = "card";

// Every setting, those that have their usual value too.
OrderedJson JsonOf(const networks::TrainingSettings& settings) {
  OrderedJson json = OrderedJson::parse(networks::ToJson(settings), nullptr, /*allow_exceptions=*/false);
  json["data"] = settings.data;
  for (const networks::Technique& technique : networks::Techniques())
    json[technique.key] = technique.TextOf(settings);
  return json;
}

// The value as JSON of the type that the setting has.
Result<OrderedJson> TypedValue(const std::string& key, const OrderedJson& old, const std::string& text) {
  if (old.is_string()) return OrderedJson(text);
  OrderedJson value = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool fits = old.is_boolean() ? value.is_boolean() : value.is_number();
  if (fits) return value;
  return Error{fmt::format("'{}' is no value for {}; now it is {}.", Quoted(text), key, old.dump())};
}

std::string TextOfValue(const OrderedJson& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Status Apply(const SettingChange& change, OrderedJson* settings, std::string* card) {
  if (change.key == kCard) {
    *card = change.value;
    return Done{};
  }
  const auto setting = settings->find(change.key);
  if (setting == settings->end()) return Error{UnknownChoice("setting", change.key, SettingNames())};
  Result<OrderedJson> value = TypedValue(change.key, *setting, change.value);
  if (!value) return value.error();
  *setting = std::move(*value);
  return Done{};
}

Result<SettingChange> ChangeOf(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) {
    return Error{fmt::format("'{}' sets nothing; write it as KEY=VALUE, like batch=128.", Quoted(word))};
  }
  return SettingChange{word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text) {
    const bool ends = letter == ' ' || letter == ',' || letter == '\t';
    if (!ends) word += letter;
    if (ends && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::vector<std::string> SettingNames() {
  std::vector<std::string> names;
  const OrderedJson settings = JsonOf({});
  for (const auto& [key, value] : settings.items()) names.push_back(key);
  names.emplace_back(kCard);
  return names;
}

std::vector<std::string> ControlNames() {
  std::vector<std::string> names = SettingNames();
  names.emplace_back("kernels");
  return names;
}

Result<Situation> Changed(const Situation& from, const std::vector<SettingChange>& changes) {
  OrderedJson json = JsonOf(from.settings);
  Situation to = from;
  for (const SettingChange& change : changes) {
    if (const Status applied = Apply(change, &json, &to.card); !applied) return applied.error();
  }
  Result<networks::TrainingSettings> settings = networks::SettingsFromJson(json.dump());
  if (!settings) return settings.error();
  to.settings = std::move(*settings);
  return to;
}

Result<Situation> Changed(const Situation& from, std::string_view words) {
  std::vector<SettingChange> changes;
  for (const std::string& word : WordsOf(words)) {
    Result<SettingChange> change = ChangeOf(word);
    if (!change) return change.error();
    changes.push_back(std::move(*change));
  }
  return Changed(from, changes);
}

Result<bool> Holds(const Situation& now, std::string_view words) {
  bool holds = true;
  for (std::string word : WordsOf(words)) {
    const size_t at_least = word.find(">=");
    if (at_least != std::string::npos) word.erase(at_least, 1);
    const Result<Situation> asked = Changed(now, word);
    if (!asked) return asked.error();
    if (at_least == std::string::npos) {
      holds = holds && *asked == now;
    } else {
      const std::string key = word.substr(0, at_least);
      const OrderedJson is = JsonOf(now.settings)[key];
      if (!is.is_number()) return Error{fmt::format("'{}' is no number: write {}=VALUE.", key, key)};
      holds = holds && is >= JsonOf(asked->settings)[key];
    }
  }
  return holds;
}

std::vector<SettingChange> ChangesBetween(const Situation& from, const Situation& to) {
  const OrderedJson old = JsonOf(from.settings);
  const OrderedJson fresh = JsonOf(to.settings);
  std::vector<SettingChange> changes;
  for (const auto& [key, value] : fresh.items()) {
    if (old[key] != value) changes.push_back({key, TextOfValue(value)});
  }
  if (from.card != to.card) changes.push_back({kCard, to.card});
  return changes;
}

std::string TextOf(const std::vector<SettingChange>& changes) {
  std::string text;
  for (const auto& [key, value] : changes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

networks::TrainingSettings KeepLocked(const networks::TrainingSettings& held,
                                      const networks::TrainingSettings& wanted,
                                      const std::vector<std::string>& locked) {
  if (locked.empty()) return wanted;  // whatever it is: who takes it says what is wrong with it
  const OrderedJson kept = JsonOf(held);
  OrderedJson json = JsonOf(wanted);
  for (const std::string& name : locked) {
    if (kept.contains(name)) json[name] = kept[name];
  }
  Result<networks::TrainingSettings> settings = networks::SettingsFromJson(json.dump());
  return settings ? *settings : held;
}

}  // namespace tidemark::lessons
