// The curves that a timeline keeps: bytes over events, one value after each event.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "profiler/events/event.h"

namespace tidemark::timeline {

// The first ones are the categories, in their order: rounded bytes of live blocks in that category; they sum
// to kAllocated at every event.
enum class Series : uint8_t {
  kAllocated = events::kCategoryCount,  // rounded bytes of live blocks: PyTorch's memory_allocated()
  kRequested,                           // the same blocks as the program asked for them
  kReserved,                            // segments: PyTorch's memory_reserved()
  kDriver,                              // the last value told of events::Level, and so are the next two
  kProcess,
  kCard,
};
inline constexpr int kSeriesCount = events::kCategoryCount + 6;

// From what was asked for to what is taken of the card, each of which holds the one before it.
inline constexpr std::array kMemoryLevels = {Series::kRequested, Series::kAllocated, Series::kReserved,
                                             Series::kDriver,    Series::kProcess,   Series::kCard};
// Those that count blocks and the segments that hold them; the others are told from outside of PyTorch.
inline constexpr bool IsOfBlocks(Series level) { return level < Series::kDriver; }
// Of a level: "requested", "card"; of a category its name.
std::string_view NameOf(Series series);

// Some of the categories, a bit each, in their order.
using CategorySet = uint32_t;
inline constexpr CategorySet kAllCategories = (CategorySet{1} << events::kCategoryCount) - 1;
inline constexpr bool Contains(CategorySet set, size_t category) { return (set >> category & 1U) != 0; }

inline constexpr auto kAllocatedIndex = static_cast<size_t>(Series::kAllocated);

inline constexpr Series SeriesOf(events::Category category) { return static_cast<Series>(category); }
// Not of kNone.
inline constexpr Series SeriesOf(events::Level level) {
  return static_cast<Series>(static_cast<int>(Series::kDriver) + static_cast<int>(level) -
                             static_cast<int>(events::Level::kDriver));
}

using SeriesValues = std::array<int64_t, kSeriesCount>;
inline int64_t ValueOf(const SeriesValues& values, Series series) {
  return values[static_cast<size_t>(series)];
}

// A series over a range of events. `first` is its value before the range begins.
struct Bucket {
  int64_t first = 0;
  int64_t min = 0;
  int64_t max = 0;
  int64_t last = 0;
};

}  // namespace tidemark::timeline
