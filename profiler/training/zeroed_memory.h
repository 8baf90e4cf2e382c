// Memory for vectors whose values begin as zero without being written: of what nobody looks at, no page is
// ever taken from the system. A vector that was written to must not shrink and grow again. Any thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace tidemark::training {

template <typename Value>
struct ZeroedMemory {
  using value_type = Value;

  Value* allocate(size_t count) {
    void* const memory = std::calloc(count, sizeof(Value));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, size_t /*count*/) { std::free(memory); }

  template <typename Other>
  void construct(Other* /*is zero*/) {}
  template <typename Other, typename... From>
  void construct(Other* at, From&&... from) {
    ::new (static_cast<void*>(at)) Other(std::forward<From>(from)...);
  }
  bool operator==(const ZeroedMemory&) const = default;
};

}  // namespace tidemark::training
