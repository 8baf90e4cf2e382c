#include "app/cli/programs/program_start.h"

#include <wordexp.h>

#include <cstddef>
#include <future>
#include <string>
#include <utility>

#include "app/cli/console/error_output.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/programs/program_window.h"
#include "app/cli/programs/user_program.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/trace/tide.h"

namespace tidemark::cli {
namespace {

class StartedProgram {
 public:
  StartedProgram(std::vector<std::string> words, ProgramLaunch launch,
                 std::unique_ptr<session::ProgramRecorder> recorder)
      : words_(std::move(words)), launch_(std::move(launch)), recorder_(std::move(recorder)) {
    launch_.environment.push_back(recorder_->environment_entry());
    running_ = std::async(std::launch::async, [this] { Run(); });
  }
  ~StartedProgram() { EndInOrder(*recorder_->watched(), running_); }
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;

  session::Run* run() const { return recorder_->watched().get(); }

 private:
  void Run() {
    ErrorOutput errors;
    const Result<int> exit_code =
        phantom::RunProgram(words_, launch_.environment, *launch_.stop, errors.fd());
    std::vector<std::string> notes = launch_.Notes();
    if (!exit_code) notes.push_back(exit_code.error().message);
    const std::string last_lines = errors.LastLines();
    // What is asked to end has no reason of its own, whatever it says then.
    recorder_->End(exit_code ? *exit_code : kExitFailed, std::move(notes),
                   launch_.stop->WasAsked() ? "" : last_lines);
  }

  const std::vector<std::string> words_;
  ProgramLaunch launch_;
  const std::unique_ptr<session::ProgramRecorder> recorder_;
  std::future<void> running_;
};

Result<ProgramLaunch> LaunchOf(const session::ProgramOrder& order, const std::vector<std::string>& words,
                               const session::StartWatch& watch) {
  const phantom::BuildWatch building{watch.told, watch.goes_on, watch.share};
  if (!order.card) {
    RecordedLayers layers;
    layers.cpu = order.cpu;
    layers.stacks = order.stacks;
    layers.kernels = order.kernels;
    layers.operators = order.operators;
    return LaunchAsItIs(words, order.recording, layers, building);
  }
  const Result<PhantomOrder> understood = UnderstandPhantom(OptionsOf(order));
  if (!understood) return Blame(watch, session::ProgramField::kMemory, understood.error());
  return LaunchOnPhantom(*understood, words, order.recording, building);
}

}  // namespace

Result<std::vector<std::string>> WordsOf(const std::string& command) {
  wordexp_t expanded{};
  const int code = wordexp(command.c_str(), &expanded, WRDE_NOCMD);
  std::vector<std::string> words;
  if (code == 0) words.assign(expanded.we_wordv, expanded.we_wordv + expanded.we_wordc);
  if (code == 0 || code == WRDE_NOSPACE) wordfree(&expanded);
  if (code == WRDE_SYNTAX) return Error{"The command has a quote or bracket that is not closed. Close it."};
  if (code != 0) {
    return Error{
        "The command holds a sign that only a shell understands (| & ; < > or $(...)). Put it into a "
        "script and name that, or write: sh -c '...'."};
  }
  if (words.empty()) return Error{"Name the program, as in: python train.py --batch 64"};
  return words;
}

PhantomOptions OptionsOf(const session::ProgramOrder& order) {
  PhantomOptions options;
  options.card = order.card.value_or(options.card);
  options.memory = order.memory;
  if (!order.amp.empty()) options.amp = order.amp;
  if (!order.checkpoint.empty()) options.checkpoint = order.checkpoint;
  options.stacks = order.stacks;
  options.kernels = order.kernels;
  return options;
}

Error Blame(const session::StartWatch& watch, session::ProgramField field, Error error) {
  if (watch.blamed) watch.blamed(field);
  return error;
}

Result<std::shared_ptr<session::Run>> StartProgram(const session::ProgramOrder& order,
                                                   const session::StartWatch& watch) {
  Result<std::vector<std::string>> words = WordsOf(order.command);
  if (!words) return words.error();
  if (const std::string why = WhyNoRecordingName(order.recording); !why.empty())
    return Blame(watch, session::ProgramField::kRecording, Error{why});
  if (const Status writable = trace::CanBeRecorded(order.recording); !writable)
    return Blame(watch, session::ProgramField::kRecording, writable.error());
  if (order.argument) {
    words = phantom::WithArgument(*words, order.argument->name, order.argument->value);
  }
  Result<ProgramLaunch> launch = LaunchOf(order, *words, watch);
  if (!launch) return launch.error();
  launch->recorded.is_watched = true;
  Result<std::unique_ptr<session::ProgramRecorder>> recorder =
      session::ProgramRecorder::Start(launch->recorded);
  if (!recorder) return recorder.error();
  const auto started =
      std::make_shared<StartedProgram>(std::move(*words), std::move(*launch), std::move(*recorder));
  return std::shared_ptr<session::Run>(started, started->run());
}

}  // namespace tidemark::cli
