#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/numbers.h"
#include "app/cli/phantom_sweep.h"
#include "app/cli/report.h"
#include "profiler/base/clock.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
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

constexpr int64_t kMostRanks = 1 << 20;

struct PhantomOptions {
  std::string card = networks::DeviceChoice{}.card;
  std::string memory;
  std::string world = "1";
  std::string rank = "0";
  std::string sweep;
  std::vector<std::string> faults;
  bool json = false;
  bool window = false;
  std::string output;
};

// What is asked, once every option has been understood.
struct Order {
  phantom::Card card;
  std::optional<int64_t> memory_bytes;  // instead of the card's own
  phantom::Rank rank;
  std::optional<phantom::SweepRange> sweep;
  std::string faults;  // as the device reads them
};

Result<Order> Understand(const PhantomOptions& options) {
  Order order;
  const Result<phantom::Card> card = phantom::FindCard(options.card);
  if (!card) return card.error();
  order.card = *card;
  if (!options.memory.empty()) {
    const Result<int64_t> bytes = ByteSize("--memory", options.memory);
    if (!bytes) return bytes.error();
    if (*bytes <= card->context_bytes) {
      return Error{fmt::format("--memory must be more than the {} that the CUDA context takes, not {}.",
                               FormatBytes(card->context_bytes, ByteUnit::kMebibytes), options.memory)};
    }
    order.memory_bytes = *bytes;
  }
  const Result<int64_t> world = WholeNumber("--world", options.world, 1, kMostRanks);
  if (!world) return world.error();
  const Result<int64_t> rank = WholeNumber("--rank", options.rank, 0, *world - 1);
  if (!rank) return rank.error();
  order.rank = {*rank, *world};
  order.faults = fmt::format("{}", fmt::join(options.faults, ","));
  if (!order.faults.empty()) {
    const Result<phantom::Faults> faults = phantom::FaultsFromText(order.faults);
    if (!faults) return faults.error();
  }
  if (options.sweep.empty()) {
    if (!options.json) return order;
    return Error{
        "--json goes with --sweep; of one run record it (-o run.tide), then: tidemark info run.tide --json."};
  }
  Result<phantom::SweepRange> sweep = phantom::SweepRangeFromText(options.sweep);
  if (!sweep) return sweep.error();
  if (!options.output.empty() || options.window) {
    return Error{"A recording and the window hold one run: leave out either --sweep or these."};
  }
  order.sweep = std::move(*sweep);
  return order;
}

// What the program needs to find itself on the phantom.
Result<std::vector<std::string>> EnvironmentOf(const Order& order,
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
  ProgressLine progress;
  bool said = false;
  return phantom::LibrariesFor(torch, [&](std::string_view line) {
    if (!said && isatty(STDERR_FILENO) == 0) {
      Complain(fmt::format("building the stand-ins for torch {}, once", torch.version), kExitDone);
    }
    said = true;
    progress.Show(fmt::format("stand-ins for torch {}, once: {}", torch.version, line));
  });
}

// The program's file or module, without the Python before it and that one's options.
std::string TitleOf(const std::vector<std::string>& program) {
  for (size_t i = 1; i < program.size(); ++i) {
    const std::string& word = program[i];
    if (word == "-c") break;
    if (word == "-m" && i + 1 < program.size()) return program[i + 1];
    if (word == "-W" || word == "-X") ++i;
    if (!word.starts_with('-')) return std::filesystem::path(word).filename().string();
  }
  return std::filesystem::path(program.front()).filename().string();
}

events::RunDescription Describe(const Order& order, const phantom::TorchInstallation& torch,
                                const std::vector<std::string>& program) {
  events::RunDescription description;
  description.device = networks::TextOf(networks::DeviceChoice{});
  description.device_name = order.card.title;
  description.device_bytes = order.memory_bytes.value_or(order.card.memory_bytes);
  description.title = fmt::format("{} on phantom {}", TitleOf(program), order.card.title);
  description.producer = fmt::format("tidemark phantom {} (torch {})", TIDEMARK_VERSION, torch.version);
  description.start_time_ns = RealtimeNs();
  return description;
}

// What the order of addresses, which nobody knows, moves.
using BandOf = std::function<Result<session::ReservedBand>(const timeline::View&)>;

