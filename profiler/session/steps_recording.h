// Some steps of a run: written as they come, from the beginning of the first to the end of the last. Until
// then the timeline holds what they need to be told, and from there on nothing is kept.
//
// Steps among the run's first may turn out to be others than they were told as (events/joined_steps.h): these
// are written once that is settled.
#pragma once

#include "profiler/session/recording.h"

namespace tidemark::session {

class StepsRecording final : public Recording {
 public:
  StepsRecording(std::filesystem::path file, const events::RunDescription& description,
                 const StepsOfRun& steps);

  Status Append(std::span<const events::Event> events, timeline::Builder& builder) override;
  Status Describe(const events::RunDescription& description) override;
  Status Flush(timeline::Builder& builder) override;
  Closed Close(timeline::Builder& builder) override;

 private:
  enum class Turn { kWaits, kWrites, kAwaitsWork, kIsOver };
  Status Wait(std::span<const events::Event> events, timeline::Builder& builder);
  Status Begin(const timeline::View& view, const trace::Part& part);
  Status Write(std::span<const events::Event> events, timeline::Builder& builder);
  Status WriteLateWork(std::span<const events::Event> events, timeline::Builder& builder);
  // All of the steps are there, but for what the GPU tells late of them.
  Status End(const timeline::View& view);
  Status CloseFile(const timeline::View& view);
  void Keep(const timeline::View& view);
  Status Fail(const timeline::View& view, const Error& error);

  const std::filesystem::path file_;
  const StepsOfRun steps_;
  events::RunDescription description_;
  Turn turn_ = Turn::kWaits;
  int64_t steps_ended_ = 0;
  std::optional<trace::TideWriter> writer_;
  trace::Part part_;
  int64_t end_ns_ = 0;
  Closed closed_;
};

}  // namespace tidemark::session
