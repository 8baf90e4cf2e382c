#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "profiler/base/command.h"
#include "profiler/base/nvidia_gpus.h"
#include "profiler/base/paths.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/workspaces/library.h"

namespace tidemark::cli {
namespace {

struct CalibrateOptions {
  std::string card;
  std::string output = (AssetsFolder() / "calibration").string();
};

// The CUDA libraries are asked by name, so that their folders are put before all others.
Result<CommandOutcome> RunRecorder(const CalibrateOptions& options,
                                   const phantom::workspaces::Library& library) {
  std::string path = "LD_LIBRARY_PATH=";
  for (const std::filesystem::path& folder : library.folders) path += folder.string() + ":";
  CommandOptions how;
  how.with_errors = true;
  how.environment = {path};
  return RunCommand({(ExecutableFolder() / "tidemark-calibrator").string(), "--cudnn", library.file.string(),
                     "--card", options.card, "--output", options.output},
                    how);
}

int RunCalibrate(const CalibrateOptions& options) {
  if (options.card.empty()) {
    return Complain(
        "Name the card that this machine has: tidemark calibrate --card h200; tidemark cards lists them.",
        kExitUsage);
  }
  const Result<phantom::Card> card = phantom::FindCard(options.card);
  if (!card) return Complain(card.error().message, kExitUsage);
  if (FindNvidiaGpus().empty()) {
    return Complain("There is no NVIDIA GPU here, and only on one can sizes be measured.", kExitFailed);
  }
  const auto library =
      phantom::workspaces::FindLibraryBeside(SourceFolder() / ".deps/site/torch/lib/libtorch_cuda.so");
  if (!library) {
    return Complain(
        fmt::format("cuDNN is needed: {}. ./run --with-cudnn fetches it.", library.error().message),
        kExitFailed);
  }
  const Result<CommandOutcome> outcome = RunRecorder(options, *library);
  if (!outcome) return Complain(outcome.error().message, kExitFailed);
  if (outcome->exit_code != 0) {
    const std::string said = outcome->output.substr(0, outcome->output.find_last_not_of('\n') + 1);
    return Complain(said.empty() ? "The recorder ended without a word." : said, kExitFailed);
  }
  return Answer(outcome->output);
}

}  // namespace

Command RegisterCalibrate(CLI::App& application) {
  CLI::App* command = application.add_subcommand(
      "calibrate", "On a machine with a GPU: measure what no library tells without one");
  command->footer(
      "Examples:\n"
      "  tidemark calibrate --card h200\n"
      "  tidemark calibrate --card rtx-4090 -o tables\n"
      "Writes NAME.tsv and NAME.cudnn.json, which the phantom reads from assets/calibration, and compares "
      "what cuDNN plans with the GPU to what it plans from its description. Let nothing else run on the "
      "GPU.");
  auto options = std::make_shared<CalibrateOptions>();
  command->add_option("--card", options->card, "The card that this machine has; tidemark cards lists them")
      ->type_name("");
  command->add_option("-o,--output", options->output, "Folder for the tables")->type_name("FOLDER");
  return {command, [options] { return RunCalibrate(*options); }};
}

}  // namespace tidemark::cli
