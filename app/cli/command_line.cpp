#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console.h"

namespace tidemark::cli {
namespace {

Command RegisterOpen(CLI::App& application, const WindowOpener& open_window, std::string& file) {
  CLI::App* command = application.add_subcommand("open", "Open the window, with a recording in it");
  command->footer("Examples:\n  tidemark open run.tide");
  command->add_option("file", file, "Recording (.tide)")->required();
  return {command, [&] { return open_window(file); }};
}

// CLI11's messages are sentences without an end.
int WrongUsage(const CLI::ParseError& error) {
  std::string sentence = error.what();
  if (!sentence.empty() && sentence.back() != '.') sentence += '.';
  return Complain(sentence + " See tidemark --help.", kExitUsage);
}

}  // namespace

int RunCommandLine(int argc, char** argv, const WindowOpener& open_window) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failed write, with a sentence
  CLI::App application{"Where does a neural network's GPU memory go? Without a subcommand, the window opens.",
                       "tidemark"};
  application.set_version_flag("--version", TIDEMARK_VERSION);
  application.require_subcommand(0, 1);
  application.footer(
      "Examples:\n"
      "  tidemark                                  the window: train, watch, switch techniques live\n"
      "  tidemark estimate --batch 128 --amp fp16  what a step will need\n"
      "  tidemark train --steps 50 -o run.tide     train and record\n"
      "  tidemark export run.tide -o run.json      for Perfetto\n"
      "tidemark SUBCOMMAND --help tells more.");
  std::string file;
  const std::vector<Command> commands = {RegisterEstimate(application),
                                         RegisterTrain(application),
                                         RegisterInfo(application),
                                         RegisterExport(application),
                                         RegisterNetworks(application),
                                         RegisterCards(application),
                                         RegisterOpen(application, open_window, file)};
  try {
    application.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return application.exit(asked);
  } catch (const CLI::ParseError& error) {
    return WrongUsage(error);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  return open_window(std::nullopt);
}

}  // namespace tidemark::cli
