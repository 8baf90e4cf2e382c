#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/reports/compare_report.h"
#include "app/presenters/comparison/run_comparison.h"

namespace tidemark::cli {
namespace {

// As diff and cmp have it: 1 is an answer, so trouble is 2.
constexpr int kExitDiffer = 1;
constexpr int kExitTrouble = 2;

struct CompareOptions {
  std::string a;
  std::string b;
  bool common_steps = false;
  bool json = false;
};

int RunCompare(const CompareOptions& options) {
  if (options.a.empty() || options.b.empty())
    return Complain("Name two recordings: tidemark compare A B.", kExitUsage);
  const auto a = OpenRecording(options.a);
  if (!a) return Complain(a.error().message, kExitTrouble);
  const auto b = OpenRecording(options.b);
  if (!b) return Complain(b.error().message, kExitTrouble);
  const auto view_a = (*a)->view();
  const auto view_b = (*b)->view();
  const auto steps =
      options.common_steps ? presenters::ComparedSteps::kInBoth : presenters::ComparedSteps::kAll;
  const presenters::RunComparison comparison = presenters::CompareRuns(*view_a, *view_b, steps);
  if (comparison.streams.ranges.empty()) {
    return Complain(
        "No step is in both, so there is nothing to compare. Leave out --common-steps to compare all of "
        "them.",
        kExitTrouble);
  }
  const ComparedFile file_a{options.a, (*a)->description(), view_a.get(), WarningsOf(**a)};
  const ComparedFile file_b{options.b, (*b)->description(), view_b.get(), WarningsOf(**b)};
  const int answered = Answer(options.json ? TextOf(CompareJson(file_a, file_b, comparison))
                                           : CompareText(file_a, file_b, comparison));
  if (answered != kExitDone) return kExitTrouble;
  return comparison.same() ? kExitDone : kExitDiffer;
}

}  // namespace

Command RegisterCompare(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("compare", "Where two recordings differ: predicted and measured, say");
  command->footer(
      "Examples:\n"
      "  tidemark compare predicted.tide measured.tide\n"
      "  tidemark compare fp32.tide fp16.tide --json\n"
      "  tidemark compare short.tide long.tide --common-steps    (10 steps against 50)\n"
      "Where both know steps and phases, these are put beside each other; within them allocations are\n"
      "compared in order, and after a gap four sizes in a row have to agree. Sizes are those asked for, or "
      "of\n"
      "blocks where one of the two knows no others.\n"
      "Exit codes: 0 the same: every allocation and every new segment agrees in size and order, and so do\n"
      "the peaks of requested, allocated and reserved (driver, process and card are told, and do not "
      "count);\n"
      "1 they differ; 2 wrong usage, a file that cannot be read, or no step that is in both.");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->a, "Recording, memory snapshot or trace: anything that opens")
      ->type_name("");
  command->add_option("B", options->b, "Another")->type_name("");
  command->add_flag("--common-steps", options->common_steps,
                    "Leave out the steps that only one of them has, and what follows");
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunCompare(*options); }};
}

}  // namespace tidemark::cli
