// A training run without any fault, into which a test builds one, and what is found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/advice/findings.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::advice {

inline constexpr int64_t kMiB = int64_t{1} << 20;

class TrainingStream : public timeline::Stream {
 public:
  TrainingStream() {
    Add(events::EventKind::kSegmentAllocate, 0x10000000, 128 * kMiB);
    Allocate(0x10000000, 40 * kMiB, events::Category::kParameter);
  }
  void BeginForward(int64_t step) {
    BeginStep(step);
    BeginPhase(events::Phase::kForward);
    Allocate(kActivation, 60 * kMiB, events::Category::kActivation);
  }
  void EndBackward(int64_t step) {
    BeginPhase(events::Phase::kBackward);
    Allocate(kGradient, 20 * kMiB, events::Category::kGradient);
    Free(kActivation);
    BeginPhase(events::Phase::kOptimizer);
    Free(kGradient);
    EndStep(step);
    BeginPhase(events::Phase::kIdle);
  }
  void StepWithoutFault(int64_t step) {
    BeginForward(step);
    EndBackward(step);
  }

  static constexpr uint64_t kActivation = 0x13000000;
  static constexpr uint64_t kGradient = 0x17000000;
  static constexpr uint64_t kMore = 0x20000000;
};

inline std::vector<Finding> Found(const TrainingStream& stream) {
  return FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0);
}

inline std::optional<Finding> Only(const TrainingStream& stream, FindingKind kind) {
  const std::vector<Finding> findings = Found(stream);
  if (findings.size() != 1 || findings.front().kind != kind) return {};
  return findings.front();
}

inline bool Says(const Finding& finding, std::string_view words) {
  return finding.evidence.find(words) != std::string::npos;
}

}  // namespace tidemark::advice
