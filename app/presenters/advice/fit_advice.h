// What the window has found out of what fits. Plain data; the UI thread's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/advice/fit.h"
#include "profiler/base/format.h"

namespace tidemark::presenters {

// What the window shows and would search for.
struct FitSubject {
  networks::TrainingSettings settings;
  std::optional<phantom::Card> card;  // with the memory that it has; none = it is on none that is known
  std::string allocator;              // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own
};
// Whether what was asked is just that; a network of the same name is the same.
bool IsOf(const advice::FitQuestion& question, const FitSubject& now);
// "Found for the T4 with 16 GiB, not for the H200 with 141 GiB."; "" where it was found for what is shown.
std::string FoundForOther(const advice::FitQuestion& question, const FitSubject& now, ByteUnit unit);

struct FitAdvice {
  bool searching = false;
  // Of the search under way or the latest, for all that these settings say but the batch; it is known before
  // the answer. One with room, as advice::FindBatchWithRoom tells it; 0 = not even one sample.
  std::optional<int> largest_batch;
  std::optional<advice::FitQuestion> largest_for;
  std::optional<advice::FitQuestion> question;  // of the answer
  std::optional<advice::FitAnswer> answer;
  std::string error;  // why there is no answer
};

// To run with after an out of memory: `batch`, the chosen one, or the largest that the phantom says has
// room `now` if that is smaller and below the one that did not; half where it says nothing. None while it is
// asked.
std::optional<int> SmallerBatch(const FitAdvice& found, FitSubject now, int batch);

}  // namespace tidemark::presenters
