// A question about the run that may take longer than a frame. Where it does not it is answered at once, else
// beside the window; the answer before it stays until then. UI thread only; what looks for an answer is a
// thread of its own, which this waits for when it ends.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/gui/commands/job_line.h"
#include "profiler/base/progress.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// Blocks and events that a frame has time to look at: some 1 ms.
inline constexpr uint64_t kMostLookedAtInAFrame = 40'000;
inline bool FitsInFrame(const timeline::View::StateEffort& effort) {
  return effort.total() <= kMostLookedAtInAFrame;
}

// What becomes of a question that is being looked into when there is a newer one.
enum class Overtaken : uint8_t {
  kIsFinished,  // its answer is shown meanwhile: what a person drags through moves
  kIsGivenUp,
};

template <typename Question, typename Answer>
class Lookup {
 public:
  // Nothing where it was given up. Called on another thread unless the question fits in a frame.
  using Find = std::function<std::optional<Answer>(const Question&, const Progress&)>;

  explicit Lookup(Overtaken overtaken = Overtaken::kIsFinished) : overtaken_(overtaken) {}

  // Before a frame asks, or does not: what nobody asks for in it keeps nobody waiting.
  void BeginFrame() { waits_ = false; }
  // In every frame that shows the answer. True if there is another one than before.
  bool Ask(const Question& question, bool fits_in_frame, const Find& find) {
    const bool fresh = Take();
    waits_ = false;
    if (cancelled_ && !(*cancelled_ == question)) cancelled_.reset();
    if (question_ == question) {
      GiveUp();
      return fresh;
    }
    if (fits_in_frame) {
      GiveUp();
      answer_ = find(question, [](double) { return true; });
      question_ = question;
      return true;
    }
    if (cancelled_) return fresh;
    waits_ = true;
    if (working_ == nullptr) {
      Begin(question, find);
    } else if (overtaken_ == Overtaken::kIsGivenUp && !(working_->question == question)) {
      GiveUp();
    }
    return fresh;
  }

  // Null before the first.
  const Answer* answer() const { return answer_ ? &*answer_ : nullptr; }
  const std::optional<Question>& question() const { return question_; }  // that it answers
  // What was asked last is not answered yet: a later frame finds the answer.
  bool pending() const { return waits_; }
  // The person stopped what was asked last; another question is looked into again.
  bool cancelled() const { return cancelled_.has_value(); }
  // How long the last answer that was found beside the window took.
  std::chrono::steady_clock::duration took() const { return took_; }
  // How far it is, once it has taken longer than `since`; with a way to stop it.
  std::optional<JobLine> Line(const std::string& title, std::chrono::milliseconds since) const {
    if (!waits_ || working_ == nullptr || working_->given_up || Clock::now() - working_->begun < since)
      return std::nullopt;
    return JobLine{title, working_->progress.load(), &working_->cancelled};
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Working {
    Question question;
    std::optional<Answer> answer;  // written before `done`
    std::atomic<double> progress = 0;
    std::atomic<bool> cancelled = false;  // by the person
    std::atomic<bool> given_up = false;
    std::atomic<bool> done = false;
    Clock::time_point begun = Clock::now();
  };

  void Begin(const Question& question, const Find& find) {
    working_ = std::make_shared<Working>();
    working_->question = question;
    thread_ = std::jthread([working = working_, find](const std::stop_token& stop) {
      working->answer = find(working->question, [&](double progress) {
        working->progress = progress;
        return !stop.stop_requested() && !working->cancelled && !working->given_up;
      });
      working->done = true;
    });
  }
  // What is no longer wanted ends when it hears of it. Only who asks the next question meanwhile waits for
  // that, beside the window, and who lets go of the whole lookup: what does not ask whether it is still
  // wanted must take milliseconds.
  void GiveUp() {
    if (working_ != nullptr) working_->given_up = true;
  }
  bool Take() {
    if (working_ == nullptr || !working_->done) return false;
    const std::shared_ptr<Working> done = std::exchange(working_, nullptr);
    if (done->given_up) return false;
    if (!done->answer) {
      cancelled_ = done->question;
      return false;
    }
    took_ = Clock::now() - done->begun;
    question_ = std::move(done->question);
    answer_ = std::move(done->answer);
    return true;
  }

  Overtaken overtaken_;
  std::optional<Question> question_;
  std::optional<Answer> answer_;
  std::optional<Question> cancelled_;  // by the person: it is not looked into again
  bool waits_ = false;
  Clock::duration took_{};
  std::shared_ptr<Working> working_;
  std::jthread thread_;
};

}  // namespace tidemark::gui
