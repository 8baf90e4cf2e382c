#include "profiler/advice/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "profiler/base/saturating.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/run_requests.h"
#include "profiler/session/shortage.h"

namespace tidemark::advice {
namespace {

constexpr size_t kColumns = 600;  // of a curve: as many as a picture of it is wide

}  // namespace

AllocatorSetup Otherwise(AllocatorSetup own, const std::optional<phantom::Card>& card, int64_t memory_bytes,
                         const std::string& settings) {
  if (card) own.card = *card;
  if (memory_bytes > 0) own.card.memory_bytes = memory_bytes;
  if (!settings.empty()) own.settings = settings;
  return own;
}

// What the requests leave alive is freed.
Status BeginAfter(const timeline::View& before, const phantom::Card& card, AllocatorSetup& setup) {
  Result<std::vector<phantom::Request>> requests = session::RequestsOf(before, session::UsableBytes(card));
  if (!requests) return requests.error();
  std::set<uint64_t> alive;
  for (const phantom::Request& request : *requests) {
    if (request.kind == phantom::Request::Kind::kAllocate) alive.insert(request.block);
    if (request.kind == phantom::Request::Kind::kFree) alive.erase(request.block);
  }
  for (const uint64_t block : alive) requests->push_back({phantom::Request::Kind::kFree, block});
  setup.after = std::make_shared<std::vector<phantom::Request>>(std::move(*requests));
  return Done{};
}

Result<ReplayedRun> ReplayedRun::Of(const timeline::View& view, const AllocatorSetup& own,
                                    const session::AllocatorOf& allocator, const Progress& progress) {
  Result<std::vector<phantom::Request>> requests = session::RequestsOf(view, session::UsableBytes(own.card));
  if (!requests) return requests.error();
  ReplayedRun run(std::move(*requests), allocator);
  Result<phantom::Replayed> before = run.Replay(own, progress);
  if (!before) return before.error();
  run.before_ = std::move(*before);
  const auto peak = [&](timeline::Series series) {
    return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
  };
  run.ends_at_failure_ = !session::WentOnAfterFailures(view);
  run.is_as_recorded_ = run.before_.allocated_peak_bytes == peak(timeline::Series::kAllocated) &&
                        run.before_.reserved_peak_bytes == peak(timeline::Series::kReserved);
  return run;
}

Result<phantom::Replayed> ReplayedRun::Replay(const AllocatorSetup& setup, const Progress& progress) const {
  session::AllocatorOf allocator = allocator_;
  allocator.addresses = setup.addresses.value_or(allocator.addresses);
  if (setup.after == nullptr)
    return session::TryAllocator(requests_, setup.card, setup.settings, allocator, kColumns, progress);
  std::vector<phantom::Request> requests = *setup.after;
  requests.push_back({phantom::Request::Kind::kCountHence});
  requests.insert(requests.end(), requests_.begin(), requests_.end());
  return session::TryAllocator(requests, setup.card, setup.settings, allocator, kColumns, progress);
}

Result<WhatIf> ReplayedRun::With(const AllocatorSetup& other, const Progress& progress) const {
  Result<phantom::Replayed> after = Replay(other, progress);
  if (!after) return after.error();
  return WhatIf{before_, std::move(*after), is_as_recorded_, ends_at_failure_};
}

AllocatorTrials TrySettings(const timeline::View& view, const AllocatorSetup& own, AllocatorSetup other,
                            const session::AllocatorOf& allocator, const Progress& progress) {
  AllocatorTrials tried;
  double done = 0;
  const auto goes_on = [&](double share) {
    return !progress || progress((done + share) / (1 + std::size(kTriedSettings)));
  };
  const Result<ReplayedRun> run = ReplayedRun::Of(view, own, allocator, goes_on);
  if (!run) return {{}, run.error().message};
  for (const char* settings : kTriedSettings) {
    ++done;
    if (!goes_on(0)) return {{}, "Stopped as asked."};
    other.settings = settings;
    const Result<WhatIf> outcome = run->With(other, goes_on);
    if (outcome) {
      tried.trials.push_back({settings, *outcome});
    } else {
      tried.error = outcome.error().message;
    }
  }
  ++done;
  if (!goes_on(0)) return {{}, "Stopped as asked."};
  return tried;
}

std::vector<AllocatorTrial> WithRoom(std::vector<AllocatorTrial> trials) {
  std::erase_if(trials, [](const AllocatorTrial& trial) { return trial.outcome.after.failures > 0; });
  std::ranges::stable_sort(
      trials, {}, [](const AllocatorTrial& trial) { return trial.outcome.after.reserved_peak_bytes; });
  return trials;
}

bool DoesNotFit(const WhatIf& outcome) {
  return outcome.after.failures > 0 &&
         (outcome.ends_at_failure || outcome.after.failures > outcome.before.failures);
}

std::string FailureInWords(const WhatIf& outcome) {
  const int64_t failures = outcome.after.failures;
  return fmt::format("It does not fit: {} of its requests {}.", FormatNumber(failures),
                     failures == 1 ? "fails" : "fail");
}

bool ReservesLess(const WhatIf& outcome) {
  const phantom::Replayed& before = outcome.before;
  const phantom::Replayed& after = outcome.after;
  return after.failures <= before.failures && after.reserved_peak_bytes < before.reserved_peak_bytes;
}

std::string RoomOf(const WhatIf& outcome, ByteUnit unit) {
  const std::string reserved = FormatBytes(outcome.after.reserved_peak_bytes, unit) + " reserved";
  return outcome.ends_at_failure ? "gets past the request that failed, " + reserved + " until then"
                                 : "has room for all that it asked for, " + reserved;
}

std::string AdviceOf(const std::vector<AllocatorTrial>& trials, ByteUnit unit) {
  if (trials.empty()) return "";
  const AllocatorTrial* best = nullptr;
  for (const AllocatorTrial& trial : trials) {
    const int64_t reserved = trial.outcome.after.reserved_peak_bytes;
    if (ReservesLess(trial.outcome) &&
        (best == nullptr || reserved < best->outcome.after.reserved_peak_bytes))
      best = &trial;
  }
  if (best == nullptr) {
    return "No setting of the allocator that was tried on this run reserves less: let sizes repeat from "
           "step to step.";
  }
  const int64_t saved_bytes =
      best->outcome.before.reserved_peak_bytes - best->outcome.after.reserved_peak_bytes;
  return "Tried on this run, PYTORCH_CUDA_ALLOC_CONF=" + best->settings + " reserves " +
         FormatBytes(saved_bytes, unit) + " less.";
}

// As CUDACachingAllocator.cpp of PyTorch 2.6 to 2.11: malloc collects only if a fraction was set.
std::string WhyWithoutEffect(const std::string& settings) {
  const auto has = [&](const char* key) { return settings.find(key) != std::string::npos; };
  if (!has("garbage_collection_threshold") || has("per_process_memory_fraction")) return "";
  return "garbage_collection_threshold has no effect by itself: PyTorch collects only in a process whose "
         "memory is limited. Add per_process_memory_fraction:0.95 (a newer PyTorch), or call "
         "torch.cuda.set_per_process_memory_fraction in the program, which a recording does not tell.";
}

int64_t HighestBytes(const WhatIf& outcome) {
  int64_t highest = 1;
  for (const phantom::Replayed* replayed : {&outcome.before, &outcome.after}) {
    for (const phantom::ReplayColumn& column : replayed->curve)
      highest = std::max({highest, column.allocated_bytes, column.reserved_bytes});
  }
  return highest;
}

int64_t UnusedBytes(const phantom::Replayed& replayed) {
  return SaturatingDifference(replayed.reserved_peak_bytes, replayed.allocated_peak_bytes);
}

}  // namespace tidemark::advice
