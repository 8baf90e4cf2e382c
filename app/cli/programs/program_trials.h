// A user's program several times on a phantom, each time with something else: another card, other techniques,
// fewer samples. One thread at a time, that of the first trial (warm_program.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/program_launch.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/techniques.h"
#include "profiler/phantom/programs/warm_program.h"
#include "profiler/session/program_recorder.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// Of the program, in the place of the one that it has (phantom::WithArgument).
struct TrialArgument {
  std::string name;
  int64_t value = 0;
};

struct ProgramTrial {
  std::string title;  // "on the L4"
  phantom::Card card;
  bool has_own_memory = false;  // the card's; else as much as the launch says
  phantom::Techniques techniques = {};
  std::optional<TrialArgument> argument = {};
};

// What the program did in one.
struct TrialRun {
  std::shared_ptr<const timeline::View> view;  // null where nothing of it was heard
  std::string failure;                         // why there is no answer; "" if there is
  bool ran_out = false;                        // of memory, and ended by it
  std::vector<std::string> in_vain = {};       // as phantom::RunAnswer has it
  std::string allocator_settings = {};         // PYTORCH_CUDA_ALLOC_CONF that it ran with
};

struct TrialsWatch {
  std::function<void(size_t trial, const TrialRun&)> ran;    // told of each as soon as it has ended
  std::function<void(std::string_view line)> progress = {};  // several times a second, if there is any
  std::function<bool()> goes_on = {};                        // asked as often; false ends it early
};

class ProgramTrials {
 public:
  // `launch`: on a phantom, with none of the techniques. Both must outlive it. Starts nothing yet.
  ProgramTrials(const std::vector<std::string>& program, const ProgramLaunch& launch)
      : program_(program), launch_(launch) {}

  // One at a time, with all else as the launch has it; its words go nowhere. Where `watch` ends that early,
  // the runs told so far are all. Errors: it is none that Python runs itself, ...
  Status Run(const std::vector<ProgramTrial>& trials, const TrialsWatch& watch);
  session::AllocatorOf Allocator() const { return launch_.Allocator(); }

 private:
  using Clock = std::chrono::steady_clock;
  Status Start();

  const std::vector<std::string>& program_;
  const ProgramLaunch& launch_;
  std::shared_ptr<session::ProgramRecorder> recorder_;  // null before the first trial
  std::optional<phantom::WarmProgram> warm_;
  std::optional<Clock::time_point> began_;
};

}  // namespace tidemark::cli
