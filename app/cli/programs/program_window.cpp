#include "app/cli/programs/program_window.h"

#include <chrono>
#include <optional>

#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/window_opener.h"

namespace tidemark::cli {
namespace {

constexpr std::chrono::seconds kToEnd{10};

}  // namespace

void EndInOrder(session::Run& run, std::future<void>& running) {
  run.Stop();
  if (running.wait_for(kToEnd) == std::future_status::timeout) run.Stop();  // kills it
  running.get();
}

Result<int> RunBesideWindow(const std::vector<std::string>& program,
                            const std::vector<std::string>& environment, phantom::ProgramStop& stop,
                            const std::shared_ptr<session::Run>& run,
                            const std::function<void(const Result<int>&)>& ended, const WindowOpener& show) {
  Result<int> exit_code = 0;
  const auto run_it = [&] {
    exit_code = phantom::RunProgram(program, environment, stop);
    ended(exit_code);
  };
  if (!show) {
    run_it();
    return exit_code;
  }
  std::future<void> beside_the_window;
  const auto begin = [&] { beside_the_window = std::async(std::launch::async, run_it); };
  const int closed = show({{}, run, phantom::WasAskedToEnd, {}, begin});
  if (!beside_the_window.valid()) return closed;
  if (run->can_stop()) {
    Complain("The window is closed, so the program is asked to end (SIGTERM).", kExitDone);
    EndInOrder(*run, beside_the_window);
  } else {
    beside_the_window.get();
  }
  if (exit_code && *exit_code == kExitDone && closed != kExitDone) return closed;
  return exit_code;
}

}  // namespace tidemark::cli
