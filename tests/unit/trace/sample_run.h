// A small stream with everything an exporter must write, and a builder of streams for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::trace {

class Stream {
 public:
  static constexpr int64_t kBaseNs = 1'760'000'000'000'000'000;

  // Each event comes 1,234 ns after the one before it, unless time stands still.
  events::Event& Add(events::Event event) {
    event.time_ns = time_ns_;
    if (event.thread == 0) event.thread = 77;
    if (!still) time_ns_ += 1234;
    return events.emplace_back(event);
  }
  void Name(events::NameId id, std::string_view text) {
    for (size_t offset = 0; offset == 0 || offset < text.size(); offset += events::kNamePieceBytes) {
      events::Event piece{.layer = static_cast<uint32_t>(offset),
                          .op = static_cast<uint32_t>(text.size()),
                          .name = id,
                          .kind = events::EventKind::kName};
      events::SetNamePiece(piece, text.substr(offset, events::kNamePieceBytes));
      Add(piece);
    }
  }
  void Numbered(events::EventKind kind, int64_t number) { Add({.bytes = number, .kind = kind}); }
  void Phase(events::Phase phase) { Add({.kind = events::EventKind::kPhase, .phase = phase}); }
  void Allocate(uint64_t address, int64_t bytes, events::Category category) {
    Add({.address = address,
         .bytes = bytes,
         .rounded_bytes = (bytes + 511) / 512 * 512,
         .layer = 10,
         .op = 11,
         .kind = events::EventKind::kAllocate,
         .category = category,
         .source = events::Source::kAllocator});
  }
  void Free(uint64_t address) {
    Add({.address = address, .kind = events::EventKind::kFreeRequested});
    Add({.address = address, .kind = events::EventKind::kFreeCompleted});
  }
  void Scope(bool begin, events::NameId layer, events::NameId op, uint32_t thread = 77) {
    using events::EventKind;
    Add({.layer = layer,
         .op = op,
         .thread = thread,
         .kind = begin ? EventKind::kScopeBegin : EventKind::kScopeEnd});
  }
  void Metric(events::NameId name, double value, int64_t step) {
    events::Event event{.bytes = step, .name = name, .kind = events::EventKind::kMetric};
    events::SetMetric(event, value);
    Add(event);
  }

  std::shared_ptr<const timeline::View> View(size_t budget_events = timeline::kDefaultBudgetEvents) const {
    timeline::Builder builder(budget_events);
    builder.Append(events);
    return builder.Publish();
  }

  std::vector<events::Event> events;
  bool still = false;

 private:
  int64_t time_ns_ = kBaseNs;
};

// A step of which only the driver tells what was held.
inline Stream UntoldRun() {
  Stream run;
  run.Numbered(events::EventKind::kStepBegin, 0);
  run.Add({.bytes = 4096,
           .kind = events::EventKind::kCounter,
           .source = events::Source::kDriver,
           .level = events::Level::kDriver});
  run.Numbered(events::EventKind::kStepEnd, 0);
  return run;
}

