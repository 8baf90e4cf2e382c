#include <algorithm>
#include <limits>
#include <utility>

#include "profiler/events/driver_memory.h"
#include "profiler/timeline/chunk.h"
#include "profiler/timeline/device_peaks.h"
#include "profiler/timeline/ledger.h"
#include "profiler/timeline/names.h"
#include "profiler/timeline/open_chunk.h"
#include "profiler/timeline/packed_chunk.h"
#include "profiler/timeline/sequence.h"
#include "profiler/timeline/stored_view.h"
#include "profiler/timeline/structure.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {
namespace {

using events::Event;
using events::EventKind;

// A checkpoint is worth its memory once this many events per live block have passed: 64 bytes for at least 8
// events.
constexpr size_t kEventsPerLiveBlock = 8;
// Three times what those of a usual run take. Where nothing repeats, fewer events are kept.
constexpr size_t kBytesPerEvent = 32;
// A file may hold any time; the difference of two of these does not overflow.
constexpr int64_t kLatestNs = std::numeric_limits<int64_t>::max() / 2;
constexpr int64_t kEarliestNs = -kLatestNs - 1;
// The distance to a block's end has 32 bits.
constexpr size_t kMostChunks = std::numeric_limits<uint32_t>::max() / kChunkEvents - 1;

// Who only sees blocks reports their sizes as those asked for: whole 512 bytes, as PyTorch's allocator rounds
// them on a GPU at least (kMinBlockSize, c10/core/AllocatorConfig.h).
bool IsSizeOfBlock(const Event& event) {
  constexpr int64_t kBlockBytes = 512;
  return event.bytes == event.rounded_bytes && event.bytes % kBlockBytes == 0;
}

size_t ChunksFor(size_t events) {
  return std::clamp<size_t>(events / kChunkEvents + (events % kChunkEvents != 0 ? 1 : 0), 2, kMostChunks);
}

}  // namespace

class Builder::Implementation {
 public:
  explicit Implementation(size_t budget_events)
      : most_chunks_(ChunksFor(budget_events)), most_bytes_(most_chunks_ * kChunkEvents * kBytesPerEvent) {}

  void Append(const Event& event);
  std::shared_ptr<const View> Publish();
  void LetGoBefore(EventIndex index);
  void LetGoBeyond(size_t bytes);

 private:
  void Apply(Event& event);
  void KeepHighest();
  void NoteNext(EventIndex born);
  void BeginChunk();
  void PackOpenChunk();
  std::shared_ptr<const Checkpoint> CheckpointFor(EventIndex start);
  void LetGoOfOldest();
  EventIndex AfterOldest() const;
  size_t bytes() const { return packed_bytes_ + device_work_.bytes(); }
  EventIndex first() const { return chunks_.empty() ? end_ : chunks_.front()->start().index; }

  const size_t most_chunks_;
  const size_t most_bytes_;  // of packed chunks and of device work
  size_t packed_bytes_ = 0;
  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::shared_ptr<OpenChunk> open_;                                                 // the last of them
  SequenceBuilder<std::shared_ptr<const Chunk>, kChunksInPiece> published_chunks_;  // the packed ones
  SequenceBuilder<ChunkSummary, 256> summaries_;                                    // of these
  SequenceBuilder<ChunkEnd> ends_;                                                  // of these
  EventIndex end_ = 0;
  int64_t start_ns_ = 0;
  bool has_requests_ = false;
  bool has_sizes_of_blocks_ = false;
  int64_t cupti_bytes_ = 0;
  DevicePeaksBuilder devices_;
  Highest highest_allocated_;
  Highest highest_reserved_;
  int64_t time_ns_ = std::numeric_limits<int64_t>::min();  // the largest so far
  Ledger ledger_;
  Health health_;
  std::shared_ptr<NameTable> names_ = std::make_shared<NameTable>();
  NameAssembler assembler_{*names_};
  Structure structure_{*names_};
  DeviceWorkBuilder device_work_{most_bytes_ / 2};  // events have room, however many kernels there are
};

