#include "profiler/capture/transport/messages.h"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace tidemark::transport {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kDeviceKinds = {"phantom", "cpu", "cuda"};
constexpr std::array<std::string_view, 4> kRunModes = {"run", "pause", "one step", "one operator"};
constexpr std::array<std::string_view, 2> kActivities = {"running", "paused"};

template <typename Enum, size_t kCount>
Json TextOf(const std::array<std::string_view, kCount>& texts, Enum value) {
  return Json(texts.at(static_cast<size_t>(value)));
}

std::string Dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Reads the fields of one object. The first that is missing or of another type makes `ok()` false for good.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  bool ok() const { return ok_; }

  std::string String(const char* key) {
    const Json* field = Find(key, [](const Json& json) { return json.is_string(); });
    return field == nullptr ? std::string() : field->get<std::string>();
  }
  template <typename Integer>
  Integer Whole(const char* key) {
    const Json* field = Find(key, [](const Json& json) {
      return json.is_number_integer() && (!json.is_number_unsigned() || json.get<uint64_t>() <= kMaxWhole) &&
             std::in_range<Integer>(json.get<int64_t>());
    });
    return field == nullptr ? Integer{} : static_cast<Integer>(field->get<int64_t>());
  }
  double Number(const char* key) {
    const Json* field =
        Find(key, [](const Json& json) { return json.is_number() && std::isfinite(json.get<double>()); });
    return field == nullptr ? 0 : field->get<double>();
  }
  bool Bool(const char* key) {
    const Json* field = Find(key, [](const Json& json) { return json.is_boolean(); });
    return field != nullptr && field->get<bool>();
  }
  const Json& Object(const char* key) {
    static const Json empty = Json::object();
    const Json* field = Find(key, [](const Json& json) { return json.is_object(); });
    return field == nullptr ? empty : *field;
  }
  template <typename Enum, size_t kCount>
  Enum Choice(const char* key, const std::array<std::string_view, kCount>& texts) {
    const std::string text = String(key);
    for (size_t i = 0; i < kCount; ++i) {
      if (texts[i] == text) return static_cast<Enum>(i);
    }
    ok_ = false;
    return Enum{};
  }
  networks::TrainingSettings Settings(const char* key) {
    Result<networks::TrainingSettings> settings = networks::SettingsFromJson(Object(key).dump());
    if (settings) return std::move(*settings);
    ok_ = false;
    return {};
  }
  events::RunDescription Description(const char* key) {
    Result<events::RunDescription> description = events::DescriptionFromJson(Object(key).dump());
    if (description) return std::move(*description);
    ok_ = false;
    return {};
  }

 private:
  static constexpr uint64_t kMaxWhole = std::numeric_limits<int64_t>::max();

  template <typename Predicate>
  const Json* Find(const char* key, Predicate is_right) {
    const auto found = object_.find(key);
    if (found != object_.end() && is_right(*found)) return &*found;
    ok_ = false;
    return nullptr;
  }

  const Json& object_;
  bool ok_ = true;
};

Json SettingsJson(const networks::TrainingSettings& settings) {
  return Json::parse(networks::ToJson(settings));
}

// One overload a message; the key "message" tells them apart.
Json ToObject(const Start& start) {
  return {{"message", "start"},
          {"settings", SettingsJson(start.settings)},
          {"device",
           {{"kind", TextOf(kDeviceKinds, start.device.kind)},
            {"index", start.device.index},
            {"card", start.device.card}}}};
}
Json ToObject(const Change& change) {
  return {{"message", "change"}, {"settings", SettingsJson(change.settings)}};
}
Json ToObject(const SetMode& mode) {
  return {{"message", "set mode"}, {"mode", TextOf(kRunModes, mode.mode)}};
}
Json ToObject(const SetPace& pace) {
  return {{"message", "set pace"}, {"steps_per_second", pace.steps_per_second}};
}
Json ToObject(const SetStepLimit& limit) { return {{"message", "set step limit"}, {"steps", limit.steps}}; }
Json ToObject(const Restart& restart) {
  return {{"message", "restart"}, {"settings", SettingsJson(restart.settings)}};
}
Json ToObject(const Stop&) { return {{"message", "stop"}}; }

Json ToObject(const Started& started) {
  return {{"message", "started"}, {"description", Json::parse(events::ToJson(started.description))}};
}
Json ToObject(const ActivityChanged& changed) {
  return {{"message", "activity changed"},
          {"activity", TextOf(kActivities, changed.activity)},
          {"steps_done", changed.steps_done}};
}
Json ToObject(const Finished& finished) {
  return {{"message", "finished"}, {"steps_done", finished.steps_done}};
}
Json ToObject(const Failed& failed) {
  return {{"message", "failed"},
          {"sentence", failed.sentence},
          {"out_of_memory", failed.out_of_memory},
          {"lost_rank", failed.lost_rank}};
}

std::optional<Command> CommandFrom(const std::string& message, Fields& fields) {
  if (message == "start") {
    Start start;
    start.settings = fields.Settings("settings");
    Fields device(fields.Object("device"));
    start.device.kind = device.Choice<networks::DeviceKind>("kind", kDeviceKinds);
    start.device.index = device.Whole<int>("index");
    start.device.card = device.String("card");
    if (!device.ok()) return std::nullopt;
    return start;
  }
  if (message == "change") return Change{fields.Settings("settings")};
  if (message == "set mode") return SetMode{fields.Choice<RunMode>("mode", kRunModes)};
  if (message == "set pace") return SetPace{fields.Number("steps_per_second")};
  if (message == "set step limit") return SetStepLimit{fields.Whole<int64_t>("steps")};
  if (message == "restart") return Restart{fields.Settings("settings")};
  if (message == "stop") return Stop{};
  return std::nullopt;
}

std::optional<Report> ReportFrom(const std::string& message, Fields& fields) {
  if (message == "started") return Started{fields.Description("description")};
  if (message == "activity changed") {
    return ActivityChanged{fields.Choice<Activity>("activity", kActivities),
                           fields.Whole<int64_t>("steps_done")};
  }
  if (message == "finished") return Finished{fields.Whole<int64_t>("steps_done")};
  if (message == "failed")
    return Failed{fields.String("sentence"), fields.Bool("out_of_memory"), fields.Bool("lost_rank")};
  return std::nullopt;
}

// Whatever else the packet holds (an unknown key, another type, a value out of range) shows in what would be
// written back.
template <typename Message, typename From>
Result<Message> Parse(std::string_view text, From from, const char* what) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) {
    Fields fields(json);
    const std::string name = fields.String("message");
    std::optional<Message> message = from(name, fields);
    if (message && fields.ok()) {
      const Json again = std::visit([](const auto& each) { return ToObject(each); }, *message);
      if (again == json) return std::move(*message);
    }
  }
  return Error{std::string("The command channel brought what is no ") + what + ": " +
               std::string(text.substr(0, 200)) + ". The trainer and the program must be of the same build."};
}

}  // namespace

std::string ToJson(const Command& command) {
  return Dump(std::visit([](const auto& message) { return ToObject(message); }, command));
}
std::string ToJson(const Report& report) {
  return Dump(std::visit([](const auto& message) { return ToObject(message); }, report));
}
Result<Command> CommandFromJson(std::string_view json) {
  return Parse<Command>(json, CommandFrom, "command");
}
Result<Report> ReportFromJson(std::string_view json) { return Parse<Report>(json, ReportFrom, "report"); }

}  // namespace tidemark::transport
