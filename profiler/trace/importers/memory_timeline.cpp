#include "profiler/trace/importers/memory_timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::trace {
namespace {

using events::Category;
using events::EventKind;

// In the order of torch.profiler._memory_profiler's _CATEGORY_TO_INDEX. What it calls AUTOGRAD_DETAIL is made
// by backward and kept by nobody.
constexpr std::array<Category, 8> kTimelineCategories = {
    Category::kParameter,  Category::kOptimizerState, Category::kInput,     Category::kTemporary,
    Category::kActivation, Category::kGradient,       Category::kTemporary, Category::kUnknown};

enum TimelineAction : int64_t { kPreexisting = 1, kCreate, kIncrementVersion, kDestroy };

constexpr int64_t kMostBytes = int64_t{1} << 60;

}  // namespace

bool MemoryTimelineRows::Number(int64_t number) {
  constexpr size_t kLongestRow = 64;
  const bool is_times = rows_ == 1;
  if (depth_ == 0 || (form_ == Form::kSamples && depth_ < 2) || (!is_times && row_.size() == kLongestRow))
    return Misfit();
  row_.push_back(number);
  return true;
}

bool MemoryTimelineRows::Real(double real, std::string_view) {
  constexpr double kMost = 9e18;
  return Number(std::isnan(real) ? 0 : static_cast<int64_t>(std::clamp(real, -kMost, kMost)));
}

bool MemoryTimelineRows::BeginList() {
  any_ = true;
  row_.clear();
  if (++depth_ == 1) ++rows_;
  if (depth_ == 2 && rows_ == 2 && form_ == Form::kNotKnown) form_ = Form::kSamples;
  return true;
}

bool MemoryTimelineRows::EndList() {
  if (depth_ == 1 && rows_ == 1) {
    first_row_.swap(row_);
  } else if (depth_ == 1 && form_ != Form::kSamples) {
    if (form_ == Form::kNotKnown) TakeEvent(first_row_);
    form_ = Form::kEvents;
    TakeEvent(row_);
  } else if (depth_ == 2 && form_ == Form::kSamples) {
    TakeSample();
  }
  row_.clear();
  --depth_;
  return true;
}

void MemoryTimelineRows::Finish() {
  if (form_ == Form::kNotKnown && !first_row_.empty()) TakeEvent(first_row_);
  form_ = Form::kEvents;
}

void MemoryTimelineRows::TakeEvent(const std::vector<int64_t>& row) {
  const bool is_event = row.size() == 4 && std::abs(row[2] / 2) < kMostBytes / 2 && row[3] >= 0 &&
                        row[3] < static_cast<int64_t>(kCategories);
  if (!is_event) return static_cast<void>(Misfit());
  const int64_t bytes = row[2];
  const auto category = static_cast<size_t>(row[3]);
  if (row[1] == kIncrementVersion) return TakeVersion(row[0], bytes, category);
  if (bytes > 0) {
    alive_[{category, bytes}].push_back(Allocate(row[0], bytes, category));
  } else if (const auto address = TakeAlive(-bytes, category)) {
    Record(EventKind::kFreeCompleted, row[0], {*address, -bytes}, category);
  } else {
    Misfit();
  }
}

// Two rows: the block as it was, with a minus, and what it holds from then on.
void MemoryTimelineRows::TakeVersion(int64_t time_ns, int64_t bytes, size_t category) {
  if (bytes <= 0) {
    const auto address = TakeAlive(-bytes, category);
    changing_ = address ? std::optional<Block>({*address, -bytes}) : std::nullopt;
    if (!address) Misfit();
    return;
  }
  const bool is_known = changing_ && changing_->bytes == bytes;
  const uint64_t address = is_known ? changing_->address : Allocate(time_ns, bytes, category);
  if (is_known) Record(EventKind::kCategorize, time_ns, {address, bytes}, category);
  alive_[{category, bytes}].push_back(address);
  changing_.reset();
}

std::optional<uint64_t> MemoryTimelineRows::TakeAlive(int64_t bytes, size_t category) {
  const auto found = alive_.find({category, bytes});
  if (found == alive_.end()) return std::nullopt;
  const uint64_t address = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) alive_.erase(found);
  return address;
}

void MemoryTimelineRows::TakeSample() {
  if (samples_ >= first_row_.size() || row_.size() != kCategories + 1) return static_cast<void>(Misfit());
  constexpr int64_t kLatestUs = 9'000'000'000'000'000;
  const int64_t time_ns = std::clamp<int64_t>(first_row_[samples_++], -1, kLatestUs) * 1000;
  for (size_t category = 0; category < kCategories; ++category) {
    const int64_t now = std::clamp<int64_t>(row_[category + 1], 0, kMostBytes);
    const int64_t change = now - std::exchange(held_[category], now);
    if (change > 0) pieces_[category].push_back({Allocate(time_ns, change, category), change});
    if (change < 0) Shrink(time_ns, category, -change);
  }
}

void MemoryTimelineRows::Shrink(int64_t time_ns, size_t category, int64_t bytes) {
  std::vector<Block>& pieces = pieces_[category];
  while (bytes > 0 && !pieces.empty()) {
    const Block piece = pieces.back();
    pieces.pop_back();
    Record(EventKind::kFreeCompleted, time_ns, piece, category);
    const int64_t rest = piece.bytes - bytes;
    if (rest > 0) pieces.push_back({Allocate(time_ns, rest, category), rest});
    bytes -= piece.bytes;
  }
}

uint64_t MemoryTimelineRows::Allocate(int64_t time_ns, int64_t bytes, size_t category) {
  const Block block{next_address_, bytes};
  next_address_ += static_cast<uint64_t>(bytes);
  Record(EventKind::kAllocate, time_ns, block, category);
  return block.address;
}

void MemoryTimelineRows::Record(EventKind kind, int64_t time_ns, const Block& block, size_t category) {
  TraceInstant record;
  record.time_ns = time_ns;
  record.address = block.address;
  record.bytes = block.bytes;
  record.kind = kind;
  record.category = kTimelineCategories[category];
  records_.instants.push_back(record);
}

}  // namespace tidemark::trace
