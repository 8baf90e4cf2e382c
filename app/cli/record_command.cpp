#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/numbers.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/console/window_opener.h"
#include "app/cli/programs/capture_options.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/programs/program_window.h"
#include "app/cli/programs/user_program.h"
#include "app/cli/reports/advice_report.h"
#include "app/cli/reports/level_report.h"
#include "app/cli/reports/line_report.h"
#include "app/cli/reports/report.h"
#include "app/cli/reports/run_report.h"
#include "profiler/base/format.h"
#include "profiler/events/event.h"
#include "profiler/events/stack_languages.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_recorder.h"
#include "profiler/session/program_run.h"
#include "profiler/session/steady_state.h"

namespace tidemark::cli {
namespace {

struct RecordOptions {
  std::string output;
  std::string last;   // "" = all of the run
  std::string steps;  // likewise
  RecordedLayers layers;
  bool window = false;
};

// `told_before`: notes that were told before the program began.
std::string ProcessText(const session::ProgramRun& run, const std::vector<std::string>& told_before) {
  const events::RunDescription description = run.description();
  const session::RunStatus status = run.status();
  std::string text = fmt::format("tidemark: {} (process {}): ", description.title, description.process_id);
  if (!status.recording_error.empty()) text += status.recording_error + " ";
  if (run.view()->empty() && !status.recording_error.empty()) return text + "\n";
  text += fmt::format(
      "{} events, {} lost{}\n", FormatNumber(static_cast<int64_t>(run.view()->health().events)),
      FormatNumber(static_cast<int64_t>(status.lost)),
      run.recording() ? (run.has_file() ? ", in " : ", not all of them in ") + run.recording()->string()
                      : "");
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  RunReport report = MakeRunReport(*run.view(), description, session::LargestSince(*run.view()), std::nullopt,
                                   cards ? *cards : std::vector<phantom::Card>());
  report.peak_title = PeakTitleOf(description);
  std::erase_if(report.notes,
                [&](const std::string& note) { return std::ranges::count(told_before, note) > 0; });
  text += report.peaks.allocated_peak_bytes > 0 ? RunText(report) : RunTextWithoutPeak(report);
  return text + ProgramFindingRows(*run.view(), description.device_bytes) + LinesText(*run.view()) +
         LevelsText(*run.view()) + LibrariesText(*run.view()) + WorkText(*run.view()) +
         SourcesText(*run.view()) + WaysOutHint(report, run.has_file() ? run.recording()->string() : "");
}

// And what would tell something: where there is no GPU, that is how many a program ends.
std::string WhyNothing(bool with_cpu, int exit_code) {
  const std::string ended = session::EndOfProgram(exit_code).sentence;
  const char* const used =
      with_cpu ? "made no tensor on the CPU with PyTorch and used no CUDA" : "used no CUDA";
  return fmt::format(
      "tidemark: {}{} {}, so there is nothing to record. {}tidemark phantom -- … runs it on a GPU that is "
      "not "
      "there.\n",
      ended, ended.empty() ? "The program" : " It", used,
      with_cpu ? "" : "--cpu records PyTorch's tensors on the CPU; ");
}

std::string UnheardText(int ranks) {
  if (ranks == 0) return "";
  return fmt::format(
      "tidemark: {} of the launcher's ranks {} not recorded here: what runs on another machine is heard by a "
      "recorder there only, and what uses no CUDA has nothing to tell. Start the launcher behind a recorder "
      "on each machine, or let each rank have its own, as in: srun tidemark record -o run.tide -- python "
      "train.py\n",
      ranks, ranks == 1 ? "is" : "are");
}

// Tells how far what operators take is built, where it has to be; Ctrl-C ends that in order.
Result<ProgramLaunch> LaunchToldOf(const RecordOptions& options, const std::vector<std::string>& program) {
  const InterruptListener listener;
  ProgressLine progress(kToldEvery);
  return LaunchAsItIs(program, options.output, options.layers,
                      {[&](std::string_view line) { progress.Show(line); },
                       [] { return !InterruptListener::WasInterrupted(); }});
}

// Of what was asked for the first that would not be told without a source that is left out; "" = none.
std::string WhyNotWithout(const RecordedLayers& layers) {
  struct Need {
    bool is_wanted;
    const char* option;
    events::Source source;
  };
  const bool python = std::ranges::find(layers.stacks, events::kPythonStacks) != layers.stacks.end();
  for (const Need& need : {Need{layers.cpu, "--cpu", events::Source::kAllocator},
                           Need{layers.operators, "--operators", events::Source::kAllocator},
                           Need{python, "--stacks python", events::Source::kAllocator},
                           Need{layers.kernels, "--kernels", events::Source::kDriver}}) {
    const bool is_told = std::ranges::find(layers.without, NameOf(need.source)) == layers.without.end();
    if (need.is_wanted && !is_told) {
      return fmt::format("{} takes the {}, which --without leaves out: leave out one of the two.",
                         need.option, NameOf(need.source));
    }
  }
  return "";
}

// "20", "500MB": steps, or a size.
Result<session::LastOfRun> LastIn(const std::string& text) {
  constexpr int64_t kMostSteps = 1'000'000'000;
  constexpr int64_t kLeastBytes = 1'000'000;
  constexpr int64_t kMostBytes = 32'000'000'000;
  if (const Result<int64_t> steps = WholeNumber("--last", text, 1, kMostSteps))
    return session::LastOfRun{.steps = *steps, .bytes = 0};
  const bool has_unit = text.find_first_not_of("0123456789,._ ") != std::string::npos;
  const Result<int64_t> bytes = ByteSize("--last", text);
  if (has_unit && bytes && *bytes >= kLeastBytes && *bytes <= kMostBytes)
    return session::LastOfRun{.steps = 0, .bytes = *bytes};
  return Error{fmt::format(
      "--last takes a number of steps, as 20, or a size from 1 MB to 32 GB, as 500MB; not {}.", text)};
}

// Errors: what does not go together.
Result<session::KeptPart> KeptIn(const RecordOptions& options) {
  if (options.last.empty() && options.steps.empty()) return session::KeptPart();
  if (!options.last.empty() && !options.steps.empty())
    return Error{"--last and --steps each choose which part of the run is kept. Leave one of the two out."};
  const char* const option = options.last.empty() ? "--steps" : "--last";
  if (options.output.empty()) {
    return Error{fmt::format(
        "{} chooses what the recording keeps, and there is none. Name one, as in: tidemark record {} {} -o "
        "run.tide -- python train.py.",
        option, option, options.last.empty() ? "100-110" : "20")};
  }
  if (options.window) {
    return Error{fmt::format(
        "--window shows the whole run, and {} keeps a part of it. Leave one of the two out: tidemark open "
        "shows the recording.",
        option)};
  }
  if (!options.last.empty()) {
    const Result<session::LastOfRun> last = LastIn(options.last);
    if (!last) return last.error();
    return session::KeptPart(*last);
  }
  const Result<StepRange> steps = Steps("--steps", options.steps);
  if (!steps) return steps.error();
  return session::KeptPart(session::StepsOfRun{steps->first, steps->last});
}

int RunRecord(const RecordOptions& options, const std::vector<std::string>& program,
              const WindowOpener& open_window) {
  if (program.empty()) {
    return Complain("Name the program after --, as in: tidemark record -o run.tide -- python train.py.",
                    kExitUsage);
  }
  if (const std::string why = WhyNotWithout(options.layers); !why.empty()) return Complain(why, kExitUsage);
  const Result<session::KeptPart> kept = KeptIn(options);
  if (!kept) return Complain(kept.error().message, kExitUsage);
  Result<ProgramLaunch> launch = LaunchToldOf(options, program);
  if (InterruptListener::WasInterrupted()) {
    return Complain("Stopped as asked, before the program was started.", kExitInterrupted);
  }
  if (!launch) return Complain(launch.error().message, kExitFailed);
  for (const std::string& missing : launch->recorded.description.notes) Complain(missing, kExitDone);
  launch->recorded.is_watched = options.window;
  launch->recorded.kept = *kept;
  launch->recorded.budget_events = session::BudgetEventsFor(*kept);
  const Result<std::unique_ptr<session::ProgramRecorder>> started =
      session::ProgramRecorder::Start(launch->recorded);
  if (!started) return Complain(started.error().message, kExitFailed);
  session::ProgramRecorder& recorder = **started;
  launch->environment.push_back(recorder.environment_entry());
  const auto ended = [&](const Result<int>& code) {
    if (!code) return recorder.End(kExitFailed, {code.error().message});
    recorder.End(*code, launch->Notes());
    std::string text;
    for (const auto& run : recorder.runs()) text += ProcessText(*run, launch->recorded.description.notes);
    text += UnheardText(recorder.unheard_ranks());
    Tell(text.empty() ? WhyNothing(options.layers.cpu, *code) : text);
    if (const std::string trouble = recorder.trouble(); !trouble.empty()) Complain(trouble, kExitDone);
  };
  const Result<int> exit_code =
      RunBesideWindow(program, launch->environment, *launch->stop, recorder.watched(), ended,
                      options.window ? open_window : nullptr);
  return exit_code ? *exit_code
                   : Complain(exit_code.error().message, ExitOfFailedStart(program, options.output));
}

}  // namespace

Command RegisterRecord(CLI::App& application, const std::vector<std::string>& program,
                       const WindowOpener& open_window) {
  CLI::App* command = application.add_subcommand("record", "Record the memory of any CUDA program, as it is");
  command->footer(
      "Examples:\n"
      "  tidemark record -o run.tide -- python train.py\n"
      "  tidemark record -o run.tide -- torchrun --nproc-per-node 4 train.py   (run.rank0.tide, "
      "run.rank1.tide, ...)\n"
      "  srun tidemark record -o run.tide -- python train.py                   (the same, on many machines)\n"
      "  tidemark record --cpu -o run.tide -- python train.py                  (the CPU's tensors)\n"
      "  tidemark record --last 20 -o run.tide -- python train.py              (how a long training ended)\n"
      "Nothing in the program changes; output, exit code and signals are its own. Of PyTorch's blocks the "
      "sizes that it set aside are seen, not what was asked for; of a program without PyTorch, what it holds "
      "from the CUDA driver.");
  auto options = std::make_shared<RecordOptions>();
  AddRecordingOption(*command, options->output, "Recording (.tide) to write, one for each process");
  command
      ->add_option("--last", options->last,
                   "Keep only the end of a long run: so many steps, with what came after, as 20; or what "
                   "makes a recording of about that size, as 500MB, for a program without steps. The "
                   "recorder holds it in its memory, of which steps take 1.5 GB at the most, and writes it "
                   "when memory runs out, from time to time and at the end")
      ->type_name("STEPS|SIZE");
  command
      ->add_option("--steps", options->steps,
                   "Record only these: 100-110, or one. What is recorded begins with what is alive then")
      ->type_name("STEPS");
  command->add_flag("--window,--live,--attach-window", options->window,
                    "Show its memory in the window while it runs: of all ranks that a launcher starts here, "
                    "else of the first process that uses CUDA");
  command->add_flag("--cpu", options->layers.cpu, "Record PyTorch's tensors on the CPU too");
  command->add_flag(
      "--operators", options->layers.operators,
      "Tell PyTorch's operators and backward nodes, and which of them asked for memory. The first "
      "time with a torch, a library is built for it, which takes one to four minutes");
  AddStacksOption(*command, options->layers.stacks);
  AddKernelsOption(*command, options->layers.kernels);
  AddWithoutOption(*command, options->layers.without);
  return {command, [=] { return RunRecord(*options, program, open_window); }};
}

}  // namespace tidemark::cli
