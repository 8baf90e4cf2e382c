#include "app/gui/shell/kept_run_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>

namespace tidemark::gui {
namespace {

constexpr const char* kTimeFormat = "%Y%m%d-%H%M%S";

std::string InWords(const char* format, const std::tm& parts) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// Clocks may be set back, so that it may lie ahead.
std::string AgoInWords(int64_t seconds) {
  struct Unit {
    int64_t seconds;
    const char* name;
  };
  constexpr std::array kUnits = {Unit{24 * 60 * 60, "day"}, Unit{60 * 60, "hour"}, Unit{60, "minute"}};
  const auto* const unit =
      std::ranges::find_if(kUnits, [seconds](const Unit& one) { return seconds >= one.seconds; });
  if (unit == kUnits.end()) return "just now";
  const int64_t count = seconds / unit->seconds;
  return fmt::format("{} {}{} ago", count, unit->name, count == 1 ? "" : "s");
}

}  // namespace

std::string KeptTime(std::time_t when) {
  std::tm parts{};
  localtime_r(&when, &parts);
  return InWords(kTimeFormat, parts);
}

std::optional<KeptRunWords> WordsOfKeptRun(const std::string& file_name, std::time_t now) {
  std::tm parts{};
  const char* rest = strptime(file_name.c_str(), kTimeFormat, &parts);
  const size_t title = rest == nullptr ? std::string::npos : file_name.find(' ');
  if (title == std::string::npos) return {};
  parts.tm_isdst = -1;  // as it was then
  const std::time_t then = std::mktime(&parts);
  return KeptRunWords{std::filesystem::path(file_name.substr(title + 1)).stem().string(),
                      InWords("%e %b %Y, %H:%M, ", parts) + AgoInWords(now - then)};
}

}  // namespace tidemark::gui
