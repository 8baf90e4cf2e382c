// Clang's thread-safety annotations (errors under Clang, nothing under other compilers), and a mutex that
// carries them.
#pragma once

#include <mutex>

#if defined(__clang__)
#define TIDEMARK_ANNOTATION(x) __attribute__((x))
#else
#define TIDEMARK_ANNOTATION(x)
#endif

#define TIDEMARK_GUARDED_BY(mutex) TIDEMARK_ANNOTATION(guarded_by(mutex))
#define TIDEMARK_REQUIRES(mutex) TIDEMARK_ANNOTATION(requires_capability(mutex))
#define TIDEMARK_EXCLUDES(mutex) TIDEMARK_ANNOTATION(locks_excluded(mutex))

namespace tidemark {

class TIDEMARK_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() TIDEMARK_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() TIDEMARK_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class TIDEMARK_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TIDEMARK_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() TIDEMARK_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace tidemark
