// Where a run's samples come from: synthetic_samples.h or cifar10_samples.h. Host memory that LibTorch's
// allocators do not see. One thread.
#pragma once

#include <cstdint>

namespace tidemark::training {

class Samples {
 public:
  virtual ~Samples() = default;

  // A batch as plain arrays, valid until the next call.
  struct Batch {
    void* values = nullptr;     // count × shape; floats, or int64 tokens
    int64_t* labels = nullptr;  // count × the network's labels()
  };
  enum class Use : uint8_t { kTraining, kEvaluation };
  virtual Batch Next(int64_t count, Use use) = 0;
  // Of a batch of `ranks` × count the part of one rank.
  virtual Batch NextShare(int64_t count, int64_t rank, int64_t ranks, Use use) = 0;
  // Whether values mean anything: not where nothing ever looks at them, on a phantom.
  virtual bool filled() const { return true; }
  // The first sample comes next.
  virtual void Rewind() = 0;
};

}  // namespace tidemark::training
