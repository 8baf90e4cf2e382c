#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/numbers.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/programs/capture_options.h"
#include "app/cli/reports/level_report.h"
#include "app/cli/reports/report.h"
#include "app/cli/training_options.h"
#include "app/presenters/run/prediction_remarks.h"
#include "profiler/base/format.h"
#include "profiler/base/rank_place.h"
#include "profiler/events/device_work.h"
#include "profiler/session/predictor.h"
#include "profiler/session/ranks.h"
#include "profiler/session/run.h"
#include "profiler/session/steady_state.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {
namespace {

constexpr int kProgressPeriodMs = 100;
constexpr std::chrono::milliseconds kStopTimeout{8000};
constexpr std::chrono::milliseconds kStopPoll{2};
constexpr int64_t kMostSteps = 1'000'000'000;

struct TrainOptions {
  TrainingOptions training;
  std::string steps = "20";
  std::string output;
  std::string rank = "0";
  bool kernels = false;
  bool json = false;
};

// What is asked, once every option has been understood.
struct Order {
  networks::TrainingSettings settings;
  networks::Network network;
  phantom::Card card;
  networks::DeviceChoice device;
  int64_t steps = 0;
  std::optional<RankPlace> place;   // of this process, where it is one rank of several
  std::filesystem::path recording;  // "" = none
};

// Of this process: as a launcher told it, on a phantom as it was asked for. Nothing where all ranks are
// started here.
Result<std::optional<RankPlace>> PlaceOf(const TrainOptions& options, networks::DeviceKind device,
                                         networks::TrainingSettings& settings) {
  Result<RankPlace> told = RankPlaceFromEnvironment();
  if (!told) return told.error();
  if (told->world > 1 && settings.ranks > 1 && told->world != settings.ranks) {
    return Error{
        fmt::format("--ranks is {}, but the launcher started {} ranks (WORLD_SIZE). Leave --ranks out.",
                    settings.ranks, told->world)};
  }
  if (told->world > networks::kMaxRanks)
    return Error{fmt::format("{} ranks are more than the {} that can train together.", told->world,
                             networks::kMaxRanks)};
  settings.ranks = std::max(settings.ranks, told->world);
  const bool chosen = options.rank != "0";
  const bool on_phantom = device == networks::DeviceKind::kPhantom;
  if (chosen && (!on_phantom || told->world > 1)) {
    return Error{
        "--rank goes with --device phantom, where one rank is run; elsewhere all are, or a launcher sets "
        "RANK."};
  }
  if (chosen && settings.ranks == 1) return Error{"--rank needs --ranks: how many there are."};
  const Result<int64_t> rank = WholeNumber("--rank", options.rank, 0, settings.ranks - 1);
  if (!rank) return rank.error();
  if (told->world > 1) return std::optional(*told);
  if (!on_phantom || settings.ranks == 1) return std::optional<RankPlace>();
  return std::optional(RankPlace{static_cast<int>(*rank), settings.ranks});
}

Result<Order> Understand(const TrainOptions& options) {
  Result<Training> training = options.training.Asked();
  if (!training) return training.error();
  const Result<phantom::Card> card = options.training.Card();
  if (!card) return card.error();
  Result<networks::DeviceChoice> device = options.training.Device();
  if (!device) return device.error();
  if (options.kernels && device->kind == networks::DeviceKind::kCpu)
    return Error{"--kernels tells what a GPU does, and --device cpu has none. Leave one of them out."};
  const Result<int64_t> steps = WholeNumber("--steps", options.steps, 1, kMostSteps);
  if (!steps) return steps.error();
  const Result<std::optional<RankPlace>> place = PlaceOf(options, device->kind, training->settings);
  if (!place) return place.error();
  std::filesystem::path recording = options.output;
  const bool launched = *place && device->kind != networks::DeviceKind::kPhantom;
  if (launched && device->kind == networks::DeviceKind::kCuda) device->index += (*place)->local_rank;
  if (launched && !recording.empty()) recording = session::RecordingOfRank(recording, (*place)->rank);
  return Order{training->settings, training->network, *card, *device, *steps, *place, recording};
}

// The losses of all steps, gathered while the run goes on: the timeline lets its oldest steps go on long
// runs.
class Losses {
 public:
  void Gather(const timeline::View& view) {
    const auto& steps = view.steps();
    size_t first = steps.size();
    while (first > 0 && steps[first - 1].number >= next_) --first;
    for (size_t index = first; index < steps.size() && steps[index].complete; ++index) {
      if (steps[index].loss) values_.push_back(*steps[index].loss);
      skipped_ += steps[index].skipped ? 1 : 0;
      if (steps[index].vanished_gradients) vanished_ = steps[index].vanished_gradients;
      next_ = steps[index].number + 1;
    }
  }
  const std::vector<double>& values() const { return values_; }
  int64_t skipped() const { return skipped_; }
  // Of the last step, the share of gradients that are 0, where it is told.
  const std::optional<double>& vanished() const { return vanished_; }

