// The store in which ranks meet, where only one rank is there: the others have met it, said what it would say
// itself, and added as much as it adds. The counterpart, for the trainer, of what
// profiler/phantom/programs/python does for programs. Thread safe: NCCL's watchdog asks it, too.
#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <unordered_map>
#include <vector>

#include "profiler/base/thread_annotations.h"

namespace tidemark::training {

class PretendedStore final : public c10d::Store {
 public:
  explicit PretendedStore(int world) : world_(world) {}

  c10::intrusive_ptr<c10d::Store> clone() override;
  void set(const std::string& key, const std::vector<uint8_t>& value) override;
  std::vector<uint8_t> get(const std::string& key) override;
  int64_t add(const std::string& key, int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

 private:
  const int world_;
  Mutex mutex_;
  std::unordered_map<std::string, std::vector<uint8_t>> values_ TIDEMARK_GUARDED_BY(mutex_);
  std::unordered_map<std::string, int64_t> sums_ TIDEMARK_GUARDED_BY(mutex_);
};

}  // namespace tidemark::training
