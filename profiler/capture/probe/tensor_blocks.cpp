#include "profiler/capture/probe/tensor_blocks.h"

#include <cstddef>
#include <cstring>

namespace tidemark::capture {
namespace {

// After the table of virtual functions and the counts.
constexpr size_t kFirstMember = 16;

const void* PointerAt(const void* object, size_t offset) {
  const void* pointer = nullptr;
  std::memcpy(&pointer, static_cast<const std::byte*>(object) + offset, sizeof pointer);
  return pointer;
}

// Of this process's half of x86-64's addresses, as an object with pointers in it is aligned.
bool MayBeObject(const void* pointer) {
  constexpr uint64_t kFirstPages = 1 << 16;
  constexpr uint64_t kEnd = 1ULL << 47;
  const auto address = reinterpret_cast<uint64_t>(pointer);
  return address >= kFirstPages && address < kEnd && address % alignof(void*) == 0;
}

}  // namespace

uint64_t BlockOfTensor(const void* tensor) {
  const void* const tensor_impl = PointerAt(tensor, 0);
  if (!MayBeObject(tensor_impl)) return 0;
  const void* const storage_impl = PointerAt(tensor_impl, kFirstMember);
  if (!MayBeObject(storage_impl)) return 0;
  return reinterpret_cast<uint64_t>(PointerAt(storage_impl, kFirstMember));
}

uint64_t BlockOfFirst(const void* tensors) {
  const void* const begin = PointerAt(tensors, 0);
  return begin == PointerAt(tensors, sizeof(void*)) ? 0 : BlockOfTensor(begin);
}

const void* IdentityOfTensor(const void* tensor) { return PointerAt(tensor, 0); }

}  // namespace tidemark::capture