 private:
  int64_t next_ = 0;
  std::vector<double> values_;
  int64_t skipped_ = 0;
  std::optional<double> vanished_;
};

// Of the last complete step: the one under way has no loss yet, and its peak is to come.
std::string ProgressText(const timeline::View& view, int64_t steps_done, int64_t steps) {
  std::string text = fmt::format("step {}/{}", steps_done, steps);
  const auto& all = view.steps();
  const size_t complete = all.size() - (all.empty() || all.back().complete ? 0 : 1);
  if (complete == 0) return text + " · starting";
  const timeline::Step& last = all[complete - 1];
  if (last.loss) text += fmt::format(" · loss {:.4f}", *last.loss);
  const timeline::Series level = view.peak_level();
  return text + fmt::format(" · {} peak {}", NameOf(level),
                            FormatBytes(timeline::ValueOf(last.at_peak, level), ByteUnit::kMegabytes));
}

bool HasEnded(const session::Run& run) { return run.status().state > session::RunState::kPaused; }

void WaitForEnd(session::Run& run, int64_t steps, Losses& losses) {
  ProgressLine progress;
  while (!run.WaitUntilSettled(kProgressPeriodMs) && !InterruptListener::WasInterrupted()) {
    const auto view = run.view();
    losses.Gather(*view);
    const session::RunStatus status = run.status();
    const bool waits = status.asks_cudnn && status.steps_done == 0;
    progress.Show(waits ? std::string(kAskingCudnn) : ProgressText(*view, status.steps_done, steps));
  }
  run.Stop();
  const auto deadline = std::chrono::steady_clock::now() + kStopTimeout;
  while (!HasEnded(run) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kStopPoll);
  losses.Gather(*run.view());
}

struct Missing {
  std::string workspaces;  // why
  std::vector<std::string> sizes;
};

// From the prediction, or from the run itself where that was on a phantom.
Missing MissingFrom(const std::optional<session::Prediction>& phantom, const session::Run& run) {
  const session::RunStatus status = run.status();
  const bool of_run = !status.without_workspaces.empty() || !status.unknown_sizes.empty() || !phantom;
  if (of_run) return {status.without_workspaces, status.unknown_sizes};
  return {phantom->without_workspaces, phantom->unknown_sizes};
}

// Per rank that was run here, the peaks of its last steps, as those of a single run.
std::vector<session::Prediction> PeaksOfRanks(const session::Run& run) {
  std::vector<session::Prediction> peaks;
  for (const session::Run* rank : run.ranks()) peaks.push_back(session::SteadyState(*rank->view()));
  return peaks;
}

std::string RanksText(const session::Run& run) {
  std::string text;
  const std::vector<session::Prediction> ranks = PeaksOfRanks(run);
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    text += fmt::format("rank {}: allocated peak {}{}\n", rank,
                        FormatBytes(ranks[rank].allocated_peak_bytes, ByteUnit::kMegabytes),
                        rank == 0 ? ", which is told below" : "");
  }
  return text;
}

Json RanksJson(const session::Run& run) {
  Json json = Json::array();
  for (const session::Prediction& peaks : PeaksOfRanks(run)) json.push_back(PeaksJson(peaks));
  return json;
}

