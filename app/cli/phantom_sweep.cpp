#include "app/cli/phantom_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/console.h"
#include "app/cli/report.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

Json SweepJson(const phantom::SweepTask& task, const std::vector<phantom::SweepAnswer>& answers) {
  Json runs = Json::array();
  for (const phantom::SweepAnswer& answer : answers) {
    runs.push_back({{task.name, answer.value},
                    {"allocated_peak_bytes", answer.allocated_peak_bytes},
                    {"reserved_peak_bytes", answer.reserved_peak_bytes},
                    {"out_of_memory", answer.out_of_memory},
                    {"sentence", answer.sentence}});
  }
  return {{"sweep", task.name}, {"runs", runs}};
}

std::string SweepTable(const phantom::SweepTask& task, const std::vector<phantom::SweepAnswer>& answers) {
  std::string text = fmt::format("{:>12}{:>22}{:>22}\n", task.name, "allocated peak", "reserved peak");
  for (const phantom::SweepAnswer& answer : answers) {
    text += fmt::format("{:>12}{:>22}{:>22}", FormatNumber(answer.value),
                        FormatExactBytes(answer.allocated_peak_bytes),
                        FormatExactBytes(answer.reserved_peak_bytes));
    if (answer.out_of_memory) text += "  does not fit";
    if (!answer.out_of_memory && !answer.sentence.empty()) text += "  " + answer.sentence;
    text += "\n";
  }
  return text;
}

}  // namespace

int RunSweep(const phantom::SweepTask& task, bool json) {
  ProgressLine progress;
  size_t done = 0;
  const auto answers = phantom::Sweep(task, [&](const phantom::SweepAnswer& answer) {
    progress.Show(fmt::format("{} of {} · {} {}", ++done, task.values.size(), task.name, answer.value));
  });
  progress.Clear();
  if (!answers) return Complain(answers.error().message, kExitFailed);
  const int code = Answer(json ? TextOf(SweepJson(task, *answers)) : SweepTable(task, *answers));
  const bool all_failed = std::ranges::all_of(*answers, [](const phantom::SweepAnswer& answer) {
    return !answer.out_of_memory && !answer.sentence.empty();
  });
  return code == kExitDone && all_failed ? kExitFailed : code;
}

}  // namespace tidemark::cli
