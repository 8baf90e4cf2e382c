// Samples to train on, made from a seed. Pictures: each class is a random pattern of soft blobs, and each
// picture is its class's pattern under noise, so a network can learn them; where every pixel has a label, a
// pixel's brightness tells it. Tokens: each is mostly followed by the same other one, which a label per token
// asks for; with one label a sample, half of its tokens are its class's own. Sample i is the same for a seed
// whatever the batch size is. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/training/samples.h"
#include "profiler/training/zeroed_memory.h"

namespace tidemark::training {

class SyntheticSamples final : public Samples {
 public:
  // Without `filled` all are zero: a phantom never looks at them, and they take no memory.
  SyntheticSamples(const networks::Network& network, uint64_t seed, bool filled);

  // `count` samples in a row from a set that repeats after about a thousand samples, of large ones fewer (a
  // whole number of batches); the same for every use.
  Batch Next(int64_t count, Use use) override;
  Batch NextShare(int64_t count, int64_t rank, int64_t ranks, Use use) override;
  void Rewind() override { position_ = 0; }
  bool filled() const override { return filled_; }

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
  std::vector<float, ZeroedMemory<float>> pixels_;
  std::vector<int64_t, ZeroedMemory<int64_t>> tokens_;
  std::vector<int64_t> labels_;
  int64_t position_ = 0;
  int64_t made_ = 0;
};

}  // namespace tidemark::training
