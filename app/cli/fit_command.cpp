#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/card_option.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/numbers.h"
#include "app/cli/fit_search.h"
#include "app/cli/phantom_command.h"
#include "app/cli/programs/card_verdicts.h"
#include "app/cli/programs/program_cards.h"
#include "app/cli/programs/program_fit.h"
#include "app/cli/programs/program_samples.h"
#include "app/cli/programs/program_techniques.h"
#include "app/cli/programs/program_ways.h"
#include "app/cli/programs/settings_trial.h"
#include "app/cli/programs/user_program.h"
#include "app/cli/reports/advice_report.h"
#include "app/cli/reports/fit_report.h"
#include "app/cli/reports/run_report.h"
#include "app/cli/training_options.h"
#include "profiler/base/format.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/session/shortage.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kMostSamples = int64_t{networks::kMaxBatch} * networks::kMaxAccumulate;

struct FitOptions {
  TrainingOptions training;
  std::string memory;
  std::string target_batch;
  std::string addresses;
  std::string gpus;
  std::string world;
  std::string rank;
  bool all_cards = false;
  bool json = false;
};

Result<advice::FitQuestion> UnderstandFit(const FitOptions& options) {
  const Result<Training> training = options.training.Asked();
  if (!training) return training.error();
  const Result<phantom::Card> card = options.training.Card();
  if (!card) return card.error();
  advice::FitQuestion question{training->network, training->settings, *card, 0, events::AllocatorSettings()};
  if (!options.memory.empty()) {
    const Result<int64_t> bytes = MemoryFromText(options.memory, *card);
    if (!bytes) return bytes.error();
    question.card.memory_bytes = *bytes;
  }
  if (!options.target_batch.empty()) {
    const Result<int64_t> samples = WholeNumber("--target-batch", options.target_batch, 1, kMostSamples);
    if (!samples) return samples.error();
    question.samples = *samples;
  }
  return question;
}

int RunNetworkFit(const FitOptions& options) {
  if (events::IsAsyncAllocator(events::AllocatorSettings()))
    return Complain(events::kPoolIsTheDrivers, kExitFailed);
  const Result<advice::FitQuestion> question = UnderstandFit(options);
  if (!question) return Complain(question.error().message, options.training.ExitCodeOfRefusal());
  const auto began = std::chrono::steady_clock::now();
  const Result<advice::FitAnswer> answer = SearchFit(*question);
  if (!answer) return Complain(answer.error().message, ExitCodeOfFailure());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return Answer(options.json ? TextOf(FitJson(*question, *answer, seconds))
                             : FitText(*question, *answer, seconds));
}

struct ProgramFit {
  const phantom::Card& asked;
  const PhantomOptions& options;  // that it was asked for with
  bool all_cards = false;
  bool json = false;
  const std::vector<std::string>& program;
};

// What runs the program again does so until it is stopped, and is told by a line, unless JSON is asked for:
// that line goes to standard error, too.
template <typename Watch>
Watch Watched(const ProgramFit& fit, std::optional<ProgressLine>& line) {
  Watch watch;
  if (!fit.json) {
    line.emplace(kToldEvery);
    watch.progress = [&line](std::string_view text) { line->Show(text); };
  }
  watch.goes_on = [] { return !InterruptListener::WasInterrupted(); };
  return watch;
}

struct TakenRuns {
  Status ran;
  Status taken = Done{};  // whether verdicts could be made of the runs
};

TakenRuns TakeRuns(const ProgramFit& fit, ProgramTrials& trials, const CardsToRun& next,
                   CardVerdicts& verdicts) {
  Status taken = Done{};
  const InterruptListener listener;
  std::optional<ProgressLine> line;
  auto watch = Watched<CardsWatch>(fit, line);
  watch.ran = [&](const CardRun& run) {
    if (taken) taken = verdicts.Take(run);
  };
  Status ran = RunOnCards(trials, next, watch);
  return {std::move(ran), std::move(taken)};
}

