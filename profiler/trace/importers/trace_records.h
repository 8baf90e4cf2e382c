// What traces, of others and our own, tell of memory and of what ran meanwhile, in the order of their files,
// which is not that of time. Condensed: a trace of 1 GB has some 2 million operators and allocations, which
// take 40 to 96 bytes each. Not thread safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/events/run_description.h"
#include "profiler/trace/bookmarks.h"
#include "profiler/trace/trace_words.h"

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

// What happened at one moment, of the kinds that tell memory and of kMarker, kMetric, kCounter and kLoss.
struct TraceInstant {
  static constexpr int64_t kNotTold = -1;

  int64_t time_ns = 0;
  uint64_t address = 0;  // of a metric: its value, as in an event
  int64_t bytes = 0;     // the block or segment, or what was asked for in vain; else as in an event
  int64_t requested = kNotTold;
  int64_t total_allocated = kNotTold;  // of the device, afterwards
  int64_t total_reserved = kNotTold;
  int64_t free_bytes = kNotTold;  // on the card, when memory ran out
  int64_t changed_bytes = 0;      // of a counter
  uint64_t stream = 0;
  TraceTexts::Id op = 0;
  TraceTexts::Id layer = 0;
  TraceTexts::Id name = 0;
  uint32_t thread = 0;
  events::EventKind kind = events::EventKind::kAllocate;
  events::Category category = events::Category::kUnknown;
  events::Source source = events::Source::kTrainer;  // of what is not memory
  events::Level level = events::Level::kNone;
  uint8_t device = 0;
  uint8_t device_type = kCudaDeviceType;
  uint8_t recompute = 0;
  uint8_t pool = 0;

  bool is_of_memory() const { return IsOfMemory(kind); }
  // What its totals are of: one device, but in traces of ours all together, as 0.
  uint8_t TotalsOf(bool is_own) const { return is_own ? uint8_t{0} : device; }
};

// What was said of an event so far.
struct TraceArguments {
  TraceInstant instant;
  bool is_sized = false;           // its bytes are told
  bool is_freed = false;           // and are negative
  bool is_differentiable = false;  // of an operator
  bool is_unfinished = false;      // a slice that had not ended when the run did
  bool is_first_of_two = false;    // a free that another one follows
  int64_t step = 0;                // in which a metric was taken
  double value = 0;                // of a metric
  TraceTexts::Id computed_in = 0;
  TraceTexts::Id shape = 0;

  void Set(TraceArgument argument, int64_t number);
  void Set(TraceArgument argument, double number);
  void Set(TraceArgument argument, std::string_view text, TraceTexts& texts);
  // What they tell as an instant of that kind (KindOfInstant) and name; none where they lack its size.
  std::optional<TraceInstant> InstantOf(events::EventKind kind, TraceTexts::Id name) const;

 private:
  bool SetPlace(TraceArgument argument, int64_t number);
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
  TraceTexts::Id computed_in = 0;  // the type, where autocast chose
  uint32_t thread = 0;
  Kind kind = Kind::kOperator;
  bool is_differentiable = false;  // an operator that backward will need
  bool is_unfinished = false;      // its end is not told
  uint8_t recompute = 0;
};

// A kernel, a memory copy or a memset.
struct TraceWork {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t bytes = 0;
  uint64_t stream = 0;
  TraceTexts::Id name = 0;
  events::EventKind kind = events::EventKind::kKernel;
  uint8_t device = 0;
};

struct TraceRecords {
  TraceTexts texts;
  std::vector<TraceInstant> instants;
  std::vector<TraceSlice> slices;
  std::vector<TraceWork> works;
  std::vector<Bookmark> bookmarks;
  // What was told at that moment (TraceArguments::InstantOf); none counts as unreadable, and no bytes are
  // nothing.
  void AddInstant(std::optional<TraceInstant> told, int64_t time_ns);
  // Those beyond kMostBookmarks are passed over.
  void AddBookmark(int64_t time_ns, std::string_view text);

  uint64_t without_memory = 0;  // events of other kinds: flows, Python's functions
  uint64_t unreadable = 0;      // records of memory that lack their size or their time
};

// A card that a trace's file lists.
struct ListedCard {
  int64_t id = 0;
  std::string name;
  int64_t bytes = 0;
};
// Says of which card the memory in the records is. Of none that is listed, or of cards of several kinds,
// nothing. O(records).
void DescribeCard(const TraceRecords& records, const std::vector<ListedCard>& cards,
                  events::RunDescription& description);

// What a reader found out besides the records.
struct TraceOrigin {
  events::RunDescription description;  // title: "" for the name of the file; its start does not count
  int64_t base_ns = 0;                 // CLOCK_REALTIME of the records' time 0
  bool is_own = false;                 // written by us: what it does not say is not so, and is not guessed
  std::string damage;                  // "" or the end of a sentence: "at byte 17, the file ends early"
};

}  // namespace tidemark::trace
