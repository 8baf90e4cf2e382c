#include "app/cli/reports/run_bridge.h"

#include <string>

#include "app/presenters/moment/peak_moment.h"
#include "profiler/networks/script_files.h"
#include "profiler/networks/training_settings.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {

Result<presenters::Bridge> BridgeOf(const session::Run& run) {
  const auto view = run.view();
  const auto peak = presenters::PeakOfRun(*view);
  const std::string* told = peak ? timeline::SettingsAt(*view, peak->index) : nullptr;
  const auto settings = networks::SettingsFromJson(told != nullptr ? *told : run.description().settings_json);
  if (!settings) {
    return Error{
        "The bridge begins with the textbook's figure, and this file does not name a network of Tidemark's."};
  }
  const Result<networks::Network> network = networks::FindNamedByFile(settings->network);
  if (!network) {
    return Error{"The bridge begins with the textbook's figure, for which the network is read. " +
                 network.error().message};
  }
  const int rank = networks::RankAmong(*settings, run.description().rank);
  if (!peak || peak->step < 0) {
    return Error{"No step of this run is complete, so there is no bridge to draw."};
  }
  return presenters::MakeBridge(*view, textbook::EstimateMemory(*network, *settings, rank), *peak);
}

}  // namespace tidemark::cli
