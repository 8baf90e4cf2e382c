#include "app/cli/console/recording_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>

#include "app/cli/console/console.h"
#include "app/cli/console/numbers.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/shell_words.h"

namespace tidemark::cli {
namespace {

constexpr const char* kOneCardOption = "--device";

Result<std::optional<uint8_t>> OneCardOf(const std::string& text) {
  if (text.empty()) return std::optional<uint8_t>();
  constexpr std::string_view kPrefix = "cuda:";
  const bool has_prefix = text.starts_with(kPrefix);
  const Result<int64_t> number = WholeNumber(kOneCardOption, has_prefix ? text.substr(kPrefix.size()) : "", 0,
                                             std::numeric_limits<uint8_t>::max());
  if (!number) return Error{"A card of the run is called cuda:0, cuda:1 or the like, not '" + text + "'."};
  return std::optional(static_cast<uint8_t>(*number));
}

std::string WhyNoCard(const std::string& given) {
  const Result<std::optional<uint8_t>> device = OneCardOf(given);
  return device ? "" : device.error().message;
}

}  // namespace

Result<std::unique_ptr<session::Run>> OpenRecording(const std::string& file, const std::string& card) {
  const Result<std::optional<uint8_t>> device = OneCardOf(card);
  if (!device) return device.error();
  ProgressLine line;
  return session::Run::Open(file, line.ShowShare("reading"), *device);
}

void AddOneCardOption(CLI::App& command, std::string& card) {
  command.add_option(kOneCardOption, card, "cuda:N: that card of a run on several alone")
      ->check(WhyNoCard)
      ->type_name("cuda:N");
}

void AddRecordingOption(CLI::App& command, std::string& file, const std::string& help) {
  command.add_option("-o,--output", file, help)->check(WhyNoRecordingName)->type_name("FILE");
}

std::string WhyNoRecordingName(const std::string& file) {
  const auto* const recording = presenters::FormatOfKey("tide");
  const auto* const format = presenters::FormatOfEnding(file);
  std::error_code not_there;
  const bool is_no_file =  // a device, which has no ending, or a folder, which is told of where it is opened
      std::filesystem::exists(file, not_there) && !std::filesystem::is_regular_file(file, not_there);
  if (file.empty() || is_no_file || format == recording) return "";
  const std::string name = std::filesystem::path(file).replace_extension(recording->ending).string();
  if (format != nullptr) {
    return fmt::format("What is recorded is a {}, not a {}. Record to {}, then: tidemark convert {} {}",
                       recording->ending, format->ending, name, InShell(name), InShell(file));
  }
  return fmt::format("{} does not tell by its ending that it is a recording; name it {}.", file,
                     file + std::string(recording->ending));
}

std::vector<std::string> WarningsOf(const session::Run& run) {
  std::vector<std::string> warnings;
  if (!run.status().sentence.empty()) warnings.push_back(run.status().sentence);
  for (const std::string& sentence : timeline::DescribeHealth(*run.view())) warnings.push_back(sentence);
  return warnings;
}

}  // namespace tidemark::cli
