// The words in which our traces (Trace Event JSON, Perfetto) tell what a run holds, shared by those who write
// them and those who read them. Where torch.profiler (Kineto) has a word, it is that one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/events/event.h"

namespace tidemark::trace {

// Both as torch.profiler calls them. "[memory]" tells what changes the total: an allocation, or with negative
// bytes the first of a block's two frees.
inline constexpr std::string_view kMemoryInstant = "[memory]";
inline constexpr std::string_view kShortageInstant = "[OutOfMemory]";
inline constexpr std::string_view kBookmarkCategory = "bookmark";
// Of slices. Operators and annotations (record_function) are torch.profiler's, the others ours.
inline constexpr std::string_view kOperatorCategory = "cpu_op";
inline constexpr std::string_view kAnnotationCategory = "user_annotation";
inline constexpr std::string_view kLayerCategory = "layer";
inline constexpr std::string_view kStructureCategory = "structure";  // steps, micro-batches, phases
// As torch's c10::DeviceType numbers them.
inline constexpr uint8_t kCpuDeviceType = 0;
inline constexpr uint8_t kCudaDeviceType = 1;
// Of a run's device ("cpu", "cuda:0").
inline constexpr uint8_t DeviceTypeOf(std::string_view device) {
  return device == "cpu" ? kCpuDeviceType : kCudaDeviceType;
}
// A stream's track: streams of two cards may have the same number.
inline constexpr int kStreamBits = 16;

// What an event says of itself.
enum class TraceArgument : uint8_t {
  kOther,  // none of these
  kAddress,
  kBytes,  // negative: freed
  kDevice,
  kDeviceType,
  kTotalAllocated,
  kTotalReserved,
  kRequested,
  kFree,
  kStream,
  kThread,
  kCategory,
  kLayer,
  kOperator,
  kTensor,
  kShape,
  kSequence,
  kKind,
  kSource,
  kLevel,
  kChanged,
  kValue,
  kStep,
  kEvents,
  kSettings,
  kComputedIn,
  kRecompute,
  kPool,
  kUnfinished,
  kDescription,
};
inline constexpr std::array<std::string_view, 30> kTraceArguments = {
    "",
    "Addr",
    "Bytes",
    "Device Id",
    "Device Type",
    "Total Allocated",
    "Total Reserved",
    "Requested",
    "Free",
    "Stream",
    "Thread",
    "Category",
    "Layer",
    "Operator",
    "Tensor",
    "Shape",
    "Sequence number",
    "Kind",
    "Source",
    "Level",
    "Changed",
    "value",
    "Step",
    "Events",
    "settings",
    "Computed in",
    "Recompute",
    "Pool",
    "Unfinished",
    "Description",
};
static_assert(kTraceArguments.size() == static_cast<size_t>(TraceArgument::kDescription) + 1);
inline constexpr std::string_view NameOf(TraceArgument argument) {
  return kTraceArguments[static_cast<size_t>(argument)];
}
inline TraceArgument ArgumentOf(std::string_view key) {
  // torch.profiler's own words for what kernels, copies and memsets ran on.
  if (key == "device") return TraceArgument::kDevice;
  if (key == "stream") return TraceArgument::kStream;
  if (key == "bytes") return TraceArgument::kBytes;
  const auto* const found = std::find(kTraceArguments.begin(), kTraceArguments.end(), key);
  return found == kTraceArguments.end() ? TraceArgument::kOther
                                        : static_cast<TraceArgument>(found - kTraceArguments.begin());
}

// The category of an instant that tells an event of that kind; "" where slices tell it.
inline std::string_view InstantCategoryOf(events::EventKind kind) {
  using enum events::EventKind;
  switch (kind) {
    case kSegmentAllocate:
    case kSegmentFree:
    case kSegmentMap:
    case kSegmentUnmap:
      return "segment";
    case kMarker:
    case kMetric:
    case kCounter:
    case kLoss:
      return events::NameOf(kind);
    default:
      return IsOfMemory(kind) ? "memory" : "";
  }
}

// The kind that an instant tells; none where it is nobody's whom we know. kAllocate stands for what
// "[memory]" tells.
inline std::optional<events::EventKind> KindOfInstant(std::string_view category, std::string_view name) {
  if (name == kMemoryInstant) return events::EventKind::kAllocate;
  if (name == kShortageInstant) return events::EventKind::kOutOfMemory;
  for (int i = 0; i < events::kEventKindCount && !category.empty(); ++i) {
    const auto kind = static_cast<events::EventKind>(i);
    if (category != InstantCategoryOf(kind)) continue;
    if (!IsOfMemory(kind) || name == events::NameOf(kind)) return kind;
  }
  return std::nullopt;
}

// What the GPU did, as torch.profiler calls it; "" of any other kind.
inline std::string_view WorkCategoryOf(events::EventKind kind) {
  using enum events::EventKind;
  return kind == kKernel       ? "kernel"
         : kind == kMemoryCopy ? "gpu_memcpy"
         : kind == kMemorySet  ? "gpu_memset"
                               : "";
}
inline std::optional<events::EventKind> KindOfWork(std::string_view category) {
  using enum events::EventKind;
  for (const events::EventKind kind : {kKernel, kMemoryCopy, kMemorySet}) {
    if (category == WorkCategoryOf(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace tidemark::trace
