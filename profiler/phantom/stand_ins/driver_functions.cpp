#include "profiler/phantom/stand_ins/driver_functions.h"

#include <dlfcn.h>

namespace tidemark::phantom {

void* DriverFunction(const std::string& name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : dlsym(driver, name.c_str());
}

void* NewestDriverFunction(const std::string& name) {
  for (const char* ending : {"_v4", "_v3", "_v2", ""}) {
    if (void* function = DriverFunction(name + ending)) return function;
  }
  return nullptr;
}

}  // namespace tidemark::phantom
