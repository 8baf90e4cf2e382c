#include "app/cli/programs/program_samples.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "app/cli/programs/program_trials.h"
#include "profiler/advice/largest_search.h"
#include "profiler/base/format.h"
#include "profiler/phantom/programs/sweep.h"

namespace tidemark::cli {
namespace {

class SamplesSearch {
 public:
  SamplesSearch(const std::vector<std::string>& program, const ProgramLaunch& launch,
                const SamplesToFind& wanted, const SamplesWatch& watch)
      : program_(program), launch_(launch), wanted_(wanted), watch_(watch) {
    found_.argument = wanted.argument;
    found_.asked = wanted.asked;
  }

  Result<FewerSamples> Run() && {
    const phantom::Card& card = wanted_.card;
    for (const int64_t room : {session::HeldWithEase(card), card.memory_bytes - card.context_bytes}) {
      if (const Status searched = Search(room); !searched) return searched.error();
      if (found_.most > 0) break;
    }
    return std::move(found_);
  }

 private:
  bool GoesOn() const { return !watch_.goes_on || watch_.goes_on(); }

  bool MayTry() const { return found_.failure.empty() && runs_ < kMostSamplesRuns && GoesOn(); }

  // For the most with which it reserves no more than `room`.
  Status Search(int64_t room) {
    advice::LargestSearch search(wanted_.asked - 1, room, wanted_.asked / 2);
    search.Know(0, wanted_.state_bytes);
    search.Know(wanted_.asked, wanted_.needed.reserved_bytes);
    while (const std::optional<int64_t> samples = search.Next()) {
      if (!ran_.contains(*samples) && MayTry()) {
        if (const Status tried = Try(*samples); !tried) return tried.error();
      }
      const auto ran = ran_.find(*samples);
      if (ran == ran_.end()) break;
      search.Take(ran->second.reserved_bytes <= room, ran->second.reserved_bytes);
    }
    if (ran_.contains(search.too_many())) found_.too_many = search.too_many();
    if (const auto most = ran_.find(search.largest()); most != ran_.end()) {
      found_.most = most->first;
      found_.allocated_bytes = most->second.allocated_bytes;
      found_.held.reserved_bytes = most->second.reserved_bytes;
    }
    return Done{};
  }

  Status Try(int64_t samples) {
    const ProgramTrial trial{fmt::format("with {} {}, run {} of at most {}", wanted_.argument,
                                         FormatNumber(samples), ++runs_, kMostSamplesRuns),
                             CardEnvironment(wanted_.card, /*with_own_memory=*/false)};
    return RunTrials(
        phantom::WithArgument(program_, wanted_.argument, samples), launch_, {trial},
        {[&](size_t, const TrialRun& run) { Take(samples, run); }, watch_.progress, watch_.goes_on});
  }

  void Take(int64_t samples, const TrialRun& run) {
    if (!run.failure.empty()) {
      found_.failure = fmt::format("With {} {}: {}", wanted_.argument, FormatNumber(samples), run.failure);
      return;
    }
    const session::Need needed = session::NeedOf(*run.view);
    if (needed.allocated_bytes >= wanted_.needed.allocated_bytes) {
      found_.failure = fmt::format(
          "With {} {} it takes as much memory as with {}: the program may not make "
          "use of it.",
          wanted_.argument, FormatNumber(samples), FormatNumber(wanted_.asked));
      return;
    }
    ran_[samples] = session::HighestOfCards(*run.view);
  }

  const std::vector<std::string>& program_;
  const ProgramLaunch& launch_;
  const SamplesToFind& wanted_;
  const SamplesWatch& watch_;
  FewerSamples found_;
  std::map<int64_t, timeline::DevicePeaks> ran_;  // by the samples
  int runs_ = 0;
};

}  // namespace

Result<FewerSamples> FindFewerSamples(const std::vector<std::string>& program, const ProgramLaunch& launch,
                                      const SamplesToFind& wanted, const SamplesWatch& watch) {
  return SamplesSearch(program, launch, wanted, watch).Run();
}

}  // namespace tidemark::cli
