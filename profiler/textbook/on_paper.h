// What a step would need with optimizer state in 8 bits, which is not run here, and spread over ranks, side
// by side. Estimates (textbook.h), for rank 0. Pure functions, O(layers).
//
//   8-bit state   each moment of a tensor of n values takes n · 1 B and, for every block of 2048 values, one
//                 float32 that scales it (Dettmers et al., 8-bit Optimizers via Block-wise Quantization,
//                 arXiv 2110.02861, 2022); tensors of fewer than 4096 values stay as they are (bitsandbytes,
//                 min_8bit_size).
//   data parallel every rank has all of it; DistributedDataParallel's buckets hold the gradients once more
//                 (gradient_as_bucket_view=False).
//   ZeRO          the same figures as with `zero` set (data_parallel.h): what is gathered, or whole for a
//                 moment, is among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::textbook {

struct PaperLine {
  std::string title;             // "ZeRO stage 2"
  int64_t parameters_bytes = 0;  // gathered ones among them
  int64_t gradients_bytes = 0;   // buckets among them
  int64_t optimizer_bytes = 0;
  int64_t total_bytes = 0;  // of a rank, with all else
  std::string formula;      // "p + (g + o) / 8 + a layer's g and bucket"
};

// As it is on one rank, with 8-bit state, then the ways to spread it over the settings' ranks.
std::vector<PaperLine> EstimateOnPaper(const networks::Network& network,
                                       const networks::TrainingSettings& settings);

}  // namespace tidemark::textbook
