#include "app/cli/phantom_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/console.h"
#include "app/cli/run_report.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

bool Failed(const phantom::SweepAnswer& answer) { return answer.out_of_memory || !answer.sentence.empty(); }

// Of one that came to its end and used the card.
bool HasPeaks(const phantom::SweepAnswer& answer) { return !Failed(answer) && answer.used_cuda; }

int64_t TakenBytes(const phantom::SweepAnswer& answer, const phantom::Card& card) {
  return answer.reserved_peak_bytes + card.context_bytes;
}

Json SweepJson(const phantom::SweepTask& task, const phantom::Card& card,
               const std::vector<phantom::SweepAnswer>& answers, const std::vector<std::string>& notes) {
  Json runs = Json::array();
  for (const phantom::SweepAnswer& answer : answers) {
    Json run = {
        {task.name, answer.value}, {"allocated_peak_bytes", Json()},        {"reserved_peak_bytes", Json()},
        {"taken_bytes", Json()},   {"out_of_memory", answer.out_of_memory}, {"sentence", answer.sentence}};
    if (HasPeaks(answer)) {
      run["allocated_peak_bytes"] = answer.allocated_peak_bytes;
      run["reserved_peak_bytes"] = answer.reserved_peak_bytes;
      run["taken_bytes"] = TakenBytes(answer, card);
    }
    runs.push_back(std::move(run));
  }
  return {{"sweep", task.name},
          {"card",
           {{"name", card.name},
            {"memory_bytes", card.memory_bytes},
            {"estimated_context_bytes", card.context_bytes}}},
          {"runs", runs},
          {"notes", notes}};
}

std::string EndOf(const phantom::SweepAnswer& answer) {
  if (answer.out_of_memory) return "  does not fit: " + answer.sentence;
  if (!answer.sentence.empty()) return "  " + answer.sentence;
  return answer.used_cuda ? "" : "  it asked the phantom GPU for no memory";
}

}  // namespace

std::string SweepTable(const phantom::SweepTask& task, const phantom::Card& card,
                       const std::vector<phantom::SweepAnswer>& answers) {
  constexpr const char* kRow = "{:>12}{:>22}{:>22}{:>12}{:>13}";
  std::string text =
      fmt::format(kRow, task.name, "allocated peak", "reserved peak", "of card", "free") + "\n";
  for (const phantom::SweepAnswer& answer : answers) {
    const std::string value = FormatNumber(answer.value);
    if (HasPeaks(answer)) {
      const int64_t taken = TakenBytes(answer, card);
      const double share = 100 * static_cast<double>(taken) / static_cast<double>(card.memory_bytes);
      text += fmt::format(kRow, value, FormatExactBytes(answer.allocated_peak_bytes),
                          FormatExactBytes(answer.reserved_peak_bytes), fmt::format("{:.1f} %", share),
                          FormatBytes(card.memory_bytes - taken, ByteUnit::kMebibytes));
    } else {
      text += fmt::format(kRow, value, "–", "–", "–", "–");
    }
    text += EndOf(answer) + "\n";
  }
  return text + fmt::format(
                    "The {}'s {} hold {} of CUDA context, an estimate, beside what is reserved. How far the "
                    "order of addresses moves that is told of a single run.\n",
                    card.title, FormatBytes(card.memory_bytes, ByteUnit::kMebibytes),
                    FormatBytes(card.context_bytes, ByteUnit::kMebibytes));
}

int RunSweep(const phantom::SweepTask& task, const phantom::Card& card, bool json,
             const std::function<std::vector<std::string>()>& doubts) {
  ProgressLine progress;
  size_t done = 0;
  progress.Show(fmt::format("0 of {} · the first run loads torch", task.values.size()));
  const auto answers = phantom::Sweep(task, [&](const phantom::SweepAnswer& answer) {
    progress.Show(fmt::format("{} of {} · {} {}", ++done, task.values.size(), task.name, answer.value));
  });
  progress.Clear();
  const std::vector<std::string> notes = doubts();
  if (!answers) {
    Tell(NoteRows(notes));
    return Complain(answers.error().message, kExitFailed);
  }
  const int code =
      Answer(json ? TextOf(SweepJson(task, card, *answers, notes)) : SweepTable(task, card, *answers));
  if (!json) Tell(NoteRows(notes));
  const bool all_failed = std::ranges::all_of(
      *answers, [](const phantom::SweepAnswer& answer) { return !answer.out_of_memory && Failed(answer); });
  return code == kExitDone && all_failed ? kExitFailed : code;
}

}  // namespace tidemark::cli
