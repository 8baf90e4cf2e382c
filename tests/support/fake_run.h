// A run that shows what a test gives it and takes no command. Any thread.
#pragma once

#include "profiler/session/run.h"

namespace tidemark::session {

class FakeRun : public Run {
 public:
  RunStatus status() const override { return {}; }
  events::RunDescription description() const override { return {}; }
  bool live() const override { return false; }
  bool Change(const networks::TrainingSettings&) override { return false; }
  bool SetMode(transport::RunMode) override { return false; }
  bool SetPace(double) override { return false; }
  bool Restart(const networks::TrainingSettings&) override { return false; }
  bool SetStepLimit(int64_t) override { return false; }
  void Stop() override {}
  bool WaitUntilSettled(int) override { return true; }
};

}  // namespace tidemark::session
