#include "profiler/lessons/session_code.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "profiler/base/choices.h"
#include "profiler/events/event.h"
#include "profiler/lessons/situation.h"

namespace tidemark::lessons {
namespace {

constexpr std::string_view kPrefix = "tidemark";
constexpr int kVersion = 1;
constexpr size_t kCheckDigits = 8;
constexpr double kMostStepsPerSecond = 1e6;

// By their bits in codes. What is here stays where it is: a new category comes last.
constexpr std::array kCategoryOfBit = {
    events::Category::kParameter,     events::Category::kOptimizerState, events::Category::kGradient,
    events::Category::kInput,         events::Category::kActivation,     events::Category::kTemporary,
    events::Category::kWorkspace,     events::Category::kAutocastCache,  events::Category::kUnknown,
    events::Category::kCommunication, events::Category::kOutput};
static_assert(kCategoryOfBit.size() == events::kCategoryCount);

bool IsPlain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_' || letter == '+';
}

std::string Escaped(std::string_view value) {
  std::string text;
  for (const char letter : value) {
    if (IsPlain(letter)) {
      text += letter;
    } else {
      text += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return text;
}

std::string Unescaped(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool escape = text[i] == '%' && i + 2 < text.size();
    if (escape && std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ec == std::errc()) {
      value += static_cast<char>(code);
      i += 2;
    } else {
      value += text[i];
    }
  }
  return value;
}

uint32_t Check(std::string_view text) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

std::string Joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, "+")); }

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(at), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <typename Number>
std::optional<Number> NumberFrom(std::string_view text, Number least, Number most) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

std::optional<uint32_t> CategoriesFrom(std::string_view text) {
  const auto bits = NumberFrom<uint32_t>(text, 0, std::numeric_limits<uint32_t>::max());
  return bits ? CategoriesOfBits(*bits) : std::nullopt;
}

// Takes what is of the window; false: the key is none of these.
class WindowPart {
 public:
  explicit WindowPart(SessionState* state) : state_(state) {}

  bool Take(const std::string& key, const std::string& value) {
    if (key == "device") return Keep(networks::DeviceFromText(value, state_->device.card));
    if (key == "card") return Keep(networks::DeviceFromText("phantom", value));
    if (key == "pace")
      return Keep(&state_->steps_per_second, NumberFrom<double>(value, 0.0, kMostStepsPerSecond));
    if (key == "hide") return Keep(&state_->hidden_categories, CategoriesFrom(value));
    if (key == "page") return Keep(&state_->page, NumberFrom<int>(value, 0, 1000));
    if (key == "unit") state_->unit = value == "MiB" ? ByteUnit::kMebibytes : ByteUnit::kMegabytes;
    if (key == "axis") state_->wall_clock = value == "clock";
    if (key == "panels") state_->panels = Split(value, '+');
    if (key == "lock") state_->locked = Split(value, '+');
    if (key == "conceal") state_->hidden = Split(value, '+');
    if (key == "lesson") state_->lesson = value;
    if (key == "allocator") state_->allocator = value;
    constexpr std::string_view kTexts[] = {"unit",    "axis",   "panels",   "lock",
                                           "conceal", "lesson", "allocator"};
    return std::ranges::find(kTexts, key) != std::end(kTexts);
  }
  bool fits() const { return fits_; }

 private:
  bool Keep(const Result<networks::DeviceChoice>& device) {
    fits_ = fits_ && device.ok();
    if (device) state_->device = *device;
    return true;
  }
  template <typename Number>
  bool Keep(Number* field, std::optional<Number> number) {
    fits_ = fits_ && number.has_value();
    if (number) *field = *number;
    return true;
  }

  SessionState* state_;
  bool fits_ = true;
};

// Between the prefix and the check: "batch=128;amp=fp16".
Result<SessionState> StateFromParts(std::string_view parts) {
  SessionState state;
  std::vector<SettingChange> changes;
  WindowPart window(&state);
  for (const std::string& part : Split(parts, ';')) {
    const size_t equals = std::min(part.find('='), part.size());
    const std::string key = part.substr(0, equals);
    const std::string value = equals < part.size() ? Unescaped(part.substr(equals + 1)) : "";
    if (window.Take(key, value)) {
      if (!window.fits())
        return Error{fmt::format("The code sets {} to '{}', which it cannot be.", key, value)};
      continue;
    }
    changes.push_back({key, value});
  }
  const Result<Situation> situation = Changed({}, changes);
  if (!situation) return Error{"The code cannot be used: " + situation.error().message};
  state.settings = situation->settings;
  return state;
}

