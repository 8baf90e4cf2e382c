#include "profiler/phantom/device/refusal.h"

#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

// What the program has printed so far, but where another thread prints at this moment, or stands still in it.
void FlushWhatWasPrinted() {
  for (std::FILE* const stream : {stdout, stderr}) {
    if (ftrylockfile(stream) != 0) continue;
    fflush_unlocked(stream);
    funlockfile(stream);
  }
}

[[noreturn]] void WriteAndEnd(const char* text, size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(STDERR_FILENO, text, bytes);
    if (written <= 0) break;  // nobody listens; there is no other place to say it
    text += written;
    bytes -= static_cast<size_t>(written);
  }
  _exit(kEndedStatus);
}

}  // namespace

void Refuse(const char* function, std::initializer_list<uint64_t> arguments) {
  FlushWhatWasPrinted();
  std::array<char, 512> line;
  int length = std::snprintf(line.data(), line.size() / 2, "%s%s (", kUnmodelledPrefix, function);
  const char* separator = "";
  for (const uint64_t argument : arguments) {
    length += std::snprintf(line.data() + length, line.size() - length, "%s0x%" PRIx64, separator, argument);
    separator = ", ";
  }
  length += std::snprintf(line.data() + length, line.size() - length, ")\n");
  WriteAndEnd(line.data(), static_cast<size_t>(length));
}

void EndProcess(const char* sentence) {
  FlushWhatWasPrinted();
  std::array<char, 1024> line;
  std::snprintf(line.data(), line.size(), "%s\n", sentence);
  WriteAndEnd(line.data(), std::strlen(line.data()));
}

}  // namespace tidemark::phantom::device
