#include "app/cli/phantom_command.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/card_option.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/console/window_opener.h"
#include "app/cli/programs/capture_options.h"
#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/phantom_sweep.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/programs/program_window.h"
#include "app/cli/programs/settings_trial.h"
#include "app/cli/programs/user_program.h"
#include "app/cli/reports/advice_report.h"
#include "app/cli/reports/level_report.h"
#include "app/cli/reports/line_report.h"
#include "app/cli/reports/run_report.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/torch_versions.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_recorder.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/steady_state.h"

namespace tidemark::cli {
namespace {

// Of a program that left nothing to record.
std::string WhoAskedForNothing(int others) {
  if (others == 0) return "The program asked the phantom GPU for no memory.";
  return fmt::format(
      "The process with local rank 0, the one of a launcher's that is recorded, asked the phantom GPU for no "
      "memory; {} of the others used it. --world N --rank R runs and records rank R of N alone.",
      others);
}

// "50 steps"; of a program without any "64 passes without gradients", or why there is no step.
std::string HowFar(const session::ProgramRun& run) {
  const session::RunStatus status = run.status();
  const events::RunDescription description = run.description();
  const int64_t passes = presenters::PassesWithoutSteps(*run.view(), status, description);
  if (passes > 0) {
    return fmt::format("{} {} without gradients", FormatNumber(passes), passes == 1 ? "pass" : "passes");
  }
  return fmt::format("{} {}{}", FormatNumber(status.steps_done), status.steps_done == 1 ? "step" : "steps",
                     presenters::WhyNoStep(status, description));
}

// What the program asked of the card, for people.
std::string Summary(const session::ProgramRecorder& recorder, const BandOf& band_of,
                    const ProgramLaunch& launch, const phantom::Card& card) {
  const session::ProgramRun& run = *recorder.first();
  const auto view = run.view();
  const session::RunStatus status = run.status();
  const events::RunDescription description = run.description();
  if (status.captured == 0) {
    const bool was_told_why = description.process_id != 0;  // by the recorder in that process
    const std::string early = description.ending.empty() ? "" : description.ending + " ";
    const std::string why = WhoAskedForNothing(recorder.unrecorded_processes());
    return (was_told_why ? "" : fmt::format("tidemark: {}{}\n", early, why)) + NoteRows(description.notes);
  }
  std::string text = fmt::format("tidemark: {}: {}, {} events, {} lost\n", description.title, HowFar(run),
                                 FormatNumber(static_cast<int64_t>(view->health().events)),
                                 FormatNumber(static_cast<int64_t>(status.lost)));
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  RunReport report = MakeRunReport(*view, description, session::LargestSince(*view), band_of(run),
                                   cards ? *cards : std::vector<phantom::Card>());
  report.peak_title = PeakTitleOf(description);
  text += RunText(report) +
          ProgramFindingRows(*view, description.device_bytes,
                             [&] { return SettingsAdvice(run, card, launch.Allocator()); }) +
          LinesText(*view) + WorkText(*view);
  if (const int others = recorder.unrecorded_beside_ranks(); others > 0) {
    text += fmt::format(
        "{} more of its processes used the phantom GPU (other ranks do, and torch.compile's workers, which "
        "take no memory); only the first is recorded.\n",
        others);
  }
  return text + WaysOutHint(report, run.recording().value_or(""));
}

// Runs it once, watches its memory, tells of it when it has ended, and gives its exit code. No `show` = no
// window.
int RunWatched(const std::vector<std::string>& program, const ProgramLaunch& launch,
               const std::function<std::string(const session::ProgramRecorder&)>& summary,
               const WindowOpener& show) {
  session::RecorderOptions recorded = launch.recorded;
  recorded.is_watched = static_cast<bool>(show);
  const Result<std::unique_ptr<session::ProgramRecorder>> started = session::ProgramRecorder::Start(recorded);
  if (!started) return Complain(started.error().message, kExitFailed);
  session::ProgramRecorder& recorder = **started;
  std::vector<std::string> environment = launch.environment;
  environment.push_back(recorder.environment_entry());
  const auto ended = [&](const Result<int>& code) {
    if (!code) return recorder.End(kExitFailed, {code.error().message});
    recorder.End(*code, launch.Notes());
    Tell(summary(recorder));
    const std::string error = recorder.first()->status().recording_error;
    if (!error.empty()) Complain(error, kExitDone);
  };
  const Result<int> exit_code =
      RunBesideWindow(program, environment, *launch.stop, recorder.first(), ended, show);
  return exit_code ? *exit_code : Complain(exit_code.error().message, kExitFailed);
}

// Tells how far the stand-ins are built, where they have to be; Ctrl-C ends that in order.
Result<ProgramLaunch> LaunchToldOf(const PhantomOrder& order, const std::vector<std::string>& program,
                                   const std::string& recording) {
  const InterruptListener listener;
  ProgressLine progress(kToldEvery);
  return LaunchOnPhantom(order, program, recording,
                         {[&](std::string_view line) { progress.Show(line); },
                          [] { return !InterruptListener::WasInterrupted(); }});
}

}  // namespace

int RunOnPhantom(const PhantomOptions& options, const std::vector<std::string>& program,
                 const WindowOpener& open_window, const SummaryOf& summary_of) {
  const Result<PhantomOrder> order = UnderstandPhantom(options);
  if (!order) return Complain(order.error().message, kExitUsage);
  if (const std::string hidden = HiddenCard(); !hidden.empty()) Complain(hidden, kExitDone);
  const Result<ProgramLaunch> launch = LaunchToldOf(*order, program, options.output);
  if (InterruptListener::WasInterrupted()) {
    return Complain(launch ? "Stopped as asked, before the program was started." : launch.error().message,
                    kExitInterrupted);
  }
  if (!launch) return Complain(launch.error().message, ExitOfFailedStart(program, options.output));
  ProgressLine line;
  const BandOf band_of = [&](const session::Run& run) -> Result<session::ReservedBand> {
    if (!order->faults.empty()) return Error{std::string(session::kNoBandOfFaults)};
    Result<session::ReservedBand> band =
        session::ReservedBandOf(*run.view(), order->CardAsAsked(), launch->Allocator(),
                                events::AllocatorEnvironment(run.description().allocator_settings),
                                line.ShowShare("working out what is reserved in other orders of addresses:"));
    line.Clear();
    return band;
  };
  if (order->sweep) {
    if (events::IsAsyncAllocator(events::AllocatorSettings()))
      return Complain(events::kPoolIsTheDrivers, kExitFailed);
    return RunSweep(
        {program, launch->environment, order->sweep->name, order->sweep->values}, order->CardAsAsked(),
        options.json, [&] { return launch->Notes(); }, band_of);
  }
  bool ran_out = false;
  const auto summary = [&](const session::ProgramRecorder& recorder) {
    ran_out = !recorder.first()->view()->out_of_memory().empty();
    std::string own = summary_of ? summary_of(*recorder.first(), *launch) : "";
    return own.empty() ? Summary(recorder, band_of, *launch, order->CardAsAsked()) : own;
  };
  const int code = RunWatched(program, *launch, summary, options.window ? open_window : nullptr);
  if (InterruptListener::WasInterrupted()) return kExitInterrupted;  // in the summary: the program had ended
  const std::string hint = ran_out ? "" : HintOnRanks(program, order->rank.world, code);
  if (!hint.empty()) Complain(hint, kExitDone);
  return code;
}

Command RegisterPhantom(CLI::App& application, const std::vector<std::string>& program,
                        const WindowOpener& open_window) {
  CLI::App* command =
      application.add_subcommand("phantom", "Run a Python program of yours on a GPU that is not there");
  command->footer(fmt::format(
      "Examples:\n"
      "  tidemark phantom -- python train.py --batch 64\n"
      "  tidemark phantom --card a100-40gb -o run.tide -- venv/bin/python train.py\n"
      "  tidemark phantom --memory 16GiB -- python train.py\n"
      "  tidemark phantom --amp bf16 --checkpoint blocks -- python train.py   (as if it used them)\n"
      "  tidemark phantom --sweep batch=1..512 -- python train.py     (runs it with --batch 1, 2, 4, ...)\n"
      "  tidemark phantom --world 8 --rank 0 -- python train_fsdp.py\n"
      "The program's own Python and torch ({}, CUDA 12 or 13) do all that they would do on the "
      "card; only kernels compute nothing, so every value that they would have written reads as zero. The "
      "first time with a torch, its stand-ins are built, which takes one to four minutes. Output, exit code "
      "and signals are the program's own; what it needed comes last, on standard error. A sweep ends with 0 "
      "once it has run every value, whether it fits or not; with 1 where each of its runs failed by itself "
      "or "
      "it could not begin, with 2 for wrong usage, and with 130 if it was interrupted.",
      events::kTorchVersions));
  auto options = std::make_shared<PhantomOptions>();
  command->add_option("--card", options->card, "Card that the phantom GPU is; tidemark cards lists them")
      ->capture_default_str()
      ->type_name("");
  command
      ->add_option("--memory", options->memory,
                   "Memory of the card instead of its own: 16GiB (or 16G), 24GB, ...")
      ->type_name("SIZE");
  command
      ->add_option("--world", options->world,
                   "Ranks of a distributed program; one runs, the others are pretended")
      ->capture_default_str()
      ->type_name("");
  command->add_option("--rank", options->rank, "Which of them runs, from 0")
      ->capture_default_str()
      ->type_name("");
  command
      ->add_option("--gpus", options->gpus,
                   "GPUs of the machine, for a program that uses several in one process (cuda:1)")
      ->capture_default_str()
      ->type_name("");
  AddAddressesOption(*command, options->addresses);
  command
      ->add_option("--sweep", options->sweep,
                   "Runs it for each value of an argument, in the form in which the command has it: "
                   "batch=1..512 (doubling) or batch=8,24,96")
      ->type_name("NAME=VALUES");
  command
      ->add_option("--fault", options->faults,
                   "Let it fail: out-of-memory=37, out-of-memory=37.., fragmentation=64MiB, slow-driver=2ms, "
                   "other-process=20GiB@100 (counts are requests to the driver)")
      ->type_name("KIND=VALUE");
  command
      ->add_option("--amp", options->amp,
                   "As if the program used it: bf16 or fp16, each forward under torch.autocast")
      ->type_name("TYPE");
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "As if the program used it: blocks, those of one class in a row run again in backward")
      ->type_name("WHAT");
  AddStacksOption(*command, options->stacks);
  AddKernelsOption(*command, options->kernels);
  command->add_flag("--json", options->json, "With --sweep: one JSON object, sizes in bytes");
  AddRecordingOption(*command, options->output, "Recording (.tide) to write");
  command->add_flag("--window", options->window, "Show its memory in the window while it runs");
  return {command, [=] {
            if (program.empty()) {
              return Complain("Name the program after --, as in: tidemark phantom -- python train.py.",
                              kExitUsage);
            }
            return RunOnPhantom(*options, program, open_window, {});
          }};
}

}  // namespace tidemark::cli
