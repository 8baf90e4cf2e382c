// How often what is made of a run that streams in is made anew: ten times a second is as often as a person
// can read. What comes too soon after the last is due a moment later, so the last of all is shown in any
// case. UI thread only.
#pragma once

#include <chrono>

namespace tidemark::gui {

class Throttle {
 public:
  using Clock = std::chrono::steady_clock;

  // Before a frame asks, or does not: what nobody shows in it is never due.
  void BeginFrame() { due_ = kNever; }
  // Whether what is new is taken in this frame; what a person does is, `at_once`. `rest`: since the last that
  // was taken.
  bool Takes(bool is_new, bool at_once, Clock::duration rest = kReadable) {
    due_ = kNever;
    if (!is_new) return false;
    const Clock::time_point now = Clock::now();
    if (!at_once && now < taken_ + rest) {
      due_ = taken_ + rest;
      return false;
    }
    taken_ = now;
    return true;
  }
  // What came too soon can be taken now: in another frame.
  bool due() const { return Clock::now() >= due_; }

 private:
  static constexpr std::chrono::milliseconds kReadable{100};
  static constexpr Clock::time_point kNever = Clock::time_point::max();
  Clock::time_point taken_ = Clock::time_point::min();
  Clock::time_point due_ = kNever;
};

}  // namespace tidemark::gui
