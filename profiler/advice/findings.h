// What in a run's memory a person would want to be told of, each with its evidence and what to do about it:
// memory that grows from step to step, graphs and gradients that are kept, graphs that nobody runs backward,
// fragmentation, free memory of private pools and other streams, what CUDA graphs keep for their replays,
// workspaces larger than activations, a step, the first or a later one, that needs more than all others,
// copies between types, outputs that are kept from pass to pass, what an optimizer works in, and scores of
// which a loss makes several. Only what the stream shows: a run without steps or categories has fewer
// findings. Pure functions, any thread. O(events of one step, without steps of a million events at most, +
// live blocks).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

enum class FindingKind : uint8_t {
  kGrowth,
  kKeptGraph,
  kUnusedGraph,
  kKeptGradients,
  kFragmentation,
  kOutOfReach,
  kLargeWorkspace,
  kFirstStepSpike,
  kLaterStepSpike,
  kTypeCopies,
  kKeptOutputs,
  kOptimizerWork,
  kLossScores,
  kPoolMemory,
};

struct Finding {
  FindingKind kind = FindingKind::kGrowth;
  std::string evidence;             // sentences with the figures
  std::string advice;               // a sentence: what to do
  int64_t bytes = 0;                // at stake
  timeline::EventIndex moment = 0;  // where it shows
  // The births of the allocations that show it, the largest first, at most kMostAllocations; often none.
  std::vector<timeline::EventIndex> allocations;
  bool grows = false;    // with each step or pass: a longer run needs more
  bool ran_out = false;  // the run ended for it
  // Whether the advice helps here is found out by other settings of the allocator that are tried (what_if.h).
  bool can_be_tried = false;
};
inline constexpr size_t kMostAllocations = 100;

std::string_view TitleOf(FindingKind kind);  // "Memory grows from step to step"
std::string_view KeyOf(FindingKind kind);    // "growth", for JSON

// What ends a run sooner or later first (growth, kept graphs, what memory ran out for), then the largest;
// sizes in its sentences are in `unit`. `card_bytes`: what the card has, of which little that nothing could
// use is not worth a word; 0 = not known.
std::vector<Finding> FindingsIn(const timeline::View& view, ByteUnit unit, int64_t card_bytes);

// Whether one of them does.
bool GrowsWithSteps(const std::vector<Finding>& findings);

}  // namespace tidemark::advice
