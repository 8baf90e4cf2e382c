// What the program and a trainer say to each other, as JSON packets. Parsing accepts exactly what ToJson
// writes; anything else is an error with a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::transport {

// ---- program → trainer ----

// First message; the ring's descriptor rides on it. The trainer answers with Started or Failed.
struct Start {
  networks::TrainingSettings settings;
  networks::DeviceChoice device;
};
// Takes effect at the next step boundary and appears as a marker. A change of network, seed or optimizer
// rebuilds what it concerns.
struct Change {
  networks::TrainingSettings settings;
};
enum class RunMode : uint8_t { kRun, kPause, kOneStep, kOneOperator };
struct SetMode {
  RunMode mode = RunMode::kRun;
};
// 0 = as fast as it goes.
struct SetPace {
  double steps_per_second = 0;
};
// Pauses by itself once this many steps are complete (counted from the start of the run); 0 = never.
struct SetStepLimit {
  int64_t steps = 0;
};
// Frees everything and starts afresh with these settings: no model, cached blocks or cuBLAS workspaces stay
// behind. Steps count from 0 again, for the step limit too; it goes on running or paused as SetMode last
// said.
struct Restart {
  networks::TrainingSettings settings;
};
// Ends the run in order; the trainer answers Finished and exits with 0.
struct Stop {};

using Command = std::variant<Start, Change, SetMode, SetPace, SetStepLimit, Restart, Stop>;

// ---- trainer → program ----

struct Started {
  events::RunDescription description;
};
enum class Activity : uint8_t { kRunning, kPaused };
// Sent when the activity changes, and when a step limit is reached.
struct ActivityChanged {
  Activity activity = Activity::kRunning;
  int64_t steps_done = 0;
};
struct Finished {
  int64_t steps_done = 0;
};
// The run cannot go on; the trainer exits with 1. `out_of_memory`: the device's memory was not enough (also
// an event). `lost_rank`: only because another rank is gone.
struct Failed {
  std::string sentence;
  bool out_of_memory = false;
  bool lost_rank = false;
};

using Report = std::variant<Started, ActivityChanged, Finished, Failed>;

std::string ToJson(const Command& command);
std::string ToJson(const Report& report);
Result<Command> CommandFromJson(std::string_view json);
Result<Report> ReportFromJson(std::string_view json);

}  // namespace tidemark::transport
