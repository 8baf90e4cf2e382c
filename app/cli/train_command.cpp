#include <fmt/format.h>

#include <csignal>
#include <memory>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/report.h"
#include "app/cli/training_options.h"
#include "profiler/base/format.h"
#include "profiler/networks/specification.h"
#include "profiler/session/predictor.h"
#include "profiler/session/run.h"
#include "profiler/session/steady_state.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {
namespace {

constexpr int kProgressPeriodMs = 100;
constexpr int kStopTimeoutMs = 5000;

volatile std::sig_atomic_t interrupted = 0;

struct TrainOptions {
  TrainingOptions training;
  int64_t steps = 20;
  std::string output;
  bool json = false;
};

// The losses of all steps, gathered while the run goes on: the timeline lets its oldest steps go on long
// runs.
class Losses {
 public:
  void Gather(const timeline::View& view) {
    for (const timeline::Step& step : view.steps()) {
      if (step.number < next_ || !step.complete) continue;
      if (step.loss) values_.push_back(*step.loss);
      next_ = step.number + 1;
    }
  }
  const std::vector<double>& values() const { return values_; }

 private:
  int64_t next_ = 0;
  std::vector<double> values_;
};

std::string ProgressText(const timeline::View& view, int64_t steps_done, int64_t steps) {
  std::string text = fmt::format("step {}/{}", steps_done, steps);
  if (view.steps().empty()) return text + " · starting";
  const timeline::Step& step = view.steps().back();
  if (step.loss) text += fmt::format(" · loss {:.4f}", *step.loss);
  return text +
         fmt::format(" · peak {}", FormatBytes(timeline::ValueOf(step.at_peak, timeline::Series::kAllocated),
                                               ByteUnit::kMegabytes));
}

void WaitForEnd(session::Run& run, int64_t steps, Losses& losses) {
  ProgressLine progress;
  while (!run.WaitUntilSettled(kProgressPeriodMs) && interrupted == 0) {
    const auto view = run.view();
    losses.Gather(*view);
    progress.Show(ProgressText(*view, run.status().steps_done, steps));
  }
  if (run.status().state == session::RunState::kPaused || interrupted != 0) {
    run.Stop();
    run.WaitUntilSettled(kStopTimeoutMs);
  }
  losses.Gather(*run.view());
}

Json TrainJson(const TrainOptions& options, const networks::TrainingSettings& settings,
               const textbook::Estimate& estimate, const std::optional<session::Prediction>& phantom,
               const session::Run& run, const Losses& losses) {
  const session::RunStatus status = run.status();
  Json json = {{"settings", Json::parse(networks::ToJson(settings))},
               {"card", options.training.card()},
               {"device", run.description().device},
               {"device_name", run.description().device_name},
               {"textbook", TextbookJson(estimate)}};
  if (phantom) json["phantom"] = PeaksJson(*phantom);
  json["measured"] = PeaksJson(session::SteadyState(*run.view()));
  json["loss"] = losses.values();
  json["events"] = {{"captured", status.captured}, {"lost", status.lost}};
  json["note"] = kPhantomNote;
  return json;
}

std::string TrainText(const textbook::Estimate& estimate, const std::optional<session::Prediction>& phantom,
                      const session::Run& run, const Losses& losses) {
  const session::RunStatus status = run.status();
  std::vector<ReportColumn> columns;
  if (phantom) columns.push_back({"phantom", *phantom});
  columns.push_back({"measured", session::SteadyState(*run.view())});
  std::string text =
      fmt::format("{}: {} steps, {} events, {} lost\n", run.description().title, status.steps_done,
                  FormatNumber(static_cast<int64_t>(status.captured)), status.lost);
  const bool phantom_run = run.description().device == "phantom";
  if (!losses.values().empty() && !phantom_run) {
    text += fmt::format("loss {:.4f} → {:.4f}\n", losses.values().front(), losses.values().back());
  }
  if (phantom_run) text += "No kernel runs on a phantom: the loss reads as zero and says nothing.\n";
  return text + "\n" + PeaksTable(estimate, columns) + "\n" + std::string(kPhantomNote) + "\n";
}

// What a run that did not reach its end has to say; 0 if it did.
int ExitCodeOf(const session::Run& run, const TrainOptions& options) {
  const session::RunStatus status = run.status();
  const std::string kept =
      options.output.empty() ? "" : fmt::format(" What was recorded until then is in {}.", options.output);
  if (status.state == session::RunState::kFailed || status.state == session::RunState::kDied) {
    return Complain(status.sentence + kept, kExitFailed);
  }
  if (!status.recording_error.empty()) return Complain(status.recording_error, kExitFailed);
  if (interrupted != 0) return Complain("Stopped by Ctrl-C." + kept, kExitInterrupted);
  return kExitDone;
}

int RunTrain(const TrainOptions& options) {
  const Result<networks::TrainingSettings> settings = options.training.Settings();
  if (!settings) return Complain(settings.error().message, kExitUsage);
  const Result<networks::DeviceChoice> device = options.training.Device();
  if (!device) return Complain(device.error().message, kExitUsage);
  if (options.steps < 1) return Complain("--steps must be at least 1.", kExitUsage);
  const Result<networks::Network> network = networks::FindNetwork(settings->network);
  if (!network) return Complain(network.error().message, kExitFailed);

  session::LiveOptions live;
  live.settings = *settings;
  live.device = *device;
  live.step_limit = options.steps;
  if (!options.output.empty()) live.recording = options.output;
  Result<std::unique_ptr<session::Run>> run = session::Run::Start(live);
  if (!run) return Complain(run.error().message, kExitFailed);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  Losses losses;
  WaitForEnd(**run, options.steps, losses);
  if (const int failed = ExitCodeOf(**run, options); failed != kExitDone) return failed;

  const textbook::Estimate estimate = textbook::EstimateMemory(*network, *settings);
  session::Predictor predictor;
  const Result<session::Prediction> prediction = predictor.AskAndWait(*settings, options.training.card());
  const std::optional<session::Prediction> phantom = prediction ? std::optional(*prediction) : std::nullopt;
  if (!prediction) Complain(prediction.error().message, kExitFailed);
  if (options.json)
    return Answer(TrainJson(options, *settings, estimate, phantom, **run, losses).dump(2) + "\n");
  return Answer(TrainText(estimate, phantom, **run, losses));
}

}  // namespace

Command RegisterTrain(CLI::App& application) {
  CLI::App* command = application.add_subcommand("train", "Train for some steps, and measure");
  command->footer(
      "Examples:\n"
      "  tidemark train --steps 50 -o run.tide\n"
      "  tidemark train --device cpu --batch 16 --accumulate 4 --json\n"
      "  tidemark train --device cuda:0 --amp fp16\n"
      "An existing recording of that name is replaced. Ctrl-C stops the run and keeps what was recorded.");
  auto options = std::make_shared<TrainOptions>();
  options->training.Register(*command);
  options->training.RegisterDevice(*command);
  command->add_option("--steps", options->steps, "Training steps")->capture_default_str();
  command->add_option("-o,--output", options->output, "Recording to write (.tide)");
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunTrain(*options); }};
}

}  // namespace tidemark::cli
