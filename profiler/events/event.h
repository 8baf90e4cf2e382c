// The shared vocabulary: what happened to memory, and what the program was doing at the time. Everything
// Tidemark shows (a live run, a recording, a prediction, an import) is one ordered stream of these 64-byte
// events; nothing downstream knows where a stream came from.
//
// An event's index is its position in the stream, and the stream's order is the truth: time stamps of
// different threads may disagree with it by microseconds. Plain data, safe to copy between processes of one
// machine and into files (little endian; see profiler/trace/FORMAT.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tidemark::events {

// Index of an event in its stream.
using EventIndex = uint64_t;

// Names (tensors, layers, operators, marker texts) travel once, as kName events, and are referred to by id
// afterwards. Id 0 is the empty name.
using NameId = uint32_t;

// What a block of memory holds. We own the model, so tensors are tagged exactly; kUnknown is for foreign
// programs.
enum class Category : uint8_t {
  kParameter,
  kOptimizerState,
  kGradient,       // of parameters, once accumulated into .grad
  kInput,          // the batch and its labels
  kActivation,     // saved for backward
  kTemporary,      // everything an operator makes that nobody keeps, gradients of activations among it
  kWorkspace,      // scratch that a library (cuBLAS, cuDNN) asked for
  kAutocastCache,  // low-precision copies of weights that autocast keeps
  kUnknown,
  kCommunication,  // what is on its way to other ranks: the gradient reducer's buckets
  kOutput,  // what a forward made that backward does not need and the program keeps: its results; and what a
            // model's call without gradients left: results, and what it keeps for its next call, as a KV
            // cache
};
inline constexpr int kCategoryCount = 11;

enum class Phase : uint8_t { kIdle, kForward, kBackward, kOptimizer, kEvaluation };
inline constexpr int kPhaseCount = 5;

// Who reported the event.
enum class Source : uint8_t { kTrainer, kAllocator, kDriver, kDevice, kSession };
inline constexpr int kSourceCount = 5;

// What a kCounter counts: bytes in use as somebody other than the allocator sees them.
enum class Level : uint8_t {
  kNone,     // of no level: the counter's name says what it is
  kDriver,   // what the process holds from the CUDA driver: allocations, mapped memory and pools
  kProcess,  // what the card's driver says the process takes (NVML), its context among it
  kCard,     // what is taken of the card, by all processes (NVML)
};
inline constexpr int kLevelCount = 4;

enum class EventKind : uint8_t {
  // --- memory: `address`, `bytes` as requested, `stream`, `layer`, `op` ---
  kAllocate,       // `rounded_bytes` = the block the allocator set aside; `category` as known at birth
  kFreeRequested,  // the program let go; the block may wait for other streams
  kFreeCompleted,  // the block can be handed out again. It may come without a kFreeRequested before it
  kCategorize,     // the block at `address` is `category` from here on; `name` = the tensor, 0 if it has none
  kSegmentAllocate,  // reserved from the driver; `bytes` = size
  kSegmentFree,
  kSegmentMap,  // expandable segments
  kSegmentUnmap,
  kOutOfMemory,  // `bytes` = the request that failed, `rounded_bytes` = free bytes on the device
  kSnapshot,     // the program took an allocator snapshot; `bytes` = active bytes
  // --- structure ---
  kPhase,            // `phase` begins, and the one before it ends
  kStepBegin,        // `bytes` = step number, from 0; joined_steps.h if it is the open one's, or of kSession
  kStepEnd,          // `bytes` = step number; if the first step's: all since were that one
  kMicroBatchBegin,  // `bytes` = number within the step, from 0
  kScopeBegin,       // a layer (`layer` set, `op` 0) or an operator (`op` set) begins on `thread`
  kScopeEnd,  // of an operator: `name` = the type in which it computed where autocast chose ("float16"), else
              // 0
  kMarker,    // something switched: `name` = text for people, `op` = the training settings from here on, as
              // JSON. From kAllocator to kDevice: what state that source of events is in from here on
  // --- numbers ---
  kMetric,  // `name` = "loss", "loss scale", "gradient norm", ...; value in MetricOf(); `bytes` = step number
  kCounter,  // `level` and `name` = what is counted; `bytes` = its value, `rounded_bytes` = by how much it
             // changed, `address` = where, if known
  kLoss,     // `bytes` events from `source` could not be kept here; the stream has a gap
  // --- definitions ---
  kName,  // one piece of a name; see NamePiece
  // --- what the GPU did, told once it is over, where it is asked for (device_work.h): `address` = when it
  // began (as time_ns), `rounded_bytes` = how long it took in ns, `stream` = its number as CUPTI counts ---
  kKernel,      // `name` = the function
  kMemoryCopy,  // `bytes`; `name` = "host to device", ...
  kMemorySet,   // `bytes`
  // --- memory, from version 5 of recordings on ---
  kTensorShape,  // the block at `address` was made for a tensor of this type and these sizes: `name` =
                 // "float16 [64, 128]". The first that is told of a block holds
  // --- what a program does with its tensors, from which who reads its ring finds out what blocks hold
  // (profiler/capture/roles/role_inference.h); in no recording and no timeline. `address` = the block ---
  kTensorSaved,          // for backward
  kLeafUsed,             // gradients are accumulated for it: `bytes` = the leaf, `rounded_bytes` = its node
  kGradientAccumulated,  // `bytes` = the leaf's node, `rounded_bytes` = the block that was made for it
  kCastMade,             // by autocast; `bytes` = the block of what was cast
  kOptimizerEnd,   // what its step made and left is its state; `name` = what that is called. A hint, too:
                   // `name` of a kAllocate, where an optimizer asked for the block
  kTensorKnown,    // by the program's Python: it is `category`, called `name`, of a parameter `op` = what its
                   // gradient is called
  kEvaluationEnd,  // of a model's call without gradients on `thread`: what it made and left is output. A
                   // hint, too: category output of a kAllocate, which such a call asked for, and which is
                   // temporary until then. And one: phase forward of a kAllocate, for which a forward asked;
                   // what is there of it as a kPhase begins backward, and nothing else, is output
};
inline constexpr int kEventKindCount = 25;  // of what recordings and timelines have
inline constexpr int kHintKindCount = 7;    // those after them
inline constexpr bool IsDeviceWork(EventKind kind) {
  return kind >= EventKind::kKernel && kind <= EventKind::kMemorySet;
}
// Whether `address` is that of a block, and the timeline tells its category and size.
inline constexpr bool IsOfBlock(EventKind kind) {
  return kind <= EventKind::kCategorize || kind == EventKind::kTensorShape;
}
inline constexpr bool IsOfSegment(EventKind kind) {
  return kind >= EventKind::kSegmentAllocate && kind <= EventKind::kSegmentUnmap;
}
inline constexpr bool IsOfMemory(EventKind kind) {
  return kind <= EventKind::kSnapshot || kind == EventKind::kTensorShape;
}