Json TrainJson(const Order& order, const textbook::Estimate& estimate,
               const std::optional<session::Prediction>& phantom, const session::Run& run,
               const Losses& losses) {
  const session::RunStatus status = run.status();
  Json json = {{"settings", Json::parse(networks::ToJson(order.settings))},
               {"card", order.card.name},
               {"device", run.description().device},
               {"device_name", run.description().device_name},
               {"steps", status.steps_done},
               {"textbook", TextbookJson(estimate)}};
  json["phantom"] = phantom ? PeaksJson(*phantom) : Json();
  json["measured"] = PeaksJson(session::SteadyState(*run.view()));
  if (!run.view()->tells_blocks()) LeaveOutBlocks(json["measured"]);
  if (!run.ranks().empty()) json["ranks"] = RanksJson(run);
  json["levels"] = LevelsJson(*run.view());
  json["sources"] = SourcesJson(*run.view());
  json["loss"] = losses.values();
  if (networks::ScalesLoss(order.settings)) json["skipped_steps"] = losses.skipped();
  json["events"] = {{"captured", status.captured}, {"lost", status.lost}};
  const Missing missing = MissingFrom(phantom, run);
  json["cudnn_workspaces_included"] = missing.workspaces.empty();
  json["note"] = PhantomNote(missing.workspaces, missing.sizes);
  return json;
}

std::string FewerStepsOf(const session::Prediction& phantom, const session::Prediction& measured,
                         int64_t steps) {
  const bool differs = phantom.allocated_peak_bytes != measured.allocated_peak_bytes ||
                       phantom.reserved_peak_bytes != measured.reserved_peak_bytes;
  return presenters::OfFewerSteps(phantom, steps, differs);
}

std::string TrainText(const Order& order, const textbook::Estimate& estimate,
                      const std::optional<session::Prediction>& phantom, const session::Run& run,
                      const Losses& losses) {
  const session::RunStatus status = run.status();
  const session::Prediction measured = session::SteadyState(*run.view());
  std::vector<ReportColumn> columns;
  if (phantom) columns.push_back({"phantom", *phantom});
  columns.push_back({"measured", measured});
  std::string text = fmt::format("{}\n{}\n", run.description().title, SettingsLine(order.settings));
  text += fmt::format("{} {} of {}, {} events, {} lost\n", FormatNumber(status.steps_done),
                      status.steps_done == 1 ? "step" : "steps",
                      FormatDuration(static_cast<int64_t>(measured.step_seconds * 1e9)),
                      FormatNumber(static_cast<int64_t>(status.captured)), status.lost);
  if (order.device.kind == networks::DeviceKind::kPhantom) {
    text += "No kernel runs on a phantom: its loss says nothing, and its time is the host's.\n";
  } else if (!losses.values().empty()) {
    text += fmt::format("loss {:.4f} → {:.4f}\n", losses.values().front(), losses.values().back());
    if (losses.vanished())
      text += fmt::format("{:.1f} % of the last step's gradients are 0\n", 100 * *losses.vanished());
  }
  text += RanksText(run);
  if (losses.skipped() > 0) {
    text += fmt::format("{} {} skipped: gradients overflowed\n", FormatNumber(losses.skipped()),
                        losses.skipped() == 1 ? "step" : "steps");
  }
  const Missing missing = MissingFrom(phantom, run);
  text += "\n" + PeaksTable(estimate, columns) + SurvivedRow(measured.times_survived);
  if (phantom && phantom->out_of_memory) text += "The phantom: " + phantom->sentence + "\n";
  if (phantom && order.device.kind == networks::DeviceKind::kCpu)
    text += fmt::format("The phantom is an {}, whose figures are not the CPU's.\n", order.card.title);
  text += LevelsText(*run.view()) + WorkText(*run.view()) + SourcesText(*run.view()) +
          PhantomNote(missing.workspaces, missing.sizes) + "\n";
  if (const std::string fewer = phantom ? FewerStepsOf(*phantom, measured, status.steps_done) : "";
      !fewer.empty())
    text += fewer + "\n";
  const std::string types = TypesTable(estimate, measured);
  return types.empty() ? text : text + "\n" + types;
}

