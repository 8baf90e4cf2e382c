#include "profiler/base/process_end.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/base/children.h"

namespace tidemark {
namespace {

// linux/pidfd.h of Linux 6.15, which the C library's headers may be older than.
struct PidfdInfo {
  uint64_t mask = 0;
  uint64_t control_group = 0;
  std::array<uint32_t, 11> ids{};
  int32_t exit_code = 0;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr uint64_t kInfoExit = 1 << 3;
constexpr auto kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

// As waitpid tells it; none until somebody has waited for it, and before Linux 6.15.
std::optional<int> StatusFromKernel(int pidfd) {
  PidfdInfo info;
  info.mask = kInfoExit;
  if (ioctl(pidfd, kGetInfo, &info) != 0 || (info.mask & kInfoExit) == 0) return std::nullopt;
  return info.exit_code;
}

// As waitpid tells it: the last field of a process that has ended ("Z") and for which nobody has waited.
std::optional<int> StatusFromFacts(int facts) {
  std::array<char, 1024> text{};
  const ssize_t length = pread(facts, text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  std::string_view line(text.data(), static_cast<size_t>(length));
  while (line.ends_with('\n')) line.remove_suffix(1);
  const size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string_view::npos || !line.substr(name_end).starts_with(") Z")) return std::nullopt;
  line.remove_prefix(line.rfind(' ') + 1);
  int status = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), status);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return status;
}

}  // namespace

bool IsOwnChild(pid_t process) {
  siginfo_t nothing{};
  return waitid(P_PID, static_cast<id_t>(process), &nothing, WEXITED | WNOHANG | WNOWAIT) == 0;
}

std::optional<ProcessEnd> ProcessEnd::Of(pid_t process) {
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!pidfd.valid()) return std::nullopt;
  UniqueFd facts(open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  return ProcessEnd(std::move(pidfd), std::move(facts));
}

bool ProcessEnd::ComesWithin(int timeout_ms) const {
  pollfd ended{fd(), POLLIN, 0};
  return poll(&ended, 1, timeout_ms) > 0;
}

std::optional<int> ProcessEnd::ExitCode() const {
  // Whoever waits for it may do so between two questions, but only once.
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const std::optional<int> status = StatusFromKernel(fd())) return ExitCodeOfStatus(*status);
    if (const std::optional<int> status = StatusFromFacts(facts_.get())) return ExitCodeOfStatus(*status);
  }
  return std::nullopt;
}

}  // namespace tidemark
