#include "profiler/training/distributed/pretended_store.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::training {
namespace {

constexpr size_t kUniqueIdBytes = 128;  // of NCCL: what the others would have put into the store
// ProcessGroupNCCL.cpp: kStoreDumpKey, kStoreErrorSignalKey.
constexpr std::array<std::string_view, 2> kFailures = {"exception_dump", "remote_error"};

}  // namespace

// One object serves all: it is thread safe.
c10::intrusive_ptr<c10d::Store> PretendedStore::clone() {
  return c10::intrusive_ptr<c10d::Store>::unsafe_reclaim_from_nonowning(this);
}

void PretendedStore::set(const std::string& key, const std::vector<uint8_t>& value) {
  const MutexLock lock(mutex_);
  values_[key] = value;
}

std::vector<uint8_t> PretendedStore::get(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<uint8_t>(kUniqueIdBytes) : found->second;
}

int64_t PretendedStore::add(const std::string& key, int64_t value) {
  const MutexLock lock(mutex_);
  return sums_[key] += value * world_;
}

bool PretendedStore::deleteKey(const std::string& key) {
  const MutexLock lock(mutex_);
  return values_.erase(key) > 0;
}

// The others have set whatever they would have, but for what the watchdog asks every second: whether one has
// failed.
bool PretendedStore::check(const std::vector<std::string>& keys) {
  return std::ranges::none_of(keys, [](const std::string& key) {
    return std::ranges::any_of(
        kFailures, [&](std::string_view failure) { return key.find(failure) != std::string::npos; });
  });
}

int64_t PretendedStore::getNumKeys() {
  const MutexLock lock(mutex_);
  return static_cast<int64_t>(values_.size());
}

void PretendedStore::wait(const std::vector<std::string>& /*keys*/) {}
void PretendedStore::wait(const std::vector<std::string>& /*keys*/,
                          const std::chrono::milliseconds& /*timeout*/) {}

}  // namespace tidemark::training