// Two steps of two micro-batches on two threads, a marker with settings, a loss, an out of memory, lost
// events.
inline Stream SampleRun() {
  using events::Category;
  using events::EventKind;
  Stream run;
  run.Name(1, "start, with \"quotes\"");
  run.Name(2, R"({"batch": 64})");
  run.Name(3, "loss");
  run.Name(4, "device used");
  run.Name(10, "conv1");
  run.Name(11, "aten::convolution");
  run.Add({.op = 2, .name = 1, .kind = EventKind::kMarker});
  run.Add({.address = 1 << 20, .bytes = 2 << 20, .kind = EventKind::kSegmentAllocate});
  run.Allocate(1 << 20, 1000, Category::kParameter);
  for (int step = 0; step < 2; ++step) {
    run.Numbered(EventKind::kStepBegin, step);
    for (int batch = 0; batch < 2; ++batch) {
      run.Numbered(EventKind::kMicroBatchBegin, batch);
      run.Phase(events::Phase::kForward);
      run.still = true;  // a layer, its operator and an operator within begin at one time
      run.Scope(true, 10, 0);
      run.Scope(true, 10, 11);
      run.still = false;
      run.Allocate((1 << 20) + 4096, 5000, Category::kActivation);
      run.Scope(false, 10, 11);
      run.Scope(false, 10, 0);
      run.Phase(events::Phase::kBackward);
      run.Scope(true, 10, 11, 78);
      run.Free((1 << 20) + 4096);
      run.Scope(false, 10, 11, 78);
    }
    run.Phase(events::Phase::kOptimizer);
    run.Metric(3, 2.5 - step, step);
    run.Numbered(EventKind::kStepEnd, step);
    run.Phase(events::Phase::kIdle);
  }
  run.Metric(3, 0.0 / 0.0, 2);
  run.Add({.bytes = 12345, .name = 4, .kind = EventKind::kCounter});
  run.Add({.bytes = 1 << 30, .rounded_bytes = 99, .kind = EventKind::kOutOfMemory});
  run.Add({.bytes = 7, .kind = EventKind::kLoss, .source = events::Source::kAllocator});
  run.Scope(true, 10, 0);
  return run;
}

// What the sample lacks of all that an event can say; two steps that never ended, and kernels.
inline void AddTheRest(Stream& run) {
  using events::EventKind;
  run.Name(20, "float16");
  run.Name(21, "fc.weight");
  run.Name(22, "driver");
  run.Name(23, "float16 [2, 175]");
  constexpr uint64_t kAddress = (1 << 20) + 65536;
  run.Numbered(EventKind::kStepBegin, 2);
  run.Phase(events::Phase::kForward);
  run.Allocate(kAddress, 700, events::Category::kTemporary);
  run.events.back().recompute = 1;
  run.events.back().stream = 77;
  run.events.back().pool = 2;
  run.Add({.address = kAddress, .name = 23, .kind = EventKind::kTensorShape});
  run.Add({.address = kAddress,
           .layer = 10,
           .op = 11,
           .name = 21,
           .kind = EventKind::kCategorize,
           .category = events::Category::kGradient});
  run.Add({.address = kAddress, .kind = EventKind::kFreeRequested});
  run.Scope(true, 10, 11, 78);
  run.events.back().recompute = 1;
  run.Scope(false, 10, 11, 78);
  run.events.back().recompute = 1;
  run.events.back().name = 20;
  run.Add({.address = kAddress, .kind = EventKind::kFreeCompleted, .pool = 2});
  run.Add({.address = 1 << 30, .bytes = 4 << 20, .layer = 10, .op = 11, .kind = EventKind::kSegmentMap});
  run.events.back().pool = events::kManyPools;
  run.Add({.address = 1 << 30, .bytes = 2 << 20, .kind = EventKind::kSegmentUnmap});
  run.Add({.address = 1 << 20, .bytes = 2 << 20, .kind = EventKind::kSegmentFree});
  run.Add({.bytes = 1024, .kind = EventKind::kSnapshot});
  run.Add({.name = 1, .kind = EventKind::kMarker, .source = events::Source::kDriver});
  run.Add({.address = 99,
           .bytes = 5 << 20,
           .rounded_bytes = -(1 << 20),
           .op = 11,
           .name = 22,
           .kind = EventKind::kCounter,
           .source = events::Source::kDriver,
           .level = events::Level::kDriver});
  run.Numbered(EventKind::kStepBegin, 3);  // the one before it never ended
  run.Metric(3, 1.0 / 3, 3);
  for (const EventKind kind : {EventKind::kKernel, EventKind::kMemoryCopy, EventKind::kMemorySet})
    run.Add({.address = Stream::kBaseNs,
             .bytes = 64,
             .rounded_bytes = 500,
             .stream = 7,
             .kind = kind,
             .device = 1});
}

}  // namespace tidemark::trace