void Builder::Implementation::Append(const Event& event) {
  if (!events::IsWellFormed(event)) {
    ++health_.malformed;
    return;
  }
  if (events::IsDeviceWork(event.kind)) {
    ++health_.events;
    return device_work_.Append(DeviceWorkFrom(event), end_);
  }
  if (open_ == nullptr || open_->full()) BeginChunk();
  ++health_.events;
  Event completed = event;
  completed.time_ns = std::clamp(event.time_ns, kEarliestNs, kLatestNs);
  if (end_ == 0) start_ns_ = completed.time_ns;
  time_ns_ = std::max(time_ns_, completed.time_ns);
  if (event.kind == EventKind::kAllocate)
    (IsSizeOfBlock(event) ? has_sizes_of_blocks_ : has_requests_) = true;
  Apply(completed);
  ++end_;
}

void Builder::Implementation::Apply(Event& event) {
  const Ledger::Outcome outcome = ledger_.Apply(event, end_, health_);
  if (event.kind == EventKind::kName) {
    if (!assembler_.Append(event)) ++health_.unreadable_names;
  } else if (event.kind == EventKind::kLoss) {
    const auto lost = static_cast<uint64_t>(std::max<int64_t>(event.bytes, 0));
    health_.lost += std::min(lost, std::numeric_limits<uint64_t>::max() - health_.lost);
    structure_.AddLoss(event, time_ns_);
  } else if (event.kind == EventKind::kCounter && event.source == events::Source::kDriver &&
             names_->Find(event.name, names_->limit()) == events::kCuptiMemory) {
    cupti_bytes_ = event.bytes;
  } else if (event.kind == EventKind::kOutOfMemory) {
    const DevicePeaks there = devices_.NowOn(event.device);
    structure_.AddFailure(
        {end_, event.bytes, event.rounded_bytes, event.device, there.allocated_bytes, there.reserved_bytes});
  } else if (event.kind > EventKind::kOutOfMemory) {
    structure_.Apply(event, end_, time_ns_, ledger_.values(), health_);
  }
  event.phase = structure_.phase();
  if (outcome.effect != Effect::kNone) {
    structure_.Observe(end_, ledger_.values());
    devices_.Apply(event, outcome);
    KeepHighest();
  }
  const bool stops_counting = outcome.effect == Effect::kFree;
  const bool is_told = outcome.ended || stops_counting || outcome.has_shape;
  if (is_told && outcome.block.born >= first()) NoteNext(outcome.block.born);
  open_->Append(event, outcome, ledger_.values(), time_ns_);
}

void Builder::Implementation::KeepHighest() {
  const auto keep = [this](Highest& highest, Series series) {
    const int64_t bytes = ValueOf(ledger_.values(), series);
    if (bytes > highest.bytes) highest = {bytes, structure_.latest_step()};
  };
  keep(highest_allocated_, Series::kAllocated);
  keep(highest_reserved_, Series::kReserved);
}

// Behind what is known of the block so far: its shape, its request.
void Builder::Implementation::NoteNext(EventIndex born) {
  const auto chunk_of = [this](EventIndex index) -> Chunk& {
    return *chunks_[(index - first()) / kChunkEvents];
  };
  const auto offset_of = [this](EventIndex index) { return (index - first()) % kChunkEvents; };
  EventIndex last = born;
  while (const uint32_t after = chunk_of(last).NextAfter(offset_of(last))) last += after;
  chunk_of(last).SetNextAfter(offset_of(last), static_cast<uint32_t>(end_ - last));
}

void Builder::Implementation::BeginChunk() {
  if (open_ != nullptr) PackOpenChunk();
  const bool is_over = bytes() > most_bytes_;
  if (chunks_.size() >= most_chunks_ || (is_over && chunks_.size() > 1)) LetGoOfOldest();
  open_ = std::make_shared<OpenChunk>(ChunkStart{end_, ledger_.values(), time_ns_, CheckpointFor(end_)});
  chunks_.push_back(open_);
}

// Views that hold the open chunk keep it.
void Builder::Implementation::PackOpenChunk() {
  auto packed = std::make_shared<PackedChunk>(*open_);
  ChunkSummary summary{packed->start().index, {}};
  for (size_t series = 0; series < kSeriesCount; ++series)
    summary.extents[series] = packed->ExtentOf(static_cast<Series>(series), kNodes - 1);
  summaries_.push_back(summary);
  ends_.push_back({packed->start().index, packed->TimeAtEnd(kLeaves - 1)});
  published_chunks_.push_back(packed);
  packed_bytes_ += packed->bytes();
  chunks_.back() = std::move(packed);
}

