// The sizes that cuDNN tells only with a handle, asked for a grid of common shapes. One thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/phantom/calibration/operations.h"
#include "profiler/phantom/calibration/table.h"

namespace tidemark::phantom::calibration {

// cuDNN with a handle on the current context.
class HandledCudnn {
 public:
  // Errors are whole sentences.
  static Result<HandledCudnn> Open(const std::filesystem::path& file);

  void* handle() const { return handle_; }
  // Rows for this card, all measured; those that cuDNN refuses are unknown.
  std::vector<Row> Measure(const std::string& card, const std::string& version,
                           const std::string& source) const;

 private:
  struct Functions;
  std::optional<int64_t> Dropout() const;
  std::optional<int64_t> BatchNorm(BatchNormSize size, int mode, int ops, const TensorShape& input) const;
  std::optional<int64_t> Rnn(RnnSize size, const RnnShape& shape) const;

  std::shared_ptr<const Functions> functions_;
  void* handle_ = nullptr;
};

}  // namespace tidemark::phantom::calibration
