// What the ranks of a program say to each other that are processes of one machine: each message a file for
// its receiver, in a folder that all of them know (kRanksVariable), removed as it is read. What a rank says
// to another arrives in the order in which it was said; saying never waits.
//
// Thread safe, but what two threads say at once to the same rank has no order. Send is O(bytes + receivers),
// Receive O(bytes) once the message is there.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::ranks {

// PyTorch gives up on a collective after as long (kProcessGroupNCCLDefaultTimeout).
inline constexpr std::chrono::seconds kLongestWait{600};
inline constexpr std::chrono::seconds kSilentWait{10};

class Mailbox {
 public:
  // Of rank `rank` of `ranks` in the group of that name, which becomes a part of the files' names.
  Mailbox(std::filesystem::path folder, std::string group, int rank, int ranks);

  // To itself, too, if it is among them.
  Status Send(const std::vector<int>& receivers, std::string_view message) TIDEMARK_EXCLUDES(mutex_);
  // Waits for the next of that rank's messages to this one, and says so on stderr after kSilentWait, once.
  // Errors: it did not come in time, the folder is gone, somebody called GiveUp.
  Result<std::string> Receive(int sender, std::chrono::nanoseconds longest_wait = kLongestWait)
      TIDEMARK_EXCLUDES(mutex_);
  // Ends all waiting, in whichever thread, for good.
  void GiveUp() { gave_up_ = true; }
  bool gave_up() const { return gave_up_; }

  // For the next group that all of this one's ranks split it into: a name that they agree on.
  std::string NameOfNextPart() TIDEMARK_EXCLUDES(mutex_);
  // For the group without these, who are not asked.
  std::string NameWithout(const std::vector<int>& ranks) const;
  const std::filesystem::path& folder() const { return folder_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

 private:
  void TellOfWaiting(int sender);
  std::filesystem::path FileOf(int sender, int receiver, int64_t number) const;

  const std::filesystem::path folder_;
  const std::string group_;
  const int rank_;
  const int ranks_;
  std::atomic<bool> gave_up_{false};
  std::atomic<bool> told_of_waiting_{false};
  Mutex mutex_;
  // Messages to and from each rank.
  std::vector<int64_t> sent_ TIDEMARK_GUARDED_BY(mutex_);
  std::vector<int64_t> received_ TIDEMARK_GUARDED_BY(mutex_);
  int64_t parts_ TIDEMARK_GUARDED_BY(mutex_) = 0;
};

// What a group's first rank tells the others, as NCCL's id: the group's name, new, and its folder's. "" where
// the environment names no folder: there is nobody to meet.
std::string NewGroupId();
// The name of the group and the folder where its ranks meet.
struct MeetingPlace {
  std::filesystem::path folder;
  std::string group;
};
// None in a text that is no such id, and where its folder is not the one that the environment names here.
std::optional<MeetingPlace> MeetingPlaceOf(std::string_view id);

}  // namespace tidemark::phantom::ranks
