#include "app/cli/programs/program_techniques.h"

#include <algorithm>
#include <utility>

#include "app/cli/programs/settings_trial.h"
#include "profiler/advice/needs.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

session::TechniqueAnswer AnswerOf(const TrialRun& run, const phantom::Card& card) {
  session::TechniqueAnswer answer{run.failure.empty(), run.ran_out, run.failure};
  answer.in_vain = run.in_vain;
  if (!answer.fits) return answer;
  answer.allocated_bytes = session::HighestOfCards(*run.view).allocated_bytes;
  answer.held = session::HeldBy(*run.view, card);
  return answer;
}

std::string TrialTitle(const phantom::Techniques& techniques) {
  const std::string options = phantom::OptionsOf(techniques);
  return options.empty() ? "as it is" : "with " + options;
}

ProgramTrial TrialOf(const phantom::Techniques& techniques, const phantom::Card& card,
                     const std::optional<TrialArgument>& argument) {
  return {TrialTitle(techniques), card, /*has_own_memory=*/true, techniques, argument};
}

// Each technique of several alone; none of one, or of none.
std::vector<phantom::Techniques> PartsOf(const phantom::Techniques& several) {
  const phantom::Techniques none;
  if (several.amp == none.amp || several.checkpoint == none.checkpoint) return {};
  return {{several.amp, none.checkpoint}, {none.amp, several.checkpoint}};
}

std::optional<size_t> PlaceOf(const phantom::Techniques& one,
                              const std::vector<phantom::Techniques>& techniques) {
  const auto found = std::ranges::find(techniques, one);
  if (found == techniques.end()) return {};
  return static_cast<size_t>(found - techniques.begin());
}

// With which memory ran out, and what was told of that.
struct RanOut {
  size_t technique = 0;
  session::TechniqueAnswer answer;
};

bool GoesOn(const TechniquesWatch& watch) { return !watch.goes_on || watch.goes_on(); }

// Of as many runs as there are to be, which become more with each that runs out.
void TellShare(size_t runs, size_t expected, const TechniquesWatch& watch) {
  if (watch.share) watch.share(static_cast<double>(runs) / static_cast<double>(expected));
}

// What those need, and whether other settings of the allocator would do.
Status TellNeeds(ProgramTrials& program, const TechniquesToRun& next, std::vector<RanOut> ran_out,
                 const TechniquesWatch& watch) {
  phantom::Card with_room_for_all = next.card;
  with_room_for_all.memory_bytes = advice::kRoomForAllBytes;
  std::vector<ProgramTrial> trials;
  for (const RanOut& one : ran_out) {
    trials.push_back(TrialOf(next.techniques[one.technique], with_room_for_all, next.argument));
    trials.back().title += ", with room for all";
  }
  const auto tell_need = [&](RanOut& one, const TrialRun& run) {
    one.answer.needed = session::NeedOf(*run.view);
    const std::vector<advice::AllocatorTrial> fitting =
        SettingsThatFit(*run.view, run.allocator_settings, next.card, program.Allocator(),
                        [&](double) { return GoesOn(watch); });
    if (!GoesOn(watch)) return;  // before all were tried
    if (!fitting.empty())
      one.answer.fits_with = {fitting.front().settings, session::HeldBy(fitting.front().outcome.after)};
    watch.answered(one.technique, one.answer);
  };
  const auto ran = [&](size_t trial, const TrialRun& run) {
    if (run.failure.empty()) tell_need(ran_out[trial], run);  // else it is not known what it needs
    TellShare(next.techniques.size() + trial + 1, next.techniques.size() + ran_out.size(), watch);
  };
  return program.Run(trials, {ran, watch.progress, watch.goes_on});
}

// One run after the other, those first that stand alone, and what is told of them.
class Tries {
 public:
  Tries(ProgramTrials& program, const TechniquesToRun& next, const TechniquesWatch& watch)
      : program_(program), next_(next), watch_(watch) {
    watch_.answered = [this](size_t technique, const session::TechniqueAnswer& answer) {
      Tell(technique, answer);
    };
  }
  Tries(const Tries&) = delete;
  Tries& operator=(const Tries&) = delete;

