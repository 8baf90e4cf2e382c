#include "profiler/session/one_card.h"

#include "profiler/phantom/machine.h"

namespace tidemark::session {

using events::EventKind;

std::string TitleOfCard(uint8_t device) { return "cuda:" + std::to_string(device); }

events::RunDescription DescriptionOfCard(events::RunDescription whole, uint8_t device) {
  whole.title += ", " + TitleOfCard(device);
  std::erase(whole.notes, phantom::kSeveralGpusDoubt);
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
    case EventKind::kCategorize:  // tells no device
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
