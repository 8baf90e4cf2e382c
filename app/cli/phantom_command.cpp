#include "app/cli/phantom_command.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/phantom_order.h"
#include "app/cli/phantom_sweep.h"
#include "app/cli/program_window.h"
#include "app/cli/run_report.h"
#include "app/presenters/program_facts.h"
#include "profiler/base/clock.h"
#include "profiler/base/format.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/faults.h"
#include "profiler/phantom/programs/program.h"
#include "profiler/phantom/programs/stand_in_cache.h"
#include "profiler/phantom/programs/torch_installation.h"
#include "profiler/session/program_run.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/steady_state.h"

namespace tidemark::cli {
namespace {

// What the program needs to find itself on the phantom.
Result<std::vector<std::string>> EnvironmentOf(const PhantomOrder& order,
                                               const phantom::ProgramLibraries& libraries) {
  Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(
      order.card, libraries.stand_ins, {libraries.capture / "libtidemark-capture-gates.so"});
  if (!environment) return environment.error();
  if (order.memory_bytes) {
    environment->push_back(fmt::format("{}={}", phantom::kMemoryVariable, *order.memory_bytes));
  }
  if (!order.faults.empty()) {
    environment->push_back(fmt::format("{}={}", phantom::kFaultsVariable, order.faults));
  }
  if (order.rank.world > 1) {
    for (std::string& entry : phantom::RankEnvironment(order.rank)) environment->push_back(std::move(entry));
  }
  return environment;
}

Result<phantom::TorchInstallation> TorchOf(const std::vector<std::string>& program) {
  const Result<std::filesystem::path> python = phantom::PythonOf(program);
  if (!python) return python.error();
  return phantom::FindTorch(*python);
}

Result<phantom::ProgramLibraries> Libraries(const phantom::TorchInstallation& torch) {
  ProgressLine progress(kToldEvery);
  return phantom::LibrariesFor(torch, [&](std::string_view line) {
    // "[3/67] Building CXX object ..."
    const std::string_view step = line.substr(0, line.starts_with('[') ? line.find(']') + 1 : line.size());
    progress.Show(fmt::format("building the stand-ins for torch {}, once: {}", torch.version, step));
  });
}

events::RunDescription Describe(const PhantomOrder& order, const phantom::TorchInstallation& torch,
                                const std::vector<std::string>& program) {
  events::RunDescription description;
  description.device = networks::TextOf(networks::DeviceChoice{});
  description.device_name = order.card.title;
  description.device_bytes = order.memory_bytes.value_or(order.card.memory_bytes);
  description.title = fmt::format("{} on phantom {}", TitleOf(program), order.card.title);
  description.producer = fmt::format("tidemark phantom {} (torch {})", TIDEMARK_VERSION, torch.version);
  description.torch_build_id = torch.build_id;
  description.allocator_settings = events::AllocatorSettings();
  description.start_time_ns = RealtimeNs();
  description.command = CommandLineOf(program);
  return description;
}

// What the program asked of the card, for people.
std::string Summary(const session::ProgramRun& run, const BandOf& band_of) {
  const auto view = run.view();
  const session::RunStatus status = run.status();
  const events::RunDescription description = run.description();
  if (status.captured == 0) {
    const bool was_told_why = description.process_id != 0;  // by the recorder in that process
    const std::string early = description.ending.empty() ? "" : description.ending + " ";
    return (was_told_why
                ? ""
                : fmt::format("tidemark: {}The program asked the phantom GPU for no memory.\n", early)) +
           NoteRows(description.notes);
  }
  std::string text = fmt::format(
      "tidemark: {}: {} {}{}, {} events, {} lost\n", description.title, FormatNumber(status.steps_done),
      status.steps_done == 1 ? "step" : "steps", presenters::WhyNoStep(status.steps_done, description),
      FormatNumber(static_cast<int64_t>(status.captured)), FormatNumber(static_cast<int64_t>(status.lost)));
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  RunReport report = MakeRunReport(*view, description, session::LargestSince(*view), band_of(*view),
                                   cards ? *cards : std::vector<phantom::Card>());
  report.peak_title = "At the peak of the run";
  text += RunText(report);
  if (const int others = run.unrecorded_processes(); others > 0) {
    text +=
        fmt::format("{} more of its processes used the phantom GPU; only the first is recorded.\n", others);
  }
  return text;
}

// Runs it once, watches its memory, tells of it when it has ended, and gives its exit code. No `show` = no
// window.
int RunWatched(const std::vector<std::string>& program, std::vector<std::string> environment,
               const session::ProgramOptions& watched, const std::function<std::vector<std::string>()>& notes,
               const std::function<std::string(const session::ProgramRun&)>& summary,
               const WindowOpener& show) {
  Result<std::unique_ptr<session::ProgramRun>> started = session::ProgramRun::Start(watched);
  if (!started) return Complain(started.error().message, kExitFailed);
  const std::shared_ptr<session::ProgramRun> run = std::move(*started);
  environment.push_back(run->environment_entry());
  const auto ended = [&](int code) {
    run->End(code, notes());
    Tell(summary(*run));
    if (const std::string error = run->status().recording_error; !error.empty()) Complain(error, kExitDone);
  };
  const Result<int> exit_code = RunBesideWindow(program, environment, run, ended, show);
  return exit_code ? *exit_code : Complain(exit_code.error().message, kExitFailed);
}

}  // namespace

int RunOnPhantom(const PhantomOptions& options, const std::vector<std::string>& program,
                 const WindowOpener& open_window, const SummaryOf& summary_of) {
  const Result<PhantomOrder> order = UnderstandPhantom(options);
  if (!order) return Complain(order.error().message, kExitUsage);
  if (const Status writable = CanBeWritten(options.output); !writable) {
    return Complain(writable.error().message, kExitFailed);
  }
  if (const std::string hidden = HiddenCard(); !hidden.empty()) Complain(hidden, kExitDone);
  const Result<phantom::TorchInstallation> torch = TorchOf(program);
  if (!torch) return Complain(torch.error().message, kExitFailed);
  const Result<phantom::ProgramLibraries> libraries = Libraries(*torch);
  if (!libraries) return Complain(libraries.error().message, kExitFailed);
  Result<std::vector<std::string>> environment = EnvironmentOf(*order, *libraries);
  if (!environment) return Complain(environment.error().message, kExitFailed);
  const Result<phantom::DoubtsFile> doubts = phantom::DoubtsFile::Create();
  if (!doubts) return Complain(doubts.error().message, kExitFailed);
  environment->push_back(doubts->EnvironmentEntry());
  const auto notes = [&] {
    std::vector<std::string> sentences = doubts->Sentences();
    for (std::string& note : phantom::FaultNotes(order->faults, sentences))
      sentences.push_back(std::move(note));
    return sentences;
  };
  session::ProgramOptions watched;
  watched.description = Describe(*order, *torch, program);
  if (!options.output.empty()) watched.recording = options.output;
  watched.stop = phantom::StopProgram;
  const BandOf band_of = [&](const timeline::View& view) -> Result<session::ReservedBand> {
    if (!order->faults.empty()) return Error{std::string(session::kNoBandOfFaults)};
    return session::ReservedBandOf(view, order->CardAsAsked(), libraries->replayer, libraries->stand_ins);
  };
  if (order->sweep) {
    return RunSweep({program, *environment, order->sweep->name, order->sweep->values}, order->CardAsAsked(),
                    options.json, notes, band_of);
  }
  const auto summary = [&](const session::ProgramRun& run) {
    if (!summary_of) return Summary(run, band_of);
    return summary_of(run, {libraries->replayer, libraries->stand_ins});
  };
  const int code =
      RunWatched(program, *environment, watched, notes, summary, options.window ? open_window : nullptr);
  if (const std::string hint = HintOnRanks(program, order->rank.world, code); !hint.empty()) {
    Complain(hint, kExitDone);
  }
  return code;
}

Command RegisterPhantom(CLI::App& application, const std::vector<std::string>& program,
                        const WindowOpener& open_window) {
  CLI::App* command =
      application.add_subcommand("phantom", "Run a Python program of yours on a GPU that is not there");
  command->footer(
      "Examples:\n"
      "  tidemark phantom -- python train.py --batch 64\n"
      "  tidemark phantom --card a100-40gb -o run.tide -- venv/bin/python train.py\n"
      "  tidemark phantom --memory 16GiB -- python train.py\n"
      "  tidemark phantom --sweep batch=1..512 -- python train.py     (runs it with --batch 1, 2, 4, ...)\n"
      "  tidemark phantom --world 8 --rank 0 -- python train_fsdp.py\n"
      "The program's own Python and torch (2.6 to 2.11, CUDA 12 or 13) do all that they would do on the "
      "card; "
      "only kernels compute nothing, so every value that they would have written reads as zero. The first "
      "time with a torch, its stand-ins are built, which takes a minute. Output, exit code and signals are "
      "the "
      "program's own; what it needed comes last, on standard error.");
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
      ->add_option("--sweep", options->sweep,
                   "Runs it for each value of an argument: batch=1..512 (doubling) or batch=8,24,96")
      ->type_name("NAME=VALUES");
  command
      ->add_option("--fault", options->faults,
                   "Let it fail: out-of-memory=37, out-of-memory=37.., fragmentation=64MiB, slow-driver=2ms, "
                   "other-process=20GiB@100 (counts are requests to the driver)")
      ->type_name("KIND=VALUE");
  command->add_flag("--json", options->json, "With --sweep: one JSON object, sizes in bytes");
  command->add_option("-o,--output", options->output, "Recording (.tide) to write")->type_name("FILE");
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
