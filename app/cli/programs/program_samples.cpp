#include "app/cli/programs/program_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "app/cli/programs/run_judge.h"
#include "profiler/advice/largest_search.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

// What one run told.
struct SamplesRun {
  std::string failure;  // why it told nothing; "" if it did
  int64_t needed_bytes = 0;
  timeline::DevicePeaks highest = {};
  std::optional<session::HeldOfCard> held = {};  // none where it has no room
};

class SamplesSearch {
 public:
  SamplesSearch(ProgramTrials& program, const SamplesToFind& wanted, const SamplesWatch& watch)
      : program_(program), allocator_(program.Allocator()), wanted_(wanted), watch_(watch) {}

  Result<FewerSamples> Run() && {
    Result<FewerSamples> with_room = Search(HasRoomToSpare());
    if (!with_room || with_room->most > 0 || wanted_.has_to_spare) return with_room;
    return Search(JustFits());
  }

 private:
  // What is looked for, and by what it is guessed how many do.
  struct Wanted {
    std::function<bool(const session::HeldOfCard&)> suits;
    int64_t timeline::DevicePeaks::*takes;
    int64_t taken_as_asked = 0;
    int64_t there_is = 0;
  };
  Wanted HasRoomToSpare() const {
    return {[this](const session::HeldOfCard& held) { return session::HasRoomToSpare(wanted_.card, held); },
            &timeline::DevicePeaks::reserved_bytes, wanted_.needed.reserved_bytes,
            session::HeldWithEase(wanted_.card)};
  }
  // PyTorch can give back what it reserved, and not what is allocated.
  Wanted JustFits() const {
    return {[](const session::HeldOfCard&) { return true; }, &timeline::DevicePeaks::allocated_bytes,
            wanted_.needed.allocated_bytes, session::UsableBytes(wanted_.card)};
  }

  bool MayTry() const { return runs_ < kMostSamplesRuns && (!watch_.goes_on || watch_.goes_on()); }

  // For the most that suit.
  Result<FewerSamples> Search(const Wanted& wanted) {
    FewerSamples found{wanted_.argument, wanted_.asked};
    advice::LargestSearch search({0, wanted_.state_bytes}, {wanted_.asked, wanted.taken_as_asked},
                                 wanted.there_is);
    while (const std::optional<int64_t> next = search.Next(Refused())) {
      if (const Status tried = Try(*next); !tried) return tried.error();
      const auto run = ran_.find(*next);
      if (run == ran_.end()) break;  // the runs are used up, or nobody waits for more
      if (!Tells(run->second)) continue;
      const bool suits = run->second.held && wanted.suits(*run->second.held);
      search.Take(*next, suits, run->second.highest.*wanted.takes);
    }
    found.failure = WhyNotAllBetween(search.largest(), search.too_many());
    if (ran_.contains(search.too_many())) found.too_many = search.too_many();
    if (const auto most = ran_.find(search.largest()); most != ran_.end()) {
      found.most = most->first;
      found.allocated_bytes = most->second.highest.allocated_bytes;
      found.held = *most->second.held;
    }
    return found;
  }

  Status Try(int64_t samples) {
    if (ran_.contains(samples) || !MayTry()) return Done{};
    const ProgramTrial trial{fmt::format("with {} {}, run {} of at most {}", wanted_.argument,
                                         FormatNumber(samples), ++runs_, kMostSamplesRuns),
                             wanted_.card,
                             /*has_own_memory=*/false, wanted_.techniques,
                             TrialArgument{wanted_.argument, samples}};
    Status judged = Done{};
    const auto take = [&](size_t, const TrialRun& run) {
      if (const Status taken = Take(samples, run); !taken) judged = taken;
    };
    if (Status ran = program_.Run({trial}, {take, watch_.progress, watch_.goes_on}); !ran) return ran;
    return judged;
  }

  Status Take(int64_t samples, const TrialRun& run) {
    if (!run.failure.empty()) {
      ran_[samples] = {run.failure};
      return Done{};
    }
    const RunJudge judge(*run.view, run.allocator_settings, allocator_);
    const Result<std::optional<session::HeldOfCard>> held = judge.HeldOn(wanted_.card);
    if (!held) return held.error();
    ran_[samples] = {"", session::NeedOf(*run.view).allocated_bytes, judge.highest(), *held};
    return Done{};
  }

  bool TakesAsMuch(const SamplesRun& run) const {
    return run.failure.empty() && run.needed_bytes >= wanted_.needed.allocated_bytes;
  }
  bool TakesLess(const SamplesRun& run) const { return run.failure.empty() && !TakesAsMuch(run); }

  // Some programs round samples up: where it takes less with others, that it takes as much with these tells,
  // too.
  bool Tells(const SamplesRun& run) const {
    const auto takes_less = [this](const auto& one) { return TakesLess(one.second); };
    return run.failure.empty() && std::ranges::any_of(ran_, takes_less);
  }
  std::vector<int64_t> Refused() const {
    std::vector<int64_t> refused;
    for (const auto& [samples, run] : ran_) {
      if (!Tells(run)) refused.push_back(samples);
    }
    return refused;
  }

  // Of what told nothing between the most and too many, the first; "" where there is none.
  std::string WhyNotAllBetween(int64_t most, int64_t too_many) const {
    for (auto run = ran_.upper_bound(most); run != ran_.end() && run->first < too_many; ++run) {
      if (!Tells(run->second)) return WhyNot(run->first, run->second);
    }
    return "";
  }
  std::string WhyNot(int64_t samples, const SamplesRun& run) const {
    const std::string with = fmt::format("With {} {}", wanted_.argument, FormatNumber(samples));
    if (!TakesAsMuch(run)) return with + ": " + run.failure;
    const bool always =
        std::ranges::all_of(ran_, [this](const auto& one) { return TakesAsMuch(one.second); });
    return fmt::format("{} it takes as much memory as with {}{}", with, FormatNumber(wanted_.asked),
                       always ? ": the program may not make use of it." : ".");
  }

  ProgramTrials& program_;
  const session::AllocatorOf allocator_;
  const SamplesToFind& wanted_;
  const SamplesWatch& watch_;
  std::map<int64_t, SamplesRun> ran_;  // by the samples
  int runs_ = 0;
};

}  // namespace

Result<FewerSamples> FindFewerSamples(ProgramTrials& program, const SamplesToFind& wanted,
                                      const SamplesWatch& watch) {
  return SamplesSearch(program, wanted, watch).Run();
}

}  // namespace tidemark::cli
