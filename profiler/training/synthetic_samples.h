// Samples to train on, made from a seed. Pictures: each class is a random pattern of soft blobs, and each
// picture is its class's pattern under noise, so a network can learn them; where every pixel has a label, a
// pixel's brightness tells it. Tokens: each is mostly followed by the same other one, which a label per token
// asks for; with one label a sample, half of its tokens are its class's own. Sample i is the same for a seed
// whatever the batch size is. Host memory that LibTorch's allocators do not see. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"

namespace tidemark::training {

class SyntheticSamples {
 public:
  // Without `filled` all are zero: a phantom never looks at them.
  SyntheticSamples(const networks::Network& network, uint64_t seed, bool filled);

  // A batch as plain arrays, valid until the next call: `count` samples in a row from a set that repeats
  // after about a thousand samples, of large ones fewer (a whole number of batches).
  struct Batch {
    void* values = nullptr;     // count × shape; floats, or int64 tokens
    int64_t* labels = nullptr;  // count × the network's labels()
  };
  Batch Next(int64_t count);
  bool filled() const { return filled_; }
  // The first sample comes next.
  void Rewind() { position_ = 0; }

 private:
  int64_t SetSize(int64_t count) const;
  void MakeUpTo(int64_t count);
  void Paint(int64_t sample);
  void PaintRegions(int64_t sample);
  void Write(int64_t sample);
  float Pattern(int64_t label, int64_t element) const;

  networks::SampleShape shape_;
  int64_t sample_elements_;
  int64_t labels_per_sample_;
  int64_t vocabulary_;
  int64_t classes_;
  uint64_t seed_;
  bool filled_;
  std::vector<float> patterns_;  // classes × shape, where they are few
  std::vector<float> pixels_;
  std::vector<int64_t> tokens_;
  std::vector<int64_t> labels_;
  int64_t position_ = 0;
  int64_t made_ = 0;
};

}  // namespace tidemark::training
