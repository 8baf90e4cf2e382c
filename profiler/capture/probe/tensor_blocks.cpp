#include "profiler/capture/probe/tensor_blocks.h"

#include <cstddef>
#include <cstring>

namespace tidemark::capture {
namespace {

// After the table of virtual functions and the counts.
constexpr size_t kFirstMember = 16;

uint64_t WordAt(uint64_t object, size_t offset) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const std::byte*>(object) + offset, sizeof word);
  return word;
}

// Of this process's half of x86-64's addresses, as an object with pointers in it is aligned.
bool MayBeObject(uint64_t address) {
  constexpr uint64_t kFirstPages = 1 << 16;
  constexpr uint64_t kEnd = 1ULL << 47;
  return address >= kFirstPages && address < kEnd && address % alignof(void*) == 0;
}

}  // namespace

uint64_t BlockOfTensor(const void* tensor) {
  const uint64_t tensor_impl = WordAt(reinterpret_cast<uint64_t>(tensor), 0);
  if (!MayBeObject(tensor_impl)) return 0;
  const uint64_t storage_impl = WordAt(tensor_impl, kFirstMember);
  return MayBeObject(storage_impl) ? WordAt(storage_impl, kFirstMember) : 0;
}

uint64_t BlockOfFirst(const void* tensors) {
  const auto begin = WordAt(reinterpret_cast<uint64_t>(tensors), 0);
  const auto end = WordAt(reinterpret_cast<uint64_t>(tensors), sizeof(void*));
  return begin == end ? 0 : BlockOfTensor(reinterpret_cast<const void*>(begin));
}

}  // namespace tidemark::capture
