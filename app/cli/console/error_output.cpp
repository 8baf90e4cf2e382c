#include "app/cli/console/error_output.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/base/utf8.h"
#include "profiler/phantom/environment.h"

namespace tidemark::cli {
namespace {

constexpr size_t kMostBytes = 16 << 10;
constexpr size_t kMostLines = 12;
constexpr size_t kMostOfLine = 2000;  // PyTorch says in one line of 600 that memory ran out, and what to do
constexpr std::chrono::milliseconds kMostWait{200};
constexpr char kEscape = '\x1b';

void PassOn(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads ours
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// Behind an escape sequence that begins at `at`: "ESC [ 31 m", or ESC and one sign.
size_t BehindEscape(std::string_view text, size_t at) {
  ++at;
  if (at >= text.size() || text[at] != '[') return std::min(at + 1, text.size());
  for (++at; at < text.size(); ++at) {
    if (text[at] >= '@' && text[at] <= '~') return at + 1;
  }
  return at;
}

std::string LineAsShown(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (const size_t overwritten = line.rfind('\r'); overwritten != std::string_view::npos)
    line.remove_prefix(overwritten + 1);
  std::string shown;
  for (size_t at = 0; at < line.size() && shown.size() <= kMostOfLine;) {
    if (line[at] == kEscape) {
      at = BehindEscape(line, at);
      continue;
    }
    const bool is_control = static_cast<unsigned char>(line[at]) < ' ' && line[at] != '\t';
    if (!is_control) shown += line[at] == '\t' ? ' ' : line[at];
    ++at;
  }
  shown.erase(shown.find_last_not_of(' ') + 1);
  return shown.size() <= kMostOfLine ? shown : std::string(FirstLetters(shown, kMostOfLine)) + "…";
}

// The phantom's remarks are not what a program ends over.
bool IsRemark(std::string_view line) {
  constexpr std::array kRemarks = {phantom::kWithoutWorkspacesPrefix, phantom::kUnknownSizePrefix,
                                   phantom::kDerivedSizePrefix, phantom::kAskingLine};
  return std::ranges::any_of(kRemarks, [line](const char* remark) { return line.starts_with(remark); });
}

}  // namespace

struct ErrorOutput::Kept {
  Mutex mutex;
  std::condition_variable_any changed;
  std::string tail TIDEMARK_GUARDED_BY(mutex);
  bool is_over TIDEMARK_GUARDED_BY(mutex) = false;

  void Follow(const UniqueFd& from) {
    sigset_t broken_pipe;  // where nobody reads ours any more the window does not end
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    std::array<char, 4096> bytes;
    while (true) {
      const ssize_t size = read(from.get(), bytes.data(), bytes.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      const std::string_view text(bytes.data(), static_cast<size_t>(size));
      PassOn(text);
      const MutexLock lock(mutex);
      tail.append(text);
      if (tail.size() > 2 * kMostBytes) tail.erase(0, tail.size() - kMostBytes);
    }
    const MutexLock lock(mutex);
    is_over = true;
    changed.notify_all();
  }
};

ErrorOutput::ErrorOutput() : kept_(std::make_shared<Kept>()) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  to_us_ = UniqueFd(ends[1]);
  // On its own: what the program leaves running writes on after it, for as long as we are there.
  std::thread([kept = kept_, from = UniqueFd(ends[0])] { kept->Follow(from); }).detach();
}

std::string ErrorOutput::LastLines() {
  if (!to_us_.valid()) return "";
  to_us_ = UniqueFd();
  const auto until = std::chrono::steady_clock::now() + kMostWait;
  const MutexLock lock(kept_->mutex);
  while (!kept_->is_over && kept_->changed.wait_until(kept_->mutex, until) != std::cv_status::timeout) {
  }
  return LastLinesOf(kept_->tail);
}

std::string LastLinesOf(std::string_view written) {
  std::vector<std::string> lines;
  while (!written.empty()) {
    const size_t end = written.find('\n');
    std::string line = LineAsShown(written.substr(0, end));
    if (!line.empty() && !IsRemark(line)) lines.push_back(std::move(line));
    written.remove_prefix(end == std::string_view::npos ? written.size() : end + 1);
  }
  std::string text;
  for (size_t i = lines.size() - std::min(lines.size(), kMostLines); i < lines.size(); ++i)
    text += (text.empty() ? "" : "\n") + lines[i];
  return text;
}

}  // namespace tidemark::cli
