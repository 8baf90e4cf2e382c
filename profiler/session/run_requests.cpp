#include "profiler/session/run_requests.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/session/whole_pools.h"
#include "profiler/timeline/steps.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;
using phantom::Request;
using timeline::EventIndex;

// No address of a block: those are multiples of 512.
constexpr uint64_t kFirstName = (uint64_t{1} << 63) + 1;

// The frees of blocks that waited for other streams, until they come back at last. The address of such a
// block may be another's by then, so blocks get names.
class LateFrees {
 public:
  void NameBlock(Request& request) { request.block = names_[request.block] = next_name_++; }
  void NoteRequest(uint64_t address) {
    waiting_.insert(address);
    latest_request_ = address;
  }
  void NoteOther() { latest_request_ = 0; }

  // Whether it is kept back. One that waits for nobody comes back at once: no other event is in between.
  bool Take(Request& free) {
    const uint64_t address = free.block;
    const bool waited = waiting_.erase(address) > 0 && latest_request_ != address;
    latest_request_ = 0;
    if (const auto name = names_.find(address); name != names_.end()) free.block = name->second;
    if (waited) late_.push_back(free);
    any_ = any_ || waited;
    return waited;
  }
  std::vector<Request> ComeBack() { return std::exchange(late_, {}); }
  bool any() const { return any_; }

 private:
  std::unordered_map<uint64_t, uint64_t> names_;  // by address
  std::unordered_set<uint64_t> waiting_;
  std::vector<Request> late_;
  uint64_t next_name_ = kFirstName;
  uint64_t latest_request_ = 0;
  bool any_ = false;
};

// What PyTorch reserves of each card, and why it gives segments back.
class Segments {
 public:
  explicit Segments(int64_t usable_bytes) : usable_bytes_(usable_bytes) {}

  // Whether the program had emptied the cache before this event.
  bool Take(const Event& event) {
    switch (event.kind) {
      case EventKind::kAllocate:
      case EventKind::kFreeCompleted:
        return EndFreeing();
      case EventKind::kSegmentAllocate:
      case EventKind::kSegmentMap:
        return Add(event);
      case EventKind::kSegmentFree:
      case EventKind::kSegmentUnmap:
        Free(event);
        return false;
      case EventKind::kOutOfMemory:
        on_[event.device].freed_bytes = 0;
        made_room_ = true;
        return EndFreeing();
      default:
        return false;
    }
  }
  // Whether it gave any back for want of room, or memory ran out.
  bool made_room() const { return made_room_; }

 private:
  // What was freed just before it, and had no room beside it, the allocator freed itself.
  bool Add(const Event& segment) {
    OnCard& on = on_[segment.device];
    const int64_t room_without = SaturatingDifference(usable_bytes_, on.reserved_bytes);
    if (SaturatingSum(on.freed_bytes, segment.bytes) > room_without) {
      made_room_ = made_room_ || on.freed_bytes > 0;
      on.freed_bytes = 0;
    }
    AddTo(on.reserved_bytes, segment.bytes);
    return EndFreeing();
  }
  void Free(const Event& segment) {
    OnCard& on = on_[segment.device];
    SubtractFrom(on.reserved_bytes, segment.bytes);
    on.freed_bytes = SaturatingSum(on.freed_bytes, segment.bytes);
  }
  bool EndFreeing() {
    bool has_freed = false;
    for (auto& [device, on] : on_) has_freed = std::exchange(on.freed_bytes, 0) > 0 || has_freed;
    return has_freed;
  }

  struct OnCard {
    int64_t reserved_bytes = 0;
    int64_t freed_bytes = 0;  // of segments, since the last other thing; not for want of room
  };
  const int64_t usable_bytes_;  // of a card
  std::map<uint8_t, OnCard> on_;
  bool made_room_ = false;
};

class Reading {
 public:
  // `late` is told of every block.
  explicit Reading(int64_t usable_bytes, LateFrees* late = nullptr) : segments_(usable_bytes), late_(late) {}

