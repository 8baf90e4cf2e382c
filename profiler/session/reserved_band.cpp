#include "profiler/session/reserved_band.h"

#include <algorithm>
#include <string>
#include <utility>

#include "profiler/timeline/series.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;
using phantom::Request;

// PyTorch's kLargeBuffer: what it reserves for blocks from 1 to 10 MiB (CUDACachingAllocator.cpp).
constexpr int64_t kSegmentBytes = 20 << 20;

class Reading {
 public:
  explicit Reading(int64_t usable_bytes) : usable_bytes_(usable_bytes) {}

  void Take(const Event& event) {
    switch (event.kind) {
      case EventKind::kAllocate:
        EndFreeing();
        return Add(Request::Kind::kAllocate, event);
      case EventKind::kFreeCompleted:
        EndFreeing();
        return Add(Request::Kind::kFree, event);
      case EventKind::kSegmentAllocate:
      case EventKind::kSegmentMap:
        // Freed since it would not have fitted: the allocator's own doing.
        if (freed_bytes_ > 0 && reserved_bytes_ + freed_bytes_ + event.bytes > usable_bytes_)
          freed_bytes_ = 0;
        EndFreeing();
        reserved_bytes_ += event.bytes;
        return;
      case EventKind::kSegmentFree:
      case EventKind::kSegmentUnmap:
        reserved_bytes_ -= event.bytes;
        freed_bytes_ += event.bytes;
        return;
      case EventKind::kOutOfMemory:
        freed_bytes_ = 0;
        return Add(Request::Kind::kTry, event);
      default:
        return;
    }
  }

  std::vector<Request> Requests() && { return std::move(requests_); }

 private:
  void Add(Request::Kind kind, const Event& event) {
    requests_.push_back({kind, event.address, event.bytes, event.stream});
  }

  void EndFreeing() {
    if (freed_bytes_ > 0) requests_.push_back({Request::Kind::kEmptyCache});
    freed_bytes_ = 0;
  }

  const int64_t usable_bytes_;
  int64_t reserved_bytes_ = 0;
  int64_t freed_bytes_ = 0;  // of segments, since the last other thing
  std::vector<Request> requests_;
};

}  // namespace

Result<std::vector<Request>> RequestsOf(const timeline::View& view, int64_t usable_bytes,
                                        timeline::EventIndex begin) {
  if (view.first() > begin) return Error{"The run was too long to be kept whole, so it cannot be replayed."};
  Reading reading(usable_bytes);
  for (timeline::EventIndex index = begin; index < view.end(); ++index) reading.Take(view.event(index));
  return std::move(reading).Requests();
}

Result<ReservedBand> ReservedBandOf(const timeline::View& view, const phantom::Card& card,
                                    const std::filesystem::path& replayer,
                                    const std::filesystem::path& stand_ins,
                                    const std::vector<std::string>& environment) {
  const int64_t usable_bytes = card.memory_bytes - card.context_bytes;
  const Result<std::vector<Request>> requests = RequestsOf(view, usable_bytes);
  if (!requests) return requests.error();
  Result<std::vector<std::string>> all = phantom::PhantomEnvironment(card, stand_ins);
  if (!all) return all.error();
  all->insert(all->end(), environment.begin(), environment.end());
  all->push_back(std::string(phantom::kMemoryVariable) + "=" + std::to_string(card.memory_bytes));
  const auto peak = [&](timeline::Series series) {
    return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
  };
  const Result<phantom::ReservedBand> bytes = phantom::BandOfReserved(
      {replayer, std::move(*all)}, *requests,
      {peak(timeline::Series::kAllocated), peak(timeline::Series::kReserved), 0, 0, {}});
  if (!bytes) return bytes.error();
  const int64_t further_bytes = std::max(bytes->most_bytes - bytes->least_bytes, kSegmentBytes);
  return ReservedBand{*bytes, bytes->empties_cache || bytes->most_bytes + further_bytes > usable_bytes};
}

}  // namespace tidemark::session
