// What the window has found out of what fits, and of what other settings of the allocator would do. Plain
// data; the UI thread's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/other_setup.h"
#include "profiler/advice/fit.h"
#include "profiler/advice/what_if.h"

namespace tidemark::gui {

using advice::AllocatorTrial;

// One that a person named.
struct SetupTrial {
  OtherSetup setup;
  advice::WhatIf outcome;
};

struct FitAdvice {
  bool searching = false;
  // Of the search under way or the latest, for all that these settings say but the batch; it is known before
  // the answer. 0 = not even one sample.
  std::optional<int> largest_batch;
  networks::TrainingSettings largest_for;
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
