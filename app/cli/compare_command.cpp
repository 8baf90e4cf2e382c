#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/numbers.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/reports/compare_report.h"
#include "app/presenters/allocations/folded_stacks.h"
#include "app/presenters/comparison/comparison_text.h"
#include "app/presenters/comparison/run_comparison.h"
#include "app/presenters/comparison/side_by_side.h"
#include "profiler/trace/output_file.h"

namespace tidemark::cli {
namespace {

// As diff and cmp have it: 1 is an answer, so trouble is 2.
constexpr int kExitDiffer = 1;
constexpr int kExitTrouble = 2;

struct CompareOptions {
  std::string a;
  std::string b;
  std::string steps;   // "" = of two runs
  std::string folded;  // the file; "" = none
  bool common_steps = false;
  bool json = false;
};

Result<timeline::Step> StepOf(const timeline::View& view, int64_t number, const std::string& file) {
  const auto step = std::ranges::find_if(
      view.steps(), [&](const timeline::Step& one) { return one.number == number && one.complete; });
  if (step != view.steps().end()) return *step;
  return Error{fmt::format("{} has no complete step {}: tidemark info tells its steps.", file, number)};
}

// Where one of the two does not tell its blocks there is nothing to fold.
Status WriteFolded(const std::string& file, const presenters::TwoMoments& peaks) {
  const auto& [a, b] = peaks;
  std::string why = "no allocation is alive at the peak of either.";
  std::string folded;
  if (a.view != nullptr && b.view != nullptr) {
    const std::string untold = presenters::WhyNotCompared(*a.view, "A", *b.view, "B");
    if (untold.empty()) {
      folded = *presenters::FoldedDifferenceOf(*a.view, a.state, *b.view, b.state, {});
    } else {
      why = untold;
    }
  }
  if (folded.empty())
    return Error{fmt::format("{} has no stacks to tell of: {} Leave out --folded.", file, why)};
  Result<trace::ReplacingFile> target = trace::ReplacingFile::Create(file);
  if (!target) return target.error();
  if (Status written = target->Write(folded); !written) return written;
  return target->Commit();
}

int RunCompareSteps(const CompareOptions& options) {
  const Result<StepRange> asked = Steps("--steps", options.steps);
  if (!asked) return Complain(asked.error().message, kExitTrouble);
  if (asked->first == asked->last)
    return Complain("--steps compares two steps, as 3-9, not one with itself.", kExitTrouble);
  const auto run = OpenRecording(options.a);
  if (!run) return Complain(run.error().message, kExitTrouble);
  const auto view = (*run)->view();
  const Result<timeline::Step> a = StepOf(*view, asked->first, options.a);
  if (!a) return Complain(a.error().message, kExitTrouble);
  const Result<timeline::Step> b = StepOf(*view, asked->last, options.a);
  if (!b) return Complain(b.error().message, kExitTrouble);
  const presenters::SideBySide steps = *presenters::CompareSteps(*view, *a, *b);
  if (!options.folded.empty()) {
    if (const Status written = WriteFolded(options.folded, *steps.moments); !written)
      return Complain(written.error().message, kExitTrouble);
  }
  const ComparedFile file{options.a, (*run)->description(), view.get(), WarningsOf(**run)};
  if (Answer(options.json ? TextOf(StepsJson(file, steps)) : StepsText(file, steps)) != kExitDone)
    return kExitTrouble;
  return view->tells_blocks() && AreTheSame(steps) ? kExitDone : kExitDiffer;
}

int RunCompare(const CompareOptions& options) {
  const bool of_steps = !options.steps.empty();
  if (options.a.empty() || options.b.empty() != of_steps) {
    return Complain(of_steps ? "--steps compares two steps of one recording: tidemark compare A --steps 3-9."
                             : "Name two recordings: tidemark compare A B; or two steps of one: --steps 3-9.",
                    kExitUsage);
  }
  if (of_steps && options.common_steps)
    return Complain("--common-steps is of two recordings, and --steps of one. Leave one of the two out.",
                    kExitUsage);
  if (of_steps) return RunCompareSteps(options);
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
  if (!options.folded.empty()) {
    const Status written = WriteFolded(options.folded, {presenters::MomentAt(*view_a, comparison.peak_a),
                                                        presenters::MomentAt(*view_b, comparison.peak_b)});
    if (!written) return Complain(written.error().message, kExitTrouble);
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
      "  tidemark compare run.tide --steps 10-500                (what grew from one to the other)\n"
      "  tidemark compare a.tide b.tide --folded d.folded        (flamegraph.pl d.folded > d.svg draws it)\n"
      "Where both know steps and phases, these are put beside each other; within them allocations are\n"
      "compared in order, and after a gap four sizes in a row have to agree. Sizes are those asked for, or "
      "of\n"
      "blocks where one of the two knows no others.\n"
      "Exit codes: 0 the same: every allocation and every new segment agrees in size and order, and so do\n"
      "the peaks of requested, allocated and reserved (driver, process and card are told, and do not "
      "count);\n"
      "1 they differ, or whether they do is not known; 2 wrong usage, a file that cannot be read, or no step "
      "that is in both.");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->a, "Recording, memory snapshot or trace: anything that opens")
      ->type_name("");
  command->add_option("B", options->b, "Another")->type_name("");
  command
      ->add_option("--steps", options->steps,
                   "Of one recording two steps, each at its peak: 10-500 puts 10 beside 500")
      ->type_name("STEPS");
  command->add_flag("--common-steps", options->common_steps,
                    "Leave out the steps that only one of them has, and what follows");
  command
      ->add_option("--folded", options->folded,
                   "Write what is alive at both peaks, as folded stacks with the bytes of A and of B: the "
                   "flame graph of the differences, as difffolded.pl has it")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunCompare(*options); }};
}

}  // namespace tidemark::cli