// Runs the program on the other kinds of cards, as far as is asked; why not, or not so far.
Result<std::string> RunOnOtherCards(const ProgramFit& fit, const session::ProgramRun& first,
                                    ProgramTrials& trials, CardVerdicts& verdicts) {
  if (verdicts.ran_out_of_all()) {
    return fmt::format(
        "Memory ran out on a phantom with {}, too, and ended it: it asks for memory until there is none, or "
        "for more than any card has.",
        FormatBytes(advice::kRoomForAllBytes, ByteUnit::kMebibytes));
  }
  if (!first.description().ending.empty())
    return std::string("It came to no end, so it ran on no other card.");
  const auto next = [&] { return fit.all_cards ? verdicts.StillToRun() : verdicts.NextToRun(); };
  for (CardsToRun cards = next(); !cards.cards.empty(); cards = next()) {
    const auto [ran, taken] = TakeRuns(fit, trials, cards, verdicts);
    if (!taken) return taken.error();
    if (InterruptListener::WasInterrupted())
      return std::string("Stopped as asked, before it had run on all that decide.");
    if (!ran) return "It could not be run on other cards. " + ran.error().message;
  }
  return std::string();
}

bool EndedForWantOfMemory(const session::ProgramRun& run) {
  return !run.description().ending.empty() && !session::WentOnAfterFailures(*run.view());
}

// It does not fit on the card that was asked for, or only just, and another one may have room.
bool LacksMemory(const CardVerdicts& verdicts) {
  const CardVerdict* const own = verdicts.OfAsked();
  if (own == nullptr || !own->has_kernels || verdicts.ran_out_of_all()) return false;
  const bool does_not_fit = !own->fits && (own->ran_out || own->failure.empty());
  return does_not_fit || own->is_tight();
}

// What each makes of the program.
Result<std::vector<TechniqueVerdict>> TryEach(const ProgramFit& fit, ProgramTrials& trials,
                                              const TechniquesToRun& next) {
  const InterruptListener listener;
  std::vector<TechniqueVerdict> verdicts_with;
  std::optional<ProgressLine> line;
  auto watch = Watched<TechniquesWatch>(fit, line);
  watch.answered = [&](size_t technique, const session::TechniqueAnswer& answer) {
    verdicts_with.resize(std::max(verdicts_with.size(), technique + 1));
    verdicts_with[technique] = {answer, next.techniques[technique]};
  };
  const Status tried = TryTechniques(trials, next, watch);
  const bool has_all = verdicts_with.size() == next.techniques.size();  // but for what some may need
  if (!tried && !has_all) return tried.error();
  return verdicts_with;
}

// Which techniques would make it fit there.
Result<std::vector<TechniqueVerdict>> TechniquesThatHelp(const ProgramFit& fit, ProgramTrials& trials,
                                                         const CardVerdicts& verdicts) {
  if (!LacksMemory(verdicts) || InterruptListener::WasInterrupted()) return std::vector<TechniqueVerdict>();
  return TryEach(
      fit, trials,
      {phantom::TechniquesToTry(fit.asked.compute_capability), fit.asked, verdicts.takes_what_there_is()});
}

// Which settings of the allocator would.
std::vector<advice::AllocatorTrial> SettingsThatHelp(const ProgramFit& fit, const session::ProgramRun& run,
                                                     const session::AllocatorOf& allocator,
                                                     const CardVerdicts& verdicts) {
  if (!LacksMemory(verdicts) || verdicts.takes_what_there_is()) return {};
  const InterruptListener listener;
  ProgressLine line;
  return SettingsThatFit(*run.view(), run.description().allocator_settings, fit.asked, allocator,
                         line.ShowShare("trying settings of the allocator:"));
}

