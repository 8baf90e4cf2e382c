// The way of a live run's events: ring → what follows from hints → recording (if there is one) → timeline.
// Adds what the stream must tell of itself: how many events were lost, and how the run ended. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/capture/roles/role_inference.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/capture/transport/ring.h"
#include "profiler/events/run_description.h"
#include "profiler/session/recording.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

// A screen shows a new view every 16 ms at most; half of that keeps a change under 50 ms from event to pixel.
inline constexpr std::chrono::milliseconds kPublishEvery{8};
inline constexpr std::chrono::milliseconds kFlushEvery{200};

class EventIntake {
 public:
  EventIntake(transport::RingReader ring, size_t budget_events);
  // Before the first Take.
  void RecordTo(std::unique_ptr<Recording> recording) { recording_ = std::move(recording); }
  void TellOfNoRecording(const Error& why) { recording_error_ = why.message; }

  // Hands the ring to a program that asked for it.
  Status HandOver(const transport::Listener::Caller& caller) const {
    return transport::Listener::Answer(caller, ring_);
  }
  // Takes what the ring holds, up to one lap of it; how many events that were.
  size_t Take(bool producer_dead);
  std::shared_ptr<const timeline::View> Publish();

  // A marker of the session's own: how the run ended.
  void AddMarker(std::string_view text);
  void Describe(const events::RunDescription& description);
  void FlushRecording();
  // Where it holds a part of the run, that is what is published from then on.
  Recording::Closed CloseRecording();

  uint64_t captured() const { return captured_; }
  uint64_t lost() const { return lost_; }
  // The card that the program works on, once it was told (events/card_counter.h).
  struct Card {
    std::string name;
    int64_t bytes = 0;
  };
  const std::optional<Card>& card() const { return card_; }
  // Called as it is told, before what comes after it is recorded: that may be the end of the recording.
  void OnCard(std::function<void()> learn) { learn_card_ = std::move(learn); }
  int64_t steps_done() const { return steps_done_; }  // of the latest start or restart
  // Why the recording could not go on; "" if it does, or if there is none.
  const std::string& recording_error() const { return recording_error_; }

 private:
  void Append(std::span<const events::Event> events);
  void Keep(std::span<const events::Event> events);
  void AddLosses();
  void AddLoss(events::Source source, uint64_t total, uint64_t& told);
  void Record(const Status& written);

  transport::RingReader ring_;
  std::unique_ptr<Recording> recording_;
  std::shared_ptr<const timeline::View> part_;  // that was recorded, once that is closed
  timeline::Builder builder_;
  std::vector<events::Event> batch_;
  capture::RoleInference inference_;
  std::array<uint64_t, events::kSourceCount> dropped_told_{};
  std::array<uint64_t, events::kSourceCount> torn_told_{};
  uint64_t nobodys_told_ = 0;  // torn, of no source that is known: told as the session's
  uint64_t captured_ = 0;
  uint64_t lost_ = 0;
  int64_t steps_done_ = 0;
  std::optional<Card> card_;
  std::function<void()> learn_card_;
  std::string recording_error_;
};

}  // namespace tidemark::session
