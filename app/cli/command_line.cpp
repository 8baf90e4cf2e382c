#include "app/cli/command_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/usage.h"
#include "app/cli/console/window_opener.h"
#include "profiler/base/children.h"
#include "profiler/networks/script_files.h"
#include "profiler/session/followed_run.h"
#include "profiler/trace/file_types.h"

namespace tidemark::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  tidemark                                         the window: train, watch, switch techniques live\n"
    "  tidemark estimate --batch 128 --amp fp16         what a step will need\n"
    "  tidemark fit --batch 4096 --card t4              what makes it fit, and what that costs\n"
    "  tidemark train --steps 50 -o run.tide            train and record\n"
    "  tidemark phantom -- python train.py              your own program on a GPU that is not there\n"
    "  tidemark record -o run.tide -- python train.py   any CUDA program, as it is\n"
    "  tidemark compare fp32.tide fp16.tide             where two runs differ\n"
    "  tidemark export run.tide --to chrome -o run.json for Perfetto\n"
    "tidemark SUBCOMMAND --help tells more.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted; what went wrong is a sentence on standard "
    "error.";

// What can be read of several is shown, and what cannot is named.
int OpenWindowWith(const WindowOpener& open_window, const std::vector<std::string>& files,
                   std::optional<float> scale) {
  std::vector<std::filesystem::path> readable;
  for (const std::string& file : files) {
    if (access(file.c_str(), R_OK) == 0) {
      readable.emplace_back(file);
      continue;
    }
    Complain(
        fmt::format("{} cannot be opened: {}. Name a recording (.tide), a memory snapshot or a trace that "
                    "you may read.",
                    file, std::strerror(errno)),
        kExitFailed);
  }
  if (readable.empty() && !files.empty()) return kExitFailed;
  return open_window({.recordings = std::move(readable), .scale = scale});
}

int FollowInWindow(const WindowOpener& open_window, const std::vector<std::string>& files,
                   std::optional<float> scale) {
  if (files.size() != 1) {
    return Complain("Name one recording to follow: tidemark open --follow run.tide, or - for standard input.",
                    kExitUsage);
  }
  Result<std::unique_ptr<session::Run>> run = session::FollowedRun::Open(files.front());
  if (!run) return Complain(run.error().message, kExitFailed);
  return open_window({.recordings = {files.front()}, .run = std::move(*run), .scale = scale});
}

void AddScale(CLI::App* command, std::optional<float>* scale) {
  command
      ->add_option("--scale", *scale,
                   "How large all in the window is: 1 = as the screen says, 2 = twice that; kept for later")
      ->type_name("");
}

// `scale` may be given before the subcommand, too.
Command RegisterOpen(CLI::App& application, const WindowOpener& open_window, std::optional<float>* scale) {
  CLI::App* command =
      application.add_subcommand("open", "Open the window, with a recording in it if one is named");
  command->footer(
      "Examples:\n  tidemark open run.tide\n  tidemark open snapshot.pickle\n  tidemark open trace.json.gz\n"
      "  tidemark open run.rank*.tide                     (the ranks of one run, largest first)\n"
      "  tidemark open --follow run.tide                  (while it is being recorded)\n"
      "  ssh FAR tail -c +1 -F run.tide | tidemark open --follow -   (on another machine)\n"
      "  tidemark open\nOpens " +
      trace::OpenableTypesInWords() + "; what gzip packed too.");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "Recording, memory snapshot or trace; several are the ranks of one run")
      ->type_name("");
  auto follow = std::make_shared<bool>(false);
  command->add_flag("--follow", *follow,
                    "Show a recording as it grows; FILE may be a pipe, or - for standard input");
  AddScale(command, scale);
  return {command, [=] {
            return *follow ? FollowInWindow(open_window, *files, *scale)
                           : OpenWindowWith(open_window, *files, *scale);
          }};
}

// What was given before a subcommand that it has no use for; null where there is nothing of the kind.
const char* WhyNotBefore(const CLI::App& command, const std::optional<float>& scale,
                         const std::string& code) {
  if (!code.empty())
    return "--code sets what a window without a subcommand begins with: tidemark --code CODE";
  if (scale && command.get_name() != "open")
    return "--scale is of the window: tidemark --scale 2, or tidemark open --scale 2 run.tide";
  return nullptr;
}

// --help and --version, on a stdout that may be full or closed.
int AnswerCall(const CLI::App& application, const CLI::Success& asked) {
  std::ostringstream text;
  application.exit(asked, text, text);
  return Answer(text.str());
}

}  // namespace

int RunCommandLine(int argc, char** argv, const WindowOpener& open_window) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failed write, with a sentence
  ReserveStandardStreams();
  HearOfChildren();
  CLI::App application{"Where does a neural network's GPU memory go? Without a subcommand, the window opens.",
                       "tidemark"};
  application.set_version_flag("--version", "tidemark " TIDEMARK_VERSION, "Print the version and exit");
  std::string code;
  application.add_option("--code", code, "Open the window with what this session code sets")->type_name("");
  std::optional<float> scale;
  AddScale(&application, &scale);
  application.allow_extras();  // and so do the subcommands that are added from here on
  application.footer(kExamples);
  // What follows -- is another program's command line: no option in it is ours.
  char** const own_end = std::find(argv, argv + argc, std::string_view("--"));
  const bool names_program = own_end != argv + argc;
  const std::vector<std::string> program(own_end + (names_program ? 1 : 0), argv + argc);
  const std::vector<Command> commands = {RegisterEstimate(application),
                                         RegisterTrain(application),
                                         RegisterInfo(application),
                                         RegisterExport(application),
                                         RegisterConvert(application),
                                         RegisterPlot(application),
                                         RegisterCompare(application),
                                         RegisterPhantom(application, program, open_window),
                                         RegisterRecord(application, program, open_window),
                                         RegisterFit(application, program),
                                         RegisterWhatIf(application),
                                         RegisterNetworks(application),
                                         RegisterCards(application),
                                         RegisterLessons(application),
                                         RegisterCode(application),
                                         RegisterCalibrate(application),
                                         RegisterOpen(application, open_window, &scale)};
  try {
    application.parse(static_cast<int>(own_end - argv), argv);
  } catch (const CLI::Success& asked) {
    return AnswerCall(application, asked);
  } catch (const CLI::ParseError& error) {
    return Complain(SentenceFor(error, application), kExitUsage);
  }
  if (const auto unknown = SentenceForUnknownArgument(application)) return Complain(*unknown, kExitUsage);
  if (application.get_subcommands().size() > 1) {
    return Complain("One subcommand at a time; see tidemark --help.", kExitUsage);
  }
  const std::vector<CLI::App*> chosen = application.get_subcommands();
  if (names_program && (chosen.empty() || !RunsPrograms(*chosen.front()))) {
    return Complain(
        "Only tidemark phantom, tidemark record and tidemark fit run a program after --; see tidemark "
        "--help.",
        kExitUsage);
  }
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    if (const char* const why = WhyNotBefore(*command.app, scale, code)) return Complain(why, kExitUsage);
    return command.run();
  }
  if (code.empty()) return open_window({.scale = scale});
  const Result<lessons::SessionState> state = lessons::StateFromCode(code);
  if (!state) return Complain(state.error().message, kExitUsage);
  if (const Status own = networks::CheckNamedByFile(state->settings.network); !own)
    return Complain(own.error().message, kExitUsage);
  return open_window({.state = *state, .scale = scale});
}

}  // namespace tidemark::cli