inline constexpr uint8_t kManyPools = 255;

struct Event {
  int64_t time_ns = 0;  // CLOCK_REALTIME
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t rounded_bytes = 0;
  uint64_t stream = 0;  // cudaStream_t as a number; 0 is the default stream
  NameId layer = 0;
  NameId op = 0;
  NameId name = 0;
  uint32_t thread = 0;  // kernel thread id
  EventKind kind = EventKind::kAllocate;
  Category category = Category::kUnknown;
  Phase phase = Phase::kIdle;  // only set on kPhase, but for a hint; the timeline derives it for the others
  Source source = Source::kTrainer;
  uint8_t device = 0;
  uint8_t recompute = 0;       // 1 while checkpointing runs a forward again inside backward
  Level level = Level::kNone;  // only of a kCounter
  // Of what PyTorch's allocator for CUDA does: the private pool (a CUDA graph's, a torch.cuda.MemPool), in
  // the order in which they came, kManyPools for all from there on. 0 = none, or a torch before 2.8: it tells
  // none.
  uint8_t pool = 0;

  bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 64 && std::is_trivially_copyable_v<Event>);

// Whether every enumeration holds one of its values: what readers ask of events that come from another
// process or a file.
inline bool IsWellFormedOfRing(const Event& event) {
  return static_cast<int>(event.kind) < kEventKindCount + kHintKindCount &&
         static_cast<int>(event.category) < kCategoryCount && static_cast<int>(event.phase) < kPhaseCount &&
         static_cast<int>(event.source) < kSourceCount && static_cast<int>(event.level) < kLevelCount;
}
inline bool IsHint(const Event& event) { return static_cast<int>(event.kind) >= kEventKindCount; }
inline bool IsWellFormed(const Event& event) { return IsWellFormedOfRing(event) && !IsHint(event); }

// A metric's value travels in the bits of `address`.
inline double MetricOf(const Event& event) {
  double value = 0;
  std::memcpy(&value, &event.address, sizeof value);
  return value;
}
inline void SetMetric(Event& event, double value) { std::memcpy(&event.address, &value, sizeof value); }

// A name of any length travels as consecutive kName events of one producer (other producers' events may come
// between): `name` = its id, `layer` = offset of this piece, `op` = total length, and up to 32 bytes of UTF-8
// in the four fields from `address` to `stream`. A name is complete before any event that refers to it.
inline constexpr size_t kNamePieceBytes = 32;
inline void SetNamePiece(Event& event, std::string_view piece) {
  std::memcpy(reinterpret_cast<char*>(&event) + offsetof(Event, address), piece.data(), piece.size());
}
inline uint64_t NamePieces(std::string_view text) {
  return text.empty() ? 1 : (text.size() + kNamePieceBytes - 1) / kNamePieceBytes;
}
// Calls `accept` for each piece, in order; time, source and the like are those of `piece`, a kName.
template <typename Accept>
void CutName(Event piece, NameId id, std::string_view text, Accept accept) {
  piece.name = id;
  piece.op = static_cast<uint32_t>(text.size());
  for (uint64_t i = 0; i < NamePieces(text); ++i) {
    piece.layer = static_cast<uint32_t>(i * kNamePieceBytes);
    SetNamePiece(piece, text.substr(piece.layer, kNamePieceBytes));
    accept(std::as_const(piece));
  }
}
inline std::string_view NamePiece(const Event& event) {
  const size_t left = event.op > event.layer ? event.op - event.layer : 0;
  return {reinterpret_cast<const char*>(&event) + offsetof(Event, address),
          left < kNamePieceBytes ? left : kNamePieceBytes};
}

std::string_view NameOf(Category category);  // "optimizer state"
std::string_view KeyOf(Category category);   // "optimizer_state", for JSON and CSV
std::string_view NameOf(Phase phase);        // "forward"
std::string_view NameOf(EventKind kind);     // "free requested"
std::string_view NameOf(Source source);      // "allocator"
std::string_view NameOf(Level level);        // "driver"

}  // namespace tidemark::events
