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
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/numbers.h"
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

void AddScale(CLI::App& command, std::string& scale) {
  command
      .add_option("--scale", scale,
                  "How large all in the window is: 1 = as the screen says, 2 = twice that; kept for later")
      ->type_name("");
}

// None where nothing is said; its range the window tells.
Result<std::optional<float>> ScaleFromText(const std::string& text) {
  if (text.empty()) return std::optional<float>();
  const Result<double> scale = DecimalNumber("--scale", text);
  if (!scale) return scale.error();
  return std::optional(static_cast<float>(*scale));
}

struct OpenOptions {
  std::vector<std::string> files;
  bool follow = false;
};

// `scale` may be given before the subcommand, too.
Command RegisterOpen(CLI::App& application, const WindowOpener& open_window, std::string& scale_text) {
  CLI::App* command =
      application.add_subcommand("open", "Open the window, with a recording in it if one is named");
  command->footer(
      "Examples:\n  tidemark open run.tide\n  tidemark open snapshot.pickle\n  tidemark open trace.json.gz\n"
      "  tidemark open run.rank*.tide                     (the ranks of one run, largest first)\n"
      "  tidemark open --follow run.tide                  (while it is being recorded)\n"
      "  ssh FAR tail -c +1 -F run.tide | tidemark open --follow -   (on another machine)\n"
      "  tidemark open\nOpens " +
      trace::OpenableTypesInWords() + "; what gzip packed too.");
  auto options = std::make_shared<OpenOptions>();
  command
      ->add_option("FILE", options->files,
                   "Recording, memory snapshot or trace; several are the ranks of one run")
      ->type_name("");
  command->add_flag("--follow", options->follow,
                    "Show a recording as it grows; FILE may be a pipe, or - for standard input");
  AddScale(*command, scale_text);
  return {command, [options, &open_window, &scale_text] {
            const Result<std::optional<float>> scale = ScaleFromText(scale_text);
            if (!scale) return Complain(scale.error().message, kExitUsage);
            return options->follow ? FollowInWindow(open_window, options->files, *scale)
                                   : OpenWindowWith(open_window, options->files, *scale);
          }};
}

// The command line as it is read: what may be said without a subcommand, and the subcommands.
struct CommandLine {
  CLI::App application{
      "Where does a neural network's GPU memory go? Without a subcommand, the window opens, "
      "with the files that are named in it.",
      "tidemark"};
  std::string code;
  std::string scale;
  std::vector<Command> commands;
};

// `program`: the words after --.
void Register(const std::vector<std::string>& program, const WindowOpener& open_window, CommandLine& line) {
  CLI::App& application = line.application;
  application.set_version_flag("--version", "tidemark " TIDEMARK_VERSION, "Print the version and exit");
  application.add_option("--code", line.code, "Open the window with what this session code sets")
      ->type_name("");
  AddScale(application, line.scale);
  application.allow_extras();  // and so do the subcommands that are added from here on
  application.footer(kExamples);
  line.commands = {RegisterEstimate(application),
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
                   RegisterSamples(application),
                   RegisterLessons(application),
                   RegisterCode(application),
                   RegisterCalibrate(application),
                   RegisterOpen(application, open_window, line.scale)};
}

// The words again, with "open" before all that the application leaves to it: its own options stay its own.
std::vector<std::string> WithOpen(std::vector<std::string> words, const std::vector<std::string>& left) {
  for (const std::string& word : left) words.erase(std::ranges::find(words, word));
  words.emplace_back("open");
  words.insert(words.end(), left.begin(), left.end());
  return words;
}

// A file in the place of a subcommand is opened: so a desktop hands one over.
void Parse(CLI::App& application, std::vector<std::string> words) {
  const auto parse = [&] { application.parse(std::vector<std::string>(words.rbegin(), words.rend())); };
  parse();
  if (!NamesFileToOpen(application)) return;
  words = WithOpen(std::move(words), application.remaining());
  parse();
}

// Why what was typed cannot be done, a sentence; nothing where it can. `program`: the words after --, if that
// was typed.
std::optional<std::string> WhyWrong(const CommandLine& line,
                                    const std::optional<std::vector<std::string>>& program) {
  if (auto unknown = SentenceForUnknownArgument(line.application)) return unknown;
  const std::vector<CLI::App*> chosen = line.application.get_subcommands();
  if (chosen.size() > 1) return "One subcommand at a time; see tidemark --help.";
  if (program && (chosen.empty() || !RunsPrograms(*chosen.front()))) {
    return "Only tidemark phantom, tidemark record and tidemark fit run a program after --; see tidemark "
           "--help.";
  }
  if (program && program->empty()) {
    return fmt::format("Nothing follows --. Name the program there, as in: tidemark {} -- python train.py.",
                       chosen.front()->get_name());
  }
  if (chosen.empty()) return {};
  if (!line.code.empty())
    return "--code sets what a window without a subcommand begins with: tidemark --code CODE";
  if (!line.scale.empty() && chosen.front()->get_name() != "open")
    return "--scale is of the window: tidemark --scale 2, or tidemark open --scale 2 run.tide";
  return {};
}

int OpenOwnWindow(const CommandLine& line, const WindowOpener& open_window) {
  const Result<std::optional<float>> scale = ScaleFromText(line.scale);
  if (!scale) return Complain(scale.error().message, kExitUsage);
  if (line.code.empty()) return open_window({.scale = *scale});
  const Result<lessons::SessionState> state = lessons::StateFromCode(line.code);
  if (!state) return Complain(state.error().message, kExitUsage);
  if (const Status own = networks::CheckNamedByFile(state->settings.network); !own)
    return Complain(own.error().message, kExitUsage);
  return open_window({.state = *state, .scale = *scale});
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
  // What follows -- is another program's command line: no option in it is ours.
  char** const own_end = std::find(argv, argv + argc, std::string_view("--"));
  std::optional<std::vector<std::string>> program;
  if (own_end != argv + argc) program.emplace(own_end + 1, argv + argc);
  CommandLine line;
  Register(program.value_or(std::vector<std::string>()), open_window, line);
  try {
    Parse(line.application, std::vector<std::string>(argv + std::min<ptrdiff_t>(1, own_end - argv), own_end));
  } catch (const CLI::Success& asked) {
    return AnswerCall(line.application, asked);
  } catch (const CLI::ParseError& error) {
    return Complain(SentenceFor(error, line.application), kExitUsage);
  }
  if (const auto why = WhyWrong(line, program)) return Complain(*why, kExitUsage);
  const auto asked =
      std::ranges::find_if(line.commands, [](const Command& command) { return command.app->parsed(); });
  return asked == line.commands.end() ? OpenOwnWindow(line, open_window) : asked->run();
}

}  // namespace tidemark::cli
