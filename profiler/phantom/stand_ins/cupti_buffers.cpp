#include "profiler/phantom/stand_ins/cupti_buffers.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::cupti {
namespace {

struct Buffer {
  uint8_t* bytes = nullptr;
  size_t size = 0;
  size_t most_records = 0;  // 0 = as many as it holds
  size_t used = 0;
  size_t records = 0;

  bool Takes(size_t more) const {
    return used + more <= size && (most_records == 0 || records < most_records);
  }
};

class Buffers {
 public:
  void Use(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
    const MutexLock lock(mutex_);
    requested_ = requested;
    completed_ = completed;
  }

  bool used() const {
    const MutexLock lock(mutex_);
    return requested_ != nullptr;
  }

  void Write(std::span<const uint8_t> record) {
    if (TryWrite(record)) return;
    const std::optional<Buffer> fresh = Request();
    const MutexLock lock(mutex_);
    if (fresh) Install(*fresh);
    if (!Append(record)) ++dropped_;
  }

  void Flush() {
    std::deque<Buffer> full;
    CUpti_BuffersCallbackCompleteFunc completed = nullptr;
    {
      MutexLock lock(mutex_);
      Retire();
      full.swap(full_);
      completed = completed_;
      while (delivering_) changed_.wait(mutex_);  // what the other thread holds was written before, too
    }
    for (const Buffer& buffer : full) completed(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
  }

  size_t TakeDropped() {
    const MutexLock lock(mutex_);
    return std::exchange(dropped_, 0);
  }

 private:
  bool TryWrite(std::span<const uint8_t> record) {
    const MutexLock lock(mutex_);
    return Append(record);
  }

  bool Append(std::span<const uint8_t> record) TIDEMARK_REQUIRES(mutex_) {
    if (!current_ || !current_->Takes(record.size())) return false;
    std::memcpy(current_->bytes + current_->used, record.data(), record.size());
    current_->used += record.size();
    ++current_->records;
    return true;
  }

  std::optional<Buffer> Request() {
    CUpti_BuffersCallbackRequestFunc requested = nullptr;
    {
      const MutexLock lock(mutex_);
      requested = requested_;
    }
    if (requested == nullptr) return std::nullopt;
    Buffer buffer;
    requested(&buffer.bytes, &buffer.size, &buffer.most_records);
    if (buffer.bytes == nullptr || buffer.size == 0) return std::nullopt;
    return buffer;
  }

  // Another thread may have brought one in the meantime: that one goes back first, however full.
  void Install(const Buffer& fresh) TIDEMARK_REQUIRES(mutex_) {
    Retire();
    current_ = fresh;
    if (full_.empty()) return;
    if (!worker_started_) std::thread([this] { Deliver(); }).detach();
    worker_started_ = true;
    changed_.notify_all();
  }

  void Retire() TIDEMARK_REQUIRES(mutex_) {
    if (current_) full_.push_back(*current_);
    current_.reset();
  }

  void Deliver() {
    while (true) {
      Buffer buffer;
      CUpti_BuffersCallbackCompleteFunc completed = nullptr;
      {
        MutexLock lock(mutex_);
        delivering_ = false;
        changed_.notify_all();
        while (full_.empty()) changed_.wait(mutex_);
        delivering_ = true;
        buffer = full_.front();
        full_.pop_front();
        completed = completed_;
      }
      completed(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
    }
  }

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  CUpti_BuffersCallbackRequestFunc requested_ TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed_ TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  std::optional<Buffer> current_ TIDEMARK_GUARDED_BY(mutex_);
  std::deque<Buffer> full_ TIDEMARK_GUARDED_BY(mutex_);
  size_t dropped_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool delivering_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool worker_started_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

// Never destroyed: its thread goes with the process.
Buffers& TheBuffers() {
  static Buffers* const buffers = new Buffers;
  return *buffers;
}

}  // namespace

void UseBuffersOf(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  TheBuffers().Use(requested, completed);
}
bool HasBuffers() { return TheBuffers().used(); }
void Write(std::span<const uint8_t> record) { TheBuffers().Write(record); }
void Flush() { TheBuffers().Flush(); }
size_t TakeDropped() { return TheBuffers().TakeDropped(); }

size_t RecordBytes(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return sizeof(CUpti_ActivityMemory4);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

}  // namespace tidemark::phantom::cupti
