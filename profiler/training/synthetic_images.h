// Pictures to train on, made from a seed: each class is a random pattern of soft blobs, and each picture is
// its class's pattern under noise, so a network can learn them. Picture i is the same for a seed whatever the
// batch size is. Host memory that LibTorch's allocators do not see. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"

namespace tidemark::training {

class SyntheticImages {
 public:
  SyntheticImages(networks::SampleShape shape, int64_t classes, uint64_t seed);

  // A batch as plain arrays, valid until the next call: `count` pictures in a row from a set that repeats
  // after about a thousand pictures (a whole number of batches).
  struct Batch {
    float* pixels = nullptr;    // count × shape
    int64_t* labels = nullptr;  // count
  };
  Batch Next(int64_t count);
  // The first picture comes next.
  void Rewind() { position_ = 0; }

 private:
  void MakeUpTo(int64_t count);

  networks::SampleShape shape_;
  int64_t sample_elements_;
  int64_t classes_;
  uint64_t seed_;
  std::vector<float> patterns_;  // classes × shape
  std::vector<float> pixels_;
  std::vector<int64_t> labels_;
  int64_t position_ = 0;
};

}  // namespace tidemark::training