  void Take(const Event& event) {
    if (late_ != nullptr) NoteForLate(event);
    whole_pools_.Take(event);
    switch (event.kind) {
      case EventKind::kAllocate:
        EndFreeing(event);
        return Add(Request::Kind::kAllocate, event);
      case EventKind::kFreeCompleted:
        EndFreeing(event);
        return Add(Request::Kind::kFree, event);
      case EventKind::kSegmentAllocate:
      case EventKind::kSegmentMap:
        return EndFreeing(event);
      case EventKind::kSegmentFree:
      case EventKind::kSegmentUnmap:
        if (event.pool != 0) NoteFreedPool({event.device, event.pool});
        segments_.Take(event);
        return;
      case EventKind::kOutOfMemory:
        EndFreeing(event);
        return Add(Request::Kind::kTry, event);
      default:
        return;
    }
  }

  // More than there are numbers for: they could not be told apart.
  bool has_too_many_pools() const { return has_too_many_pools_; }
  size_t taken() const { return requests_.size(); }
  std::vector<Request> Requests() && {
    for (Request& request : requests_) {
      request.pool_is_whole = whole_pools_.Has({request.device, request.pool}) ? 1 : 0;
    }
    return std::move(requests_);
  }

 private:
  void NoteForLate(const Event& event) {
    if (event.kind == EventKind::kFreeRequested) return late_->NoteRequest(event.address);
    if (event.kind != EventKind::kFreeCompleted) late_->NoteOther();
    if (event.kind == EventKind::kStepEnd) BringBack();
  }

  void BringBack() {
    if (late_ == nullptr) return;
    const std::vector<Request> frees = late_->ComeBack();
    requests_.insert(requests_.end(), frees.begin(), frees.end());
  }

  void Add(Request::Kind kind, const Event& event) {
    Request request{kind, event.address, event.bytes, event.stream, event.pool, event.device};
    if (late_ != nullptr && kind == Request::Kind::kAllocate) late_->NameBlock(request);
    if (late_ != nullptr && kind == Request::Kind::kFree && late_->Take(request)) return;
    requests_.push_back(request);
    has_too_many_pools_ = has_too_many_pools_ || event.pool == events::kManyPools;
  }

  // The allocator frees a private pool's segments once whoever made the pool has let go of it.
  void NoteFreedPool(const PrivatePool& pool) {
    if (std::ranges::find(freed_pools_, pool) == freed_pools_.end()) freed_pools_.push_back(pool);
  }

  void EndFreeing(const Event& next) {
    for (const auto& [device, number] : freed_pools_)
      requests_.push_back({Request::Kind::kReleasePool, 0, 0, 0, number, device});
    freed_pools_.clear();
    if (!segments_.Take(next)) return;
    BringBack();  // PyTorch waits for all streams first
    requests_.push_back({Request::Kind::kEmptyCache});
  }

  Segments segments_;
  LateFrees* const late_;
  std::vector<PrivatePool> freed_pools_;
  WholePools whole_pools_;
  bool has_too_many_pools_ = false;
  std::vector<Request> requests_;
};

// Where the step before the last whole one is over: from there on is what comes again with each step, what
// happens between two of them among it. Nothing of fewer than two steps.
std::optional<EventIndex> BeginOfRound(const timeline::View& view, EventIndex begin) {
  const auto& steps = view.steps();
  const size_t whole = timeline::StepsUntilLastComplete(view);
  if (whole < 2 || steps[whole - 2].begin < begin) return {};
  return steps[whole - 2].end;
}

// By the requests that made them, the oldest first: the blocks that a round frees though it did not make
// them, and those that it leaves.
struct Exchange {
  std::vector<size_t> found;
  std::vector<size_t> left;
};

Exchange ExchangeOf(const std::vector<Request>& requests, size_t round) {
  Exchange exchange;
  std::unordered_map<uint64_t, size_t> alive;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].kind == Request::Kind::kAllocate) alive[requests[i].block] = i;
    if (requests[i].kind != Request::Kind::kFree) continue;
    const auto freed = alive.find(requests[i].block);
    if (freed == alive.end()) continue;
    if (i >= round && freed->second < round) exchange.found.push_back(freed->second);
    alive.erase(freed);
  }
  for (const auto& [block, made] : alive) {
    if (made >= round) exchange.left.push_back(made);
  }
  std::ranges::sort(exchange.found);
  std::ranges::sort(exchange.left);
  return exchange;
}

