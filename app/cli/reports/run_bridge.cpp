#include "app/cli/reports/run_bridge.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/presenters/moment/peak_moment.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {

Result<presenters::Bridge> BridgeOf(const session::Run& run) {
  const Error unknown{
      "The bridge begins with the textbook's figure, and this file does not name a network of Tidemark's. "
      "Choose the timeline, the breakdown or the map."};
  const auto view = run.view();
  const auto peak = presenters::PeakOfRun(*view);
  const std::string* told = peak ? timeline::SettingsAt(*view, peak->index) : nullptr;
  const auto settings = networks::SettingsFromJson(told != nullptr ? *told : run.description().settings_json);
  if (!settings) return unknown;
  const Result<std::vector<networks::Network>> networks = networks::LoadNetworks();
  if (!networks) return networks.error();
  const auto network =
      std::find_if(networks->begin(), networks->end(),
                   [&](const networks::Network& candidate) { return candidate.name == settings->network; });
  if (network == networks->end()) return unknown;
  const int rank = networks::RankAmong(*settings, run.description().rank);
  if (!peak || peak->step < 0) {
    return Error{"No step of this run is complete, so there is no bridge to draw."};
  }
  return presenters::MakeBridge(*view, textbook::EstimateMemory(*network, *settings, rank), *peak);
}

}  // namespace tidemark::cli
