#include "app/cli/program_window.h"

#include <chrono>
#include <future>
#include <optional>

#include "app/cli/console.h"
#include "profiler/phantom/programs/program.h"

namespace tidemark::cli {
namespace {

constexpr std::chrono::seconds kToEnd{10};

}  // namespace

Result<int> RunBesideWindow(const std::vector<std::string>& program,
                            const std::vector<std::string>& environment,
                            const std::shared_ptr<session::ProgramRun>& run,
                            const std::function<void(int)>& ended, const WindowOpener& show) {
  Result<int> exit_code = 0;
  const auto run_it = [&] {
    exit_code = phantom::RunProgram(program, environment);
    if (exit_code) ended(*exit_code);
  };
  if (!show) {
    run_it();
    return exit_code;
  }
  std::future<void> beside_the_window = std::async(std::launch::async, run_it);
  const int closed = show({{}, run, phantom::WasAskedToEnd});
  if (run->can_stop()) {
    Complain("The window is closed, so the program is asked to end (SIGTERM).", kExitDone);
    run->Stop();
    if (beside_the_window.wait_for(kToEnd) == std::future_status::timeout) run->Stop();  // kills it
  }
  beside_the_window.get();
  if (exit_code && *exit_code == kExitDone && closed != kExitDone) return closed;
  return exit_code;
}

}  // namespace tidemark::cli
