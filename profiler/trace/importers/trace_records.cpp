#include "profiler/trace/importers/trace_records.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdlib>
#include <limits>
#include <utility>

#include "profiler/base/utf8.h"
#include "profiler/trace/importers/objects.h"

namespace tidemark::trace {

using events::EventKind;

TraceTexts::Id TraceTexts::Add(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<Id>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

namespace {

// By the name that the exporters write; the first where it is none.
template <typename Enumeration>
Enumeration FromText(std::string_view text, int count) {
  for (int i = 0; i < count; ++i) {
    if (text == events::NameOf(static_cast<Enumeration>(i))) return static_cast<Enumeration>(i);
  }
  return static_cast<Enumeration>(0);
}

}  // namespace

// Where it was; false of any other argument.
bool TraceArguments::SetPlace(TraceArgument argument, int64_t number) {
  const auto small = static_cast<uint8_t>(std::clamp<int64_t>(number, 0, 255));
  switch (argument) {
    case TraceArgument::kAddress:
      instant.address = static_cast<uint64_t>(number);
      return true;
    case TraceArgument::kDevice:
      instant.device = small;  // the CPU's is -1
      return true;
    case TraceArgument::kDeviceType:
      instant.device_type = small;
      return true;
    case TraceArgument::kStream:
      instant.stream = static_cast<uint64_t>(number);
      return true;
    case TraceArgument::kThread:
      instant.thread = static_cast<uint32_t>(number);
      return true;
    case TraceArgument::kPool:
      instant.pool = small;
      return true;
    default:
      return false;
  }
}

void TraceArguments::Set(TraceArgument argument, int64_t number) {
  const auto at_least_0 = std::max<int64_t>(number, 0);
  if (SetPlace(argument, number)) return;
  switch (argument) {
    case TraceArgument::kBytes:
      is_sized = true;
      instant.bytes = number == std::numeric_limits<int64_t>::min() ? 0 : std::abs(number);
      is_freed = number < 0;
      return;
    case TraceArgument::kTotalAllocated:
      instant.total_allocated = at_least_0;
      return;
    case TraceArgument::kTotalReserved:
      instant.total_reserved = at_least_0;
      return;
    case TraceArgument::kRequested:
      instant.requested = at_least_0;
      return;
    case TraceArgument::kFree:
      instant.free_bytes = at_least_0;
      return;
    case TraceArgument::kSequence:
      is_differentiable = number >= 0;
      return;
    case TraceArgument::kChanged:
      instant.changed_bytes = number;
      return;
    case TraceArgument::kValue:
      instant.bytes = number;
      value = static_cast<double>(number);
      return;
    case TraceArgument::kEvents:
      instant.bytes = at_least_0;
      return;
    case TraceArgument::kStep:
      step = number;
      return;
    case TraceArgument::kRecompute:
      instant.recompute = number != 0 ? 1 : 0;
      return;
    case TraceArgument::kUnfinished:
      is_unfinished = number != 0;
      return;
    default:
      return;
  }
}

void TraceArguments::Set(TraceArgument argument, double number) {
  if (argument == TraceArgument::kValue) value = number;
}

void TraceArguments::Set(TraceArgument argument, std::string_view text, TraceTexts& texts) {
  switch (argument) {
    case TraceArgument::kCategory:
      instant.category = CategoryFromText(text);
      return;
    case TraceArgument::kLayer:
      instant.layer = texts.Add(text);
      return;
    case TraceArgument::kOperator:
    case TraceArgument::kSettings:
      instant.op = texts.Add(text);
      return;
    case TraceArgument::kTensor:
      instant.name = texts.Add(text);
      return;
    case TraceArgument::kShape:
      shape = texts.Add(text);
      return;
    case TraceArgument::kComputedIn:
      computed_in = texts.Add(text);
      return;
    case TraceArgument::kKind:
      is_first_of_two = text == NameOf(EventKind::kFreeRequested);
      return;
    case TraceArgument::kSource:
      instant.source = FromText<events::Source>(text, events::kSourceCount);
      return;
    case TraceArgument::kLevel:
      instant.level = FromText<events::Level>(text, events::kLevelCount);
      return;
    case TraceArgument::kValue:  // JSON has no word for what is not finite
      value = std::strtod(std::string(text.substr(0, 8)).c_str(), nullptr);
      return;
    default:
      return;
  }
}

std::optional<TraceInstant> TraceArguments::InstantOf(EventKind kind, TraceTexts::Id name) const {
  TraceInstant told = instant;
  told.kind = kind;
  switch (kind) {
    case EventKind::kAllocate:
      if (is_freed) told.kind = is_first_of_two ? EventKind::kFreeRequested : EventKind::kFreeCompleted;
      return is_sized ? std::optional(told) : std::nullopt;
    case EventKind::kOutOfMemory:
      if (!is_sized) told.bytes = std::exchange(told.requested, TraceInstant::kNotTold);
      return told.bytes >= 0 ? std::optional(told) : std::nullopt;
    case EventKind::kTensorShape:
      told.name = shape;
      return told;
    case EventKind::kMetric:
      told.address = std::bit_cast<uint64_t>(value);
      told.bytes = step;
      break;
    case EventKind::kMarker:
    case EventKind::kCounter:
      break;
    default:
      return told;
  }
  told.name = name;
  return told;
}

void TraceRecords::AddInstant(std::optional<TraceInstant> told, int64_t time_ns) {
  if (!told) {
    ++unreadable;
    return;
  }
  told->time_ns = time_ns;
  if (told->kind != EventKind::kAllocate || told->bytes > 0) instants.push_back(*told);
}

void TraceRecords::AddBookmark(int64_t time_ns, std::string_view text) {
  if (bookmarks.size() < kMostBookmarks)
    SetBookmark({time_ns, std::string(FirstLetters(text, kMostBookmarkBytes))}, &bookmarks);
}

void DescribeCard(const TraceRecords& records, const std::vector<ListedCard>& cards,
                  events::RunDescription& description) {
  std::bitset<256> used;
  for (const TraceInstant& told : records.instants) {
    if (told.is_of_memory() && told.device_type != kCpuDeviceType) used.set(told.device);
  }
  const ListedCard* found = nullptr;
  for (const ListedCard& card : cards) {
    if (card.id < 0 || card.id >= static_cast<int64_t>(used.size()) || !used[static_cast<size_t>(card.id)])
      continue;
    if (found != nullptr && (found->name != card.name || found->bytes != card.bytes)) return;
    found = &card;
  }
  if (found == nullptr) return;
  description.device_name = found->name;
  description.device_bytes = std::max<int64_t>(found->bytes, 0);
}

}  // namespace tidemark::trace