// With how many samples at once it would, if it has these techniques. `needed`: with all of them.
Result<FewerSamples> SamplesThatHelp(const ProgramFit& fit, const session::Need& needed,
                                     const phantom::Techniques& techniques, ProgramTrials& trials,
                                     const ProgramWays& ways) {
  const InterruptListener listener;
  std::optional<ProgressLine> line;
  return FindFewerSamples(
      trials,
      {ways.samples->name, ways.samples->values.back(), FitsWithAllSamples(ways, fit.asked), fit.asked,
       ways.state_bytes, needed, techniques},
      Watched<SamplesWatch>(fit, line));
}

// Of several all are tried with one sample.
Result<TechniqueVerdict> TechniquesToSearchWith(const ProgramFit& fit, ProgramTrials& trials,
                                                const ProgramWays& ways,
                                                const std::vector<TechniqueVerdict>& candidates) {
  if (candidates.size() == 1) return candidates.front();
  TechniquesToRun next{{}, fit.asked, false, TrialArgument{ways.samples->name, 1}};
  for (const TechniqueVerdict& candidate : candidates) next.techniques.push_back(candidate.techniques);
  const Result<std::vector<TechniqueVerdict>> with_one = TryEach(fit, trials, next);
  if (!with_one) return with_one.error();
  return BestForFewerSamples(candidates, *with_one);
}

// Alone, or where not even one sample fits, with techniques, too.
Status TryFewerSamples(const ProgramFit& fit, const session::ProgramRun& run, ProgramTrials& trials,
                       ProgramWays& ways) {
  Result<FewerSamples> fewer = SamplesThatHelp(fit, session::NeedOf(*run.view()), {}, trials, ways);
  if (!fewer) return fewer.error();
  ways.fewer = std::move(*fewer);
  const std::vector<TechniqueVerdict> candidates = TechniquesForFewerSamples(ways, fit.asked);
  if (candidates.empty() || InterruptListener::WasInterrupted()) return Done{};
  const Result<TechniqueVerdict> with = TechniquesToSearchWith(fit, trials, ways, candidates);
  if (!with) return with.error();
  if (InterruptListener::WasInterrupted()) return Done{};
  Result<FewerSamples> fewer_with = SamplesThatHelp(fit, with->needed, with->techniques, trials, ways);
  if (!fewer_with) return fewer_with.error();
  ways.fewer_with = std::move(*fewer_with);
  ways.with = with->techniques;
  return Done{};
}

// The cheapest are tried first. A sentence is among the notes where some could not be.
ProgramWays WaysThatHelp(const ProgramFit& fit, const session::ProgramRun& run, ProgramTrials& trials,
                         const CardVerdicts& verdicts, std::vector<std::string>& notes) {
  ProgramWays ways{SettingsThatHelp(fit, run, trials.Allocator(), verdicts),
                   {},
                   verdicts.state_bytes(),
                   phantom::BatchSweepOf(fit.program)};
  if (const CardVerdict* const own = verdicts.OfAsked(); own != nullptr && own->fits)
    ways.as_it_is = own->held;
  Result<std::vector<TechniqueVerdict>> techniques = TechniquesThatHelp(fit, trials, verdicts);
  if (techniques) {
    ways.techniques = std::move(*techniques);
  } else {
    notes.push_back("Techniques could not be tried. " + techniques.error().message);
  }
  if (MayNeedFewerSamples(ways, fit.asked) && !verdicts.takes_what_there_is() &&
      !InterruptListener::WasInterrupted()) {
    const Status tried = TryFewerSamples(fit, run, trials, ways);
    if (!tried) notes.push_back("Fewer samples could not be tried. " + tried.error().message);
  }
  ways.were_stopped = LacksMemory(verdicts) && InterruptListener::WasInterrupted();
  return ways;
}

// What stands out in the run, for people, where it lacks memory.
std::string FindingsOf(const ProgramFit& fit, const session::ProgramRun& run, const CardVerdicts& verdicts) {
  if (fit.json || !LacksMemory(verdicts) || InterruptListener::WasInterrupted()) return "";
  const auto tried = [] { return std::optional<std::string>(); };  // those of the allocator
  return FindingRows(*run.view(), fit.asked.memory_bytes, tried);
}

