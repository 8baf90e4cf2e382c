#include "app/cli/fit_search.h"

#include <fmt/format.h>

#include "app/cli/console/card_option.h"
#include "app/cli/console/console.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/networks/script_files.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {
namespace {

// Those in force at the end.
Result<networks::TrainingSettings> SettingsOf(const session::Run& run) {
  const auto view = run.view();
  const std::string* told = timeline::LatestSettings(*view);
  return networks::SettingsFromJson(told != nullptr ? *told : run.description().settings_json);
}

int64_t SavedBytes(const WaysOut& ways, const advice::Proposal& way) {
  return ways.answer.present.need.reserved_peak_bytes - way.need.reserved_peak_bytes;
}

}  // namespace

Result<advice::FitAnswer> SearchFit(const advice::FitQuestion& question) {
  const InterruptListener listener;
  ProgressLine progress;
  const auto goes_on = [] { return !InterruptListener::WasInterrupted(); };
  Result<advice::FitAnswer> answer = advice::FindFit(
      question,
      advice::AskPhantom(std::make_shared<advice::Needs>(question.card, question.allocator, goes_on)),
      [&](size_t done, size_t of) {
        progress.Show(fmt::format("{} of {} configurations", done, of));
        return goes_on();
      });
  progress.Clear();
  return answer;
}

Result<WaysOut> FindWaysOut(const session::Run& run) {
  const events::RunDescription description = run.description();
  const Result<networks::TrainingSettings> settings = SettingsOf(run);
  if (!settings) {
    const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
    return Error{
        fmt::format("Ways out are searched for networks of Tidemark's; of a program, {} tells which cards it "
                    "fits on, and what would make it fit.",
                    presenters::FitCommand(description, run.view()->devices().size(),
                                           cards ? *cards : std::vector<phantom::Card>()))};
  }
  const Result<networks::Network> network = networks::FindNamedByFile(settings->network);
  if (!network) return network.error();
  const Result<std::optional<phantom::Card>> card = CardNamedBy(description);
  if (!card) return card.error();
  if (!*card) {
    return Error{
        fmt::format("What fits on \"{}\" is not known: it is none of the cards that tidemark cards lists.",
                    description.device_name)};
  }
  const advice::FitQuestion question{*network, *settings, **card, 0, description.allocator_settings};
  Result<advice::FitAnswer> answer = SearchFit(question);
  if (!answer) return answer.error();
  return WaysOut{question, std::move(*answer)};
}

std::string WaysOutRows(const WaysOut& ways) {
  if (ways.answer.present.need.fits) return fmt::format("Ways out\n  {}\n", advice::kFitsAsItIs);
  const std::vector<advice::Proposal> told = advice::WaysOut(ways.answer);
  std::string rows = WhyTooBig(ways.question, ways.answer.present.need, ByteUnit::kMebibytes);
  if (!rows.empty()) rows += "\n";
  if (told.empty())
    return rows + "Ways out\n  No change of settings makes it fit: choose a card with more memory.\n";
  rows += fmt::format("Ways out, the cheapest first (as it is a step would take ~{})\n",
                      FormatDuration(static_cast<int64_t>(ways.answer.present.step_seconds * 1e9)));
  for (const advice::Proposal& way : told) {
    rows += fmt::format("  {}: saves {}, a step ~{}\n", DescribeProposal(ways.question, way),
                        FormatBytes(SavedBytes(ways, way), ByteUnit::kMebibytes),
                        FormatDuration(static_cast<int64_t>(way.step_seconds * 1e9)));
  }
  return rows;
}

Json WaysOutJson(const WaysOut& ways) {
  Json json = Json::array();
  for (const advice::Proposal& way : advice::WaysOut(ways.answer)) {
    json.push_back({{"change", DescribeProposal(ways.question, way)},
                    {"settings", Json::parse(networks::ToJson(way.configuration.settings))},
                    {"allocator", way.configuration.allocator},
                    {"saved_bytes", SavedBytes(ways, way)},
                    {"estimated_step_seconds", way.step_seconds}});
  }
  return json;
}

}  // namespace tidemark::cli
