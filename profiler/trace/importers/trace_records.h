// What traces of others tell of memory and of what ran meanwhile, in the order of their files, which is not
// that of time. Condensed: a trace of 1 GB has some 2 million operators and allocations, which take 40 to 104
// bytes each. Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::trace {

class TraceTexts {
 public:
  using Id = uint32_t;  // 0 is ""
  Id Add(std::string_view text);
  std::string_view operator[](Id id) const { return texts_[id]; }
  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_{""};
  std::unordered_map<std::string_view, Id> ids_{{"", 0}};
};

struct MemoryRecord {
  enum class Action : uint8_t { kAllocate, kFree, kCategorize, kOutOfMemory };
  static constexpr int64_t kNotTold = -1;
  static constexpr uint8_t kCpu = 0;  // torch's c10::DeviceType
  static constexpr uint8_t kCuda = 1;

  int64_t time_ns = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // the block, or what was asked for in vain; never negative
  int64_t requested = kNotTold;
  int64_t total_allocated = kNotTold;  // of the device, afterwards
  int64_t total_reserved = kNotTold;
  int64_t free_bytes = kNotTold;  // on the card, when memory ran out
  uint64_t stream = 0;
  TraceTexts::Id op = 0;
  TraceTexts::Id layer = 0;
  TraceTexts::Id tensor = 0;
  uint32_t thread = 0;
  Action action = Action::kAllocate;
  events::Category category = events::Category::kUnknown;
  uint8_t device = 0;
  uint8_t device_type = kCuda;
};

// The arguments of an event, by the names that torch.profiler (Kineto) and our exporters give them.
enum class TraceArgument : uint8_t {
  kOther,
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
  kSequence,
};
TraceArgument ArgumentOf(std::string_view key);

struct TraceArguments {
  MemoryRecord memory;
  bool is_sized = false;           // its bytes are told
  bool is_differentiable = false;  // of an operator

  void Set(TraceArgument argument, int64_t number);
  void Set(TraceArgument argument, std::string_view text, TraceTexts& texts);
};

// Something that took time on a thread.
struct TraceSlice {
  enum class Kind : uint8_t {
    kOperator,
    kLayer,
    kAnnotation,  // record_function: the profiler's steps, the optimizer's, the user's own
    kStructure,   // written by our own exporters: steps, micro-batches, phases
  };
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  TraceTexts::Id name = 0;
  TraceTexts::Id layer = 0;
  uint32_t thread = 0;
  Kind kind = Kind::kOperator;
  bool is_differentiable = false;  // an operator that backward will need
};

struct TraceRecords {
  TraceTexts texts;
  std::vector<MemoryRecord> memory;
  std::vector<TraceSlice> slices;
  uint64_t device_work = 0;     // kernels, memory copies and memsets
  uint64_t without_memory = 0;  // events of other kinds: flows, Python's functions
  uint64_t unreadable = 0;      // records of memory that lack their size or their time
};

}  // namespace tidemark::trace
