#include "app/cli/recording_file.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "app/cli/console.h"
#include "app/cli/numbers.h"

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

std::vector<std::string> WarningsOf(const session::Run& run) {
  std::vector<std::string> warnings;
  if (!run.status().sentence.empty()) warnings.push_back(run.status().sentence);
  for (const std::string& sentence : timeline::DescribeHealth(run.view()->health()))
    warnings.push_back(sentence);
  return warnings;
}

}  // namespace tidemark::cli
