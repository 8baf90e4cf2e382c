// The end of a run, as a flight recorder keeps it: the timeline holds it, and nothing else is kept. The file
// is written as a whole, in the place of the one before it, when memory runs out, from time to time and at
// the end: whoever is killed leaves what it was then. Until the end the file is locked as one that is being
// recorded, the one before it and each that takes its place; where there was none, one of nothing yet is.
//
// Who takes the events does not wait for the disk: what is written is a view, beside him.
#pragma once

#include <chrono>
#include <future>

#include "profiler/base/unique_fd.h"
#include "profiler/session/recording.h"

namespace tidemark::session {

class LastRecording final : public Recording {
 public:
  // Errors: another records into the file, or it cannot be written.
  static Result<std::unique_ptr<Recording>> Start(const std::filesystem::path& file,
                                                  const events::RunDescription& description,
                                                  const LastOfRun& last);

  Status Append(std::span<const events::Event> events, timeline::Builder& builder) override;
  Status Describe(const events::RunDescription& description) override;
  Status Flush(timeline::Builder& builder) override;
  Closed Close(timeline::Builder& builder) override;

 private:
  LastRecording(std::filesystem::path file, const events::RunDescription& description, const LastOfRun& last);
  Status TakeFile();
  using Clock = std::chrono::steady_clock;
  struct Saved {
    Status written = Done{};
    Clock::duration took{};
  };
  Status Save(const timeline::View& view, const trace::Part& part, const events::RunDescription& description,
              bool is_first);
  void LetGo(timeline::Builder& builder);
  bool IsSaving();
  void SaveMeanwhile(timeline::Builder& builder);

  const std::filesystem::path file_;
  const LastOfRun last_;
  const bool saves_meanwhile_;  // not into what takes one recording only, as a pipe does
  events::RunDescription description_;
  int64_t steps_ended_ = 0;
  size_t since_let_go_ = 0;  // events
  bool has_news_ = false;
  bool has_run_out_ = false;  // since it was saved
  bool has_file_ = false;
  bool has_made_file_ = false;  // of nothing yet
  UniqueFd lock_;               // on the file; that of who saves it meanwhile
  std::future<Saved> saving_;
  Clock::time_point saved_at_ = Clock::now();
  Clock::duration took_{};
};

}  // namespace tidemark::session
