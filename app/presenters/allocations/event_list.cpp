#include "app/presenters/allocations/event_list.h"

#include <fmt/format.h>

#include "profiler/base/saturating.h"

namespace tidemark::presenters {
namespace {

using events::Event;
using events::EventKind;

// A free tells no size, and what a categorized block holds it had before.
bool HasBytes(const Event& event) {
  switch (event.kind) {
    case EventKind::kAllocate:
    case EventKind::kOutOfMemory:
    case EventKind::kSnapshot:
    case EventKind::kCounter:
    case EventKind::kMemoryCopy:
    case EventKind::kMemorySet:
      return true;
    default:
      return IsOfSegment(event.kind);
  }
}

std::string Numbered(std::string_view what, int64_t number) {
  return fmt::format("{} {}", what, FormatNumber(number));
}

std::string OfName(const timeline::View& view, const Event& event) {
  if (event.layer > 0) return fmt::format("(more of name {})", event.name);
  return fmt::format("{}: {}", event.name, view.name(event.name));
}

// What it is about, beside what has a column of its own.
std::string WhatOf(const timeline::View& view, const Event& event, ByteUnit unit) {
  std::string name(event.kind == EventKind::kName ? "" : view.name(event.name));
  switch (event.kind) {
    case EventKind::kPhase:
      return std::string(events::NameOf(event.phase));
    case EventKind::kStepBegin:
    case EventKind::kStepEnd:
      return Numbered("step", event.bytes);
    case EventKind::kMicroBatchBegin:
      return Numbered("micro-batch", event.bytes);
    case EventKind::kOutOfMemory:
      return FormatBytes(event.rounded_bytes, unit) + " free on the card";
    case EventKind::kMetric:
      return fmt::format("{} = {:.6g}", name, events::MetricOf(event));
    case EventKind::kCounter:
      return name.empty() ? std::string(events::NameOf(event.level)) : name;
    case EventKind::kLoss:
      return fmt::format("{} events of {}", FormatNumber(event.bytes), events::NameOf(event.source));
    case EventKind::kName:
      return OfName(view, event);
    default:
      return name;
  }
}

}  // namespace

std::string EventTimes::Text(int64_t since_ns) const {
  return in_seconds ? fmt::format("{:.6f}", static_cast<double>(since_ns) / 1e9)
                    : fmt::format("{:.3f}", static_cast<double>(since_ns) / 1e6);
}

EventTimes TimesOf(const View& view) {
  constexpr int64_t kSecond = 1'000'000'000;
  if (view.empty()) return {};
  return {SaturatingDifference(view.TimeOf(view.end() - 1), view.TimeOf(view.first())) >= kSecond};
}

EventRow EventRowOf(const timeline::View& view, events::EventIndex index, ByteUnit unit) {
  const Event event = view.event(index);
  EventRow row;
  row.index = index;
  row.since_ns = SaturatingDifference(view.TimeOf(index), view.TimeOf(view.first()));
  row.kind = event.kind;
  row.what = WhatOf(view, event, unit);
  if (IsOfBlock(event.kind)) row.category = event.category;
  if (HasBytes(event)) row.bytes = event.bytes;
  if (IsOfBlock(event.kind) || IsOfSegment(event.kind)) row.address = event.address;
  if (event.kind == EventKind::kName) return row;  // its fields hold letters
  row.layer = view.name(event.layer);
  if (event.kind != EventKind::kMarker) row.op = view.name(event.op);  // which has settings there
  return row;
}

}  // namespace tidemark::presenters
