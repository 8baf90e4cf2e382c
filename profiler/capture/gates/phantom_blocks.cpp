#include "profiler/capture/gates/phantom_blocks.h"

#include <dlfcn.h>

#include "profiler/phantom/environment.h"

namespace tidemark::capture {

void BlockBegins(const void* pointer, size_t bytes) {
  static const auto told =
      reinterpret_cast<phantom::BlockBeginsFunction>(dlsym(RTLD_DEFAULT, phantom::kBlockBeginsFunction));
  if (told != nullptr) told(pointer, bytes);
}

void BlockEnds(const void* pointer, size_t bytes) {
  static const auto told =
      reinterpret_cast<phantom::BlockBeginsFunction>(dlsym(RTLD_DEFAULT, phantom::kBlockEndsFunction));
  if (told != nullptr) told(pointer, bytes);
}

void BlockWaits() {
  static const auto told =
      reinterpret_cast<phantom::BlockWaitsFunction>(dlsym(RTLD_DEFAULT, phantom::kBlockWaitsFunction));
  if (told != nullptr) told();
}

}  // namespace tidemark::capture
