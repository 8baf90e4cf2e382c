// One card of a run that goes on with several, alone, as far as the run has come. It takes no commands: the
// run itself does. (Of a file RecordedRun reads one card, which then has all of the memory budget.)
//
// A thread of its own looks what is new in the run; what Run promises is for any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/session/one_card.h"
#include "profiler/session/run.h"

namespace tidemark::session {

class CardRun final : public WatchedRun {
 public:
  // `device`: as the run's process counts.
  CardRun(std::shared_ptr<const Run> whole, uint8_t device);
  ~CardRun() override;
  CardRun(const CardRun&) = delete;
  CardRun& operator=(const CardRun&) = delete;

  bool IsOf(const Run& whole, uint8_t device) const { return whole_.get() == &whole && device_ == device; }

  std::shared_ptr<const timeline::View> view() const override;
  // Ended once all of the run is in view().
  RunStatus status() const override;
  events::RunDescription description() const override {
    return DescriptionOfCard(whole_->description(), device_);
  }

  void Stop() override {}

  bool WaitUntilSettled(int) override { return status().state > RunState::kPaused; }

 private:
  void Follow();
  // What is new in the run, up to a batch of it; whether there is more.
  bool TakeBatch(const timeline::View& view);
  void TakeWork(const timeline::View& view);
  void Keep(std::vector<events::Event> events);

  const std::shared_ptr<const Run> whole_;
  const uint8_t device_;
  // The thread's, all four.
  OneCard card_;
  timeline::Builder builder_;
  timeline::EventIndex next_event_ = 0;
  uint64_t next_work_ = 0;  // of all that was ever told

  std::atomic<bool> stop_{false};
  std::atomic<bool> has_all_{false};  // of a run that has ended
  mutable Mutex mutex_;
  std::shared_ptr<const timeline::View> view_ TIDEMARK_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tidemark::session
