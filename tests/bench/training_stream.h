// Events as a training process sends them, for measurements: steps of 225 events over 40 live blocks of 8
// kinds, phases, operators, tags. Where it is a program that does not know what its blocks hold, the tags are
// hints (events::IsHint), as a probe tells them: 265 events a step. Deterministic.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::bench {

class TrainingStream {
 public:
  enum class Tells { kCategories, kHints };

  explicit TrainingStream(int parameters = 20, Tells tells = Tells::kCategories) : tells_(tells) {
    if (tells_ == Tells::kHints) {
      Add(events::EventKind::kSegmentAllocate, kParameters, int64_t{1} << 40);
      Add(events::EventKind::kSegmentAllocate, AddressOf(0, 0), int64_t{1} << 40);
    }
    for (int n = 0; n < parameters; ++n)
      Allocate(kParameters + NextOffset(), 300'000 + n, events::Category::kParameter);
    events_.reserve(1 << 20);
  }

  // The next events, at least `count` of them; whole steps.
  std::vector<events::Event> Take(size_t count) {
    while (events_.size() < count) Step();
    std::vector<events::Event> taken;
    taken.swap(events_);
    return taken;
  }

 private:
  static constexpr int kLayers = 20;
  static constexpr uint64_t kParameters = 0x7f0000000000;

  events::Event& Add(events::EventKind kind, uint64_t address = 0, int64_t bytes = 0) {
    events::Event event;
    event.kind = kind;
    event.address = address;
    event.bytes = bytes;
    event.time_ns = time_ns_ += 900;
    if (tells_ == Tells::kHints) event.source = events::Source::kAllocator;
    events_.push_back(event);
    return events_.back();
  }
  void Allocate(uint64_t address, int64_t bytes, events::Category category) {
    events::Event& event = Add(events::EventKind::kAllocate, address, bytes);
    event.rounded_bytes = (bytes + 511) / 512 * 512;
    if (tells_ == Tells::kCategories) event.category = category;
  }
  // A leaf is told whenever it is used, its gradient once it is there.
  void TellRoles(int layer) {
    const auto node = static_cast<int64_t>(layer + 1);
    events::Event& leaf =
        Add(events::EventKind::kLeafUsed, kParameters + (static_cast<uint64_t>(node) << 20), node);
    leaf.rounded_bytes = node;
    Add(events::EventKind::kTensorSaved, AddressOf(layer, 0));
  }
  uint64_t NextOffset() { return next_offset_ += 1 << 20; }
  uint64_t AddressOf(int layer, int number) {
    return 0x7f8000000000 + static_cast<uint64_t>(layer * 8 + number) * (1 << 24);
  }

  void Forward(int layer) {
    Add(events::EventKind::kScopeBegin).op = static_cast<uint32_t>(layer + 1);
    Allocate(AddressOf(layer, 0), 1'000'000 + layer * 100'000 + (step_ * 7919) % 4096,
             events::Category::kTemporary);
    if (tells_ == Tells::kHints) {
      TellRoles(layer);
    } else {
      Add(events::EventKind::kCategorize, AddressOf(layer, 0)).category = events::Category::kActivation;
    }
    Add(events::EventKind::kScopeEnd).op = static_cast<uint32_t>(layer + 1);
  }
  void Backward(int layer) {
    Add(events::EventKind::kScopeBegin).op = static_cast<uint32_t>(layer + 1);
    Allocate(AddressOf(layer, 1), 900'000, events::Category::kTemporary);
    Allocate(AddressOf(layer, 2), 300'000, events::Category::kGradient);
    if (tells_ == Tells::kHints) Add(events::EventKind::kGradientAccumulated, AddressOf(layer, 2), layer + 1);
    Add(events::EventKind::kFreeCompleted, AddressOf(layer, 0));
    Add(events::EventKind::kFreeCompleted, AddressOf(layer, 1));
    Add(events::EventKind::kScopeEnd).op = static_cast<uint32_t>(layer + 1);
  }
  void Step() {
    Add(events::EventKind::kStepBegin, 0, step_);
    Add(events::EventKind::kPhase).phase = events::Phase::kForward;
    for (int layer = 0; layer < kLayers; ++layer) Forward(layer);
    Add(events::EventKind::kPhase).phase = events::Phase::kBackward;
    for (int layer = kLayers - 1; layer >= 0; --layer) Backward(layer);
    Add(events::EventKind::kPhase).phase = events::Phase::kOptimizer;
    for (int layer = 0; layer < kLayers; ++layer) Add(events::EventKind::kFreeCompleted, AddressOf(layer, 2));
    Add(events::EventKind::kStepEnd, 0, step_);
    ++step_;
  }

  Tells tells_;
  std::vector<events::Event> events_;
  int64_t time_ns_ = 1'700'000'000'000'000'000;
  int64_t step_ = 0;
  uint64_t next_offset_ = 0;
};

}  // namespace tidemark::bench