// Why there are no verdicts, for the program that has run. With no `why` it asked for no memory, which is
// told in words as `tidemark phantom` tells it.
std::string NoVerdictsText(const ProgramFit& fit, const session::ProgramRun& run, const ProgramLaunch& launch,
                           std::string why) {
  const events::RunDescription description = run.description();
  if (why.empty() && !fit.json) return "";
  if (!fit.json) return "tidemark: " + why + "\n";
  if (why.empty()) {
    why = description.ending.empty() ? "" : description.ending + " ";
    why += "The program asked the phantom GPU for no memory.";
  }
  return TextOf(NoVerdictsJson(fit.asked, launch.title, why, description.notes));
}

// The answer, once the program has run on the card that was asked for.
std::string ProgramFitText(const ProgramFit& fit, const session::ProgramRun& run,
                           const ProgramLaunch& launch) {
  const auto none = [&](std::string why) { return NoVerdictsText(fit, run, launch, std::move(why)); };
  if (run.status().captured == 0) return none("");
  Result<CardVerdicts> verdicts = CardVerdicts::Of(fit.asked, events::AllocatorSettings(), launch.Allocator(),
                                                   launch.recorded.description.torch_cuda);
  if (!verdicts) return none(verdicts.error().message);
  const bool ran_out = EndedForWantOfMemory(run);
  const CardRun first{{run.view(), ran_out ? "" : run.description().ending, ran_out}, fit.asked};
  if (const Status taken = verdicts->Take(first); !taken) return none(taken.error().message);
  ProgramTrials trials(fit.program, launch);
  const Result<std::string> why_no_runs = RunOnOtherCards(fit, run, trials, *verdicts);
  if (!why_no_runs) return none(why_no_runs.error().message);
  std::vector<std::string> doubts;  // of what was tried
  const ProgramWays ways = WaysThatHelp(fit, run, trials, *verdicts, doubts);
  const std::string findings = FindingsOf(fit, run, *verdicts);
  const std::string title = launch.title;
  std::vector<std::string> notes = launch.Notes();  // of all runs
  std::ranges::copy_if(run.description().notes, std::back_inserter(notes),
                       [&notes](const std::string& note) { return std::ranges::count(notes, note) == 0; });
  std::string growth = findings.empty() ? GrowthNote(*run.view()) : "";
  if (!growth.empty()) notes.push_back(std::move(growth));
  std::ranges::move(doubts, std::back_inserter(notes));
  if (!fit.json) {
    phantom::Card told = fit.asked;
    told.title = verdicts->TitleOf(told);
    return VerdictsText(*verdicts, title, *why_no_runs, ways.fits_with()) +
           WaysText(ways, told, fit.options, fit.program) + findings + NoteRows(notes);
  }
  Json json = VerdictsJson(*verdicts, title, *why_no_runs, notes);
  AddWaysJson(ways, fit.asked, fit.options, fit.program, json);
  json["stopped"] = InterruptListener::WasInterrupted();  // before all was run or tried
  json["findings"] = FindingsJson(*run.view(), fit.asked.memory_bytes);
  return TextOf(json);
}

