// CIFAR-10's pictures, standardized, in the order of its files: those of training, and those of the test for
// evaluations where they are there. They are kept as bytes, 31 MB for each 10,000. One thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/training/samples.h"

namespace tidemark::training {

class Cifar10Samples final : public Samples {
 public:
  // Errors name the file and what is wrong.
  static Result<std::unique_ptr<Samples>> Read(const std::filesystem::path& folder);

  Batch Next(int64_t count, Use use) override;
  Batch NextShare(int64_t count, int64_t rank, int64_t ranks, Use use) override;
  void Rewind() override;

 private:
  struct Records {
    std::vector<uint8_t> bytes;
    size_t position = 0;  // of the next record
  };
  Records& RecordsFor(Use use);
  static void Skip(Records& records, int64_t count);
  void Take(Records& records, size_t sample);

  Records training_;
  Records test_;  // none where there is no test file
  std::vector<float> pixels_;
  std::vector<int64_t> labels_;
};

}  // namespace tidemark::training
