// What the window has found out of what fits, and of what other settings of the allocator would do. Plain
// data; the UI thread's.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/other_setup.h"
#include "profiler/advice/fit.h"
#include "profiler/advice/what_if.h"
#include "profiler/base/format.h"

namespace tidemark::gui {

using advice::AllocatorTrial;

// One that a person named.
struct SetupTrial {
  OtherSetup setup;
  advice::WhatIf outcome;
};

// What the window shows and would search for.
struct FitSubject {
  networks::TrainingSettings settings;
  std::optional<phantom::Card> card;  // with the memory that it has; none = it is on none that is known
  std::string allocator;              // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own
};
// Whether what was asked is just that; a network of the same name is the same.
bool IsOf(const advice::FitQuestion& question, const FitSubject& now);
// "Found for the T4 with 16 GB, not for the H200 with 150 GB."; "" where it was found for what is shown.
std::string FoundForOther(const advice::FitQuestion& question, const FitSubject& now, ByteUnit unit);

struct FitAdvice {
  bool searching = false;
  std::shared_ptr<std::atomic<bool>> overtaken;  // of the search that goes on: set, it ends without an answer
  // Of the search under way or the latest, for all that these settings say but the batch; it is known before
  // the answer. 0 = not even one sample.
  std::optional<int> largest_batch;
  std::optional<advice::FitQuestion> largest_for;
  std::optional<advice::FitQuestion> question;  // of the answer
  std::optional<advice::FitAnswer> answer;
  std::string error;  // why there is no answer

  bool trying = false;
  std::vector<AllocatorTrial> trials;
  std::vector<SetupTrial> others;
  timeline::EventIndex tried_until = 0;  // what came since is not in them
  std::string trial_error;               // why there are none, or not all
};

}  // namespace tidemark::gui
