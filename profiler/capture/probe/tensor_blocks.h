// Where an at::Tensor of a LibTorch whose headers are not at hand has its memory: its storage's beginning,
// which is what the allocator reported. c10::TensorImpl and c10::StorageImpl (c10/core) both begin with a
// table of virtual functions and eight bytes of counts (c10/util/intrusive_ptr.h), and have next to them what
// is asked for, the storage and its memory: so in LibTorch 2.11. In one with wider counts the storage's place
// holds a count, which is no address.
//
// Any thread that may read the tensor. O(1).
#pragma once

#include <cstdint>

namespace tidemark::capture {

// 0 where it has none, or where what is found cannot be one. Whether the allocator knows that address is for
// who reads it to ask.
uint64_t BlockOfTensor(const void* tensor);
// Of the first tensor of a std::vector of them.
uint64_t BlockOfFirst(const void* tensors);
// Its c10::TensorImpl, which is the same for a leaf as long as it lives.
const void* IdentityOfTensor(const void* tensor);

}  // namespace tidemark::capture
