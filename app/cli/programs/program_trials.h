// A user's program several times on a phantom, each time with something else in its environment: another
// card, other techniques. Any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/program_launch.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

struct ProgramTrial {
  std::string title;                     // "on the L4"
  std::vector<std::string> environment;  // "NAME=value" entries, beside those of the launch
};

// What the program did in one.
struct TrialRun {
  std::shared_ptr<const timeline::View> view;  // null where nothing of it was heard
  std::string failure;                         // why there is no answer; "" if there is
  bool ran_out = false;                        // of memory, and ended by it
  std::vector<std::string> in_vain = {};       // as phantom::SweepAnswer has it
  std::string allocator_settings = {};         // PYTORCH_CUDA_ALLOC_CONF that it ran with
};

struct TrialsWatch {
  std::function<void(size_t trial, const TrialRun&)> ran;    // told of each as soon as it has ended
  std::function<void(std::string_view line)> progress = {};  // several times a second, if there is any
  std::function<bool()> goes_on = {};                        // asked as often; false ends it early
};

// One at a time, with all else as `launch` has it; its words go nowhere. Where `watch` ends that early, the
// runs told so far are all. Errors: it is none that Python runs itself, ...
Status RunTrials(const std::vector<std::string>& program, const ProgramLaunch& launch,
                 const std::vector<ProgramTrial>& trials, const TrialsWatch& watch);

// What makes the phantom this card, with its own memory or with what the launch says.
std::vector<std::string> CardEnvironment(const phantom::Card& card, bool with_own_memory);

}  // namespace tidemark::cli