bool IsSteady(const Exchange& exchange, const std::vector<Request>& requests) {
  return std::ranges::equal(exchange.found, exchange.left, [&](size_t found, size_t left) {
    return requests[found].bytes == requests[left].bytes && requests[found].stream == requests[left].stream &&
           requests[found].pool == requests[left].pool && requests[found].device == requests[left].device;
  });
}

// Blocks get names of their own in each round, since a free is of the latest block of that name.
void AddRounds(std::vector<Request>& requests, size_t round, const Exchange& exchange, size_t rounds) {
  const size_t end = requests.size();
  std::unordered_map<uint64_t, uint64_t> names;  // of the round's blocks
  const auto name_of = [&](uint64_t block) {
    const auto found = names.find(block);
    return found == names.end() ? block : found->second;
  };
  uint64_t next_name = kFirstName;
  for (size_t done = 0; done < rounds; ++done) {
    std::unordered_map<uint64_t, uint64_t> found;
    for (size_t i = 0; i < exchange.found.size(); ++i)
      found[requests[exchange.found[i]].block] = name_of(requests[exchange.left[i]].block);
    names = std::move(found);
    for (size_t i = round; i < end; ++i) {
      Request request = requests[i];
      if (request.kind == Request::Kind::kAllocate) names[request.block] = next_name++;
      request.block = name_of(request.block);
      requests.push_back(request);
    }
  }
}

constexpr const char* kTooLong = "The run was too long to be kept whole, so it cannot be replayed.";
constexpr const char* kUntold =
    "Nobody told what the run asked PyTorch's allocator for, so it cannot be replayed; info tells why.";
constexpr const char* kTooManyPools =
    "The run had more private pools of memory (CUDA graphs, torch.cuda.MemPool) than are told apart, so it "
    "cannot be replayed.";

}  // namespace

Result<std::vector<Request>> RequestsOf(const timeline::View& view, int64_t usable_bytes, EventIndex begin) {
  if (view.first() > begin) return Error{kTooLong};
  if (!view.tells_blocks()) return Error{kUntold};
  Reading reading(usable_bytes);
  for (EventIndex index = begin; index < view.end(); ++index) reading.Take(view.event(index));
  if (reading.has_too_many_pools()) return Error{kTooManyPools};
  return std::move(reading).Requests();
}

bool EmptiesCacheForRoom(const timeline::View& view, int64_t usable_bytes) {
  Segments segments(usable_bytes);
  for (EventIndex index = view.first(); index < view.end() && !segments.made_room(); ++index)
    segments.Take(view.event(index));
  return segments.made_room();
}

Result<std::vector<Request>> LateRequestsOf(const timeline::View& view, int64_t usable_bytes) {
  if (view.first() > 0) return Error{kTooLong};
  LateFrees late;
  Reading reading(usable_bytes, &late);
  for (EventIndex index = 0; index < view.end(); ++index) reading.Take(view.event(index));
  if (reading.has_too_many_pools()) return Error{kTooManyPools};
  return late.any() ? std::move(reading).Requests() : std::vector<Request>();
}

Result<std::vector<Request>> ProlongedRequestsOf(const timeline::View& view, int64_t usable_bytes,
                                                 EventIndex begin, size_t rounds) {
  if (view.first() > begin) return Error{kTooLong};
  const EventIndex begin_of_round = BeginOfRound(view, begin).value_or(view.end());
  Reading reading(usable_bytes);
  for (EventIndex index = begin; index < begin_of_round; ++index) reading.Take(view.event(index));
  const size_t round = reading.taken();
  for (EventIndex index = begin_of_round; index < view.end(); ++index) reading.Take(view.event(index));
  if (reading.has_too_many_pools()) return Error{kTooManyPools};
  std::vector<Request> requests = std::move(reading).Requests();
  if (round == requests.size()) return requests;
  const Exchange exchange = ExchangeOf(requests, round);
  if (!IsSteady(exchange, requests)) return requests;
  AddRounds(requests, round, exchange, std::min(rounds, kMostProlonged / (requests.size() - round)));
  return requests;
}

}  // namespace tidemark::session