// What a run that did not reach its end has to say; kExitDone if it did.
int ExitCodeOf(const session::Run& run, const Order& order) {
  const session::RunStatus status = run.status();
  std::string recorded = order.recording.string();
  if (!recorded.empty() && !run.ranks().empty())
    recorded = session::RecordingOfRank(order.recording, 0).string() + " and those of the other ranks";
  const std::string kept =
      recorded.empty() ? "" : fmt::format(" What was recorded until then is in {}.", recorded);
  if (status.state == session::RunState::kFailed || status.state == session::RunState::kDied) {
    const std::string advice = status.out_of_memory ? " " + std::string(kOutOfMemoryAdvice) : "";
    return Complain(status.sentence + advice + kept, kExitFailed);
  }
  if (!status.recording_error.empty()) return Complain(status.recording_error, kExitFailed);
  if (InterruptListener::WasInterrupted())
    return Complain("Stopped as asked, after " + FormatNumber(status.steps_done) + " steps." + kept,
                    kExitInterrupted);
  return kExitDone;
}

std::optional<session::Prediction> AskPhantom(const Order& order) {
  session::PredictorOptions options;
  options.place = order.place;
  session::Predictor predictor(options);
  ProgressLine progress;
  const Result<session::Prediction> prediction = predictor.AskAndWait(order.settings, {order.card.name}, [&] {
    if (predictor.asks_cudnn()) progress.Show(kAskingCudnn);
    return true;
  });
  progress.Clear();
  if (prediction) return *prediction;
  Complain("There is no prediction to compare with. " + prediction.error().message, kExitFailed);
  return std::nullopt;
}

int RunTrain(const TrainOptions& options) {
  const Result<Order> order = Understand(options);
  if (!order) return Complain(order.error().message, options.training.ExitCodeOfRefusal());
  session::LiveOptions live;
  live.settings = order->settings;
  live.device = order->device;
  live.step_limit = order->steps;
  live.place = order->place;
  if (!order->recording.empty()) live.recording = order->recording;
  if (options.kernels) live.environment.push_back(events::DeviceWorkEntry());
  std::optional<InterruptListener> listener(std::in_place);
  Result<std::unique_ptr<session::Run>> run = session::Run::Start(live);
  if (!run) return Complain(run.error().message, kExitFailed);
  Losses losses;
  WaitForEnd(**run, order->steps, losses);
  if (const int failed = ExitCodeOf(**run, *order); failed != kExitDone) return failed;
  listener.reset();
  const textbook::Estimate estimate =
      textbook::EstimateMemory(order->network, order->settings, order->place ? order->place->rank : 0);
  const std::optional<session::Prediction> phantom = AskPhantom(*order);
  return Answer(options.json ? TextOf(TrainJson(*order, estimate, phantom, **run, losses))
                             : TrainText(*order, estimate, phantom, **run, losses));
}

}  // namespace

Command RegisterTrain(CLI::App& application) {
  CLI::App* command = application.add_subcommand("train", "Train for some steps, and measure");
  command->footer(
      "Examples:\n"
      "  tidemark train --steps 50 -o run.tide\n"
      "  tidemark train --device cpu --batch 16 --accumulate 4 --json\n"
      "  tidemark train --device cuda:0 --amp fp16 --steps 100\n"
      "  tidemark train --device cpu --ranks 2 -o run.tide              run.rank0.tide and run.rank1.tide\n"
      "  torchrun --nproc-per-node 2 --no-python tidemark train --device cpu -o run.tide\n"
      "  tidemark train --card h100 --ranks 8 --rank 0                  one rank of eight, the others "
      "pretended\n"
      "An existing recording of that name is replaced. Ctrl-C stops the run in order and keeps what was "
      "recorded.");
  auto options = std::make_shared<TrainOptions>();
  options->training.Register(*command);
  options->training.RegisterDevice(*command);
  command->add_option("--steps", options->steps, "Training steps, from 1")
      ->capture_default_str()
      ->type_name("");
  AddRecordingOption(*command, options->output, "Recording to write while it runs (.tide)");
  command->add_option("--rank", options->rank, "With --ranks on a phantom: which of them is run, from 0")
      ->capture_default_str()
      ->type_name("");
  AddKernelsOption(*command, options->kernels);
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunTrain(*options); }};
}

}  // namespace tidemark::cli
