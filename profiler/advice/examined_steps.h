// The steps of a run that findings speak of, and what of them is worth a sentence. Pure functions, any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/timeline/timeline.h"

namespace tidemark::advice {

// The steps of the run's latest configuration, the first of which may create what the others keep.
struct ExaminedSteps {
  std::optional<timeline::Step> first;  // step 0, where it belongs to them
  // Complete, after the first; of a long run the latest kMostSteps. Ascending.
  std::vector<timeline::Step> steady;
};
inline constexpr size_t kMostSteps = 64;

// O(steps of the latest configuration).
ExaminedSteps ExaminedStepsOf(const timeline::View& view);

int64_t AllocatedPeak(const timeline::Step& step);

// Whether so much of `of_bytes` is: a fifth of PyTorch's large segments of 20 MiB
// (c10/cuda/CUDACachingAllocator.h, kLargeBuffer), and a twentieth of the whole.
bool IsWorthTelling(int64_t bytes, int64_t of_bytes);

// Nobody would change anything for less of a card.
inline constexpr int64_t kShareOfCard = 200;

// Whether it is a workspace of cuDNN; all others are cuBLAS's.
bool IsOfCudnn(const timeline::View& view, const timeline::LiveBlock& block);

// In blocks.
int64_t BytesOf(const std::vector<timeline::LiveBlock>& blocks);
// The largest first, at most kMostAllocations (findings.h).
std::vector<timeline::EventIndex> BirthsOf(std::vector<timeline::LiveBlock> blocks);

// " Most of it is made at train (train.py:40).", or by which operator where no line is told; "" where neither
// is, or none makes most. Of what `births` have beyond `others`, where those are told.
std::string MostIsMadeBy(const timeline::View& view, const std::vector<timeline::EventIndex>& births,
                         const std::vector<timeline::EventIndex>& others = {});

}  // namespace tidemark::advice
