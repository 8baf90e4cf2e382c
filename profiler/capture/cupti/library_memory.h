// Which library holds how much device memory: of allocations from CUPTI's records, which name the library
// that asked for each; of what is mapped (cuMemMap) from the call itself, for there an H200's CUPTI 13.0
// named libraries that had asked for something else before. Memory of pools is none of anybody's here: the
// pool has it from the driver.
//
// Records come in any order: they are kept until Settle() and counted by their times; mappings at once.
//
// Any thread. Each change is told to the listener under the lock, which neither allocates device memory nor
// calls back. O(log live) a record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiler/base/thread_annotations.h"

namespace tidemark::capture::cupti {

class LibraryMemory {
 public:
  using Listener = void (*)(const std::string& library, int64_t live_bytes, int64_t change_bytes);
  explicit LibraryMemory(Listener listener) : listener_(listener) {}

  // `library`: the path of its file, of which the name is kept; null is told as "unknown".
  void Allocated(uint64_t address, uint64_t bytes, const char* library, uint64_t time_ns);
  void Freed(uint64_t address, uint64_t time_ns);
  void Mapped(uint64_t address, uint64_t bytes, const std::string& library);
  void Unmapped(uint64_t address, uint64_t bytes);
  // Nobody tells of them any more: tells the listener that no library holds anything, and keeps it so.
  void CountNoMore();
  // All records up to here have come.
  void Settle();

 private:
  struct Change {
    uint64_t time_ns = 0;
    uint64_t address = 0;
    int64_t bytes = 0;  // 0 = it was freed
    std::string library;
  };
  struct Block {
    int64_t bytes = 0;
    std::string library;
  };
  void Apply(const Change& change) TIDEMARK_REQUIRES(mutex_);
  void Count(const std::string& library, int64_t change) TIDEMARK_REQUIRES(mutex_);

  const Listener listener_;
  Mutex mutex_;
  std::vector<Change> waiting_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint64_t, Block> blocks_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<uint64_t, Block> mappings_ TIDEMARK_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> live_bytes_ TIDEMARK_GUARDED_BY(mutex_);
  bool is_over_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

}  // namespace tidemark::capture::cupti
