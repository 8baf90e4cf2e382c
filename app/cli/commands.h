// The subcommands. Each registers itself on the application and returns what to run if it was chosen: a
// function that does the work and returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/cli/console/window_opener.h"

namespace tidemark::cli {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command RegisterEstimate(CLI::App& application);
Command RegisterTrain(CLI::App& application);
Command RegisterInfo(CLI::App& application);
Command RegisterExport(CLI::App& application);
Command RegisterPlot(CLI::App& application);
Command RegisterCompare(CLI::App& application);
Command RegisterConvert(CLI::App& application);
// `program`: the words after --.
Command RegisterPhantom(CLI::App& application, const std::vector<std::string>& program,
                        const WindowOpener& open_window);
Command RegisterRecord(CLI::App& application, const std::vector<std::string>& program,
                       const WindowOpener& open_window);
Command RegisterFit(CLI::App& application, const std::vector<std::string>& program);
Command RegisterWhatIf(CLI::App& application);
Command RegisterNetworks(CLI::App& application);
Command RegisterSamples(CLI::App& application);
Command RegisterLessons(CLI::App& application);
Command RegisterCode(CLI::App& application);
Command RegisterCards(CLI::App& application);
Command RegisterCalibrate(CLI::App& application);

}  // namespace tidemark::cli
