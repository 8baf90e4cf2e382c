// A library that calls itself CUPTI and has next to nothing of it.
#include <cstdint>

extern "C" __attribute__((visibility("default"))) int cuptiGetVersion(uint32_t* version) {
  *version = 12;
  return 0;
}
