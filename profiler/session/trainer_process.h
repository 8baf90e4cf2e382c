// A trainer as a child process: started with one end of a command channel, its words on stderr kept, its end
// explained. One thread, which must live as long as the child: trainers ask the kernel to be killed when the
// thread that started them ends (PR_SET_PDEATHSIG), so that the window never leaves one behind.
//
// The child gets a process group of its own: Ctrl-C in a terminal reaches the program only, which then stops
// the trainer in order and closes the recording. Its stdin is empty, and stdout goes where stderr goes: the
// program's own is for results.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

namespace tidemark::session {

class TrainerProcess {
 public:
  // `environment` holds "NAME=value" entries that replace those of the same name. The child finds the
  // channel's end as the descriptor that "--channel N" names.
  static Result<TrainerProcess> Spawn(const std::filesystem::path& executable,
                                      const std::vector<std::string>& environment, int channel_fd);
  TrainerProcess(TrainerProcess&& other) noexcept;
  TrainerProcess& operator=(TrainerProcess&&) = delete;
  ~TrainerProcess();  // kills and reaps what still runs

  pid_t pid() const { return pid_; }
  int words_fd() const { return words_fd_.get(); }  // readable when there are words; -1 once they ended

  // Looks whether it has ended, without waiting. The wait status is kept.
  bool HasEnded();
  void Kill();
  bool was_killed() const { return was_killed_; }  // by Kill, not from outside
  void ReadWords();

  // The CUDA function that a stand-in refused because nobody modelled it; "" if none did.
  const std::string& unmodelled_function() const { return unmodelled_function_; }
  // Why the phantom answers cuDNN's plans with no workspace; "" unless it said so.
  const std::string& without_workspaces() const { return without_workspaces_; }
  // What it counts as 0, since no library and no table tells its size; each once.
  const std::vector<std::string>& unknown_sizes() const { return unknown_sizes_; }
  // All three, as the sentences that a recording keeps.
  std::vector<std::string> Notes() const;
  // Whether it said that it puts questions to cuDNN, which takes seconds, since it began or was told of
  // settings.
  bool asks_cudnn() const { return asks_cudnn_; }
  void HasNewSettings() { asks_cudnn_ = false; }
  // For a process that ended without saying why: how it ended, its last words, and what to do.
  std::string DescribeEnd(int64_t steps_done) const;

 private:
  TrainerProcess(pid_t pid, UniqueFd words_fd) : pid_(pid), words_fd_(std::move(words_fd)) {}
  void TakeLine(std::string_view line);

  pid_t pid_ = -1;
  std::optional<int> wait_status_;
  bool was_killed_ = false;
  UniqueFd words_fd_;
  std::string line_;       // not yet ended; at most 4 KiB of it
  std::string last_line_;  // that is not empty
  std::string unmodelled_function_;
  std::string without_workspaces_;
  std::vector<std::string> unknown_sizes_;
  std::vector<std::string> derived_sizes_;  // what follows a rule, and whose
  bool asks_cudnn_ = false;
};

}  // namespace tidemark::session
