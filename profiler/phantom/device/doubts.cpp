#include "profiler/phantom/device/doubts.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

// Few kinds of doubts exist. Sentences are compared as addresses, so telling one again costs a look; the list
// lasts as long as the process.
struct Told {
  const char* sentence = nullptr;
  const Told* before = nullptr;
};
std::atomic<const Told*> latest_told{nullptr};

bool WasTold(const char* sentence, const Told* latest) {
  while (latest != nullptr && latest->sentence != sentence) latest = latest->before;
  return latest != nullptr;
}

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
  const Told* latest = latest_told.load(std::memory_order_acquire);
  if (WasTold(sentence, latest)) return;
  auto* const told = new Told{sentence, latest};
  while (!latest_told.compare_exchange_weak(told->before, told)) {
    if (WasTold(sentence, told->before)) {
      delete told;
      return;
    }
  }
  Write(sentence);
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
