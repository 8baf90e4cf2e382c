// What we write of Perfetto's trace format, shared by the writer and the reader: field numbers of
// perfetto/trace/trace_packet.proto, interned_data.proto, track_event.proto and debug_annotation.proto, and
// the tracks that we lay out. (All of the format is some 1,000 messages; this is the part that a run needs.)
//
// Words that repeat are told once, as interned data, and then meant by their number (iid).
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::trace::perfetto {

// Wire types of Protocol Buffers.
enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline constexpr uint32_t kTracePacket = 1;  // Trace.packet

enum Packet : uint32_t {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
enum Interned : uint32_t {
  kCategoryNames = 1,
  kEventNames = 2,
  kAnnotationNames = 3,
  kAnnotationTexts = 29,
};
enum InternedWord : uint32_t { kIid = 1, kWord = 2 };
enum TrackEvent : uint32_t {
  kCategoryIid = 3,
  kAnnotations = 4,
  kType = 9,
  kEventNameIid = 10,
  kTrack = 11,
  kCategories = 22,
  kEventName = 23,
  kCounterValue = 30,
  kCounterReal = 44,
};
enum Type : uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
enum Annotation : uint32_t {
  kAnnotationNameIid = 1,
  kInteger = 4,
  kReal = 5,
  kText = 6,
  kAnnotationName = 10,
  kTextIid = 17,
};
enum Descriptor : uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5,
  kCounterDescriptor = 8,
};
enum Process : uint32_t { kPid = 1, kProcessName = 6 };
enum Thread : uint32_t { kThreadPid = 1, kThreadTid = 2, kThreadName = 5 };
enum CounterDescription : uint32_t { kUnit = 3 };
inline constexpr uint64_t kUnitBytes = 3;
// Bits of kSequenceFlags.
inline constexpr uint64_t kIncrementalStateCleared = 1;
inline constexpr uint64_t kNeedsIncrementalState = 2;

// Uuids of our tracks. Counters are kCounters + timeline::Series, threads kThreads + number.
enum TrackId : uint64_t {
  kProcessTrack = 1,
  kSteps = 2,
  kMicroBatches = 3,
  kPhases = 4,
  kMemory = 5,
  kNamedCounters = 1000,               // + events::NameId
  kDeviceStreams = uint64_t{1} << 39,  // + StreamNumber
  kCounters = uint64_t{1} << 40,
  kThreads = uint64_t{1} << 41,
};

inline constexpr std::string_view kRunEvent = "tidemark run";  // its annotation is the run's description

}  // namespace tidemark::trace::perfetto
