// Autocast and its copies of weights. Autocast keeps, until its outermost scope ends, the low-precision
// copies of float32 leaf tensors that require a gradient (at::autocast::cached_cast); each such copy is made
// by one aten::_to_copy, which is recognized by the same conditions and whose memory is an autocast copy from
// birth.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>

namespace tidemark::capture {

// `with torch.autocast(device, dtype)`: on in this thread, with the weight cache, which is dropped when the
// outermost scope ends, as Python does.
class AutocastScope {
 public:
  AutocastScope(c10::DeviceType device, c10::ScalarType dtype);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType outer_dtype_;
  uint64_t observer_ = 0;
};

// Whether the tensor lies in a copy that was made in this thread's current AutocastScope.
bool IsAutocastCopy(const at::Tensor& tensor);

}  // namespace tidemark::capture
