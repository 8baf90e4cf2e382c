#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/numbers.h"
#include "app/cli/phantom_sweep.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/programs/program.h"
#include "profiler/phantom/programs/stand_in_cache.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kMostRanks = 1 << 20;

struct PhantomOptions {
  std::string card = networks::DeviceChoice{}.card;
  std::string memory;
  std::string world = "1";
  std::string rank = "0";
  std::string sweep;
  bool json = false;
};

// What is asked, once every option has been understood.
struct Order {
  phantom::Card card;
  std::optional<int64_t> memory_bytes;  // instead of the card's own
  phantom::Rank rank;
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
  return order;
}

// What the program needs to find itself on the phantom.
Result<std::vector<std::string>> EnvironmentOf(const Order& order, const std::filesystem::path& stand_ins) {
  Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(order.card, stand_ins);
  if (!environment) return environment.error();
  if (order.memory_bytes) {
    environment->push_back(fmt::format("{}={}", phantom::kMemoryVariable, *order.memory_bytes));
  }
  if (order.rank.world > 1) {
    for (std::string& entry : phantom::RankEnvironment(order.rank)) environment->push_back(std::move(entry));
  }
  return environment;
}

Result<std::filesystem::path> StandIns(const std::vector<std::string>& program) {
  const Result<std::filesystem::path> python = phantom::PythonOf(program);
  if (!python) return python.error();
  const Result<phantom::TorchInstallation> torch = phantom::FindTorch(*python);
  if (!torch) return torch.error();
  ProgressLine progress;
  bool said = false;
  return phantom::StandInsFor(*torch, [&](std::string_view line) {
    if (!said && isatty(STDERR_FILENO) == 0) {
      Complain(fmt::format("building the stand-ins for torch {}, once", torch->version), kExitDone);
    }
    said = true;
    progress.Show(fmt::format("stand-ins for torch {}, once: {}", torch->version, line));
  });
}

int RunPhantom(const PhantomOptions& options, const std::vector<std::string>& program) {
  if (program.empty()) {
    return Complain("Name the program after --, as in: tidemark phantom -- python train.py.", kExitUsage);
  }
  const Result<Order> order = Understand(options);
  if (!order) return Complain(order.error().message, kExitUsage);
  std::optional<phantom::SweepRange> sweep;
  if (!options.sweep.empty()) {
    const Result<phantom::SweepRange> range = phantom::SweepRangeFromText(options.sweep);
    if (!range) return Complain(range.error().message, kExitUsage);
    sweep = *range;
  }
  const Result<std::filesystem::path> stand_ins = StandIns(program);
  if (!stand_ins) return Complain(stand_ins.error().message, kExitFailed);
  Result<std::vector<std::string>> environment = EnvironmentOf(*order, *stand_ins);
  if (!environment) return Complain(environment.error().message, kExitFailed);
  if (sweep) return RunSweep({program, *environment, sweep->name, sweep->values}, options.json);
  const Result<phantom::DoubtsFile> doubts = phantom::DoubtsFile::Create();
  if (!doubts) return Complain(doubts.error().message, kExitFailed);
  environment->push_back(doubts->EnvironmentEntry());
  const Result<int> exit_code = phantom::RunProgram(program, *environment);
  if (!exit_code) return Complain(exit_code.error().message, kExitFailed);
  for (const std::string& sentence : doubts->Sentences()) Complain(sentence, kExitDone);
  return *exit_code;
}

}  // namespace

Command RegisterPhantom(CLI::App& application, const std::vector<std::string>& program) {
  CLI::App* command =
      application.add_subcommand("phantom", "Run a Python program of yours on a GPU that is not there");
  command->footer(
      "Examples:\n"
      "  tidemark phantom -- python train.py --batch 64\n"
      "  tidemark phantom --card a100 -- venv/bin/python train.py\n"
      "  tidemark phantom --memory 16GiB -- python train.py\n"
      "  tidemark phantom --sweep batch=1..512 -- python train.py     (runs it with --batch 1, 2, 4, ...)\n"
      "  tidemark phantom --world 8 --rank 0 -- python train_fsdp.py\n"
      "The program's own Python and torch (2.6 to 2.11, CUDA 12 or 13) do all that they would do on the "
      "card; "
      "only kernels compute nothing, so every value that they would have written reads as zero. The first "
      "time with a torch, its stand-ins are built, which takes half a minute. Output, exit code and signals "
      "are the program's own.");
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
  command->add_flag("--json", options->json, "With --sweep: one JSON object, sizes in bytes");
  return {command, [options, program] { return RunPhantom(*options, program); }};
}

}  // namespace tidemark::cli