// What a chat may have put into the code or around it.
std::string WithoutSpaces(std::string_view pasted) {
  std::string text;
  for (const char letter : pasted) {
    const bool of_chat = static_cast<unsigned char>(letter) <= ' ' || letter == '`' || letter == '"';
    if (!of_chat) text += letter;
  }
  return text;
}

Error Damaged() {
  return Error{
      "This code was cut or changed on its way: its check does not fit. Copy all of it, from tidemark to the "
      "end."};
}

}  // namespace

uint32_t BitsInCode(uint32_t categories) {
  uint32_t bits = 0;
  for (size_t bit = 0; bit < kCategoryOfBit.size(); ++bit)
    bits |= (categories >> static_cast<unsigned>(kCategoryOfBit[bit]) & 1U) << bit;
  return bits;
}

std::optional<uint32_t> CategoriesOfBits(uint32_t bits) {
  if (bits >> kCategoryOfBit.size() != 0) return std::nullopt;
  uint32_t categories = 0;
  for (size_t bit = 0; bit < kCategoryOfBit.size(); ++bit)
    categories |= (bits >> bit & 1U) << static_cast<unsigned>(kCategoryOfBit[bit]);
  return categories;
}

std::string CodeOf(const SessionState& state) {
  const SessionState fresh;
  std::string parts;
  const auto add = [&parts](std::string_view key, const std::string& value, bool differs) {
    if (differs) parts += fmt::format("{}{}={}", parts.empty() ? "" : ";", key, Escaped(value));
  };
  for (const auto& [key, value] : ChangesBetween({fresh.settings, ""}, {state.settings, ""}))
    add(key, value, true);
  add("card", state.device.card, state.device.card != fresh.device.card);
  add("device", TextOf(state.device), state.device.kind != fresh.device.kind);
  add("allocator", state.allocator, !state.allocator.empty());
  add("pace", fmt::format("{}", state.steps_per_second), state.steps_per_second != fresh.steps_per_second);
  add("unit", "MiB", state.unit != fresh.unit);
  add("axis", "clock", state.wall_clock);
  add("hide", fmt::format("{}", BitsInCode(state.hidden_categories)), state.hidden_categories != 0);
  add("panels", Joined(state.panels), !state.panels.empty());
  add("lock", Joined(state.locked), !state.locked.empty());
  add("conceal", Joined(state.hidden), !state.hidden.empty());
  add("lesson", state.lesson, !state.lesson.empty());
  add("page", fmt::format("{}", state.page), state.page != 0);
  const std::string text = fmt::format("{}{}:{}", kPrefix, kVersion, parts);
  return fmt::format("{}:{:08x}", text, Check(text));
}

Result<SessionState> StateFromCode(std::string_view pasted) {
  const std::string all = WithoutSpaces(pasted);
  size_t begin = all.find(kPrefix);
  size_t digits = begin + kPrefix.size();
  while (begin != std::string::npos && (digits >= all.size() || all[digits] < '0' || all[digits] > '9')) {
    begin = all.find(kPrefix, begin + 1);
    digits = begin + kPrefix.size();
  }
  if (begin == std::string::npos) {
    return Error{
        "There is no session code in this text; one begins with tidemark1: and is copied with Ctrl+Shift+C."};
  }
  const std::string_view text = std::string_view(all).substr(begin);
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Damaged();
  const std::string_view version = text.substr(kPrefix.size(), colon - kPrefix.size());
  if (version != fmt::format("{}", kVersion)) {
    return Error{
        fmt::format("This code is of version {}; this Tidemark knows version {}. A newer one reads it.",
                    Quoted(version), kVersion)};
  }
  const size_t last = text.find(':', colon + 1);
  if (last == std::string_view::npos || text.size() < last + 1 + kCheckDigits) return Damaged();
  uint32_t check = 0;
  const std::string_view stated = text.substr(last + 1, kCheckDigits);
  const auto [end, error] = std::from_chars(stated.data(), stated.data() + stated.size(), check, 16);
  if (error != std::errc() || end != stated.data() + stated.size() || check != Check(text.substr(0, last))) {
    return Damaged();
  }
  return StateFromParts(text.substr(colon + 1, last - colon - 1));
}

}  // namespace tidemark::lessons