  Status Run() {
    std::vector<size_t> first;
    std::vector<size_t> together;
    for (size_t i = 0; i < next_.techniques.size(); ++i)
      (HasItsPartsBefore(i) ? together : first).push_back(i);
    if (Status ran = Run(first); !ran) return ran;
    std::erase_if(together, [this](size_t technique) { return TellIfSame(technique); });
    if (Status ran = Run(together); !ran) return ran;
    if (ran_out_.empty() || next_.takes_what_there_is || !GoesOn(watch_)) return Done{};
    return TellNeeds(program_, next_, ran_out_, watch_);
  }

 private:
  bool HasItsPartsBefore(size_t technique) const {
    const std::vector<phantom::Techniques> parts = PartsOf(next_.techniques[technique]);
    return !parts.empty() && std::ranges::all_of(parts, [&](const phantom::Techniques& part) {
      const std::optional<size_t> place = PlaceOf(part, next_.techniques);
      return place && *place < technique;
    });
  }

  bool TellIfSame(size_t technique) {
    std::optional<SameProgram> same =
        SameProgramWith(next_.techniques[technique], next_.techniques, answers_);
    if (!same) return false;
    same_.emplace_back(technique, std::move(*same));
    TellSame(same_.back());
    TellShare();
    return true;
  }

  void TellSame(const std::pair<size_t, SameProgram>& same) {
    session::TechniqueAnswer answer = answers_.at(same.second.technique);
    for (const std::string& option : same.second.in_vain) {
      if (std::ranges::count(answer.in_vain, option) == 0) answer.in_vain.push_back(option);
    }
    told_(same.first, answer);
  }

  void Tell(size_t technique, const session::TechniqueAnswer& answer) {
    answers_[technique] = answer;
    told_(technique, answer);
    for (const auto& same : same_) {
      if (same.second.technique == technique) TellSame(same);
    }
  }

  void TellShare() const {
    const size_t again = next_.takes_what_there_is ? 0 : ran_out_.size();
    cli::TellShare(answers_.size() + same_.size(), next_.techniques.size() + again, watch_);
  }

  Status Run(const std::vector<size_t>& techniques) {
    if (techniques.empty() || !GoesOn(watch_)) return Done{};
    std::vector<ProgramTrial> trials;
    trials.reserve(techniques.size());
    for (const size_t technique : techniques)
      trials.push_back(TrialOf(next_.techniques[technique], next_.card, next_.argument));
    const auto ran = [&](size_t trial, const TrialRun& run) {
      const session::TechniqueAnswer answer = AnswerOf(run, next_.card);
      if (answer.ran_out) ran_out_.push_back({techniques[trial], answer});
      Tell(techniques[trial], answer);
      TellShare();
    };
    return program_.Run(trials, {ran, watch_.progress, watch_.goes_on});
  }

  ProgramTrials& program_;
  const TechniquesToRun& next_;
  TechniquesWatch watch_;
  const session::TechniqueAnswered told_ = watch_.answered;
  std::map<size_t, session::TechniqueAnswer> answers_;  // of what ran
  std::vector<std::pair<size_t, SameProgram>> same_;    // of what did not
  std::vector<RanOut> ran_out_;
};

}  // namespace

std::optional<SameProgram> SameProgramWith(const phantom::Techniques& several,
                                           const std::vector<phantom::Techniques>& techniques,
                                           const std::map<size_t, session::TechniqueAnswer>& answers) {
  const std::vector<phantom::Techniques> parts = PartsOf(several);
  if (parts.empty()) return {};
  const auto answered = [&](const phantom::Techniques& one) {
    const std::optional<size_t> place = PlaceOf(one, techniques);
    return place ? answers.find(*place) : answers.end();
  };
  for (size_t part = 0; part < 2; ++part) {
    const auto of_part = answered(parts[part]);
    const auto of_rest = answered(parts[1 - part]);
    if (of_part == answers.end() || of_rest == answers.end()) continue;
    // One that ended early may have come to more with the other.
    if (of_part->second.fits && !of_part->second.in_vain.empty())
      return SameProgram{of_rest->first, of_part->second.in_vain};
  }
  return {};
}

Status TryTechniques(ProgramTrials& program, const TechniquesToRun& next, const TechniquesWatch& watch) {
  return Tries(program, next, watch).Run();
}

}  // namespace tidemark::cli
