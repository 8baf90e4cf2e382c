#include "profiler/session/one_card.h"

#include <algorithm>
#include <string_view>

#include "profiler/phantom/machine.h"

namespace tidemark::session {

using events::EventKind;

namespace {

constexpr std::string_view kTitle = "cuda:";

}  // namespace

std::string TitleOfCard(uint8_t device) { return std::string(kTitle) + std::to_string(device); }

events::RunDescription DescriptionOfCard(events::RunDescription whole, uint8_t device) {
  whole.title += ", " + TitleOfCard(device);
  if (whole.device.starts_with(kTitle)) whole.device = TitleOfCard(device);
  std::erase(whole.notes, phantom::kSeveralGpusDoubt);
  return whole;
}

events::RunDescription DescriptionOfAll(events::RunDescription whole, const timeline::View& view) {
  const bool is_told = std::ranges::count(whole.notes, phantom::kSeveralGpusDoubt) > 0;
  if (view.devices().size() > 1 && !is_told) whole.notes.emplace_back(phantom::kSeveralGpusDoubt);
  return whole;
}

bool OneCard::Keeps(const events::Event& event) {
  const bool is_there = event.device == device_;
  switch (event.kind) {
    case EventKind::kAllocate:
      cards_.insert(event.device);
      if (is_there) blocks_.insert(event.address);
      return is_there;
    case EventKind::kFreeCompleted:
      if (is_there) blocks_.erase(event.address);
      return is_there;
    case EventKind::kCategorize:  // tell no device
    case EventKind::kTensorShape:
      return blocks_.contains(event.address);
    case EventKind::kCounter:
      return event.level == events::Level::kNone && event.source != events::Source::kDriver;
    case EventKind::kSegmentAllocate:
    case EventKind::kSegmentMap:
      cards_.insert(event.device);
      return is_there;
    case EventKind::kFreeRequested:
    case EventKind::kSegmentFree:
    case EventKind::kSegmentUnmap:
    case EventKind::kOutOfMemory:
    case EventKind::kSnapshot:
    case EventKind::kKernel:
    case EventKind::kMemoryCopy:
    case EventKind::kMemorySet:
      return is_there;
    default:
      return true;
  }
}

}  // namespace tidemark::session
