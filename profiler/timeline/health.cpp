#include <array>
#include <string_view>

#include "profiler/base/format.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {
namespace {

struct Loss {
  uint64_t Health::*count;
  std::string_view one;
  std::string_view many;
};

constexpr std::array<Loss, 10> kLosses = {{
    {&Health::lost, "event was lost before it could be stored; the curves have a gap there.",
     "events were lost before they could be stored; the curves have gaps there."},
    {&Health::unmatched_frees, "free was of an address where nothing was alive; it was left out.",
     "frees were of addresses where nothing was alive; they were left out."},
    {&Health::double_allocations,
     "allocation came at an address that was still alive; its free must have been lost, and counts from "
     "there.",
     "allocations came at addresses that were still alive; their frees must have been lost, and count from "
     "there."},
    {&Health::unmatched_tensors, "tensor was told of at an address where nothing was alive; it was left out.",
     "tensors were told of at addresses where nothing was alive; they were left out."},
    {&Health::unmatched_segments,
     "segment was reserved twice or freed where nothing was reserved; only what fits counts.",
     "segments were reserved twice or freed where nothing was reserved; only what fits counts."},
    {&Health::unmatched_steps, "step ended without a beginning, or the next began before its end.",
     "steps ended without a beginning, or the next began before their end."},
    {&Health::malformed, "event was of a kind that this version does not know; it was left out.",
     "events were of kinds that this version does not know; they were left out."},
    {&Health::unreadable_names, "name could not be put together; what it stands for shows without a name.",
     "names could not be put together; what they stand for shows without a name."},
    {&Health::let_go, "event, the oldest, was let go to stay within the memory budget.",
     "events, the oldest, were let go to stay within the memory budget."},
    {&Health::work_let_go, "kernel or memory copy, the oldest, was let go to stay within the memory budget.",
     "kernels, memory copies and memsets, the oldest, were let go to stay within the memory budget."},
}};

}  // namespace

std::vector<std::string> DescribeHealth(const View& view) {
  Health health = view.health();
  if (!view.tells_blocks()) health.unmatched_tensors = 0;  // no block can be what they are told of
  std::vector<std::string> sentences;
  for (const Loss& loss : kLosses) {
    const uint64_t count = health.*loss.count;
    if (count == 0) continue;
    sentences.push_back(FormatNumber(static_cast<int64_t>(count)) + " " +
                        std::string(count == 1 ? loss.one : loss.many));
  }
  return sentences;
}

}  // namespace tidemark::timeline
