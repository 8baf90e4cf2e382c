#include "app/cli/reports/run_facts.h"

#include <fmt/format.h>

#include <optional>

#include "app/cli/reports/report.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/graph_replays.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {
namespace {

std::string DeviceInWords(const events::RunDescription& description) {
  std::string name = description.device_name.empty() ? description.device : description.device_name;
  if (description.device_bytes <= 0) return name;
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  const bool limited = cards && session::IsLimited(description, *cards);
  return name + (limited ? ", limited to " : ", ") +
         FormatBytes(description.device_bytes, ByteUnit::kMebibytes);
}

using Facts = std::vector<std::pair<std::string, std::string>>;

// Those of the step at whose peak the figures are told; nothing where it had none of its own.
std::optional<networks::TrainingSettings> SettingsAtPeak(const timeline::View& view) {
  const auto peak = presenters::PeakOfRun(view);
  const std::string* told = peak ? timeline::SettingsAt(view, peak->index) : nullptr;
  if (told == nullptr) return std::nullopt;
  const auto settings = networks::SettingsFromJson(*told);
  return settings ? std::optional(*settings) : std::nullopt;
}

// Settings can be changed while a run goes on: those that the figures belong to come first.
void AddSettings(const timeline::View& view, const std::string& at_start, Facts& facts) {
  const auto first = networks::SettingsFromJson(at_start);
  if (!first) return;
  const auto later = SettingsAtPeak(view);
  const bool changed = later && networks::ToJson(*later) != networks::ToJson(*first);
  if (!changed) return void(facts.emplace_back("settings", SettingsLine(*first)));
  const std::string network = later->network == first->network ? "" : later->network + " · ";
  facts.emplace_back("settings at peak", network + SettingsLine(*later));
  facts.emplace_back("at the start", SettingsLine(*first));
}

}  // namespace

int64_t DurationNs(const timeline::View& view) {
  return view.empty() ? 0 : view.TimeOf(view.end() - 1) - view.TimeOf(view.first());
}

std::vector<double> LossesOf(const timeline::View& view) {
  std::vector<double> losses;
  for (const timeline::Step& step : view.steps()) {
    if (step.loss) losses.push_back(*step.loss);
  }
  return losses;
}

Facts FactsOf(const session::Run& run) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  const timeline::Health& health = view->health();
  Facts facts = {{"device", DeviceInWords(description)}};
  if (!description.command.empty()) facts.emplace_back("command", description.command);
  AddSettings(*view, description.settings_json, facts);
  facts.emplace_back("recorded by", description.producer);
  const session::RunStatus status = run.status();
  if (const int64_t passes = presenters::PassesWithoutSteps(*view, status, description); passes > 0) {
    facts.emplace_back("passes", FormatNumber(passes) + ", without gradients");
  } else {
    facts.emplace_back("steps", FormatNumber(status.steps_done) + presenters::WhyNoStep(status, description));
  }
  if (const auto replays = timeline::GraphReplaysIn(*view); replays.in_all > 0)
    facts.emplace_back("graph replays", presenters::ReplaysInWords(replays));
  facts.emplace_back("duration", FormatDuration(DurationNs(*view)));
  facts.emplace_back("events", fmt::format("{}, {} lost{}", FormatNumber(static_cast<int64_t>(health.events)),
                                           FormatNumber(static_cast<int64_t>(health.lost)),
                                           status.cut_off ? " up to where the file could be read" : ""));
  const std::vector<double> losses = LossesOf(*view);
  if (!losses.empty() && !networks::IsPhantom(description.device))
    facts.emplace_back("loss", fmt::format("{:.4f} → {:.4f}", losses.front(), losses.back()));
  return facts;
}

}  // namespace tidemark::cli
