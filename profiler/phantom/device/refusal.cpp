#include "profiler/phantom/device/refusal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
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

template <typename Function>
Function InProcess(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// What Python keeps itself of what was printed into a pipe or a file. Takes Python's lock for good: the
// process ends.
void FlushWhatPythonPrinted() {
  const auto lock = InProcess<int (*)()>("PyGILState_Ensure");
  const auto run = InProcess<int (*)(const char*)>("PyRun_SimpleString");
  if (lock == nullptr || run == nullptr) return;
  lock();
  run("import sys\nif sys.stdout: sys.stdout.flush()");
}

bool IsPython() {
  const auto is_initialized = InProcess<int (*)()>("Py_IsInitialized");
  return is_initialized != nullptr && is_initialized() != 0;
}

[[noreturn]] void WriteAndEnd(const char* text, size_t bytes) {
  static std::atomic_flag has_begun = ATOMIC_FLAG_INIT;
  while (has_begun.test_and_set()) pause();  // another thread ends it
  while (bytes > 0) {
    const ssize_t written = write(STDERR_FILENO, text, bytes);
    if (written <= 0) break;  // nobody listens; there is no other place to say it
    text += written;
    bytes -= static_cast<size_t>(written);
  }
  _exit(kEndedStatus);
}

void* EndInASecond(void* line) {
  sleep(1);
  const auto* const text = static_cast<const char*>(line);
  WriteAndEnd(text, std::strlen(text));
}

// Who holds Python's lock may wait for one that this thread holds.
[[noreturn]] void FlushAndEnd(char* line) {
  FlushWhatWasPrinted();
  pthread_t thread{};
  if (IsPython() && pthread_create(&thread, nullptr, EndInASecond, line) == 0) FlushWhatPythonPrinted();
  WriteAndEnd(line, std::strlen(line));
}

}  // namespace

void Refuse(const char* function, std::initializer_list<uint64_t> arguments) {
  std::array<char, 512> line;
  int length = std::snprintf(line.data(), line.size() / 2, "%s%s (", kUnmodelledPrefix, function);
  const char* separator = "";
  for (const uint64_t argument : arguments) {
    length += std::snprintf(line.data() + length, line.size() - length, "%s0x%" PRIx64, separator, argument);
    separator = ", ";
  }
  std::snprintf(line.data() + length, line.size() - length, ")\n");
  FlushAndEnd(line.data());
}

void EndProcess(const char* sentence) {
  std::array<char, 1024> line;
  std::snprintf(line.data(), line.size(), "%s\n", sentence);
  FlushAndEnd(line.data());
}

}  // namespace tidemark::phantom::device
