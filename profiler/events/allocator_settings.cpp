#include "profiler/events/allocator_settings.h"

#include <cstdlib>

namespace tidemark::events {
namespace {

constexpr const char* kVariable = "PYTORCH_ALLOC_CONF";
constexpr const char* kOldVariable = "PYTORCH_CUDA_ALLOC_CONF";  // all versions know it

}  // namespace

std::string AllocatorSettings() {
  for (const char* name : {kVariable, kOldVariable}) {
    const char* settings = std::getenv(name);
    if (settings != nullptr && *settings != '\0') return settings;
  }
  return "";
}

std::vector<std::string> AllocatorEnvironment(const std::string& settings) {
  if (settings.empty()) return {kVariable, kOldVariable};
  return {kVariable, std::string(kOldVariable) + "=" + settings};
}

}  // namespace tidemark::events
