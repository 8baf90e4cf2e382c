#include "profiler/phantom/device/doubts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

// Few kinds of doubts exist. Sentences are compared as addresses, so telling one again costs a look.
constexpr size_t kMostDoubts = 64;
std::array<std::atomic<const char*>, kMostDoubts> doubts{};

const char* DoubtsFile() {
  const char* file = std::getenv(kDoubtsVariable);
  return file == nullptr || *file == '\0' ? nullptr : file;
}

void Write(const char* sentence) {
  const char* file = DoubtsFile();
  if (file == nullptr) return;
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;  // whoever asked for the file took it away
  const std::string line = std::string(sentence) + "\n";
  [[maybe_unused]] const ssize_t written = write(fd, line.data(), line.size());
  close(fd);
}

}  // namespace

void Doubt(const char* sentence) {
  for (auto& doubt : doubts) {
    const char* known = doubt.load(std::memory_order_relaxed);
    if (known == sentence) return;
    if (known == nullptr && doubt.compare_exchange_strong(known, sentence)) return Write(sentence);
    if (known == sentence) return;
  }
}

void DoubtOrSay(const std::string& line) {
  constexpr std::string_view kPrefix = "tidemark phantom: ";
  if (DoubtsFile() == nullptr) {
    const std::string whole = line + "\n";
    // Where nobody listens there is no other place to say it.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, whole.data(), whole.size());
    return;
  }
  static Mutex mutex;
  static std::set<std::string>* const told = new std::set<std::string>;  // doubts last as long as the process
  const MutexLock lock(mutex);
  const std::string sentence = line.starts_with(kPrefix) ? line.substr(kPrefix.size()) : line;
  Doubt(told->insert(sentence).first->c_str());
}

}  // namespace tidemark::phantom::device
