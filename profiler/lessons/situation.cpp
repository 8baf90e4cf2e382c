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

Status Apply(const std::string& word, OrderedJson* settings, std::string* card) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) {
    return Error{fmt::format("'{}' sets nothing; write it as KEY=VALUE, like batch=128.", Quoted(word))};
  }
  const std::string key = word.substr(0, equals);
  const std::string text = word.substr(equals + 1);
  if (key == kCard) {
    *card = text;
    return Done{};
  }
  const auto setting = settings->find(key);
  if (setting == settings->end()) return Error{UnknownChoice("setting", key, SettingNames())};
  Result<OrderedJson> value = TypedValue(key, *setting, text);
  if (!value) return value.error();
  *setting = std::move(*value);
  return Done{};
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

Result<Situation> Changed(const Situation& from, std::string_view changes) {
  OrderedJson json = JsonOf(from.settings);
  Situation to = from;
  for (const std::string& word : WordsOf(changes)) {
    if (const Status applied = Apply(word, &json, &to.card); !applied) return applied.error();
  }
  Result<networks::TrainingSettings> settings = networks::SettingsFromJson(json.dump());
  if (!settings) return settings.error();
  to.settings = std::move(*settings);
  return to;
}

std::string ChangesBetween(const Situation& from, const Situation& to) {
  const OrderedJson old = JsonOf(from.settings);
  const OrderedJson fresh = JsonOf(to.settings);
  std::string changes;
  for (const auto& [key, value] : fresh.items()) {
    if (old[key] != value)
      changes += fmt::format("{}{}={}", changes.empty() ? "" : " ", key, TextOfValue(value));
  }
  if (from.card != to.card) changes += fmt::format("{}{}={}", changes.empty() ? "" : " ", kCard, to.card);
  return changes;
}

networks::TrainingSettings KeepLocked(const networks::TrainingSettings& held,
                                      const networks::TrainingSettings& wanted,
                                      const std::vector<std::string>& locked) {
  const OrderedJson kept = JsonOf(held);
  OrderedJson json = JsonOf(wanted);
  for (const std::string& name : locked) {
    if (kept.contains(name)) json[name] = kept[name];
  }
  Result<networks::TrainingSettings> settings = networks::SettingsFromJson(json.dump());
  return settings ? *settings : held;
}

}  // namespace tidemark::lessons
