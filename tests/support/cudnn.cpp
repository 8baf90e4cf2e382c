#include "tests/support/cudnn.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace tidemark::tests {
namespace {

struct Outside {
  std::string cudnn;
  std::string cache;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Before main, so that it holds for whatever a test does. Answers of tests stay out of the person's own
// cache.
Outside SetUp() {
  Outside outside{Variable("TIDEMARK_CUDNN"), TIDEMARK_TEST_CACHE};
  setenv("TIDEMARK_CUDNN", "none", 1);
  setenv("TIDEMARK_CACHE", outside.cache.c_str(), 1);
  return outside;
}
const Outside outside = SetUp();

}  // namespace

std::optional<std::string> InstalledCudnn() {
  const std::string folder = TIDEMARK_TEST_CUDNN;
  if (outside.cudnn != "none" && std::filesystem::exists(folder + "/libcudnn.so.9")) return folder;
  std::puts("skipped: cuDNN is not installed (./test --with-cudnn fetches it)");
  return std::nullopt;
}

WithCudnn::WithCudnn(const std::string& folder, const std::string& cache) {
  setenv("TIDEMARK_CUDNN", folder.c_str(), 1);
  if (!cache.empty()) setenv("TIDEMARK_CACHE", cache.c_str(), 1);
}

WithCudnn::~WithCudnn() {
  setenv("TIDEMARK_CUDNN", "none", 1);
  setenv("TIDEMARK_CACHE", outside.cache.c_str(), 1);
}

}  // namespace tidemark::tests
