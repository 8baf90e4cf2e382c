#include "profiler/phantom/device/outside_memory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "profiler/base/format.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/calling_library.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

constexpr std::string_view kAllocator = "libc10_cuda.so";

struct Taken {
  size_t bytes = 0;
  std::string library;
};

class OutsideMemory {
 public:
  void Take(uint64_t place, size_t bytes, std::string_view file) {
    const MutexLock lock(mutex_);
    if (live_.empty() && most_bytes_ == 0) std::atexit(TellAtExit);
    live_[place] = {bytes, std::string(file.substr(file.rfind('/') + 1))};
    live_bytes_ += bytes;
    if (live_bytes_ <= most_bytes_) return;
    most_bytes_ = live_bytes_;
    largest_ =
        std::ranges::max_element(live_, {}, [](const auto& one) { return one.second.bytes; })->second.library;
    if (most_bytes_ / 2 >= told_bytes_) Tell();
  }
  void GiveBack(uint64_t place) {
    const MutexLock lock(mutex_);
    const auto taken = live_.find(place);
    if (taken == live_.end()) return;
    live_bytes_ -= taken->second.bytes;
    live_.erase(taken);
  }

 private:
  static void TellAtExit();
  void Tell() TIDEMARK_REQUIRES(mutex_) {
    if (most_bytes_ == told_bytes_) return;
    told_bytes_ = most_bytes_;
    Doubt(sentences_
              .emplace_back(std::string(kOutsideMemoryDoubt) + ": " +
                            FormatBytes(static_cast<int64_t>(most_bytes_), ByteUnit::kMebibytes) +
                            " at most, by " + largest_ + (live_.size() > 1 ? " and others" : "") +
                            ". It is not in these figures.")
              .c_str());
  }

  Mutex mutex_;
  std::map<uint64_t, Taken> live_ TIDEMARK_GUARDED_BY(mutex_);
  size_t live_bytes_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  size_t most_bytes_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  size_t told_bytes_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::string largest_ TIDEMARK_GUARDED_BY(mutex_);                // whose piece was, when it was most
  std::deque<std::string> sentences_ TIDEMARK_GUARDED_BY(mutex_);  // a doubt's text lasts
};

// Never destroyed: libraries free while the process exits.
OutsideMemory& Outside() {
  static auto* const outside = new OutsideMemory;
  return *outside;
}
std::atomic<bool> has_any{false};

void OutsideMemory::TellAtExit() {
  const MutexLock lock(Outside().mutex_);
  Outside().Tell();
}

}  // namespace

void NoteTaken(uint64_t place, size_t bytes) {
  const char* const library = CallingLibrary();
  if (library == nullptr || std::string_view(library).find(kAllocator) != std::string_view::npos) return;
  has_any.store(true, std::memory_order_relaxed);
  Outside().Take(place, bytes, library);
}

void NoteGivenBack(uint64_t place) {
  if (has_any.load(std::memory_order_relaxed)) Outside().GiveBack(place);
}

}  // namespace tidemark::phantom::device