// The cap keeps what LetGoOfOldest takes at once to a quarter of the budget.
std::shared_ptr<const Checkpoint> Builder::Implementation::CheckpointFor(EventIndex start) {
  if (!chunks_.empty()) {
    const auto& latest = chunks_.back()->start().checkpoint;
    const size_t most_events = std::max<size_t>(1, most_chunks_ / 4) * kChunkEvents;
    if (start - latest->index < std::min(kEventsPerLiveBlock * ledger_.size(), most_events)) return latest;
  }
  auto checkpoint = std::make_shared<Checkpoint>();
  checkpoint->index = start;
  ledger_.blocks().AppendTo(checkpoint->blocks);
  ledger_.segments().AppendTo(checkpoint->segments);
  return checkpoint;
}

// Chunks go together with those that need the same checkpoint.
void Builder::Implementation::LetGoOfOldest() {
  const auto checkpoint = chunks_.front()->start().checkpoint;
  const auto kept = std::find_if(chunks_.begin(), chunks_.end() - 1,
                                 [&](const auto& chunk) { return chunk->start().checkpoint != checkpoint; });
  for (auto chunk = chunks_.begin(); chunk != kept; ++chunk) packed_bytes_ -= (*chunk)->bytes();
  health_.let_go += static_cast<uint64_t>(kept - chunks_.begin()) * kChunkEvents;
  chunks_.erase(chunks_.begin(), kept);
  published_chunks_.LetGoWhile([this](const auto& chunk) { return chunk->start().index < first(); });
  summaries_.LetGoWhile([this](const ChunkSummary& summary) { return summary.start < first(); });
  ends_.LetGoWhile([this](const ChunkEnd& chunk) { return chunk.start < first(); });
  structure_.LetGoBefore(first());
  device_work_.LetGoBefore(first());
}

// Where the first chunk begins that does not need the oldest one's checkpoint; 0 where all do.
EventIndex Builder::Implementation::AfterOldest() const {
  const auto needs_oldest = [this](const auto& chunk) {
    return chunk->start().checkpoint == chunks_.front()->start().checkpoint;
  };
  const auto kept = std::ranges::find_if_not(chunks_, needs_oldest);
  return kept == chunks_.end() ? 0 : (*kept)->start().index;
}

void Builder::Implementation::LetGoBefore(EventIndex index) {
  for (EventIndex after = AfterOldest(); after > 0 && after <= index; after = AfterOldest()) LetGoOfOldest();
}

void Builder::Implementation::LetGoBeyond(size_t most) {
  while (bytes() > most && AfterOldest() > 0) LetGoOfOldest();
}

std::shared_ptr<const View> Builder::Implementation::Publish() {
  Published published;
  published.store = {open_ == nullptr ? Chunks{} : published_chunks_.Publish(open_), summaries_.Publish(),
                     ends_.Publish(), first(), end_};
  published.names = names_;
  published.name_limit = names_->limit();
  published.step_under_way = structure_.StepUnderWay(first());
  published.steps = structure_.Steps(first(), end_, time_ns_);
  published.phases = structure_.Phases(end_);
  published.markers = structure_.Markers();
  published.failures = structure_.Failures();
  published.graph_replays = structure_.GraphReplays();
  published.settings = structure_.Settings();
  published.sources = structure_.Sources();
  published.device_work = device_work_.Publish();
  published.health = health_;
  published.health.work_let_go = device_work_.let_go();
  published.start_ns = start_ns_;
  published.tells_requested = has_requests_ || !has_sizes_of_blocks_;
  published.peak_level = structure_.peak_level();
  published.cupti_bytes = cupti_bytes_;
  published.devices = devices_.peaks();
  published.highest_allocated = highest_allocated_;
  published.highest_reserved = highest_reserved_;
  return std::make_shared<StoredView>(std::move(published));
}

Builder::Builder(size_t budget_events) : implementation_(std::make_unique<Implementation>(budget_events)) {}
Builder::~Builder() = default;

void Builder::Append(std::span<const Event> events) {
  for (const Event& event : events) implementation_->Append(event);
}

std::shared_ptr<const View> Builder::Publish() { return implementation_->Publish(); }

void Builder::LetGoBefore(EventIndex index) { implementation_->LetGoBefore(index); }

void Builder::LetGoBeyond(size_t bytes) { implementation_->LetGoBeyond(bytes); }

}  // namespace tidemark::timeline
