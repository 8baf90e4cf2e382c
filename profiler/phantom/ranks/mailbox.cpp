#include "profiler/phantom/ranks/mailbox.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

#include "profiler/base/unique_fd.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::ranks {
namespace {

namespace fs = std::filesystem;

Error CannotSend(const fs::path& file) {
  return Error{"What this rank sends cannot be kept in " + file.string() + ": " + std::strerror(errno) + "."};
}

Status Write(const fs::path& file, std::string_view bytes) {
  const UniqueFd fd(open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
  if (!fd.valid()) return CannotSend(file);
  while (!bytes.empty()) {
    const ssize_t written = write(fd.get(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return CannotSend(file);
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return Done{};
}

// Whole, since it got its name when it was.
std::string ReadWhole(const UniqueFd& fd) {
  struct stat status {};
  fstat(fd.get(), &status);
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = read(fd.get(), bytes.data() + have, bytes.size() - have);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace

Mailbox::Mailbox(fs::path folder, std::string group, int rank, int ranks)
    : folder_(std::move(folder)),
      group_(std::move(group)),
      rank_(rank),
      ranks_(ranks),
      sent_(static_cast<size_t>(ranks)),
      received_(static_cast<size_t>(ranks)) {}

fs::path Mailbox::FileOf(int sender, int receiver, int64_t number) const {
  return folder_ / (group_ + "." + std::to_string(sender) + "." + std::to_string(receiver) + "." +
                    std::to_string(number));
}

Status Mailbox::Send(const std::vector<int>& receivers, std::string_view message) {
  const MutexLock lock(mutex_);
  const fs::path written = folder_ / (group_ + "." + std::to_string(rank_) + ".written");
  Status status = Write(written, message);
  for (const int receiver : receivers) {
    const fs::path file = FileOf(rank_, receiver, sent_[static_cast<size_t>(receiver)]++);
    if (status.ok() && link(written.c_str(), file.c_str()) != 0) status = CannotSend(file);
  }
  unlink(written.c_str());
  return status;
}

Result<std::string> Mailbox::Receive(int sender, std::chrono::nanoseconds longest_wait) {
  int64_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = received_[static_cast<size_t>(sender)]++;
  }
  const fs::path file = FileOf(sender, rank_, number);
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  const auto silent_until = until - longest_wait + kSilentWait;
  constexpr std::chrono::nanoseconds kLongestNap = std::chrono::milliseconds(2);
  for (std::chrono::nanoseconds nap = std::chrono::microseconds(20);; nap = std::min(2 * nap, kLongestNap)) {
    if (const UniqueFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC)); fd.valid()) {
      unlink(file.c_str());
      return ReadWhole(fd);
    }
    const std::string rank = "Rank " + std::to_string(sender);
    if (gave_up_) return Error{rank + " is not waited for any more."};
    if (access(folder_.c_str(), F_OK) != 0) return Error{rank + " sent nothing before its program ended."};
    const auto now = std::chrono::steady_clock::now();
    if (now > silent_until) TellOfWaiting(sender);
    if (now > until) {
      return Error{rank + " sent nothing for " +
                   std::to_string(std::chrono::duration_cast<std::chrono::seconds>(longest_wait).count()) +
                   " seconds. See whether it takes part in the same collectives, in the same order."};
    }
    std::this_thread::sleep_for(nap);
  }
}

void Mailbox::TellOfWaiting(int sender) {
  if (told_of_waiting_.exchange(true)) return;
  const std::string line =
      "tidemark phantom: rank " + std::to_string(rank_) + " of " + std::to_string(ranks()) +
      " waits for what rank " + std::to_string(sender) +
      " sends. Each collective is waited for here where it begins, asynchronous ones, too.\n";
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

std::string Mailbox::NameWithout(const std::vector<int>& ranks) const {
  std::string name = group_ + "-without";
  for (const int rank : ranks) name += "-" + std::to_string(rank);
  return name;
}

std::string Mailbox::NameOfNextPart() {
  const MutexLock lock(mutex_);
  return group_ + "-" + std::to_string(parts_++);
}

namespace {

constexpr std::string_view kSignature = "tidemark ";

fs::path FolderOfRanks() {
  const char* const folder = std::getenv(kRanksVariable);
  return folder == nullptr ? "" : folder;
}

}  // namespace

std::string NewGroupId() {
  const fs::path folder = FolderOfRanks();
  if (folder.empty()) return "";
  std::random_device random;
  return std::string(kSignature) + folder.filename().string() + " " + std::to_string(getpid()) + "-" +
         std::to_string(random()) + std::to_string(random());
}

std::optional<MeetingPlace> MeetingPlaceOf(std::string_view id) {
  id = id.substr(0, id.find('\0'));
  const fs::path folder = FolderOfRanks();
  const std::string expected = std::string(kSignature) + folder.filename().string() + " ";
  if (folder.empty() || !id.starts_with(expected) || access(folder.c_str(), W_OK) != 0) return std::nullopt;
  return MeetingPlace{folder, std::string(id.substr(expected.size()))};
}

}  // namespace tidemark::phantom::ranks