// `refused`: an option that says how a network of ours is trained, "" if there is none.
int RunProgramFit(const FitOptions& options, const std::string& refused,
                  const std::vector<std::string>& program) {
  if (!refused.empty()) {
    return Complain(
        fmt::format(
            "{} is for networks of Tidemark's own; a program trains what it trains. Leave it out, "
            "or leave the program out: tidemark fit tells on which cards a program fits, and only "
            "--card, --memory, --gpus, --world, --rank, --addresses, --all-cards and --json go with it.",
            refused),
        kExitUsage);
  }
  if (events::IsAsyncAllocator(events::AllocatorSettings()))
    return Complain(events::kPoolIsTheDrivers, kExitFailed);
  Result<phantom::Card> card = options.training.Card();
  if (!card) return Complain(card.error().message, options.training.ExitCodeOfRefusal());
  if (!options.memory.empty()) {
    const Result<int64_t> bytes = MemoryFromText(options.memory, *card);
    if (!bytes) return Complain(bytes.error().message, kExitUsage);
    card->memory_bytes = *bytes;
  }
  PhantomOptions asked;
  asked.card = card->name;
  asked.memory = options.memory;
  asked.addresses = options.addresses;
  if (!options.gpus.empty()) asked.gpus = options.gpus;
  if (!options.world.empty()) asked.world = options.world;
  if (!options.rank.empty()) asked.rank = options.rank;
  PhantomOptions order = asked;
  order.memory = fmt::format("{}", advice::kRoomForAllBytes);
  return RunOnPhantom(order, program, nullptr,
                      [&](const session::ProgramRun& run, const ProgramLaunch& launch) {
                        const ProgramFit fit{*card, asked, options.all_cards, options.json, program};
                        return ProgramFitText(fit, run, launch);
                      });
}

}  // namespace

Command RegisterFit(CLI::App& application, const std::vector<std::string>& program) {
  CLI::App* command =
      application.add_subcommand("fit", "What makes a training step fit on a card, and what it costs");
  command->footer(
      "Examples:\n"
      "  tidemark fit --net resnet-50 --batch 256 --card t4\n"
      "  tidemark fit --batch 64 --target-batch 4096 --memory 8GiB\n"
      "  tidemark fit --card rtx-4090 -- python train.py       which cards would a program need?\n"
      "Micro-batches, precision, checkpointing, the optimizer and the allocator's settings are searched; a "
      "step keeps its number of samples. A program runs on the card and then, in the same folder, on smaller "
      "or larger ones until the smallest with room is found; with --all-cards once for each kind.");
  auto options = std::make_shared<FitOptions>();
  options->training.Register(*command);
  command
      ->add_option("--target-batch", options->target_batch,
                   "Samples in a step, all its micro-batches together; as now if left out")
      ->type_name("N");
  command
      ->add_option("--memory", options->memory,
                   "Memory of the card instead of its own: 16GiB (or 16G), 24GB, ...")
      ->type_name("SIZE");
  AddAddressesOption(*command, options->addresses);
  command
      ->add_option("--gpus", options->gpus,
                   "Of a program that uses several GPUs in one process (cuda:1): how many of a card it has")
      ->type_name("N");
  command
      ->add_option("--world", options->world,
                   "Of a distributed program: its ranks, of which one runs and the others are pretended")
      ->type_name("N");
  command->add_option("--rank", options->rank, "Which of them runs, from 0")->type_name("N");
  command->add_flag("--all-cards", options->all_cards,
                    "Of a program: run it on each kind of card with room, not only on those that decide");
  command->add_flag(
      "--json", options->json,
      "One JSON object, sizes in bytes; of a program on standard error, after what it says there");
  return {command, [=] {
            const char* const of_program = options->all_cards            ? "--all-cards"
                                           : !options->addresses.empty() ? "--addresses"
                                           : !options->gpus.empty()      ? "--gpus"
                                           : !options->world.empty()     ? "--world"
                                           : !options->rank.empty()      ? "--rank"
                                                                         : nullptr;
            if (program.empty() && of_program != nullptr) {
              return Complain(
                  fmt::format("{} is of a program. Name it: tidemark fit -- python train.py.", of_program),
                  kExitUsage);
            }
            if (program.empty()) return RunNetworkFit(*options);
            std::string refused = TrainingOptions::TypedOn(*command);
            if (refused.empty() && !options->target_batch.empty()) refused = "--target-batch";
            return RunProgramFit(*options, refused, program);
          }};
}

}  // namespace tidemark::cli
