// "Run a program..." of the window, without the window: a program that uses LibTorch and CUDA is started as a
// person types it, on a phantom GPU under the probe, and its run tells what the program says of itself.
#include "app/cli/programs/program_start.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/technique_trials.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/programs/torch_installation.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::cli {
namespace {

constexpr int kPatienceMs = 120'000;

// This process's own environment is what a program that it starts has.
void StandOnPhantom() {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  REQUIRE(cards.ok());
  const auto card = std::ranges::find(*cards, "h200", &phantom::Card::name);
  REQUIRE(card != cards->end());
  const Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(*card);
  REQUIRE(environment.ok());
  for (const std::string& entry : *environment) {
    const size_t equals = entry.find('=');
    setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
  }
  setenv("TIDEMARK_CUDNN", "none", 1);
}

int64_t PeakOf(const timeline::View& view, timeline::Series series) {
  return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
}

TEST_CASE("A program that is started from the window is recorded while it runs, and to its end") {
  StandOnPhantom();
  const trace::Scratch scratch;
  const std::string said = (scratch / "said").string();
  session::ProgramOrder order;
  order.command = std::string("sh -c '\"$0\" step 64 128 64 0 1 > \"$1\"; exit 6' ") +
                  TIDEMARK_REFERENCE_PROGRAM + " " + said;
  order.recording = (scratch / "run.tide").string();
  const Result<std::shared_ptr<session::Run>> run = StartProgram(order);
  REQUIRE(run.ok());
  CHECK((*run)->can_stop());
  REQUIRE((*run)->WaitUntilSettled(kPatienceMs));
  CHECK((*run)->status().state == session::RunState::kFailed);
  CHECK((*run)->status().sentence.find("exit code 6") != std::string::npos);
  const auto view = (*run)->view();
  // "allocated 123 reserved 456 microseconds 7", as PyTorch counts it.
  std::ifstream file(said);
  std::string word;
  int64_t allocated = 0;
  int64_t reserved = 0;
  REQUIRE((file >> word >> allocated >> word >> reserved));
  CHECK(PeakOf(*view, timeline::Series::kAllocated) == allocated);
  CHECK(PeakOf(*view, timeline::Series::kReserved) == reserved);
  CHECK(PeakOf(*view, timeline::Series::kDriver) >= reserved);
  CHECK((*run)->status().lost == 0);
  const Result<std::unique_ptr<session::Run>> opened = session::Run::Open(order.recording);
  REQUIRE(opened.ok());
  CHECK((*opened)->view()->end() == view->end());
}

TEST_CASE("On this machine the tensors on its CPU are told where that is asked for") {
  const trace::Scratch scratch;
  const std::string said = (scratch / "said").string();
  session::ProgramOrder order;
  order.command = std::string("sh -c 'echo \"${") + capture::kProbeCpuVariable + "-no}\" > \"$0\"' " + said;
  order.cpu = GENERATE(true, false);
  const Result<std::shared_ptr<session::Run>> run = StartProgram(order);
  REQUIRE(run.ok());
  REQUIRE((*run)->WaitUntilSettled(kPatienceMs));
  std::string word;
  REQUIRE((std::ifstream(said) >> word));
  CHECK(word == (order.cpu ? "1" : "no"));
}

TEST_CASE("A program that was started from the window ends when its run is stopped") {
  StandOnPhantom();
  session::ProgramOrder order;
  order.command = std::string(TIDEMARK_REFERENCE_PROGRAM) + " step 64 128 64 0 100000";
  const Result<std::shared_ptr<session::Run>> run = StartProgram(order);
  REQUIRE(run.ok());
  for (int i = 0; i < kPatienceMs / 10 && (*run)->view()->empty(); ++i) usleep(10'000);
  REQUIRE_FALSE((*run)->view()->empty());
  CHECK((*run)->status().state == session::RunState::kRunning);
  (*run)->Stop();
  REQUIRE((*run)->WaitUntilSettled(kPatienceMs));
  CHECK((*run)->status().sentence == "The program was ended by signal 15.");
  CHECK_FALSE((*run)->can_stop());
}

// That of TIDEMARK_TEST_PYTHON, or python3; where it has no torch there is nothing to try.
std::optional<std::string> PythonWithTorch() {
  const char* const told = std::getenv("TIDEMARK_TEST_PYTHON");
  std::string python = told == nullptr ? "python3" : told;
  if (phantom::FindTorch({python})) return python;
  WARN("There is no torch.");
  return {};
}

TEST_CASE("Techniques are tried on a program that the window started, on its card and in their order") {
  const std::optional<std::string> python = PythonWithTorch();
  if (!python) return;
  const trace::Scratch scratch;
  const std::string script = (scratch / "train.py").string();
  std::ofstream(script) << R"(
import sys, torch
blocks = torch.nn.Sequential(*(torch.nn.Linear(int(sys.argv[2]), int(sys.argv[2])) for _ in range(4))).cuda()
blocks(torch.ones(65536, int(sys.argv[2]), device="cuda")).sum().backward()
)";
  session::ProgramOrder order;
  order.command = *python + " " + script;
  order.card = "l4";
  order.memory = "2GiB";
  order.amp = "bf16";
  order.argument = session::ProgramArgument{"width", 1024};
  const session::TechniqueTrials trials = TechniqueTrials();
  std::vector<session::TechniqueOrder> orders = trials.of(order);
  orders.erase(orders.begin());
  std::vector<session::TechniqueAnswer> answers;
  std::vector<std::string> lines;
  const auto take = [&](size_t place, const session::TechniqueAnswer& answer) {
    CHECK(place == answers.size());
    answers.push_back(answer);
  };
  const auto ran = trials.run(orders, take, {[&](std::string_view line) { lines.emplace_back(line); }});
  if (!ran) FAIL(ran.error().message);
  REQUIRE(answers.size() == 3);
  for (const session::TechniqueAnswer& answer : answers) CHECK(answer.failure == "");
  CHECK(std::ranges::count_if(lines, [](const std::string& line) {
          return line.starts_with("running it as it is, 1 of 3 · ");
        }) > 0);
  CHECK(answers[2].allocated_bytes < answers[0].allocated_bytes);
  answers.clear();
  const auto ended = trials.run(orders, take, {{}, [&] { return answers.empty(); }});
  CHECK(answers.size() == 1);
  // What it needs where it ran out is told after that, of the same one.
  const int64_t needed_bytes = answers[0].allocated_bytes;  // with workspaces
  answers.clear();
  orders.resize(1);
  orders[0].program.memory = "1GiB";
  const auto twice = trials.run(orders,
                                [&](size_t place, const session::TechniqueAnswer& answer) {
                                  CHECK(place == 0);
                                  answers.push_back(answer);
                                },
                                {});
  REQUIRE(answers.size() == 2);
  CHECK((answers[0].ran_out && answers[0].needed.allocated_bytes == 0));
  CHECK(answers[1].ran_out);
  constexpr int64_t kWorkspaces = int64_t{64} << 20;  // of cuBLAS, at the most; they are not counted
  const int64_t told_bytes = answers[1].needed.allocated_bytes;
  CHECK((told_bytes <= needed_bytes && told_bytes > needed_bytes - kWorkspaces));
}

TEST_CASE("Techniques that are not run since others are the same count as done") {
  const std::optional<std::string> python = PythonWithTorch();
  if (!python) return;
  const trace::Scratch scratch;
  const std::string script = (scratch / "train.py").string();
  std::ofstream(script) << R"(
import torch
blocks = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(4))).cuda()
with torch.autocast("cuda", torch.bfloat16):
    loss = blocks(torch.ones(64, 64, device="cuda")).sum()
loss.backward()
)";
  session::ProgramOrder order;
  order.command = *python + " " + script;
  order.card = "l4";
  const session::TechniqueTrials trials = TechniqueTrials();
  std::vector<std::string> lines;
  session::StartWatch watch;
  watch.told = [&](std::string_view line) { lines.emplace_back(line); };
  double done = 0;
  watch.share = [&](double share) { done = share; };
  const auto ran = trials.run(
      trials.of(order), [](size_t, const session::TechniqueAnswer&) {}, watch);
  if (!ran) FAIL(ran.error().message);
  CHECK(std::ranges::none_of(lines, [](const std::string& line) {
    return line.starts_with("running it with --amp bf16 --checkpoint blocks");
  }));
  CHECK(done == 1);
}

}  // namespace
}  // namespace tidemark::cli
