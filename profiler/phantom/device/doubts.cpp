#include "profiler/phantom/device/doubts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

// Few kinds of doubts exist. Sentences are compared as addresses, so telling one again costs a look.
constexpr size_t kMostDoubts = 64;
std::array<std::atomic<const char*>, kMostDoubts> doubts{};

void WriteDoubts() {
  const char* file = std::getenv(kDoubtsVariable);
  if (file == nullptr || doubts[0].load() == nullptr) return;
  const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;  // whoever asked for the file took it away
  for (const auto& doubt : doubts) {
    const char* sentence = doubt.load();
    if (sentence == nullptr) break;
    std::array<char, 512> line{};
    const size_t length = std::min(std::strlen(sentence), line.size() - 1);
    std::memcpy(line.data(), sentence, length);
    line[length] = '\n';
    if (write(fd, line.data(), length + 1) < 0) break;
  }
  close(fd);
}

}  // namespace

void Doubt(const char* sentence) {
  [[maybe_unused]] static const int registered = std::atexit(WriteDoubts);
  for (auto& doubt : doubts) {
    const char* known = doubt.load(std::memory_order_relaxed);
    if (known == sentence) return;
    if (known == nullptr && doubt.compare_exchange_strong(known, sentence)) return;
    if (known == sentence) return;
  }
}

}  // namespace tidemark::phantom::device
