// Steps, micro-batches and phases as slices of Trace Event JSON, each on a track of its own: they do not nest
// in each other. Used by chrome_exporter.cpp only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/events/event.h"
#include "profiler/trace/exporters/formatted_text.h"
#include "profiler/trace/trace_words.h"

namespace tidemark::trace {

// Above every number that Linux gives a thread (at most 2^22).
enum Track : uint32_t { kStepTrack = 1'000'000'001, kMicroBatchTrack, kPhaseTrack, kFirstStreamTrack };

class StructureSlices {
 public:
  StructureSlices(int32_t process_id, int64_t base_ns) : process_id_(process_id), base_ns_(base_ns) {}

  // A phase's event, or a step's or micro-batch's.
  void Add(const events::Event& event, int64_t time_ns, std::string& out) {
    const bool ends_micro_batch =
        event.kind != events::EventKind::kPhase || event.phase == events::Phase::kOptimizer;
    if (ends_micro_batch) Close(micro_batch_, kMicroBatchTrack, time_ns, out);
    switch (event.kind) {
      case events::EventKind::kPhase:
        return EnterPhase(event.phase, time_ns, out);
      case events::EventKind::kStepBegin:
        Cut(step_, kStepTrack, time_ns, out);
        step_ = Open{fmt::format("step {}", event.bytes), time_ns};
        return;
      case events::EventKind::kStepEnd:
        return Close(step_, kStepTrack, time_ns, out);
      default:
        micro_batch_ = Open{fmt::format("micro-batch {}", event.bytes), time_ns};
    }
  }

  void EnterPhase(events::Phase phase, int64_t time_ns, std::string& out) {
    Close(phase_, kPhaseTrack, time_ns, out);
    if (phase != events::Phase::kIdle) phase_ = Open{std::string(NameOf(phase)), time_ns};
  }

  void End(int64_t time_ns, std::string& out) {
    Close(micro_batch_, kMicroBatchTrack, time_ns, out);
    Cut(step_, kStepTrack, time_ns, out);
    Cut(phase_, kPhaseTrack, time_ns, out);
  }

 private:
  struct Open {
    std::string name;
    int64_t begin_ns = 0;
  };

  void Close(std::optional<Open>& open, Track track, int64_t time_ns, std::string& out) const {
    Write(open, track, time_ns, "", out);
  }
  // Its end was never told.
  void Cut(std::optional<Open>& open, Track track, int64_t time_ns, std::string& out) const {
    Write(open, track, time_ns, R"("Unfinished":true)", out);
  }
  void Write(std::optional<Open>& open, Track track, int64_t time_ns, std::string_view arguments,
             std::string& out) const {
    if (!open) return;
    AppendFormatted(
        out,
        FMT_COMPILE(
            ",\n"
            R"({{"ph":"X","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}","args":{{{}}}}})"),
        kStructureCategory, process_id_, static_cast<uint32_t>(track),
        MicrosecondText(open->begin_ns - base_ns_).text(), MicrosecondText(time_ns - open->begin_ns).text(),
        open->name, arguments);
    open.reset();
  }

  int32_t process_id_;
  int64_t base_ns_;
  std::optional<Open> step_;
  std::optional<Open> micro_batch_;
  std::optional<Open> phase_;
};

}  // namespace tidemark::trace
