#include "profiler/networks/training_settings.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/base/choices.h"
#include "profiler/base/format.h"
#include "profiler/networks/techniques.h"

namespace tidemark::networks {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <typename Enum>
struct Spelling {
  Enum value;
  std::string_view text;
};

constexpr std::array<Spelling<Precision>, 4> kPrecisions = {{{Precision::kFloat32, "off"},
                                                             {Precision::kFloat16, "fp16"},
                                                             {Precision::kBfloat16, "bf16"},
                                                             {Precision::kPureFloat16, "pure-fp16"}}};
constexpr std::array<Spelling<OptimizerKind>, 6> kOptimizers = {{{OptimizerKind::kSgd, "sgd"},
                                                                 {OptimizerKind::kMomentum, "momentum"},
                                                                 {OptimizerKind::kAdam, "adam"},
                                                                 {OptimizerKind::kAdamW, "adamw"},
                                                                 {OptimizerKind::kAdagrad, "adagrad"},
                                                                 {OptimizerKind::kRmsprop, "rmsprop"}}};

template <typename Enum, size_t kCount>
Result<Enum> FromText(const std::array<Spelling<Enum>, kCount>& spellings, std::string_view option,
                      std::string_view text) {
  std::vector<std::string> known;
  for (const auto& [value, spelling] : spellings) {
    if (spelling == text) return value;
    known.emplace_back(spelling);
  }
  return Error{NotAmong(option, text, known)};
}

template <typename Enum, size_t kCount>
std::string ToText(const std::array<Spelling<Enum>, kCount>& spellings, Enum wanted) {
  for (const auto& [value, spelling] : spellings) {
    if (value == wanted) return std::string(spelling);
  }
  return "unknown";
}

constexpr std::string_view kEvery = "every:";
constexpr std::string_view kBudget = "budget:";
// A budget is written in the largest of which it is a whole number.
constexpr std::pair<std::string_view, int64_t> kWholeUnits[] = {
    {"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1000}, {"", 1}};

std::optional<int> WholeNumber(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Status InRange(std::string_view option, int value, int most) {
  if (value >= 1 && value <= most) return Done{};
  return Error{fmt::format("--{} must be between 1 and {}, not {}.", option, most, value)};
}

// Reads the keys of a settings object one by one and remembers the first that is wrong.
class SettingsReader {
 public:
  explicit SettingsReader(const OrderedJson& json) : json_(json) {}

  template <typename Number>
  void Read(const char* key, Number& field) {
    const OrderedJson* value = Take(key);
    if (value == nullptr) return;
    const bool fits = std::is_floating_point_v<Number> ? value->is_number()
                      : std::is_unsigned_v<Number>     ? value->is_number_unsigned()
                                                       : value->is_number_integer();
    if (!fits) return Fail(fmt::format("Setting '{}' must be a number.", key));
    const Number number = value->get<Number>();
    // An integer that does not fit comes back changed.
    if (std::is_integral_v<Number> && OrderedJson(number) != *value) {
      return Fail(fmt::format("Setting '{}' is out of range.", key));
    }
    field = number;
  }

  template <typename Parsed>
  void ReadText(const char* key, Parsed& field, Result<Parsed> (*parse)(std::string_view)) {
    const OrderedJson* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Fail(fmt::format("Setting '{}' must be a text.", key));
    Result<Parsed> parsed = parse(value->get_ref<const std::string&>());
    if (!parsed) return Fail(parsed.error().message);
    field = std::move(*parsed);
  }

  void Read(const Technique& technique, TrainingSettings& settings) {
    const OrderedJson* value = Take(technique.key);
    if (value == nullptr) return;
    if (!value->is_string()) return Fail(fmt::format("Setting '{}' must be a text.", technique.key));
    if (const Status read = technique.Set(settings, value->get_ref<const std::string&>()); !read)
      Fail(read.error().message);
  }

  Status Finish() {
    if (!failure_.empty()) return Error{failure_};
    if (taken_ != json_.size()) {
      for (const auto& [key, value] : json_.items()) {
        if (!IsKnown(key)) return Error{fmt::format("There is no setting called '{}'.", key)};
      }
    }
    return Done{};
  }

 private:
  const OrderedJson* Take(const char* key) {
    known_.emplace_back(key);
    const auto found = json_.find(key);
    if (found == json_.end()) return nullptr;
    ++taken_;
    return &*found;
  }
  bool IsKnown(std::string_view key) const {
    for (const std::string_view known : known_) {
      if (known == key) return true;
    }
    return false;
  }
  void Fail(std::string sentence) {
    if (failure_.empty()) failure_ = std::move(sentence);
  }

  const OrderedJson& json_;
  std::vector<std::string_view> known_;
  size_t taken_ = 0;
  std::string failure_;
};

Result<std::string> AnyText(std::string_view text) { return std::string(text); }

}  // namespace

Result<Precision> PrecisionFromText(std::string_view text) { return FromText(kPrecisions, "--amp", text); }
Result<OptimizerKind> OptimizerFromText(std::string_view text) {
  return FromText(kOptimizers, "--optimizer", text);
}

Result<Checkpointing> CheckpointingFromText(std::string_view text) {
  if (text == "none") return Checkpointing{};
  if (text == "layer") return Checkpointing{CheckpointMode::kByLayer};
  if (text.starts_with(kBudget)) {
    const std::optional<int64_t> bytes = BytesFromText(text.substr(kBudget.size()));
    if (bytes && *bytes > 0) return Checkpointing{CheckpointMode::kBudget, 0, *bytes};
  }
  const bool every = text.starts_with(kEvery);
  const std::optional<int> number = WholeNumber(every ? text.substr(kEvery.size()) : text);
  if (number && *number >= 1 && *number <= kMaxSegments) {
    return Checkpointing{every ? CheckpointMode::kEvery : CheckpointMode::kSegments, *number};
  }
  return Error{
      fmt::format("--checkpoint must be none, layer, a number of segments from 1 to {0}, every:K (K "
                  "layers in a segment, 1 to {0}), or budget:SIZE (such as budget:40MB), not '{1}'.",
                  kMaxSegments, Quoted(text))};
}

Result<DeviceChoice> DeviceFromText(std::string_view device, std::string_view card) {
  DeviceChoice choice;
  choice.card = card;
  if (device == "phantom") return choice;
  choice.kind = DeviceKind::kCpu;
  if (device == "cpu") return choice;
  constexpr std::string_view kCudaPrefix = "cuda:";
  const bool indexed = device.starts_with(kCudaPrefix);
  const std::optional<int> index = indexed ? WholeNumber(device.substr(kCudaPrefix.size())) : std::nullopt;
  if (device != "cuda" && (!index || *index < 0)) {
    return Error{fmt::format("--device must be phantom, cpu or cuda:N (cuda:0 is the first GPU), not '{}'.",
                             Quoted(device))};
  }
  choice.kind = DeviceKind::kCuda;
  choice.index = index.value_or(0);
  return choice;
}

std::string TextOf(Precision precision) { return ToText(kPrecisions, precision); }
std::string TextOf(OptimizerKind optimizer) { return ToText(kOptimizers, optimizer); }
std::string TitleOf(OptimizerKind optimizer) {
  switch (optimizer) {
    case OptimizerKind::kSgd:
      return "SGD";
    case OptimizerKind::kMomentum:
      return "SGD with momentum";
    case OptimizerKind::kAdam:
      return "Adam";
    case OptimizerKind::kAdamW:
      return "AdamW";
    case OptimizerKind::kAdagrad:
      return "Adagrad";
    case OptimizerKind::kRmsprop:
      return "RMSprop";
  }
  return "";
}
std::string TextOf(const Checkpointing& checkpoint) {
  if (checkpoint.mode == CheckpointMode::kNone) return "none";
  if (checkpoint.mode == CheckpointMode::kByLayer) return "layer";
  if (checkpoint.mode == CheckpointMode::kEvery) return fmt::format("{}{}", kEvery, checkpoint.segments);
  if (checkpoint.mode == CheckpointMode::kBudget) {
    for (const auto& [unit, bytes] : kWholeUnits) {
      if (checkpoint.budget_bytes % bytes == 0)
        return fmt::format("{}{}{}", kBudget, checkpoint.budget_bytes / bytes, unit);
    }
  }
  return fmt::format("{}", checkpoint.segments);
}
std::string TitleOf(const Checkpointing& checkpoint) {
  const char* const plural = checkpoint.segments == 1 ? "" : "s";
  switch (checkpoint.mode) {
    case CheckpointMode::kNone:
      return "none";
    case CheckpointMode::kByLayer:
      return "by layer";
    case CheckpointMode::kSegments:
      return fmt::format("{} segment{}", checkpoint.segments, plural);
    case CheckpointMode::kEvery:
      return fmt::format("segments of {} layer{}", checkpoint.segments, plural);
    case CheckpointMode::kBudget:
      break;
  }
  return "budget " + FormatBytes(checkpoint.budget_bytes, ByteUnit::kMegabytes);
}

bool IsPhantom(std::string_view device) {
  return device == TextOf(DeviceChoice{DeviceKind::kPhantom, 0, ""});
}

std::string TextOf(const DeviceChoice& device) {
  if (device.kind == DeviceKind::kPhantom) return "phantom";
  if (device.kind == DeviceKind::kCpu) return "cpu";
  return fmt::format("cuda:{}", device.index);
}

double EffectiveLearningRate(const TrainingSettings& settings) {
  const double micro_batches = settings.accumulate;
  switch (settings.learning_rate_rule) {
    case LearningRateRule::kLinear:
      return settings.learning_rate * micro_batches;
    case LearningRateRule::kSquareRoot:
      return settings.learning_rate * std::sqrt(micro_batches);
    case LearningRateRule::kNone:
      break;
  }
  return settings.learning_rate;
}

bool UsesAutocast(const TrainingSettings& settings) {
  return settings.amp == Precision::kFloat16 || settings.amp == Precision::kBfloat16;
}

bool SharesState(const TrainingSettings& settings) {
  return settings.zero >= ZeroStage::kState && settings.ranks > 1;
}

bool SharesGradients(const TrainingSettings& settings) {
  return settings.zero >= ZeroStage::kGradients && settings.ranks > 1;
}

bool SharesParameters(const TrainingSettings& settings) {
  return settings.zero == ZeroStage::kParameters && settings.ranks > 1;
}

bool UsesPipeline(const TrainingSettings& settings) {
  return settings.pipeline != PipelineSchedule::kOff && settings.ranks > 1;
}

bool ScalesLoss(const TrainingSettings& settings) {
  return settings.amp == Precision::kFloat16 && settings.pass == Pass::kTrain;
}

Status Validate(const TrainingSettings& settings) {
  for (const Status& checked : {InRange("batch", settings.batch, kMaxBatch),
                                InRange("accumulate", settings.accumulate, kMaxAccumulate),
                                InRange("ranks", settings.ranks, kMaxRanks)}) {
    if (!checked) return checked;
  }
  const CheckpointMode mode = settings.checkpoint.mode;
  if (mode == CheckpointMode::kBudget && settings.checkpoint.budget_bytes <= 0) {
    return Error{
        fmt::format("--checkpoint budget: must be above 0, not {}.", settings.checkpoint.budget_bytes)};
  }
  if (mode == CheckpointMode::kSegments || mode == CheckpointMode::kEvery) {
    Status segments = InRange("checkpoint", settings.checkpoint.segments, kMaxSegments);
    if (!segments) return segments;
  }
  if (!(settings.learning_rate > 0 && settings.learning_rate <= kMaxLearningRate)) {
    return Error{fmt::format("--lr must be above 0 and at most {}, not {}.", kMaxLearningRate,
                             settings.learning_rate)};
  }
  if (!(settings.clip_norm >= 0 && std::isfinite(settings.clip_norm))) {
    return Error{fmt::format("--clip must be 0 (off) or a positive norm, not {}.", settings.clip_norm)};
  }
  if (settings.optimizer_implementation == OptimizerImplementation::kFused &&
      settings.optimizer == OptimizerKind::kRmsprop) {
    return Error{
        "--optimizer-implementation fused: there is no fused RMSprop; take foreach, or another --optimizer."};
  }
  if (settings.pipeline != PipelineSchedule::kOff && settings.zero != ZeroStage::kOff) {
    return Error{
        "--pipeline gives each rank layers of its own, so --zero finds nothing that ranks hold alike. Leave "
        "one of them out."};
  }
  TrainingSettings again = settings;
  for (const Technique& technique : Techniques()) {
    if (Status valid = technique.Set(again, technique.TextOf(settings)); !valid) return valid;
  }
  return Done{};
}

std::string ToJson(const TrainingSettings& settings) {
  OrderedJson json{{"network", settings.network},
                   {"batch", settings.batch},
                   {"amp", TextOf(settings.amp)},
                   {"accumulate", settings.accumulate},
                   {"checkpoint", TextOf(settings.checkpoint)},
                   {"optimizer", TextOf(settings.optimizer)},
                   {"learning_rate", settings.learning_rate},
                   {"clip_norm", settings.clip_norm},
                   {"seed", settings.seed}};
  if (!settings.data.empty()) json["data"] = settings.data;
  for (const Technique& technique : Techniques()) {
    if (technique.IsInUse(settings)) json[technique.key] = technique.TextOf(settings);
  }
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<TrainingSettings> SettingsFromJson(std::string_view text) {
  const OrderedJson json = OrderedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"The training settings are not a JSON object."};
  TrainingSettings settings;
  SettingsReader reader(json);
  reader.ReadText("network", settings.network, AnyText);
  reader.Read("batch", settings.batch);
  reader.ReadText("amp", settings.amp, PrecisionFromText);
  reader.Read("accumulate", settings.accumulate);
  reader.ReadText("checkpoint", settings.checkpoint, CheckpointingFromText);
  reader.ReadText("optimizer", settings.optimizer, OptimizerFromText);
  reader.Read("learning_rate", settings.learning_rate);
  reader.Read("clip_norm", settings.clip_norm);
  reader.Read("seed", settings.seed);
  reader.ReadText("data", settings.data, AnyText);
  for (const Technique& technique : Techniques()) reader.Read(technique, settings);
  if (const Status read = reader.Finish(); !read) return read.error();
  if (const Status valid = Validate(settings); !valid) return valid.error();
  return settings;
}

namespace {

// Without the folders of what is named by its file.
std::string NameOfFile(const std::string& name) {
  const std::filesystem::path path(name);
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

std::string DescribeChange(const TrainingSettings& before, const TrainingSettings& after) {
  std::string text;
  const auto say = [&text](const std::string& change) { text += (text.empty() ? "" : ", ") + change; };
  if (before.network != after.network)
    say(fmt::format("{} → {}", NameOfFile(before.network), NameOfFile(after.network)));
  if (before.amp != after.amp) {
    const bool off = after.amp == Precision::kFloat32;
    if (!off && before.amp != Precision::kFloat32) {
      say(fmt::format("{} → {}", TextOf(before.amp), TextOf(after.amp)));
    } else {
      say(fmt::format("{} {}", TextOf(off ? before.amp : after.amp), off ? "off" : "on"));
    }
  }
  if (before.batch != after.batch) say(fmt::format("batch {} → {}", before.batch, after.batch));
  if (before.accumulate != after.accumulate)
    say(fmt::format("accumulate {} → {}", before.accumulate, after.accumulate));
  if (before.checkpoint != after.checkpoint) {
    say(fmt::format("checkpoint {} → {}", TitleOf(before.checkpoint), TitleOf(after.checkpoint)));
  }
  if (before.optimizer != after.optimizer) {
    say(fmt::format("{} → {}", TitleOf(before.optimizer), TitleOf(after.optimizer)));
  }
  if (before.learning_rate != after.learning_rate) {
    say(fmt::format("learning rate {} → {}", before.learning_rate, after.learning_rate));
  }
  if (before.clip_norm != after.clip_norm) {
    say(after.clip_norm == 0 ? std::string("clipping off")
                             : fmt::format("clip gradients at {}", after.clip_norm));
  }
  if (before.seed != after.seed) say(fmt::format("seed {} → {}", before.seed, after.seed));
  if (before.data != after.data)
    say(after.data.empty() ? "synthetic data" : "data " + NameOfFile(after.data));
  for (const Technique& technique : Techniques()) {
    const std::string was = technique.TextOf(before);
    const std::string is = technique.TextOf(after);
    if (was == is) continue;
    say(technique.IsSwitch() ? fmt::format("{} {}", technique.title, is)
                             : fmt::format("{} {} → {}", technique.title, was, is));
  }
  return text;
}

}  // namespace tidemark::networks
