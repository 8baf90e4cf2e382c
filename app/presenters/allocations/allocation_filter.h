// What a person types to find allocations among many, and which allocations it means. Words are parted by
// spaces:
//
// - `conv1 backward -relu`: each must be in the tensor, category, phase, layer or operator; with "-", must
// not. A number that ends a word is whole: conv1 is neither conv1d nor conv10.
// - `>1MB`, `<=64KiB`: the requested size.
// - `life>10ms`, `life<1us`: from allocation to free; what is still alive has lived until now.
// - `category:activation`: what it holds, by the beginning of the word; of several, any.
// - `born:100..200`: the index of the event that allocated it; either end may be left out.
// - `freed:100..200`: that of the event that freed it.
// - `alive:150`: at that event.
// - `at:0x7f00..0x7fff`: its addresses touch this range; one address without "..".
//
// Who says when (`alive:`, `born:`) means that, whatever the table would show without it. Pure; matching is
// O(length of the texts).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/events/event.h"

namespace tidemark::presenters {

struct Allocation;

struct AllocationFilter {
  struct Range {  // both ends belong to it
    uint64_t least = 0;
    uint64_t most = std::numeric_limits<uint64_t>::max();

    bool operator==(const Range&) const = default;
  };
  std::vector<std::string> words;  // in lower case
  std::vector<std::string> excluded;
  Range bytes;
  Range life_ns;
  std::optional<Range> born;
  std::optional<Range> freed;
  std::vector<events::Category> categories;  // any of them; none = all
  Range addresses;
  std::vector<uint64_t> alive_at;

  bool operator==(const AllocationFilter&) const = default;
};

// A filter is typed letter by letter: what can be read counts, whatever stands beside it.
struct ReadFilter {
  AllocationFilter filter;
  std::string unreadable;  // a sentence for each word that cannot be read, with an example; "" = none
};
ReadFilter ReadAllocationFilter(std::string_view text);

// But for the words.
bool Matches(const AllocationFilter& filter, const Allocation& allocation);
// `searchable` is the allocation's texts in lower case.
bool MatchesWords(const AllocationFilter& filter, std::string_view searchable);

std::string LowerCase(std::string_view text);  // ASCII letters; others stay
// Both in lower case. "conv2" is in "conv2.weight", and neither in "aten::conv2d" nor in "conv20"; "bf16" is
// in "bf16gemm".
bool HoldsWord(std::string_view text, std::string_view word);

}  // namespace tidemark::presenters