// What the program asked of the card, for people.
std::string Summary(const session::ProgramRun& run, const BandOf& band_of) {
  const auto view = run.view();
  const session::RunStatus status = run.status();
  if (status.captured == 0) {
    const bool was_told_why = run.description().process_id != 0;  // by the recorder in that process
    return was_told_why ? "" : "tidemark: The program asked the phantom GPU for no memory.\n";
  }
  std::string text =
      fmt::format("tidemark: {}: {} steps, {} events, {} lost\n", run.description().title,
                  FormatNumber(status.steps_done), FormatNumber(static_cast<int64_t>(status.captured)),
                  FormatNumber(static_cast<int64_t>(status.lost)));
  text += "At the peak of the run\n" + PeakRows(session::LargestSince(*view));
  const Result<session::ReservedBand> band = band_of(*view);
  text += band ? BandRows(*band) : fmt::format("  {}\n", band.error().message);
  for (const timeline::OutOfMemory& failure : view->out_of_memory()) {
    text += fmt::format("Out of memory: {} were asked for, {} were free.\n",
                        FormatExactBytes(failure.requested_bytes), FormatExactBytes(failure.free_bytes));
  }
  if (const int others = run.unrecorded_processes(); others > 0) {
    text +=
        fmt::format("{} more of its processes used the phantom GPU; only the first is recorded.\n", others);
  }
  return text;
}

// Runs it, and shows its memory meanwhile if it is to be shown: until both have ended.
Result<int> RunAndShow(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                       const std::shared_ptr<session::ProgramRun>& run, const WindowOpener& show) {
  Result<int> exit_code = 0;
  const auto run_it = [&] {
    exit_code = phantom::RunProgram(program, environment);
    run->End(exit_code ? *exit_code : kExitFailed);
  };
  if (!show) {
    run_it();
    return exit_code;
  }
  std::thread beside_the_window(run_it);
  const int closed = show({std::nullopt, run});
  beside_the_window.join();
  if (exit_code && *exit_code == kExitDone && closed != kExitDone) return closed;
  return exit_code;
}

void TellDoubts(const phantom::DoubtsFile& doubts) {
  for (const std::string& sentence : doubts.Sentences()) Complain(sentence, kExitDone);
}

// Runs it once, watches its memory, and gives its exit code. No `show` = no window.
int RunWatched(const std::vector<std::string>& program, std::vector<std::string> environment,
               const session::ProgramOptions& watched, const BandOf& band_of, const WindowOpener& show) {
  Result<std::unique_ptr<session::ProgramRun>> started = session::ProgramRun::Start(watched);
  if (!started) return Complain(started.error().message, kExitFailed);
  const std::shared_ptr<session::ProgramRun> run = std::move(*started);
  environment.push_back(run->environment_entry());
  const Result<int> exit_code = RunAndShow(program, environment, run, show);
  if (!exit_code) return Complain(exit_code.error().message, kExitFailed);
  Tell(Summary(*run, band_of));
  if (const std::string error = run->status().recording_error; !error.empty()) Complain(error, kExitDone);
  return *exit_code;
}

int RunPhantom(const PhantomOptions& options, const std::vector<std::string>& program,
               const WindowOpener& open_window) {
  if (program.empty()) {
    return Complain("Name the program after --, as in: tidemark phantom -- python train.py.", kExitUsage);
  }
  const Result<Order> order = Understand(options);
  if (!order) return Complain(order.error().message, kExitUsage);
  const Result<phantom::TorchInstallation> torch = TorchOf(program);
  if (!torch) return Complain(torch.error().message, kExitFailed);
  const Result<phantom::ProgramLibraries> libraries = Libraries(*torch);
  if (!libraries) return Complain(libraries.error().message, kExitFailed);
  Result<std::vector<std::string>> environment = EnvironmentOf(*order, *libraries);
  if (!environment) return Complain(environment.error().message, kExitFailed);
  const Result<phantom::DoubtsFile> doubts = phantom::DoubtsFile::Create();
  if (!doubts) return Complain(doubts.error().message, kExitFailed);
  environment->push_back(doubts->EnvironmentEntry());
  if (order->sweep) {
    const int code =
        RunSweep({program, *environment, order->sweep->name, order->sweep->values}, options.json);
    TellDoubts(*doubts);
    return code;
  }
  session::ProgramOptions watched;
  watched.description = Describe(*order, *torch, program);
  if (!options.output.empty()) watched.recording = options.output;
  phantom::Card card = order->card;
  card.memory_bytes = order->memory_bytes.value_or(card.memory_bytes);
  const BandOf band_of = [&](const timeline::View& view) -> Result<session::ReservedBand> {
    if (!order->faults.empty())
      return Error{"How far addresses move what is reserved is not told of a card that fails."};
    return session::ReservedBandOf(view, card, libraries->replayer, libraries->stand_ins);
  };
  const int code =
      RunWatched(program, *environment, watched, band_of, options.window ? open_window : nullptr);
  TellDoubts(*doubts);
  return code;
}

}  // namespace

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
  command->add_option("--memory", options->memory, "Memory of the card instead of its own: 16GiB, 24GB, ...")
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
  return {command, [=] { return RunPhantom(*options, program, open_window); }};
}

}  // namespace tidemark::cli
